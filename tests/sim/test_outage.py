#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The database goes away in the middle of the belt, and comes back."""
import collections
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap


def away_and_back(t, daemon, cluster):
    """Practice case C41: what happens while the database is away happens when it is back."""
    repo = daemon.repo
    repo.branch("topic/outage")
    for number in range(4):
        repo.commit(f"outage {number}")
    with belt.FakeWorker(daemon, belt.Model({}), "steady"):
        daemon.wait("a run to be done", lambda: daemon.database.one(
            "SELECT r.id FROM run r JOIN commit c ON c.id = r.commit_id WHERE c.subject = 'outage 3' AND r.state = 'done'"))
        cluster.stop()
        repo.commit("outage 4")
        t.equal(daemon.get("/readyz")[0], 503, "without its database the daemon says that it is not ready")
        t.equal(daemon.get("/healthz")[0], 200, "and that it lives")
        time.sleep(4)  # long enough for every stage to try more than once
        cluster.serve()
        daemon.wait("the push of meanwhile", lambda: daemon.database.one(
            "SELECT s.id FROM stack s WHERE s.ref = 'topic/outage' AND nr_commits = 5 AND state = 'done'"))
    t.equal(daemon.get("/readyz")[0], 200, "it is ready again by itself")
    t.equal(daemon.database.one("""SELECT count(*) FROM run r WHERE r.state IN ('queued', 'leased', 'finished')"""), "0",
                "no run is stuck")
    told = [line.split(" ", 2)[2] for line in daemon.log(1 << 20).splitlines()
            if "level=warn" in line and "kind=busy" in line or "looking by the clock" in line]
    stages = collections.Counter(line.split()[0] for line in told)
    t.check(stages and max(stages.values()) == 1, "whoever needs the database logs once that it is away", told)
    t.equal(daemon.log().count("listening to the database again"), 1, "the bells are heard again")


def start_without(t, daemon, cluster):
    """A daemon that finds no database says so and ends; whoever started it starts it again."""
    daemon.stop()
    cluster.stop()
    done = subprocess.run(daemon.command(), capture_output=True, text=True, timeout=30, check=False)
    t.check(done.returncode not in (0, 1) and done.stderr.startswith("patchmeterd: connect to the database: "),
            "a daemon without its database says so and ends", (done.returncode, done.stderr))
    cluster.serve()
    daemon.start()
    t.equal(daemon.get("/readyz")[0], 200, "and starts when it is there")


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        repo = belt.Repo(pathlib.Path(folder) / "repo")
        repo.commit("base")
        with belt.Daemon(cluster.database("belt"), repo) as daemon:
            away_and_back(t, daemon, cluster)
            start_without(t, daemon, cluster)
    return t.end()


sys.exit(main())
