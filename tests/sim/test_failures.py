#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs that go wrong are measurements too: how often, on which side, and who is told."""
import json
import pathlib
import re
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


class Flaky(belt.Model):
    """Measures as usual, but every third run of one commit fails, in a way that no other commit does."""

    def __init__(self, commit, factors, reason):
        super().__init__(factors, cv=0.005)
        self.commit = commit
        self.reason = reason
        self.nr = 0

    def __call__(self, lease):
        self.nr += lease["kind"] == "measure" and lease["commit"] == self.commit
        if lease["kind"] == "measure" and lease["commit"] == self.commit and self.nr % 3 == 0:
            return {**BROKEN, "reason": self.reason, "files": dict(BROKEN["files"])}
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


def told(daemon, ref):
    """[what it is about, its state, the mail's subject and body] of every finding."""
    return daemon.database.sql(f"""SELECT f.about, f.state, COALESCE(m.subject, ''), COALESCE(m.body, '') FROM finding f
        JOIN stack s ON s.id = f.stack_id LEFT JOIN mail m ON m.finding_id = COALESCE(f.told_with, f.id)
        WHERE s.ref = '{ref}' ORDER BY f.about""")


def outlives_its_metric(t, daemon, repo):
    """Only the first build is slow."""
    both = push(repo, "shaky", ("shaky",))[0]
    with belt.FakeWorker(daemon, Flaky(both, {(both, 0): (1.1, 1.1)}, "timeout")):
        daemon.wait_for_stack("topic/shaky")
        daemon.wait("the mail", daemon.is_told)
    rows = told(daemon, "topic/shaky")
    t.equal([row[:2] for row in rows], [["metric", "suppressed"], ["failure", "reported"]],
            "where a change of a metric is not confirmed, the failure of the same commit is told")
    subject, body = rows[1][2:]
    t.check("fake.timeout" in subject and "fail:runs" in body, "in a mail of its own", subject)
    t.check("work_time" not in subject + body, "that says nothing of what was not confirmed", body)


def one_mail_for_both(t, daemon, repo):
    before = len(daemon.mails())
    both = push(repo, "pair", ("pair",))[0]
    with belt.FakeWorker(daemon, Flaky(both, {both: (1.1, 1.1)}, "signal")):
        stack = daemon.wait_for_stack("topic/pair")
        daemon.wait("the mail", daemon.is_told)
    rows = told(daemon, "topic/pair")
    t.equal([row[:2] for row in rows], [["metric", "reported"], ["failure", "reported"]],
            "a commit that is slower and fails more often has two findings")
    t.check(len(daemon.mails()) == before + 1 and rows[0][2:] == rows[1][2:], "and one mail")
    subject, body = rows[0][2:]
    t.check("fake.work_time" in subject and "on 2 fresh builds a side" in body, "of the confirmed change", subject)
    t.check(re.search(r"fake\.signal in \d+ of \d+ runs, in 0 of \d+ before.*: regression", body) and
            "ended by signal" in body and "counted over the runs that found" in body,
            "and of the failure, with what a failing run said and where it was counted", body)
    page = json.loads(daemon.get(f"/api/v1/series/{stack}")[1])
    t.equal([(row["about"], row["state"], row["mail_url"]) for row in page["findings"]],
            [(about, "reported", page["mails"][0]["url"]) for about in ("metric", "failure")],
            "the page of the series links both to it")


def main():
    t = tap.Tap()
    with watched.belt_of(t) as (daemon, repo):
        for step in (a_crash, worse_than_before, both_fail, outlives_its_metric, one_mail_for_both):
            step(t, daemon, repo)
    return t.end()


sys.exit(main())
