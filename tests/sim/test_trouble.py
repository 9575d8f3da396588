#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is broken in one place holds up nothing in another: branches, jobs, files, configurations."""
import os
import pathlib
import signal
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap

# job: (its file, what the stack's reason says)
JOBS = {
    "unknown-key": ("name: unknown-key\nsummary: x\nrun: x\nspeed: fast\n", "job.yaml:4:1: "),
    "wrong-type": ("name: wrong-type\nsummary: x\nrun: [x]\n", "job.yaml:3:6: "),
    "no-yaml": ("name: no-yaml\n\tsummary: x\n", "job.yaml:2:1: "),
    "absent": (None, "absent/job.yaml'"),
    "folder": ("", "folder/job.yaml'"),
    "fifo": ("", "fifo/job.yaml': not a regular file"),
    "device": ("", "device/job.yaml': not a regular file"),
}


def write_jobs(folder):
    (folder / "fake").symlink_to(belt.JOBS / "fake")
    for name, (text, _) in JOBS.items():
        (folder / name).mkdir()
        if name == "folder":
            (folder / name / "job.yaml").mkdir()
        elif name == "fifo":
            os.mkfifo(folder / name / "job.yaml")
        elif name == "device":
            (folder / name / "job.yaml").symlink_to("/dev/zero")
        elif text:
            (folder / name / "job.yaml").write_text(text, encoding="utf-8")


def trees(repo):
    """A tree for each wrong job, on the same repository; their names come before the good one's."""
    return "".join(f'[tree "a-{name}"]\n\turl = {repo.path}\n\tbranch = topic/*\n\tjob = fake\n\tjob = {name}\n'
                   for name in JOBS)


def wrong_jobs(t, daemon):
    daemon.repo.branch("topic/jobs")
    daemon.repo.commit("jobs")
    with belt.FakeWorker(daemon, belt.Model({})):
        daemon.wait("the stack of the good job", lambda: daemon.database.one(
            """SELECT s.id FROM stack s JOIN repository r ON r.id = s.repository_id
            WHERE r.name = 'test' AND s.ref = 'topic/jobs' AND s.state = 'done'"""))
        daemon.wait("the other stacks", lambda: daemon.database.one(
            "SELECT count(*) FROM stack WHERE ref = 'topic/jobs' AND state = 'refused'") == str(len(JOBS)))
    for name, (_, where) in JOBS.items():
        reason = daemon.database.one(f"""SELECT s.reason FROM stack s JOIN repository r ON r.id = s.repository_id
            WHERE r.name = 'a-{name}' AND s.state = 'refused'""") or ""
        t.check(f"job '{name}': " in reason and where in reason,
                f"a stack with a job that is wrong ({name}) is refused, and it says where", reason)
    t.equal(daemon.database.one("SELECT count(*) FROM cell"), "1", "nothing of a refused stack is planned")


def unreadable_branch(t, daemon):
    """An object of a branch is missing, as in a repository that is being copied."""
    repo, database = daemon.repo, daemon.database
    repo.branch("topic/a-torn")
    first = repo.commit("torn 1")
    repo.commit("torn 2")
    stored = repo.path / ".git" / "objects" / first[:2] / first[2:]
    kept = stored.with_name("kept")
    daemon.stop()
    stored.rename(kept)
    repo.git("update-ref", "refs/heads/topic/b-whole", repo.git("rev-parse", "topic/jobs"))
    daemon.start()
    daemon.wait("the whole branch", lambda: database.one(
        "SELECT id FROM stack WHERE ref = 'topic/b-whole' AND state = 'done'"))
    reason = daemon.wait("the torn branch's reason", lambda: database.one(
        "SELECT reason FROM head WHERE ref = 'topic/a-torn' AND is_new AND reason IS NOT NULL"))
    t.check(first[:7] in reason, "a branch that cannot be read says why, and others go on", reason)
    repo.git("update-ref", "refs/heads/topic/c-later", repo.git("rev-parse", "topic/jobs"))
    daemon.wait("a later branch", lambda: database.one(
        "SELECT id FROM stack WHERE ref = 'topic/c-later' AND state = 'done'"))
    t.equal(database.one("SELECT count(*) FROM event WHERE kind = 'trouble' AND detail LIKE '%a-torn%'"),
            database.one("SELECT count(*) FROM head WHERE ref = 'topic/a-torn'"),
            "which is told once, not with every try")
    kept.rename(stored)
    with belt.FakeWorker(daemon, belt.Model({})):
        daemon.wait("the torn branch", lambda: database.one("""SELECT s.id FROM stack s JOIN repository r
            ON r.id = s.repository_id WHERE s.ref = 'topic/a-torn' AND r.name = 'test' AND s.state = 'done'"""))
    t.check(True, "it is measured once it can be read")


def finish_next(worker, kind):
    """Does leases until one of the kind is done; gives it."""
    while True:
        lease = worker.take()
        worker.finish(lease, worker.model(lease))
        if lease["kind"] == kind:
            return lease


