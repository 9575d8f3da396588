#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Benchmarks that misbehave, on the real worker: each has a reason, none becomes a sample."""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import moves
import pg
import tap

HEAD = """
name: {name}
summary: misbehaves
timeout: {timeout}
metrics:
  - name: speed
    unit: MB/s
    better: higher
    headline: true
    lines: speed
"""

# name: (steps of the job, reason of its runs, what the detail says)
RUNS = {
    "silent": ("run: 'true'", "no-metric", "no line with this name"),
    "nan": ("run: 'echo speed: nan'", "not-finite", "not finite"),
    "infinite": ("run: 'echo speed: inf'", "not-finite", "not finite"),
    "overflow": ("run: 'echo speed: 1e999'", "not-finite", "not finite"),
    "hangs": ("run: 'echo speed: 1; sleep 600'", "timeout", "did not end within 1 s"),
    "forks": ("run: 'setsid sleep 600 & echo speed: 1'", "left-processes", "left 1 process behind"),
    "killed": ("run: 'echo speed: 1; kill -KILL $$'", "signal", "signal 9"),
    "exits": ("run: 'echo speed: 1; exit 3'", "exit-status", "run exited with 3"),
    "closes": ("run: 'exec >&-; echo speed: 1 >&2'", "no-metric", "no line with this name"),
    "no-setup": ("setup: 'echo no disk; exit 4'\nrun: 'echo speed: 1'", "setup-failed", "setup exited with 4"),
    "floods": ("run: 'echo speed: 1; head -c 104857600 /dev/zero'", "output-too-large", "more than 67108864 bytes"),
}
BUILDS = {
    "no-build": ("build: 'echo no such header; exit 5'\nrun: 'echo speed: 1'", "build-failed", "build exited with 5"),
    "hangs-building": ("build: 'sleep 600'\nrun: 'echo speed: 1'", "build-timeout", "did not end within 2 s"),
}
GOOD = "build: 'cc -o bench bench.c'\nrun: './bench'"


def write_jobs(folder):
    for name, steps in [*((name, row[0]) for name, row in (RUNS | BUILDS).items()), ("good", GOOD)]:
        (folder / name).mkdir()
        head = HEAD.format(name=name, timeout="1s" if name == "hangs" else "60s")
        (folder / name / "job.yaml").write_text(f"{head}\n{steps}\n", encoding="utf-8")


def make_repo(folder):
    repo = belt.Repo(folder)
    program = '#include <stdio.h>\nint main(void) {{ puts("speed: 100"); }} /* {branch} */\n'
    for branch in ("main", "topic/stack"):
        if branch != "main":
            repo.branch(branch)
        (repo.path / "bench.c").write_text(program.format(branch=branch), encoding="utf-8")
        repo.git("add", "bench.c")
        repo.commit(branch)
    return repo


def rows_of(database, benchmark, kind):
    return database.sql(f"""SELECT r.state, f.reason, f.detail, r.value IS NULL, f.excerpt, r.id,
            f.is_infrastructure
        FROM run r JOIN cell c ON c.id = r.cell_id JOIN benchmark b ON b.id = c.benchmark_id
        LEFT JOIN failure f ON f.cell_id = r.cell_id AND f.run_id = r.id
        WHERE b.name = '{benchmark}' AND r.kind = '{kind}' AND r.state <> 'cancelled' ORDER BY r.id""")


def tries_of(database, benchmark):
    """How often the run that was tried most often was."""
    return database.one(f"""SELECT max(nr) FROM (SELECT count(*) AS nr FROM run r
        JOIN cell c ON c.id = r.cell_id JOIN benchmark b ON b.id = c.benchmark_id
        WHERE b.name = '{benchmark}' AND r.state = 'failed' GROUP BY r.block_id, r.position) tries""")


