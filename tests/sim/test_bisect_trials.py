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

# A chooser that errs in one trial of a hundred passes, one that errs in one of five does not.
ERRORS = {"error": 12, "false alarm": 25}
STEPS = {"names a wrong one": 12, "false alarm": 25}
MARGINS = {  # half as much again as the goal
    "B1": ERRORS | {"runs": 42},
    "B1h": ERRORS | {"runs": 25},
    "B2": ERRORS | {"runs": 65},
    "B3": ERRORS | {"runs": 17},
    "B6": ERRORS | {"cost": 135},
    "B8": ERRORS | {"cost": 100},
    "B9": ERRORS | {"rounds": 18},
    "B10": STEPS | {"finds both, ends differ": 80},
    "B12": {"error": 15},
    "B14": STEPS | {"finds both": 70},
    "B15": ERRORS | {"runs": 48},
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
