#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs that go wrong are measurements too: how often, on which side, and who is told."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import tap
import watched

BROKEN = {"outcome": "failed", "reason": "exit-status", "detail": "exit status 1", "exit_code": 1,
          "files": {"stdout": b"", "stderr": b"assertion failed\n"}}


class Breaking(belt.Model):
    """Measures as usual, but every run of `always` fails, and one in six of each in `sometimes`."""

    def __init__(self, always=(), sometimes=()):
        super().__init__({})
        self.always = set(always)
        self.sometimes = set(sometimes)
        self.nr = 0

    def __call__(self, lease):
        if lease["kind"] == "measure":
            self.nr += lease["commit"] in self.sometimes
            if lease["commit"] in self.always or (lease["commit"] in self.sometimes and self.nr % 6 == 3):
                return {**BROKEN, "files": dict(BROKEN["files"])}
        return super().__call__(lease)


def push(repo, name, subjects):
    """All commits at once, whenever the daemon looks; their ids."""
    repo.branch("not-pushed")
    commits = [repo.commit(f"{name} {subject}") for subject in subjects]
    repo.git("branch", f"topic/{name}")
    return commits


def findings(daemon, ref):
    return dict(daemon.database.sql(f"""SELECT c.subject, f.kind FROM finding f
        JOIN commit c ON c.id = f.commit_id JOIN stack s ON s.id = f.stack_id WHERE s.ref = '{ref}'"""))


def nr_runs(daemon, ref):
    return int(daemon.database.one(f"""SELECT count(*) FROM run r JOIN block b ON b.id = r.block_id
        JOIN stack_comparison l ON l.comparison_id = b.comparison_id JOIN stack s ON s.id = l.stack_id
        WHERE s.ref = '{ref}' AND r.state IN ('done', 'failed')"""))


def a_crash(t, daemon, repo):
    crash = push(repo, "crash", ("crash",))[0]
    with belt.FakeWorker(daemon, Breaking(always=[crash])):
        daemon.wait_for_stack("topic/crash")
        daemon.wait("the mail", lambda: daemon.is_told() and daemon.mails())
    t.equal(findings(daemon, "topic/crash"), {"crash crash": "regression"},
            "a commit of which every run fails is found")
    mail = "\n".join(daemon.mails().values())
    t.check("fail:runs" in mail and "fake.exit-status" in mail, "the mail has its row, as LKP prints it")
    t.check("ended by exit-status" in mail and "assertion failed" in mail,
            "and what a failing run said at its end", mail)
    t.check(nr_runs(daemon, "topic/crash") <= 32, f"after {nr_runs(daemon, 'topic/crash')} runs")
    page = daemon.get(f"/compare?base={repo.git('rev-parse', 'main')}&head={crash}")[1]
    t.check("fake.exit-status" in page and "fail:runs" in page, "and so has the page")


def worse_than_before(t, daemon, repo):
    """1:6 on base, 6:6 on head."""
    worse = push(repo, "worse", ("worse",))[0]
    with belt.FakeWorker(daemon, Breaking(always=[worse], sometimes=[repo.git("rev-parse", "main")])):
        daemon.wait_for_stack("topic/worse")
        daemon.wait("the mail", daemon.is_told)
    t.equal(findings(daemon, "topic/worse"), {"worse worse": "regression"},
            f"a failure that base has seldom and head always is found, after {nr_runs(daemon, 'topic/worse')} runs")


def both_fail(t, daemon, repo):
    before = len(daemon.mails())
    both = push(repo, "both", ("both",))[0]
    with belt.FakeWorker(daemon, Breaking(always=[both, repo.git("rev-parse", "main")])):
        daemon.wait_for_stack("topic/both")
    t.equal(findings(daemon, "topic/both"), {}, "what fails on both sides is nobody's finding")
    t.check("missing" in daemon.database.one("""SELECT x.reason FROM comparison x JOIN commit c ON c.id = x.head_id
        WHERE c.subject = 'both both'"""), "it is missing, with its reason")
    t.check(nr_runs(daemon, "topic/both") <= 32 and len(daemon.mails()) == before,
            f"after {nr_runs(daemon, 'topic/both')} runs, without a mail")


def main():
    t = tap.Tap()
    with watched.belt_of(t) as (daemon, repo):
        for step in (a_crash, worse_than_before, both_fail):
            step(t, daemon, repo)
    return t.end()


sys.exit(main())
