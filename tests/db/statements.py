# SPDX-License-Identifier: GPL-2.0-or-later
"""Statements of schema/queries by name, run by psql as the programs run them: prepared.

    db = statements.Migrated(cluster, "history")
    db.run("noise_days", 7, 12)     # [["1", "{0.5}", "{4}"]]
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def text_of(name):
    for path in sorted((ROOT / "schema" / "queries").glob("*.sql")):
        found = re.search(rf"^-- name: {name}\n(.*?)(?=^-- name: |\Z)", path.read_text(encoding="utf-8"),
                          re.MULTILINE | re.DOTALL)
        if found:
            return found.group(1).strip().rstrip(";")
    raise KeyError(name)


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, (list, tuple)):
        return "'{" + ",".join(str(element) for element in value) + "}'"
    return str(value) if isinstance(value, (int, float)) else "'" + value.replace("'", "''") + "'"


class Migrated:
    """A database with the schema: whole, or as far as the migration that `until` begins with."""

    def __init__(self, cluster, name, until=None):
        self.database = cluster.database(name)
        self.paths = [ROOT / "schema" / "version.sql", *sorted((ROOT / "schema").glob("[0-9]*.sql"))]
        self.migrate(until)

    def migrate(self, until=None):
        """What is left of it."""
        while self.paths:
            path = self.paths.pop(0)
            self.database.sql(path.read_text(encoding="utf-8"))
            if until and path.name.startswith(until):
                break

    def sql(self, text):
        return self.database.sql(text)

    def one(self, text):
        return self.database.one(text)

    def run(self, name, *args):
        values = f"({', '.join(literal(arg) for arg in args)})" if args else ""
        return self.sql(f"PREPARE statement AS {text_of(name)};\nEXECUTE statement{values}")
