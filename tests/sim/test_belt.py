#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""From a push to the mail: the real daemon, git and database, workers that pretend to measure."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import tap
import watched


def names(daemon):
    """{subject of the commit: kind} of all findings."""
    rows = daemon.database.sql("SELECT c.subject, f.kind FROM finding f JOIN commit c ON c.id = f.commit_id")
    return dict(rows)


def reasons(daemon):
    return dict(daemon.database.sql("""SELECT h.subject, COALESCE(x.reason, x.state::text) FROM comparison x
        JOIN commit h ON h.id = x.head_id JOIN stack_comparison l ON l.comparison_id = x.id AND l.role = 'parent'"""))


def push_to_mail(t, daemon, repo):
    repo.branch("topic/stack")
    commits = {name: repo.commit(name) for name in
               ("comment", "slow", "neutral", "broken", "repair", "fast", "docs")}
    slow, fast = (1.1, 1.1), (1.1 * 0.9, 1.1 * 0.9)
    model = belt.Model({commits["slow"]: slow, commits["neutral"]: slow, commits["repair"]: slow,
                        commits["fast"]: fast, commits["docs"]: fast},
                       broken=[commits["broken"]],
                       same={commits["comment"]: repo.git("rev-parse", "main"),
                             commits["docs"]: commits["fast"]})
    with belt.FakeWorker(daemon, model) as worker:
        daemon.wait_for_stack("topic/stack")
        daemon.wait("both mails", lambda: len(daemon.mails()) == 2)
        nr_runs = worker.nr_runs
    t.equal(names(daemon), {"slow": "regression", "fast": "improvement"},
            "the slow and the fast commit are named, and no other")
    t.equal(reasons(daemon).get("comment"), "same binary", "a commit with an equal build is not measured")
    t.equal(daemon.database.one("""SELECT count(*) FROM run r JOIN commit c ON c.id = r.commit_id
            JOIN block b ON b.id = r.block_id JOIN stack_comparison l ON l.comparison_id = b.comparison_id
            WHERE c.subject = 'broken' OR (c.subject IN ('comment', 'docs') AND l.role = 'parent'
            AND b.comparison_id IN (SELECT x.id FROM comparison x WHERE x.head_id = c.id))"""), "0",
            "neither is a commit that does not build")
    bodies = "\n".join(daemon.mails().values())
    t.check(commits["slow"][:10] in bodies and "%stddev" in bodies, "the mail holds the commit and the table")
    return nr_runs


def push_again(t, daemon, repo):
    before = daemon.database.one("SELECT count(*) FROM run")
    repo.git("branch", "topic/twin", "topic/stack")
    daemon.wait_for_stack("topic/twin")
    t.equal(daemon.database.one("SELECT count(*) FROM run"), before,
            "the same commits under another name cost no run")


def force_push(t, daemon, repo):
    """A newer version of a branch ends the older one; what it shares is not measured again."""
    repo.branch("topic/moving")
    first = repo.commit("moving 1")
    daemon.wait("the first version", lambda: daemon.database.one(
        "SELECT id FROM stack WHERE ref = 'topic/moving' AND state IN ('building', 'measuring')"))
    repo.git("reset", "-q", "--hard", "main")
    second = repo.commit("moving 2")
    daemon.wait("the second version", lambda: daemon.database.one(
        "SELECT id FROM stack WHERE ref = 'topic/moving' AND version = 2"))
    t.equal(daemon.database.one("SELECT state FROM stack WHERE ref = 'topic/moving' AND version = 1"),
            "superseded", "a force-push supersedes the older version")
    with belt.FakeWorker(daemon, belt.Model({})):
        daemon.wait_for_stack("topic/moving")
    t.check(daemon.database.one(f"SELECT count(*) FROM run r JOIN commit c ON c.id = r.commit_id "
                                f"WHERE c.oid = '{first}' AND r.state = 'done' AND r.kind = 'measure'") == "0",
            "nothing of the superseded version is measured")
    t.check(second in [row[0] for row in daemon.database.sql("SELECT oid FROM commit")],
            "the new version is planned")


def branch_comes_and_goes(t, daemon, repo):
    """Practice cases C31 and C33."""
    repo.branch("topic/foo")
    repo.commit("foo")
    with belt.FakeWorker(daemon, belt.Model({})):
        daemon.wait_for_stack("topic/foo")
        head = repo.git("rev-parse", "topic/foo")
        repo.git("checkout", "-q", "main")
        repo.git("branch", "-q", "-D", "topic/foo")
        daemon.wait("foo to be gone", lambda: daemon.database.one(
            "SELECT id FROM head WHERE ref = 'topic/foo' AND state = 'gone'"))
        repo.git("branch", "topic/foo/bar", head)
        daemon.wait_for_stack("topic/foo/bar")
        t.check(True, "foo/bar in place of foo is seen at the next look")
        repo.git("branch", "-q", "-D", "topic/foo/bar")
        repo.git("branch", "topic/foo", head)
        daemon.wait("foo to be back", lambda: daemon.database.one(
            "SELECT id FROM head WHERE ref = 'topic/foo' AND state = 'live'"))
    t.equal(daemon.database.one("SELECT count(*) FROM stack WHERE ref = 'topic/foo'"), "1",
            "a branch that comes back as it was starts nothing anew")


def vanished(t, daemon, repo):
    moved = repo.path.with_name("elsewhere")
    repo.path.rename(moved)
    daemon.wait("the repository to be unreachable", lambda: daemon.database.one(
        "SELECT id FROM repository WHERE state = 'unreachable'"))
    t.check(str(repo.path) in daemon.database.one("SELECT reason FROM repository"),
            "a repository that vanished is unreachable, and the reason names it")
    moved.rename(repo.path)
    daemon.wait("it to be back", lambda: daemon.database.one("SELECT id FROM repository WHERE state = 'idle'"))
    t.check(True, "and idle again when it is back")


def main():
    t = tap.Tap()
    with watched.belt_of(t) as (daemon, repo):
        for step in (push_to_mail, push_again, force_push, branch_comes_and_goes, vanished):
            step(t, daemon, repo)
    return t.end()


sys.exit(main())
