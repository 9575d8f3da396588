#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The states of the C tables, of the SQL enums and of schema/README.md are the same."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import moves
import pg
import tap


def main():
    t = tap.Tap()
    states, allowed = moves.tables()
    with pg.Cluster() as cluster:
        database = cluster.database("states")
        for path in [ROOT / "schema" / "version.sql", *sorted((ROOT / "schema").glob("[0-9]*.sql"))]:
            database.sql(path.read_text(encoding="utf-8"))
        rows = database.sql("""SELECT t.typname, string_agg(e.enumlabel, ' ' ORDER BY e.enumsortorder)
            FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid WHERE t.typname LIKE '%\\_state'
            GROUP BY 1""")
        in_sql = {name: labels.split() for name, labels in rows}
    t.equal(sorted(states), sorted(in_sql), "every state enum has a table in C, and none is alone")
    for name in sorted(states):
        t.equal(states[name], in_sql.get(name), f"{name} has the same words in the same order")
        known = set(states[name])
        t.check(all(a in known and b in known for a, b in allowed[name]), f"moves of {name} are between its states")
    diagrams = subprocess.run([str(moves.BUILD / "tests" / "db" / "states_dump"), "--diagrams"],
                              check=True, capture_output=True, text=True).stdout
    readme = (ROOT / "schema" / "README.md").read_text(encoding="utf-8")
    t.check(diagrams.strip() in readme, "schema/README.md shows the diagrams as the tables draw them",
            "run: build/tests/db/states_dump --diagrams")
    return t.end()


sys.exit(main())
