# SPDX-License-Identifier: GPL-2.0-or-later
"""Watches that rows move only as daemon/states.c allows.

watch(database) puts a trigger on every table with a state; illegal(database) lists what broke the
rules since.  The tables come from the program states_dump, that is, from the daemon's own code.
"""
import os
import pathlib
import subprocess

BUILD = pathlib.Path(os.environ.get("PATCHMETER_BUILD", pathlib.Path(__file__).resolve().parent.parent / "build"))


def tables():
    """{enum: states in order}, {enum: {(from, to)}}"""
    done = subprocess.run([str(BUILD / "tests" / "db" / "states_dump")], check=True,
                          capture_output=True, text=True)
    states, moves = {}, {}
    for line in done.stdout.splitlines():
        kind, name, *words = line.split()
        if kind == "state":
            states.setdefault(name, []).append(words[0])
            moves.setdefault(name, set())
        else:
            moves[name].add(tuple(words))
    return states, moves


def watch(database):
    _, moves = tables()
    rows = ", ".join(f"('{name}', '{a}', '{b}')" for name, pairs in moves.items()
                     for a, b in sorted(pairs))
    statements = [
        "CREATE TABLE allowed_move (enum text, a text, b text)",
        f"INSERT INTO allowed_move VALUES {rows}",
        "CREATE TABLE illegal_move (relation text, id text, a text, b text)",
        """CREATE FUNCTION check_move() RETURNS trigger LANGUAGE plpgsql AS $$
           BEGIN
             IF NEW.state <> OLD.state AND NOT EXISTS (SELECT FROM allowed_move
                 WHERE enum = TG_TABLE_NAME || '_state' AND a = OLD.state::text AND b = NEW.state::text) THEN
               INSERT INTO illegal_move VALUES (TG_TABLE_NAME, NEW.id::text, OLD.state, NEW.state);
             END IF;
             RETURN NEW;
           END $$""",
    ]
    for name in moves:
        table = name.removesuffix("_state")
        statements.append(f"CREATE TRIGGER check_move AFTER UPDATE ON {table} "
                          "FOR EACH ROW EXECUTE FUNCTION check_move()")
    database.sql(";\n".join(statements))


def illegal(database):
    return database.sql("SELECT relation, id, a, b FROM illegal_move")
