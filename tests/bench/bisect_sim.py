#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How many runs `patchmeter bisect choose` needs to find a culprit, and how often it is wrong.

bisect_sim.py PATCHMETER [--cells B1 B2...] [--trials N] [--seeds N...] [--jobs N] [--real-file CSV]

A line is a goal, the figure over fixed seeds, and its 95 % interval; reached means the figure.  Half
as many trials as those with a culprit have none.
"""
import argparse
import math
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

sys.dont_write_bytecode = True
from bisect_world import Cell, Chooser, World, play, real_noise

CHUNK = 25  # trials a task


# figures: (sum, sum of squares, number) of a sample of an outcome, None where it has none

def mean_of(name):
    return lambda outcome: None if outcome.is_none else getattr(outcome, name)


def error(outcome):
    return None if outcome.is_none else not outcome.is_right


def wrong(outcome):
    return None if outcome.is_none else outcome.nr_wrong > 0


def found_where_ends_differ(outcome):
    return None if outcome.is_none or outcome.is_same_ends else outcome.is_right


def found(outcome):
    return None if outcome.is_none else outcome.is_right


def false_alarm(outcome):
    return len(outcome.named) > 0 if outcome.is_none else None


def runs_of_none(outcome):
    return outcome.runs if outcome.is_none else None


def right_as_stated(outcome):
    """Of two steps one alone is no wrong statement."""
    if outcome.stated < 0.99 or outcome.is_unsure:
        return None
    return outcome.nr_wrong == 0 if outcome.named else outcome.is_none


FIGURES = {  # name: (sample, whether it is a share, whether a goal is the most)
    "runs": (mean_of("runs"), False, True),
    "cost": (mean_of("cost"), False, True),
    "rounds": (mean_of("rounds"), False, True),
    "error": (error, True, True),
    "names a wrong one": (wrong, True, True),
    "finds both": (found, True, False),
    "finds both, ends differ": (found_where_ends_differ, True, False),
    "false alarm": (false_alarm, True, True),
    "runs where none": (runs_of_none, False, True),
    "right where 0.99 is stated": (right_as_stated, True, False),
}


@dataclass(frozen=True)
class Line:
    """A cell of the table: goals by the names of their figures, None where it is shown alone."""

    id: str
    what: str
    trials: int
    goals: dict
    cell: Cell


STATED = {"right where 0.99 is stated": 98.5}  # B11
FALSE = {"false alarm": 1}


def error_within(share, **goals):
    return {**goals, "error": share}


LINES = (
    Line("B1", "16 commits, 2 sd", 2000, error_within(1, runs=28) | FALSE, Cell()),
    Line("B1h", "B1, 20 runs of base and 5 of tip given", 2000, error_within(1, runs=16),
         Cell(given=(20, 5), told={"pnone": 0.1, "dmin": 1})),
    Line("B2", "1000 commits, 2 sd", 2000, error_within(1.5, runs=43), Cell(n=1000)),
    Line("B3", "16 commits, 4 sd", 2000, error_within(0.5, runs=11.5), Cell(d=4)),
    Line("B4", "16 commits, 1 sd", 400, error_within(1, runs=105), Cell(d=1)),
    Line("B5", "16 commits, 2 sd, real noise", 500, error_within(2.5, runs=55) | {"false alarm": 3},
         Cell(noise="real")),
    Line("B6", "boots 0.5 sd, share unknown; a build costs 5", 400,
         error_within(2, cost=90) | {"false alarm": None},
         Cell(boot_sd=0.5, is_share_told=False, build_cost=5)),
    Line("B7", "a build costs 20", 400, error_within(1, cost=165), Cell(build_cost=20)),
    # 1.1 times the cost of five runs a step
    Line("B8", "a fifth does not build", 400, error_within(1, cost=67),
         Cell(unbuildable=0.2, build_cost=5)),
    Line("B8", "the same, 32 commits", 400, error_within(1, cost=80),
         Cell(n=32, unbuildable=0.2, build_cost=5)),
    Line("B9", "100 commits, four machines 2 sd apart", 400, error_within(1, rounds=12),
         Cell(n=100, offset_sd=2, told={"machines": 4})),
    Line("B10", "two steps of 4 sd in 32 commits", 400,
         {"runs": None, "names a wrong one": 1, "finds both, ends differ": 95},
         Cell(n=32, d=4, steps=2, told={"every": 1})),
    Line("B11", "B1, the sd a guess within a factor of 2", 400, {"runs": None, "error": None},
         Cell(is_sd_a_guess=True)),
    Line("B12", "a jump of 4 sd for 15 runs", 400, error_within(3) | {"runs": None, "false alarm": None},
         Cell(jump=4)),
    Line("B13", "slow boots from 20 to 60 %, 10 sd apart", 200,
         error_within(3) | {"runs": None, "false alarm": None},
         Cell(slow=(0.2, 0.6), is_share_told=False)),
    Line("B14", "-5 %, then +5 % in 12 commits, CV 3 %", 200,
         {"finds both": 90, "names a wrong one": 1, "runs": None, "false alarm": None},
         Cell(n=12, d=0.05 / 0.03, steps=2, opposed=True, scale=0.03, told={"every": 1, "dmin": 0.8})),
    Line("B15", "16 first parents, 2 or 3 merges", 400, error_within(1, runs=1.15 * 28) | FALSE,
         Cell(side_branches=(2, 3))),
    Line("B16", "pass/fail, 30 % false passes in 64 commits", 400, error_within(2) | {"runs": None} | FALSE,
         Cell(n=64, fails=(0, 0.7))),
)


# trials

_worker = {}  # of this process: what every task needs


def begin_worker(command, real_file):
    _worker["chooser"] = Chooser(command)
    _worker["series"] = real_noise(real_file) if real_file else ()


def play_chunk(task):
    index, seed, is_none, first, last = task
    cell = LINES[index].cell
    return [play(_worker["chooser"],
                 World(cell, f"{seed} {index} {is_none} {i}", is_none, _worker["series"]))
            for i in range(first, last)]


def tasks_of(index, trials, seeds):
    for is_none in (False, True):
        nr = math.ceil(trials / (2 if is_none else 1) / len(seeds))
        for seed in seeds:
            for first in range(0, nr, CHUNK):
                yield index, seed, is_none, first, min(nr, first + CHUNK)


# the table

def interval(sample, is_share):
    """(figure, low, high): Wilson's for a share, in per cent; for a mean 1.96 standard errors."""
    nr = len(sample)
    mean = sum(sample) / nr
    if not is_share:
        spread = 1.96 * math.sqrt(sum((x - mean) ** 2 for x in sample) / max(1, nr - 1) / nr)
        return mean, mean - spread, mean + spread
    z = 1.96
    centre = (mean + z * z / 2 / nr) / (1 + z * z / nr)
    spread = z / (1 + z * z / nr) * math.sqrt(mean * (1 - mean) / nr + z * z / 4 / nr / nr)
    return 100 * mean, 100 * max(0, centre - spread), 100 * min(1, centre + spread)


