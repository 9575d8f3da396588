#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes bisect_values.h: the worked example of docs/bisecting.md, by numeric integration.

    tests/unit/bisect_values.py > tests/unit/bisect_values.h

The posterior is what Bayes' rule says, with nothing of the engine's grids, classes and chains: for each
culprit the likelihood of all runs is summed over levels and steps; a level may be anything, a step of D sd
has the density 1/D between the least and the largest, both ways alike. tests/golden/bisect_guide.py holds
the header and the guide against this.
"""
import math

NR_COMMITS = 4
SD = 1.0            # of a run, known
SMALLEST, LARGEST = 0.4, 12.0
P_NONE = 0.5        # before the first run
OUTLIERS, TIMES = 0.05, 5.0     # so many runs deviate so much more
RUNS = ((0, 100.3), (4, 103.4), (0, 99.6), (4, 102.8), (2, 100.9), (2, 100.1), (3, 102.6), (3, 103.5), (2, 99.8))

NR_LEVELS, NR_STEPS = 400, 48


def density(z):
    return (1 - OUTLIERS) * math.exp(-z * z / 2) + OUTLIERS / TIMES * math.exp(-z * z / 2 / TIMES ** 2)


def likelihood(runs, culprit, step):
    """Over all levels of the base from far below to far above the values."""
    low, high = min(value for _, value in runs) - 20 * SD, max(value for _, value in runs) + 20 * SD
    width = (high - low) / NR_LEVELS
    return width * sum(math.prod(density((value - low - i * width - (step if commit >= culprit else 0)) / SD)
                                 for commit, value in runs) for i in range(NR_LEVELS + 1))


def posterior(runs):
    """[0]: nothing changed; [commit]: that commit did it."""
    first, last = math.log(SMALLEST * SD), math.log(LARGEST * SD)
    steps = [math.exp(first + (i + 0.5) * (last - first) / NR_STEPS) for i in range(NR_STEPS)]
    weights = [P_NONE * likelihood(runs, NR_COMMITS + 1, 0)]
    for culprit in range(1, NR_COMMITS + 1):
        total = sum(likelihood(runs, culprit, sign * step) for step in steps for sign in (-1, 1))
        weights.append((1 - P_NONE) / NR_COMMITS * total / (2 * NR_STEPS))
    return [weight / sum(weights) for weight in weights]


def main():
    print("/* SPDX-License-Identifier: GPL-2.0-or-later */\n/* Written by bisect_values.py; do not edit. */")
    print("#ifndef BISECT_VALUES_H\n#define BISECT_VALUES_H\n\n#include \"lib/base/base.h\"\n")
    print("static const struct {\n\tsize_t commit;\n\tdouble value;\n\tdouble p[5]; /* after it */\n} guide[] = {")
    for nr, (commit, value) in enumerate(RUNS, 1):
        shares = ", ".join(f"{share:.6f}" for share in posterior(RUNS[:nr]))
        print(f"\t{{ {commit}, {value}, {{ {shares} }} }},")
    print("};\n\n#endif")


if __name__ == "__main__":
    main()
