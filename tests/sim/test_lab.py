#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""From a push to the mail with nothing pretended: daemon, database, git and a worker that builds.

Only the benchmark is made up: it prints a time that its source sets, with 1 % of noise.
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap

PROGRAM = str(belt.BUILD / "workers" / "patchmeter-worker")
MAKEFILE = """bench: bench.in
	grep -v '^# ' bench.in >bench
	chmod +x bench
"""
BENCH = """#!/bin/sh
%s
seed=$(od -An -N4 -tu4 /dev/urandom)
awk -v seed="$seed" 'BEGIN {
	srand(seed)
	for (i = 0; i < 12; i++) { sum += rand() }
	printf "work_time: %%.6f\\n", %g * (1 + 0.01 * (sum - 6))
}'
echo work_instructions: %d
"""


def commit(repo, subject, note, factor):
    (repo.path / "bench.in").write_text(BENCH % (note, 10 * factor, 1000000 * factor), encoding="utf-8")
    (repo.path / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    repo.git("add", "bench.in", "Makefile")
    return repo.commit(subject)


def start_worker(daemon, folder):
    """Returns when the worker is past the point where a signal would simply kill it."""
    path = folder / "log"
    before = path.stat().st_size if path.exists() else 0
    with open(path, "a", encoding="utf-8") as log:
        worker = subprocess.Popen([PROGRAM, "--server", daemon.url, "--token-file", daemon.data / "worker.token",
                                   "--state", folder / "state", "--name", "box", "--settle", "0"],
                                  stdout=log, stderr=log)
    daemon.wait("a word of the worker", lambda: path.stat().st_size > before)
    return worker


def main():
    t = tap.Tap()
    seed = int(os.environ.get("PATCHMETER_SEED", time.time_ns() % 1000000))
    chance = random.Random(seed)
    print(f"# PATCHMETER_SEED={seed}")
    with tempfile.TemporaryDirectory(prefix="patchmeter-lab-") as name, pg.Cluster() as cluster:
        folder = pathlib.Path(name)
        repo = belt.Repo(folder / "repo")
        commit(repo, "base", "# one", 1)
        with belt.Daemon(cluster.database("lab"), repo) as daemon:
            worker = start_worker(daemon, folder)
            repo.branch("topic/stack")
            commit(repo, "comment", "# two", 1)
            slow = commit(repo, "slow", "# two", 1.1)
            commit(repo, "neutral", "# three", 1.1)
            try:
                daemon.wait("a run that counts", lambda: int(daemon.database.one(
                    "SELECT count(*) FROM run WHERE kind = 'measure' AND state = 'done'")) > 3, 120)
                for _ in range(10):
                    time.sleep(chance.uniform(0.1, 1))
                    os.kill(worker.pid, signal.SIGKILL)
                    worker.wait()
                    worker = start_worker(daemon, folder)
                daemon.wait_for_stack("topic/stack", seconds=240)
                daemon.wait("the mail", daemon.mails)
            except RuntimeError:
                print("# " + (folder / "log").read_text(encoding="utf-8").replace("\n", "\n# "))
                raise
            finally:
                worker.terminate()
            t.equal(worker.wait(30), 0, "the worker ends politely")
            t.equal(daemon.database.sql("""SELECT c.subject, f.kind FROM finding f
                JOIN commit c ON c.id = f.commit_id"""), [["slow", "regression"]],
                    "the slow commit is found, although the worker was killed ten times")
            mails = "\n".join(daemon.mails().values())
            t.check(slow[:10] in mails and "%stddev" in mails, "and the mail says so", mails[:2000])
            t.equal(daemon.database.one("SELECT count(*) FROM run WHERE state = 'done' AND value IS NULL "
                                        "AND kind = 'measure'"), "0", "every run that counts has values")
            t.equal(daemon.database.one("SELECT count(DISTINCT boot_id) = count(*) FROM run "
                                        "WHERE kind = 'measure' AND state = 'done'"), "t",
                    "each of them was a process of its own")
            t.check(int(daemon.database.one("SELECT count(*) FROM artefact WHERE name = 'stdout'")) > 0,
                    "their output is in the store")
    return t.end()


if __name__ == "__main__":
    sys.exit(main())
