#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A stack as one: the table of every patch against base and parent, and runs that were unlucky."""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import tap
import watched


# As tests/fixtures/jobs/fake, without the exact metric that would tell luck from work.
JOB = """\
name: timed
summary: a benchmark that nobody runs
build: make
run: ./bench
timeout: 60s
metrics:
  - name: work_time
    unit: s
    better: lower
    headline: true
    regex: '(?m)^work_time: (?<value>[0-9.]+)$'
"""


def nr_again(daemon, ref):
    return int(daemon.database.one(f"""SELECT count(*) FROM want w JOIN stack_comparison l
        ON l.cell_id = w.cell_id AND l.comparison_id = w.comparison_id AND l.role = 'parent'
        JOIN stack s ON s.id = l.stack_id
        WHERE s.ref = '{ref}' AND w.reason LIKE '%stands out from both%'"""))


def findings(daemon, ref):
    return dict(daemon.database.sql(f"""SELECT c.subject, f.kind FROM finding f
        JOIN commit c ON c.id = f.commit_id JOIN stack s ON s.id = f.stack_id WHERE s.ref = '{ref}'"""))


class Unlucky(belt.Model):
    """Every run of one commit is slow until the belt has asked for others."""

    def __init__(self, daemon, commit):
        super().__init__({})
        self.belt = daemon
        self.commit = commit

    def __call__(self, lease):
        if lease["commit"] == self.commit:
            is_slow = self.belt.database.one("SELECT count(*) FROM event WHERE kind = 'again'") == "0"
            self.factors = {self.commit: (1.1, 1.0) if is_slow else (1.0, 1.0)}
        return super().__call__(lease)


def push(repo, name, subjects):
    """All commits at once, whenever the daemon looks; their ids."""
    repo.branch("not-pushed")
    commits = [repo.commit(f"{name} {subject}") for subject in subjects]
    repo.git("branch", "-f", f"topic/{name}")
    return commits


def steps(daemon, stack, metric="timed.work_time"):
    view = json.loads(daemon.get(f"/api/v1/series/{stack}/cumulative")[1])["cells"][0]["view"]
    return view["columns"], next(row for row in view["groups"][0]["rows"] if row["metric"] == metric)


def unlucky_runs(t, daemon, repo):
    odd = push(repo, "unlucky", ("before", "odd", "after"))[1]
    with belt.FakeWorker(daemon, Unlucky(daemon, odd)):
        stack = daemon.wait_for_stack("topic/unlucky")
    t.equal(nr_again(daemon, "topic/unlucky"), 2,
            "a commit slower than both its neighbours has both comparisons measured again")
    step = steps(daemon, stack)[1]["steps"][1]
    t.check(step["percent"] < 8 and step["low"] < 7,
            f"the fresh runs count: {step['percent']:.1f} % are left of 10 %")


def real_steps(t, daemon, repo):
    slow = push(repo, "steps", ("before", "slow", "undone"))[1]
    with belt.FakeWorker(daemon, belt.Model({slow: (1.1, 1.0)})):
        stack = daemon.wait_for_stack("topic/steps")
    t.equal(nr_again(daemon, "topic/steps"), 2, "a commit that really is slow is asked again once too")
    t.equal(findings(daemon, "topic/steps"), {"steps slow": "regression", "steps undone": "improvement"},
            "and then it is found, and what undid it")
    return stack


def patch_by_patch(t, daemon, stack):
    t.equal(daemon.get(f"/api/v1/series/{stack}/cumulative")[0], 200, "a stack has a cumulative document")
    columns, row = steps(daemon, stack)
    t.equal([column["subject"] for column in columns],
            ["base", "steps before", "steps slow", "steps undone"], "with a column a commit, base first")
    t.equal([change["verdict"] for change in row["steps"]][1:], ["regression", "improvement"],
            "the slow patch and the one that undoes it differ from their parents")
    t.check(row["changes"][1]["verdict"] == "regression" and row["changes"][2]["verdict"] != "regression",
            "against the base only the slow one does")
    for change, expected in zip(row["changes"], (0, 10, 0)):
        t.check(change["low"] < expected < change["high"],
                f"the interval {change['low']:.2f} to {change['high']:.2f} holds {expected} %")
    status, page = daemon.get(f"/series/{stack}/cumulative")
    t.check(status == 200 and "steps undone" in page and "Against parent" in page, "and a page")
    t.equal(daemon.get("/series/999999/cumulative")[0], 404, "a stack that is not there has none")


def next_version(t, daemon, repo, before):
    """On a newer base, with the slow patch mended."""
    repo.git("checkout", "-q", "main")
    repo.commit("newer base")
    mended = push(repo, "steps", ("before", "slow", "undone", "new"))[1]
    with belt.FakeWorker(daemon, belt.Model({mended: (1.02, 1.0)})):
        stack = daemon.wait("version 2", lambda: daemon.database.one(
            "SELECT id FROM stack WHERE ref = 'topic/steps' AND version = 2 AND state = 'done'"))
    document = json.loads(daemon.get(f"/api/v1/series/{stack}/versions")[1])
    t.equal((document["old"]["id"], document["is_one_base"]), (int(before), False),
            "a version is held against the one before it, on its own base")
    rows = {row["metric"].split(": ")[1]: row for row in document["cells"][0]["view"]["groups"][0]["rows"]}
    change = rows["steps slow"]["changes"][0]
    t.check(change["verdict"] == "improvement" and change["low"] < 100 * (1.02 / 1.1 - 1) < change["high"],
            f"the mended patch costs less now, {change['verdict']} ({change['reason']}): {change['low']:.2f} % to {change['high']:.2f} %")
    t.check(rows["the whole series"]["changes"][0]["verdict"] in ("cannot-resolve", "no-change"),
            "the tips do not differ more from their bases than before")
    t.equal(rows["steps new"]["changes"][0]["reason"], "in one version only", "a new patch has nothing beside it")
    t.check(document["cells"][0]["view"]["columns"][1]["name"] == "v2" and
            "steps new" in daemon.get(f"/series/{stack}/versions")[1], "there is a page")
    t.equal(daemon.get(f"/series/{before}/versions")[0], 404, "a first version has none before it")


def main():
    t = tap.Tap()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        job = pathlib.Path(folder) / "timed"
        job.mkdir()
        (job / "job.yaml").write_text(JOB, encoding="utf-8")
        with watched.belt_of(t, jobs=job.parent, job=("timed",)) as (daemon, repo):
            unlucky_runs(t, daemon, repo)
            stack = real_steps(t, daemon, repo)
            patch_by_patch(t, daemon, stack)
            next_version(t, daemon, repo, stack)
    return t.end()


sys.exit(main())
