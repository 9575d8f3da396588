#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is not measured yet, or cannot be: it is neither unchanged nor mended, and nobody's fault but its own."""
import collections
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import tap
import watched


def failed(reason, detail):
    return {"outcome": "failed", "reason": reason, "detail": detail, "exit_code": 1,
            "files": {"stdout": b"", "stderr": b"assertion failed\n"}}


class Troubled(belt.Model):
    """`never` has the commits that cannot be run, `plan` what goes wrong first with runs of others: so many
    troubles one after the other, not more than two at one place of a block."""

    def __init__(self, plan, factors=None, broken=(), never=()):
        super().__init__(factors or {}, broken)
        self.plan = {commit: list(troubles) for commit, troubles in plan.items()}
        self.never = set(never)
        self.tries = collections.Counter()

    def __call__(self, lease):
        if lease["kind"] == "build":
            return super().__call__(lease)
        place = lease["block"], lease["order"]
        self.tries[place] += 1
        if lease["commit"] in self.never:
            return failed("fetch-failed", "the lab has no network")
        if self.tries[place] <= 2 and self.plan.get(lease["commit"]):
            return failed(*self.plan[lease["commit"]].pop(0))
        return super().__call__(lease)


def push(repo, name, subjects):
    """All commits at once, whenever the daemon looks; their ids."""
    repo.branch("not-pushed")
    commits = [repo.commit(f"{name} {subject}") for subject in subjects]
    repo.git("branch", "-f", f"topic/{name}")
    return commits


def series(daemon, stack):
    return json.loads(daemon.get(f"/api/v1/series/{stack}")[1])


def told(daemon, ref):
    """{subject of the commit: (kind, body of its mail)}"""
    return {row[0]: tuple(row[1:]) for row in daemon.database.sql(f"""SELECT c.subject, f.kind, m.body FROM finding f
        JOIN commit c ON c.id = f.commit_id JOIN stack s ON s.id = f.stack_id JOIN mail m ON m.finding_id = f.id
        WHERE s.ref = '{ref}'""")}


def partly_measured(t, daemon, repo):
    """Practice C07: a head of which three runs have ended."""
    head = push(repo, "half", ("slow",))[0]
    model = belt.Model({head: (1.1, 1.1)})
    worker = belt.FakeWorker(daemon, model)
    worker.enrol()
    nr = 0
    while nr < 3:
        lease = worker.take()
        worker.finish(lease, model(lease))
        nr += lease["kind"] == "measure"
    stack = daemon.database.one("SELECT id FROM stack WHERE ref = 'topic/half'")
    nr_planned = daemon.database.one("SELECT count(*) FROM run WHERE kind = 'measure'")
    path = f"/compare?base={repo.git('rev-parse', 'main')}&head={head}"
    t.check(f"partial 3/{nr_planned}" in daemon.get(path)[1], "the page of two commits says how much of them there is")
    view = json.loads(daemon.get("/api/v1" + path)[1])["comparisons"][0]["view"]
    done = subprocess.run([belt.BUILD / "cli" / "patchmeter", "compare", "test:main", "test:topic/half"], check=False,
                          capture_output=True, text=True, env={**os.environ, "PATCHMETER_SERVER": daemon.url})
    t.equal((done.returncode, done.stderr),
            (0, f"patchmeter compare: partial, 3 of {nr_planned} runs have ended:\n"), "so does the command line")
    t.equal({change["verdict"] for row in view["groups"][0]["rows"] for change in row["changes"]}, {"missing"},
            "and gives no verdict by it")
    ends = series(daemon, stack)["ends"][0]
    t.equal((ends["word"], ends["state"], daemon.mails()), (f"running 3/{nr_planned}", "measuring", {}),
            "nor does the page of the series, nor any mail")
    with belt.FakeWorker(daemon, model):
        daemon.wait_for_stack("topic/half")
        daemon.wait("the mail", lambda: daemon.is_told() and daemon.mails())
    t.check("partial" not in daemon.get(path)[1], "what is whole does not say so any more")
    t.check("missing" not in told(daemon, "topic/half")["half slow"][1], "its mail misses nothing")


