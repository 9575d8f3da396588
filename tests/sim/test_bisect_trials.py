#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The chooser against make-believe histories: tests/bench/bisect_sim.py with few trials and wide margins.

test_bisect_trials.py PATCHMETER TRIALS
"""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "bench")]
import tap
from bisect_sim import LINES, rows_of
from bisect_world import Chooser, World, play

ERRORS = {"error": 6, "false alarm": 6}
STEPS = {"names a wrong one": 6, "false alarm": 6}
MARGINS = {
    "B1": ERRORS | {"runs": 36},
    "B1h": ERRORS | {"runs": 21},
    "B2": ERRORS | {"runs": 55},
    "B3": ERRORS | {"runs": 15},
    "B6": ERRORS | {"cost": 115},
    "B8": ERRORS | {"cost": 85},
    "B9": ERRORS | {"rounds": 16},
    "B10": STEPS | {"finds both, ends differ": 85},
    "B12": {"error": 10},
    "B14": STEPS | {"finds both": 75},
    "B15": ERRORS | {"runs": 42},
    "B16": ERRORS,
}


def main():
    checks = tap.Tap()
    trials = int(sys.argv[2])
    chooser = Chooser([os.path.abspath(sys.argv[1]), "bisect", "choose"])
    for index, line in enumerate(LINES):
        if line.id not in MARGINS:
            continue
        outcomes = [play(chooser, World(line.cell, f"fast {index} {i}", i % 3 == 0)) for i in range(trials)]
        for name, goal, value, _, _, is_reached in rows_of(MARGINS[line.id], outcomes):
            checks.check(is_reached, f"{line.what}: {name}", f"{value:.1f}, not {goal}")
    checks.equal(chooser.close(), 0, "the chooser ends well")
    return checks.end()


sys.exit(main())
