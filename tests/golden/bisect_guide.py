#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The worked example of docs/bisecting.md, recomputed.

bisect_guide.py PATCHMETER CHECKOUT
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[2])
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "unit")]
import bisect_values
import tap

GUIDE = (ROOT / "docs" / "bisecting.md").read_text(encoding="utf-8")


def rows():
    """(commit, value, posterior) of the table."""
    for line in re.findall(r"^\| (?:base|\d) \| \d+\.\d \|.*$", GUIDE, re.MULTILINE):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        yield int(cells[0].replace("base", "0")), float(cells[1]), cells[2:]


def main():
    t = tap.Tap()
    told = list(rows())
    t.equal([row[:2] for row in told], list(bisect_values.RUNS), "the guide tells the runs of the script")
    exact = [bisect_values.posterior(bisect_values.RUNS[:nr]) for nr in range(1, len(told) + 1)]
    for nr, (row, shares) in enumerate(zip(told, exact), 1):
        t.equal(row[2], [f"{share:.3f}" for share in shares], f"after run {nr} its numbers are those of the integral")
    made = subprocess.run([sys.executable, "-B", str(ROOT / "tests" / "unit" / "bisect_values.py")], check=True,
                          capture_output=True, text=True).stdout
    t.equal((ROOT / "tests" / "unit" / "bisect_values.h").read_text(encoding="utf-8"), made,
            "bisect_values.h is what the script writes")
    return t.end()


sys.exit(main())
