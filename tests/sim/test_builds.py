#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds that fail: by the commit's fault they are an answer, by the lab's they are tried again."""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap


def no_base(t, daemon, base):
    """A base that does not build leaves nothing to compare with, and the stack says so."""
    daemon.repo.branch("topic/orphan")
    daemon.repo.commit("orphan 1")
    daemon.repo.commit("orphan 2")
    with belt.FakeWorker(daemon, belt.Model({}, broken=[base])):
        stack = daemon.wait_for_stack("topic/orphan")
    reason = daemon.database.one(f"SELECT reason FROM stack WHERE id = {stack}") or ""
    t.check(reason.startswith("no base: its build for 'fake' failed") and "build-failed" in reason, "the row says why", reason)
    status, page = daemon.get(f"/series/{stack}")
    t.check(status == 200 and page.count("no base: ") >= 2 and "No headline metric changed" not in page,
            "the page says so, and not that nothing changed", page[-2500:])
    shown = subprocess.run([str(belt.BUILD / "cli" / "patchmeter"), "show", f"series:{stack}", "--data",
                            str(daemon.data)], capture_output=True, text=True, check=False)
    t.check("no base: " in shown.stdout, "and patchmeter show", shown)
    t.equal(daemon.database.one("SELECT count(*) FROM run WHERE kind = 'build' AND state = 'failed'"), "1",
            "a build that fails by the commit's fault is not tried again")


def lost_build(t, daemon):
    """Three times lost to the lab is no answer about the commit: who asks again gets it built."""
    database = daemon.database
    daemon.repo.branch("topic/unlucky")
    commit = daemon.repo.commit("unlucky")

    def model(lease):
        if lease["commit"] == commit:
            return {"outcome": "failed", "reason": "fetch-failed", "detail": "no route to host"}
        return belt.Model({})(lease)

    with belt.FakeWorker(daemon, model):
        stack = daemon.wait_for_stack("topic/unlucky")
    t.equal(database.sql("SELECT state, reason FROM build WHERE commit_id = "
                         f"(SELECT id FROM commit WHERE oid = '{commit}')"), [["failed", "fetch-failed"]],
            "three times lost, it is not built")
    t.check("nothing to compare" in (database.one(f"SELECT reason FROM stack WHERE id = {stack}") or ""),
            "and the stack says that there is nothing to compare")
    daemon.repo.branch("topic/unlucky-2", "topic/unlucky")
    with belt.FakeWorker(daemon, belt.Model({})):
        daemon.wait_for_stack("topic/unlucky-2")
    t.equal(database.sql("SELECT b.state, r.state, r.attempt FROM build b JOIN run r ON r.id = b.run_id WHERE b.commit_id = "
                         f"(SELECT id FROM commit WHERE oid = '{commit}')"), [["done", "done", "1"]],
            "a stack that asks for it again gets it built")
    t.check(int(database.one("SELECT count(*) FROM stack_comparison l JOIN stack s ON s.id = l.stack_id "
                             "WHERE s.ref = 'topic/unlucky-2'")) > 0, "and measured")


def failed_build(t, daemon):
    database = daemon.database
    daemon.repo.branch("topic/wrong")
    commit = daemon.repo.commit("wrong")
    with belt.FakeWorker(daemon, belt.Model({}, broken=[commit])):
        daemon.wait_for_stack("topic/wrong")
        daemon.repo.branch("topic/wrong-2", "topic/wrong")
        daemon.wait_for_stack("topic/wrong-2")
    t.equal(database.one("SELECT count(*) FROM run r JOIN commit c ON c.id = r.commit_id "
                         "WHERE c.subject = 'wrong' AND r.kind = 'build'"), "1",
            "a commit that does not build is not built again for another stack")


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        repo = belt.Repo(pathlib.Path(folder) / "repo")
        base = repo.commit("base")
        with belt.Daemon(cluster.database("belt"), repo) as daemon:
            no_base(t, daemon, base)
        with belt.Daemon(cluster.database("lab"), repo) as daemon:
            daemon.repo.git("checkout", "-q", "main")
            daemon.repo.git("branch", "-q", "-D", "topic/orphan")
            lost_build(t, daemon)
            failed_build(t, daemon)
    return t.end()


sys.exit(main())