def check_runs(t, database):
    for name, (_, reason, detail) in RUNS.items():
        rows = rows_of(database, name, "measure")
        t.check(rows and all(row[0] == "failed" and row[1] == reason and detail in row[2] and
                             row[3] == "t" and row[6] == "f" for row in rows),
                f"{name}: its runs failed with '{reason}', and there is no sample", rows)
        t.equal(tries_of(database, name), "3", f"{name}: no run was tried more than three times")
        ends = database.sql(f"""SELECT x.state, x.reason FROM comparison x JOIN cell c ON c.id = x.cell_id
            JOIN benchmark b ON b.id = c.benchmark_id WHERE b.name = '{name}'""")
        t.check(len(ends) == 1 and ends[0][0] == "done" and ends[0][1].startswith(f"missing: {reason}"),
                f"{name}: its comparison ended as missing, and says why", ends)
    t.check("no disk" in rows_of(database, "no-setup", "measure")[0][4],
            "what setup printed stands beside its failure")


def check_builds(t, database):
    for name, (_, reason, detail) in BUILDS.items():
        rows = rows_of(database, name, "build")
        t.check(len(rows) == 2 and all(row[:2] == ["failed", reason] and detail in row[2] for row in rows),
                f"{name}: both commits were built once and failed with '{reason}'", rows)
        builds = database.sql(f"""SELECT d.state, d.reason FROM build d JOIN cell c ON c.build_hash = d.build_hash
            JOIN benchmark b ON b.id = c.benchmark_id WHERE b.name = '{name}'""")
        t.equal(builds, [["failed", reason]] * 2, f"{name}: the builds say why")
        t.equal(rows_of(database, name, "measure"), [], f"{name}: nothing of it is measured")
    t.check("no such header" in rows_of(database, "no-build", "build")[0][4],
            "the end of the build's log stands beside its failure")


def check_pages(t, daemon):
    for name, (_, reason, detail) in (RUNS | BUILDS).items():
        run = rows_of(daemon.database, name, "measure" if name in RUNS else "build")[0][5]
        status, text = daemon.get(f"/run/{run}?format=json")
        page = json.loads(text)
        t.check(status == 200 and reason in text and detail in text and not page.get("metrics"),
                f"{name}: the page of its run says why, and shows no number", text[:2000])
    status, text = daemon.get("/")
    t.check(status == 200 and "left-processes" in daemon.get("/runs?state=failed")[1],
            "the list of runs names the failures")


def check_rest(t, daemon, worker):
    database = daemon.database
    good = rows_of(database, "good", "measure")
    t.check(len(good) >= 8 and all(row[0] == "done" and row[3] == "f" for row in good),
            "a good benchmark behind all of them was measured", good)
    t.equal(database.one("SELECT count(*) FROM run WHERE value IS NOT NULL AND state <> 'done'"), "0",
            "no run that failed has values")
    t.equal(database.one("""SELECT count(*) FROM verdict v JOIN cell c ON c.id = v.cell_id
            JOIN benchmark b ON b.id = c.benchmark_id WHERE b.name <> 'good'"""), "0",
            "nothing that failed was judged")
    t.equal((database.one("SELECT count(*) FROM finding"), database.one("SELECT count(*) FROM mail"),
             daemon.mails()), ("0", "0", {}), "no mail comes of it")
    t.equal(database.one("SELECT count(*) FROM run WHERE state IN ('queued', 'leased', 'finished')"), "0",
            "no run is left over")
    t.check(worker.process.poll() is None, "the worker lives", worker.log())
    t.equal(worker.nr_left(), 0, "no process of a job is left")


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        folder = pathlib.Path(folder)
        database = cluster.database("belt")
        (folder / "jobs").mkdir()
        write_jobs(folder / "jobs")
        daemon = belt.Daemon(database, make_repo(folder / "repo"), jobs=folder / "jobs",
                             job=[*RUNS, *BUILDS, "good"])
        daemon.write_config()
        daemon.migrate()
        moves.watch(database)
        with daemon, belt.Worker(daemon, args=["--build-limit", "2"]) as worker:
            daemon.wait_for_stack("topic/stack", seconds=140)
            check_runs(t, database)
            check_builds(t, database)
            check_pages(t, daemon)
            check_rest(t, daemon, worker)
        t.equal(moves.illegal(database), [], "every row moved as its table of states allows")
    return t.end()


sys.exit(main())