def rows_of(goals, outcomes):
    """(figure, goal or None, value, low, high, whether it is reached) for each that has a sample."""
    for name, goal in goals.items():
        sample_of, is_share, is_most = FIGURES[name]
        sample = [x for x in map(sample_of, outcomes) if x is not None]
        if not sample:
            continue
        value, low, high = interval(sample, is_share)
        yield name, goal, value, low, high, goal is None or (value <= goal if is_most else value >= goal)


def print_line(line, outcomes, seconds):
    nr = sum(not outcome.is_none for outcome in outcomes)
    print(f"{line.id:4} {line.what}: {nr} trials and {len(outcomes) - nr} without a culprit, {seconds:.0f} s")
    nr_missed = 0
    goals = {**line.goals, "runs where none": None, **STATED}
    for name, goal, value, low, high, is_reached in rows_of(goals, outcomes):
        unit = " %" if FIGURES[name][1] else "  "
        sign = "<=" if FIGURES[name][2] else ">="
        wanted = f"{sign} {goal:6.4g}{unit}" if goal is not None else ""
        print(f"     {name:27} {wanted:12} {value:7.2f}{unit} {low:7.2f} to {high:7.2f}"
              f"{'' if goal is None else '  reached' if is_reached else '  MISSED'}")
        nr_missed += not is_reached
    sys.stdout.flush()
    return nr_missed


def run_line(pool, index, trials, seeds):
    began = time.monotonic()
    outcomes = [outcome for chunk in pool.map(play_chunk, tasks_of(index, trials, seeds))
                for outcome in chunk]
    return outcomes, time.monotonic() - began


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("patchmeter")
    options.add_argument("--cells", nargs="+", help="some of " + " ".join(line.id for line in LINES))
    options.add_argument("--trials", type=int, help="with a culprit, in each cell")
    options.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4])
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--real-file", help="values.csv, for the cell with real noise")
    arguments = options.parse_args()
    real_file = arguments.real_file if arguments.real_file and os.path.exists(arguments.real_file) else None
    nr_missed = 0
    with ProcessPoolExecutor(arguments.jobs, initializer=begin_worker,
                             initargs=([arguments.patchmeter, "bisect", "choose"], real_file)) as pool:
        for index, line in enumerate(LINES):
            if arguments.cells and line.id not in arguments.cells:
                continue
            if line.cell.noise == "real" and not real_file:
                print(f"{line.id:4} {line.what}: skipped, no file '{arguments.real_file or '--real-file'}'")
                continue
            trials = arguments.trials or line.trials
            nr_missed += print_line(line, *run_line(pool, index, trials, arguments.seeds))
    print(f"{nr_missed} goals missed")


if __name__ == "__main__":
    main()
