#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeter compare` as a whole process: read, judged and printed, in CPU time and memory.

compare.py PATCHMETER BENCH_PULL [--metrics N...]

Two commits, ten runs each, N metrics, of which three in ten are shifted and all are noisy by 0.1 to
10 %.  The least of five rounds counts.  Beside each figure stands what reading and parsing the same
bytes alone takes (bench_pull, the same reader without anything behind it): no comparison can be
below that.  The peer needs 1.93 s and 17.5 s on this kind of input.
"""
import argparse
import math
import os
import random
import subprocess
import sys
import tempfile

RUNS = 10
ROUNDS = 5
GOALS = {5_000: (20, None), 50_000: (200, 64)}  # ms, MB


def write_sides(folder, nr):
    rng = random.Random(nr)
    paths = [os.path.join(folder, f"{nr}.{side}.json") for side in ("base", "head")]
    with open(paths[0], "w", encoding="utf-8") as base, open(paths[1], "w",
                                                             encoding="utf-8") as head:
        for i in range(nr):
            level = 10 ** rng.uniform(0, 6)
            noise = 10 ** rng.uniform(-3, -1)
            shift = 1 + (rng.uniform(-0.3, 0.3) if rng.random() < 0.3 else 0)
            for file, mean in ((base, level), (head, level * shift)):
                values = ",".join(f"{mean * (1 + noise * rng.gauss(0, 1)):.4f}"
                                  for _ in range(RUNS))
                file.write(f"{',' if i else '{'}\n\"group{i % 10}.some_metric_{i:07}\":[{values}]")
        base.write("}\n")
        head.write("}\n")
    return paths


def spent(command):
    """(CPU in ms, largest memory in MB) of a process whose output goes nowhere."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}")
    return 1000 * (usage.ru_utime + usage.ru_stime), usage.ru_maxrss / 1024


def least(command, rounds):
    figures = [spent(command) for _ in range(rounds)]
    return min(ms for ms, _ in figures), min(mb for _, mb in figures)


def verdict(figure, goal):
    if goal is None:
        return ""
    return f", goal {goal}: {'reached' if figure <= goal else f'{figure / goal:.1f} times that'}"


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("patchmeter")
    options.add_argument("pull")
    options.add_argument("--metrics", type=int, nargs="+", default=[5_000, 50_000, 200_000])
    arguments = options.parse_args()
    costs = {}
    with tempfile.TemporaryDirectory() as folder:
        for nr in arguments.metrics:
            paths = write_sides(folder, nr)
            rounds = ROUNDS if nr <= 50_000 else 2
            limit_ms, _ = least([arguments.pull, *paths], rounds)
            print(f"{nr} metrics, {sum(map(os.path.getsize, paths)) / 1e6:.1f} MB; "
                  f"read and parsed alone: {limit_ms:.0f} ms")
            goal_ms, goal_mb = GOALS.get(nr, (None, None))
            for form in ("text", "lkp", "json"):
                ms, mb = least([arguments.patchmeter, "compare", "--format", form, *paths], rounds)
                is_goal = form == "text"
                print(f"  {form:4} {ms:7.0f} ms{verdict(ms, goal_ms if is_goal else None)}, "
                      f"{ms / limit_ms:.1f} times reading; {mb:.0f} MB"
                      f"{verdict(mb, goal_mb if is_goal else None)}")
                if is_goal:
                    costs[nr] = ms
            ms, mb = least([arguments.patchmeter, "compare", "--lkp-compat", *paths], 1)
            print(f"  as lkp-tests decides {ms:.0f} ms, {mb:.0f} MB")
            for path in paths:
                os.unlink(path)
    if len(costs) > 1:
        few, many = min(costs), max(costs)
        slope = math.log(costs[many] / costs[few]) / math.log(many / few)
        print(f"from {few} to {many} metrics the cost grows with their number to the power {slope:.2f}")


if __name__ == "__main__":
    main()
