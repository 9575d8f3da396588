#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turns schema/queries/*.sql and schema/NNNN_*.sql into C tables at build time.

Usage: embed.py header|source FOLDER OUTPUT

A query file holds statements like this; the name is unique over all files:

    -- name: stack_new
    -- one line on what it gives
    SELECT ...;
"""
import hashlib
import pathlib
import re
import sys


def queries(folder):
    found = {}
    for path in sorted((folder / "queries").glob("*.sql")):
        name, lines = None, []

        def finish():
            if name is None:
                return
            text = "\n".join(lines).strip().rstrip(";").strip()
            if not text:
                sys.exit(f"{path}: query '{name}' is empty")
            if ";" in re.sub(r"'[^']*'", "", text):
                sys.exit(f"{path}: query '{name}' holds more than one statement")
            if name in found:
                sys.exit(f"{path}: query '{name}' stands twice")
            found[name] = text

        for line in path.read_text(encoding="utf-8").splitlines():
            start = re.match(r"-- name: ([a-z][a-z0-9_]*)$", line)
            if start:
                finish()
                name, lines = start.group(1), []
            elif line.startswith("--"):
                continue
            elif name is None:
                if line.strip():
                    sys.exit(f"{path}: text before the first '-- name:'")
            else:
                lines.append(line.rstrip())
        finish()
    return found


def literal(text):
    out = []
    for line in text.split("\n"):
        escaped = line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
        out.append(f'\t"{escaped}\\n"')
    return "\n".join(out)


def header(folder):
    names = queries(folder)
    rows = "\n".join(f"\tQ_{name.upper()}," for name in names)
    return f"""/* Made from schema/queries by schema/embed.py. */
#ifndef SCHEMA_QUERIES_H
#define SCHEMA_QUERIES_H

enum query {{
{rows}
\tNR_QUERIES
}};

struct query_row {{
\tconst char *name;
\tconst char *sql;
}};
extern const struct query_row query_rows[NR_QUERIES];

struct migration {{
\tint version;
\tconst char *name;
\tconst char *hash; /* SHA-256 of the text */
\tconst char *sql;
}};
extern const struct migration migrations[];
extern const int nr_migrations;

/* Makes the table that records migrations; may run again. */
extern const char schema_version_sql[];

#endif
"""


def source(folder):
    rows = []
    for name, text in queries(folder).items():
        rows.append(f'\t{{ "{name}",\n{literal(text)} }},')
    steps = []
    for number, path in enumerate(sorted(folder.glob("[0-9][0-9][0-9][0-9]_*.sql")), start=1):
        if int(path.name[:4]) != number:
            sys.exit(f"{path}: expected number {number:04d}")
        text = path.read_text(encoding="utf-8")
        digest = hashlib.sha256(text.encode()).hexdigest()
        steps.append(f'\t{{ {number}, "{path.stem}", "{digest}",\n{literal(text)} }},')
    newline = "\n"
    return f"""/* Made from schema/ by schema/embed.py. */
#include "schema/queries.h"

const struct query_row query_rows[NR_QUERIES] = {{
{newline.join(rows)}
}};

const struct migration migrations[] = {{
{newline.join(steps)}
}};
const int nr_migrations = sizeof(migrations) / sizeof(migrations[0]);

const char schema_version_sql[] =
{literal((folder / "version.sql").read_text(encoding="utf-8"))};
"""


def main():
    kind, folder, output = sys.argv[1:]
    make = {"header": header, "source": source}[kind]
    pathlib.Path(output).write_text(make(pathlib.Path(folder)), encoding="utf-8")


main()
