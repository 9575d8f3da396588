#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What no format of `patchmeter compare` may do with odd input, through the program.

formats.py PATCHMETER SOURCE
"""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

PROGRAM = os.path.abspath(sys.argv[1])
FORMATS = ("text", "lkp", "pct", "pct-raw", "percent", "md", "csv", "json")
WAYS = [("--format", name) for name in FORMATS] + [("--lkp-compat",), ("--lkp-compat", "--json")]
# What a C program prints of what is no number; the peer prints its own "+7e+102%".
NO_NUMBER = re.compile(r"(?<![\w.-])[-+]?(nan|inf|infinity)(?![\w.-])", re.IGNORECASE)

ODD = {
    "zeros": ([0, 0, 0, 0], [0, 0, 0, 0]),
    "from_zero": ([0, 0, 0, 0], [5, 5, 6, 5]),
    "to_zero": ([5, 5, 6, 5], [0, 0, 0, 0]),
    "negative": ([-5, -5.1, -5.2, -4.9], [-7, -7.1, -7.2, -7.3]),
    "signs": ([-1, 1, -1, 1], [1, -1, 2, -2]),
    "one_sample": ([7], [8]),
    "one_against_many": ([7], [8, 8.1, 8.2, 8.3]),
    "unequal": ([1, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9]),
    "huge": ([1e300, 1.1e300, 1e300, 1e300], [1e308, 1e308, 1e308, 1e308]),
    "tiny": ([1e-300, 1.1e-300, 1e-300, 1e-300], [1e-310, 1e-310, 1e-310, 1e-310]),
    "missing": ([None, None, None], [1, 2, 3]),
    "holes": ([1, None, 1.1, None, 1.2], [None, 2, 2.1, 2.2, None]),
    "base_only": ([1, 2, 3], None),
    "head_only": (None, [1, 2, 3]),
    "empty": ([], [1, 2, 3]),
}


def put(folder, name, content):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))


def compare(folder, *args):
    return subprocess.run([PROGRAM, "compare", *args], cwd=folder, capture_output=True, text=True,
                          check=False)


def put_odd(folder):
    for side, name in enumerate("ab"):
        put(folder, name, {key: pair[side] for key, pair in ODD.items() if pair[side] is not None})


def no_format_prints_what_is_no_number(folder):
    put_odd(folder)
    for way in WAYS:
        done = compare(folder, "--all", *way, "a", "b")
        assert done.returncode == 0 and done.stdout, (way, done)
        assert not NO_NUMBER.search(done.stdout), (way, NO_NUMBER.search(done.stdout), done.stdout)


def every_format_has_every_row(folder):
    put_odd(folder)
    for way in WAYS:
        done = compare(folder, "--all", *way, "a", "b")
        missing = [name for name in ODD if name not in done.stdout.replace("\\_", "_")]
        assert not missing, (way, missing, done.stdout)


def three_sides_are_three_columns(folder):
    put_odd(folder)
    put(folder, "c", {"unequal": [9, 9, 9, 9], "other": [1]})
    for way in WAYS:
        done = compare(folder, "--all", *way, "a", "b", "c")
        assert done.returncode == 0 and not NO_NUMBER.search(done.stdout), (way, done)
    rows = list(csv.DictReader(io.StringIO(compare(folder, "--format", "csv", "a", "b",
                                                   "c").stdout)))
    assert {row["head"] for row in rows} == {"b", "c"}, rows
    assert {row["base"] for row in rows} == {"a"}, rows


def a_side_without_metrics_is_3(folder):
    put_odd(folder)
    put(folder, "nothing", {})
    os.makedirs(os.path.join(folder, "folder"))
    for way in WAYS:
        for sides in (("a", "nothing"), ("nothing", "b"), ("a", "folder"), ("folder", "folder")):
            done = compare(folder, *way, *sides)
            assert done.returncode == 3 and "nothing to compare" in done.stderr, (way, sides, done)


def malformed_is_9_in_every_format(folder):
    put_odd(folder)
    for name, content in (("cut", '{"x": [1, 2'), ("nan", '{"x": [NaN]}'),
                          ("infinite", '{"x": [1e999]}'), ("twice", '{"x": [1], "x": [2]}'),
                          ("void", "")):
        put(folder, name, content)
        for way in WAYS:
            done = compare(folder, *way, "a", name)
            assert done.returncode == 9 and done.stdout == "", (way, name, done)
            assert name in done.stderr, (way, name, done.stderr)


def a_document_gives_the_same_tables(folder):
    put_odd(folder)
    put(folder, "document", compare(folder, "--json", "a", "b").stdout)
    for name in FORMATS:
        straight = compare(folder, "--all", "--format", name, "a", "b")
        again = compare(folder, "--all", "--format", name, "document")
        assert again.returncode == 0 and again.stdout == straight.stdout, (name, again, straight)


PROMISES = [
    ("no format prints what is no number", no_format_prints_what_is_no_number),
    ("every format has every row", every_format_has_every_row),
    ("three sides are three columns", three_sides_are_three_columns),
    ("a side without metrics is 3 in every format", a_side_without_metrics_is_3),
    ("malformed input is 9 in every format", malformed_is_9_in_every_format),
    ("a document gives the same tables as the files", a_document_gives_the_same_tables),
]

sys.exit(tap.promises(PROMISES))
