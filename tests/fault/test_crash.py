#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The daemon dies at every transaction boundary, and nobody can tell afterwards.

A short belt runs once undisturbed.  Then again for each crash point and the first passings of it:
the daemon is killed there (SIGKILL, by itself), started again, and must end with the same samples,
verdicts, findings and mails as its undisturbed twin; ids and times apart.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap

LIMIT = int(os.environ.get("PATCHMETER_KILLS", "60"))

DUMPS = {
    "samples": """
        SELECT c.oid, d.layout, r.position, r.value, r.state FROM run r JOIN commit c ON c.id = r.commit_id
        JOIN build d ON d.id = r.build_id WHERE r.kind = 'measure' AND r.state = 'done' ORDER BY 1, 2, 3, 4""",
    "builds": """SELECT c.oid, b.layout, b.state, b.artefact, b.reason FROM build b
        JOIN commit c ON c.id = b.commit_id ORDER BY 1, 2""",
    "verdicts": """
        SELECT b.oid, h.oid, x.purpose, m.name, v.look, v.kind, v.nr_base, v.nr_head, v.effect, v.low, v.high, v.p, v.q
        FROM verdict v JOIN comparison x ON x.cell_id = v.cell_id AND x.id = v.comparison_id
        JOIN cell k ON k.id = x.cell_id
        JOIN metric m ON m.benchmark_id = k.benchmark_id AND m.slot = v.slot
        JOIN commit b ON b.id = x.base_id JOIN commit h ON h.id = x.head_id ORDER BY 1, 2, 3, 4, 5""",
    "findings": """SELECT c.oid, f.role, f.kind, f.state, f.reason FROM finding f
        JOIN commit c ON c.id = f.commit_id ORDER BY 1, 2, 3""",
    "mails": "SELECT message_id, state, recipients, subject FROM mail ORDER BY 1",
    "stacks": "SELECT ref, version, state, nr_commits, test, level, is_discovery FROM stack ORDER BY 1, 2",
}


class QuietModel(belt.Model):
    """Values that depend on nothing that a crash could change."""

    def noise_key(self, lease):
        return lease["order"]


def without_ids(mail):
    mail = re.sub(r"^Date: .*$", "Date:", mail, flags=re.M)
    mail = re.sub(r"http://127\.0\.0\.1:\d+", "http://HOST", mail)
    return re.sub(r"(series|run|mail|compare[^ ]*cell)([/=])\d+", r"\1\2N", mail)


# In one statement: between two, a finding becomes a mail.
THROUGH = """SELECT (SELECT count(*) FROM stack WHERE state = 'done') = 1
    AND NOT EXISTS (SELECT FROM finding WHERE state = 'new')
    AND NOT EXISTS (SELECT FROM mail WHERE state = 'drafted')"""


def run_belt(database, repo, commits, crash=None):
    """Runs the belt to its end; what is in the rows, and how often the daemon died."""
    factors = {commits["slow"]: (1.2, 1.2)}
    for later in ("broken", "tip"):
        factors[commits[later]] = (1.2, 1.2)
    model = QuietModel(factors, broken=[commits["broken"]])
    daemon = belt.Daemon(database, repo)
    nr_deaths = 0
    try:
        daemon.write_config()
        daemon.start(crash)
        with belt.FakeWorker(daemon, model):
            def is_through():
                nonlocal nr_deaths
                if not daemon.is_alive():
                    nr_deaths += 1
                    daemon.start()
                return database.one(THROUGH) == "t"
            daemon.wait("the belt to be through", is_through, 120)
        daemon.stop()
        nr_deaths += daemon.process.returncode != 0  # at the last commit of all
        dump = {name: database.sql(query) for name, query in DUMPS.items()}
        dump["outbox"] = {name: without_ids(text) for name, text in daemon.mails().items()}
        return dump, nr_deaths
    finally:
        if daemon.is_alive():
            daemon.kill()
        shutil.rmtree(daemon.folder, ignore_errors=True)


def make_repo(folder):
    repo = belt.Repo(folder)
    commits = {"base": repo.commit("base")}
    repo.branch("topic/stack")
    for name in ("neutral", "slow", "broken", "tip"):
        commits[name] = repo.commit(name)
    return repo, commits


def spread(points):
    """Every point's first passing, then second and third ones, up to the limit."""
    plan = [(point, nth) for nth in (1, 2, 3) for point in points]
    return plan[:LIMIT]


def main():
    t = tap.Tap()
    listed = subprocess.run([str(belt.BUILD / "daemon" / "patchmeterd"), "--list-crash-points"],
                            check=True, capture_output=True, text=True)
    points = [point for point in listed.stdout.split() if not point.startswith("migrate")]
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        repo, commits = make_repo(pathlib.Path(folder) / "repo")
        template = cluster.database("made")
        maker = belt.Daemon(template, repo)
        maker.write_config()
        maker.migrate()
        shutil.rmtree(maker.folder)

        twin, _ = run_belt(cluster.database("twin", "made"), repo, commits)
        t.check(len(twin["mails"]) == 1 and len(twin["outbox"]) == 1,
                "the undisturbed belt ends with one mail", twin["mails"])
        t.check([row[0] for row in twin["findings"]] == [commits["slow"]],
                "the undisturbed belt names the slow commit", twin["findings"])

        reached = set()

        def one(number, point, nth):
            return run_belt(cluster.database(f"kill{number}", "made"), repo, commits, f"{point}:{nth}")

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            futures = [(point, nth, pool.submit(one, number, point, nth))
                       for number, (point, nth) in enumerate(spread(points))]
            for point, nth, future in futures:
                dump, nr_deaths = future.result()
                if nr_deaths:
                    reached.add(point)
                differing = [name for name in twin if dump[name] != twin[name]]
                what = f"killed at {point} ({nth})" if nr_deaths else f"never came to {point} ({nth})"
                t.check(not differing, f"{what}: the rows are those of the twin",
                        [(name, twin[name], dump[name]) for name in differing])
        # A point that no kill reaches proves nothing.  At calibrate tests/sim/test_history.py kills, at
        # bisect tests/sim/test_bisect_trouble.py.
        for point in points:
            place = point.split(".")[0]
            if place not in ("dispatch", "calibrate", "bisect") and len(spread(points)) >= len(points):
                t.check(point in reached, f"the belt passes {point}")
    return t.end()


sys.exit(main())
