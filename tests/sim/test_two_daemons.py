#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two daemons on one database do what one does, and nothing twice."""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import moves
import pg
import tap

STAGES = "watch,series,plan,dispatch,ingest,compare,decide,confirm,report"

# What must not depend on how many daemons there are.
DUMPS = {
    "stacks": "SELECT ref, version, state, nr_commits FROM stack ORDER BY 1, 2",
    "runs": """SELECT c.oid, r.kind, r.state, r.attempt, count(*) FROM run r JOIN commit c ON c.id = r.commit_id
        GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4""",
    "blocks": "SELECT state, count(*) FROM block GROUP BY 1",
    "wants": "SELECT state, nr_blocks, count(*) FROM want GROUP BY 1, 2 ORDER BY 1, 2",
    "verdicts": """SELECT b.oid, h.oid, x.purpose, v.look, v.slot, v.kind, v.nr_base, v.nr_head, v.effect
        FROM verdict v
        JOIN comparison x ON x.cell_id = v.cell_id AND x.id = v.comparison_id
        JOIN commit b ON b.id = x.base_id JOIN commit h ON h.id = x.head_id ORDER BY 1, 2, 3, 4, 5""",
    "mails": "SELECT message_id, state, recipients, subject FROM mail ORDER BY 1",
    "events": "SELECT kind, detail, count(*) FROM event WHERE kind <> 'plan' GROUP BY 1, 2 ORDER BY 1, 2",
}


class Model(belt.Model):
    """Values that do not depend on the order of runs."""

    def noise_key(self, lease):
        return lease["order"]


def make_repo(folder):
    repo = belt.Repo(folder)
    repo.commit("base")
    factors = {}
    for name in ("one", "two", "three"):
        repo.branch(f"topic/{name}")
        for number in range(4):
            factors[repo.commit(f"{name} {number}")] = (1.1, 1.1) if number >= 2 else (1.0, 1.0)
    return repo, factors


def run_belt(database, repo, factors, nr_daemons):
    """What is in the rows in the end, and what the daemons had to complain of."""
    daemon = belt.Daemon(database, repo)
    daemon.write_config()
    daemon.migrate()
    moves.watch(database)
    others = []
    with daemon:
        for number in range(1, nr_daemons):
            with open(daemon.folder / f"log{number}", "w", encoding="utf-8") as log:
                others.append(subprocess.Popen(daemon.command("--roles=" + STAGES), stderr=log, stdout=log))
        try:
            with belt.FakeWorker(daemon, Model(factors), "left"), belt.FakeWorker(daemon, Model(factors), "right"):
                for name in ("one", "two", "three"):
                    daemon.wait_for_stack(f"topic/{name}")
                daemon.wait("the mails", daemon.is_told)
        finally:
            for other in others:
                other.terminate()
                other.wait(30)
        dump = {name: database.sql(query) for name, query in DUMPS.items()}
        warnings = [line for log in daemon.folder.glob("log*")
                    for line in log.read_text(encoding="utf-8").splitlines() if "level=warn" in line]
    return dump, warnings, moves.illegal(database)


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        repo, factors = make_repo(pathlib.Path(folder) / "repo")
        alone, warnings, _ = run_belt(cluster.database("alone"), repo, factors, 1)
        t.equal(warnings, [], "one daemon has nothing to complain of")
        t.check(len(alone["mails"]) == 3, "and tells three changes", alone["mails"])
        both, warnings, illegal = run_belt(cluster.database("both"), repo, factors, 3)
        t.equal(warnings[:20], [], "neither have three on one database")
        t.equal(illegal, [], "every row moved as its table of states allows")
        for name, rows in alone.items():
            t.equal(both[name], rows, f"{name} are those of one daemon")
    return t.end()


sys.exit(main())