def not_run_is_not_mended(t, daemon, repo):
    """Practice C45: a regression that is already in the commit before, and a test that did not run."""
    slow, same, absent = push(repo, "release", ("slow", "trivial", "not run"))
    model = Troubled({}, {commit: (1.1, 1.1) for commit in (slow, same, absent)}, never=[absent])
    with belt.FakeWorker(daemon, model):
        stack = daemon.wait_for_stack("topic/release", seconds=120)
        daemon.wait("the mail", daemon.is_told)
    view = json.loads(daemon.get(f"/api/v1/series/{stack}/cumulative")[1])["cells"][0]["view"]
    row = next(row for row in view["groups"][0]["rows"] if row["metric"] == "fake.work_time")
    t.equal([change["verdict"] for change in row["changes"]], ["regression", "regression", "missing"],
            "against the base the regression is in the commit that made it, and in the one after it")
    t.check(all(8 < change["percent"] < 12 for change in row["changes"][:2]), "with its size", row["changes"])
    t.check(row["steps"][1]["verdict"] not in ("regression", "improvement", "missing"),
            "which itself changes nothing", row["steps"][1])
    cell = series(daemon, stack)["rows"][3]["cells"][0]
    t.equal((cell["word"], cell["why"]), ("missing", "fetch-failed: the lab has no network"),
            "what did not run is missing, with its reason, and not mended")
    mails = told(daemon, "topic/release")
    t.equal({name: kind for name, (kind, _) in mails.items()}, {"release slow": "regression"},
            "one commit is to blame, and nobody else is told anything")
    t.check(f"Note: missing, and neither better nor worse: fake at {absent[:12]}\n" in mails["release slow"][1],
            "its mail says what could not be measured", mails["release slow"][1])


def whose_fault(t, daemon, repo):
    """Practice C54: of twenty runs that failed three are the series' own."""
    crash, broken, torn, fine = push(repo, "mixed", ("crash", "broken", "torn", "fine"))
    gone, full = ("lost", "the worker was restarted"), ("lost", "no space left on the device")
    model = Troubled({crash: [("signal", "signal 11")] + 4 * [gone], fine: 5 * [full] + 8 * [gone]},
                     broken=(broken, torn))
    with belt.FakeWorker(daemon, model):
        stack = daemon.wait_for_stack("topic/mixed", seconds=120)
        daemon.wait("mails, if any", daemon.is_told)
    document = series(daemon, stack)
    t.equal([(row["commit"], row["kind"], row["reason"], row["nr"]) for row in document["failures"]],
            [(crash[:10], "measure", "signal", 1), (broken[:10], "build", "build-failed", 1),
             (torn[:10], "build", "build-failed", 1)], "the page names what failed by the series' own fault")
    t.equal(document["infrastructure"], {"nr": 17, "reasons": [{"reason": "lost", "nr": 17}]},
            "and of the lab's faults their number")
    page = daemon.get(f"/series/{stack}")[1]
    t.check("17 runs failed by the lab" in page and "no space left" not in page, "in a place of their own")
    t.equal(daemon.database.one("""SELECT count(*) FROM run r JOIN failure f ON f.run_id = r.id
        WHERE f.is_infrastructure AND r.attempt < 3 AND NOT EXISTS (SELECT FROM run o WHERE o.block_id = r.block_id
            AND o.position = r.position AND o.attempt = r.attempt + 1)"""), "0", "each of which was tried again")
    t.equal(told(daemon, "topic/mixed"), {}, "nobody gets a mail of them")


def main():
    t = tap.Tap()
    with watched.belt_of(t) as (daemon, repo):
        for step in (partly_measured, not_run_is_not_mended, whose_fault):
            step(t, daemon, repo)
    return t.end()


sys.exit(main())