def lost_files(t, daemon):
    """What was delivered is gone, or cannot be understood: it is run again."""
    database = daemon.database
    daemon.repo.branch("topic/lost")
    daemon.repo.commit("lost")
    worker = belt.FakeWorker(daemon, belt.Model({}), "careless")
    worker.enrol()
    finish_next(worker, "build")
    daemon.wait("the build", lambda: database.one(
        "SELECT count(*) FROM run WHERE kind = 'measure' AND state = 'queued'") not in ("0", None))
    daemon.stop()
    daemon.args = ["--roles=web"]
    daemon.start()
    gone, garbled = finish_next(worker, "measure")["run"], finish_next(worker, "measure")["run"]
    digest = database.one(f"SELECT hash FROM artefact WHERE run_id = {gone} AND name = 'stdout'")
    (daemon.data / "store" / digest[:2] / digest[2:4] / digest).unlink()
    database.sql(f"UPDATE run SET outcome = '{{\"outcome\": \"no such word\"}}' WHERE id = {garbled}")
    daemon.stop()
    daemon.args = []
    daemon.start()
    with belt.FakeWorker(daemon, belt.Model({}), "careless"):
        daemon.wait("the stack", lambda: database.one("""SELECT s.id FROM stack s JOIN repository r
            ON r.id = s.repository_id WHERE s.ref = 'topic/lost' AND r.name = 'test' AND s.state = 'done'"""))
    for run, what in ((gone, "output is gone"), (garbled, "result cannot be read")):
        row = database.sql(f"""SELECT r.state, f.reason, f.is_infrastructure, r.value IS NULL,
            (SELECT count(*) FROM run o WHERE o.block_id = r.block_id AND o.position = r.position AND o.state = 'done')
            FROM run r JOIN failure f ON f.run_id = r.id WHERE r.id = {run}""")
        t.equal(row, [["failed", "lost", "t", "t", "1"]], f"a run whose {what} is lost, and was run again")


def wrong_base(t, daemon):
    """Practice: the base is called otherwise here; once that is mended, all branches are looked at."""
    database, path = daemon.database, daemon.folder / "patchmeterd.conf"
    good = path.read_text(encoding="utf-8")
    tree = f'{good}[tree "based"]\n\turl = {daemon.repo.path}\n\tbase = master\n\tbranch = topic/*\n\tjob = fake\n'
    path.write_text(tree, encoding="utf-8")
    daemon.process.send_signal(signal.SIGHUP)
    where = "FROM head h JOIN repository r ON r.id = h.repository_id WHERE r.name = 'based' AND h.state = 'live'"
    daemon.wait("the reason", lambda: database.one(f"SELECT h.reason {where} AND h.reason IS NOT NULL"))
    t.equal(database.one(f"SELECT h.reason {where} AND h.reason IS NOT NULL"), "the base branch 'master' is not there",
            "a branch without its base says so")
    path.write_text(tree.replace("base = master", "base = main"), encoding="utf-8")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait("all branches", lambda: database.one(f"SELECT bool_and(NOT h.is_new) {where}") == "t" and database.one(
        f"SELECT count(*) {where} AND h.reason IS NOT NULL AND h.ref <> 'main'") == "0")
    t.check(True, "and is looked at once the base is there")
    path.write_text(good, encoding="utf-8")


def wrong_configuration(t, daemon):
    path = daemon.folder / "patchmeterd.conf"
    good = path.read_text(encoding="utf-8")
    path.write_text(good.replace("poll = 1s", "poll = 1s\n\tpol = 2s"), encoding="utf-8")
    daemon.process.send_signal(signal.SIGHUP)
    line = good[:good.index("poll = 1s")].count("\n") + 2
    daemon.wait("the complaint", lambda: f"patchmeterd.conf:{line}:" in daemon.log())
    t.check(daemon.is_alive() and daemon.get("/readyz")[0] == 200,
            "a wrong configuration is told with its line, and the old one stays")
    path.write_text(f'{good}[tree "more"]\n\turl = {daemon.repo.path}\n\tbranch = none/*\n\tjob = fake\n',
                    encoding="utf-8")
    daemon.process.send_signal(signal.SIGHUP)
    state = "SELECT state FROM repository WHERE name = 'more'"
    daemon.wait("the new tree", lambda: daemon.database.one(state) == "idle")
    path.write_text(good, encoding="utf-8")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait("the tree to go", lambda: daemon.database.one(state) == "removed")
    t.check(True, "a right one is taken over, and taken back, while the daemon runs")


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        folder = pathlib.Path(folder)
        (folder / "jobs").mkdir()
        write_jobs(folder / "jobs")
        repo = belt.Repo(folder / "repo")
        repo.commit("base")
        with belt.Daemon(cluster.database("belt"), repo, jobs=folder / "jobs", more=trees(repo)) as daemon:
            for step in (wrong_jobs, unreadable_branch, lost_files, wrong_base, wrong_configuration):
                step(t, daemon)
    return t.end()


sys.exit(main())
