#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes posterior_values.h: bisections worked out by numeric integration.  Needs Debian's python3-scipy,
the tests do not.

    /usr/bin/python3 tests/unit/posterior_values.py > tests/unit/posterior_values.h

The model is that of docs/statistics.md, section 15, and nothing else is taken from the engine: levels and
steps are continuous, each commit is a hypothesis of its own, and a machine that may jump is summed over
all the places where it can have jumped.
"""
import itertools

import numpy
import scipy
from scipy import integrate, stats

LARGEST = 12
SHARES = ((0, 0.4), (0.2, 0.4), (0.8, 0.2))     # of boots, where it is not known, with their prior
BASE = {'nr': 4, 'sd': 1, 'df': 1e6, 'share': 0, 'p_none': 0.5, 'jumps': 0, 'smallest': 0.4}

# runs are (commit, machine, boot, value), in the order of time
CASES = (
    ('a known deviation', BASE,
     ((0, 0, 1, 10.2), (4, 0, 2, 12.9), (0, 0, 3, 9.1), (2, 0, 4, 11.4), (4, 0, 5, 12.2), (3, 0, 6, 12.0))),
    ('weights, and an outlier', {**BASE, 'nr': 5, 'weights': (1, 0, 4, 0.1, 2), 'p_none': 0.1},
     ((0, 0, 1, -0.3), (5, 0, 2, -2.1), (0, 0, 3, 9.0), (5, 0, 4, -1.2), (3, 0, 5, -1.9), (1, 0, 6, 0.4))),
    ('a deviation of 6 degrees of freedom', {**BASE, 'sd': 0.5, 'df': 6},
     ((0, 0, 1, 3.1), (4, 0, 2, 5.0), (0, 0, 3, 2.6), (4, 0, 4, 5.9), (2, 0, 5, 2.4), (3, 0, 6, 3.9), (2, 0, 7, 3.6),
      (1, 0, 8, 3.3))),
    ('a guess of the deviation', {**BASE, 'nr': 3, 'sd': 2, 'df': 0},
     ((0, 0, 1, 1.0), (3, 0, 2, 4.4), (0, 0, 3, 1.3), (3, 0, 4, 4.0), (1, 0, 5, 1.6), (2, 0, 6, 3.9))),
    ('boots of a known share', {**BASE, 'nr': 3, 'share': 0.5},
     ((0, 0, 1, 0.2), (0, 0, 1, 0.9), (3, 0, 2, 2.6), (3, 0, 2, 3.3), (3, 0, 2, 2.9), (1, 0, 3, 1.9), (1, 0, 3, 2.4),
      (2, 0, 4, 2.2))),
    ('boots of an unknown share', {**BASE, 'nr': 3, 'share': -1},
     ((0, 0, 1, 0.2), (0, 0, 1, 0.6), (3, 0, 2, 2.6), (3, 0, 2, 2.9), (1, 0, 3, 2.6), (1, 0, 3, 2.2), (0, 0, 4, 1.4),
      (0, 0, 4, 1.5))),
    ('two machines', BASE,
     ((0, 0, 1, 10.0), (0, 1, 1, 17.1), (4, 0, 2, 12.3), (4, 1, 2, 18.6), (2, 0, 3, 11.4), (3, 1, 3, 19.2),
      (1, 1, 4, 16.4))),
    ('a machine that may jump', {**BASE, 'nr': 3, 'jumps': 0.05},
     ((0, 0, 1, 0.1), (3, 0, 2, 2.3), (0, 0, 3, -0.5), (1, 0, 4, 4.9), (3, 0, 5, 6.8), (0, 0, 6, 4.2), (2, 0, 7, 7.4),
      (1, 0, 8, 5.1))),
    ('a merge of 3 into 1 and 2', {**BASE, 'nr': 5, 'holds': ((), (1,), (1, 2), (3,), (1, 2, 3, 4), (1, 2, 3, 4, 5))},
     ((0, 0, 1, 5.2), (5, 0, 2, 3.0), (0, 0, 3, 6.1), (5, 0, 4, 2.6), (3, 0, 5, 2.4), (4, 0, 6, 3.9), (2, 0, 7, 5.0))),
    ('two steps that cancel', {**BASE, 'nr': 3, 'is_every': True},
     ((0, 0, 1, 5.2), (2, 0, 2, 8.0), (3, 0, 3, 4.6), (1, 0, 4, 7.0), (1, 0, 5, 5.4), (3, 0, 6, 5.7), (2, 0, 7, 7.6),
      (0, 0, 8, 4.8))),
    ('passes and failures', {**BASE, 'is_share': True},
     ((0, 0, 1, 0), (4, 0, 2, 1), (0, 0, 3, 0), (4, 0, 4, 1), (2, 0, 5, 0), (2, 0, 6, 0), (3, 0, 7, 1), (2, 0, 8, 0),
      (4, 0, 9, 0))),
)


def density(z):
    """One run in twenty deviates five times as much."""
    return 0.95 * stats.norm.pdf(z) + 0.05 * stats.norm.pdf(z, scale=5)


def of_boot(values, levels, sd, share):
    """The likelihood of the runs of one boot, by the level of its machine at that commit."""
    nodes, weights = numpy.polynomial.hermite_e.hermegauss(60) if share else ((0,), (1,))
    return sum(weight * numpy.prod([density((value - levels - node * sd * share ** 0.5) / sd) / sd
                                    for value in values], axis=0)
               for node, weight in zip(nodes, weights)) / sum(weights)


def boots_of(runs, machine, is_apart):
    """(commit, values) in the order of time; runs apart are boots of their own."""
    mine = [run for run in runs if run[1] == machine]
    for _, boot in itertools.groupby(enumerate(mine), key=lambda x: x[0] if is_apart else x[1][2]):
        boot = [run for _, run in boot]
        yield boot[0][0], [run[3] for run in boot]


def of_machine(boots, moved, case, sd, share):
    """The evidence of a machine's runs; those of commits that have the culprit are `moved`."""
    values = [value for _, row in boots for value in row]
    low, high = min(values) - 3.5 * case['sd'], max(values) + 3.5 * case['sd']
    wide = 0 if case['jumps'] else 20 * case['sd']
    levels = numpy.linspace(low - wide, high + wide, 801)
    seen = [of_boot(row, levels + step, sd, share) for (_, row), step in zip(boots, moved)]
    until = [1.0]       # the evidence of the boots before, if the level jumped just there
    for end in range(1, len(boots) + 1):
        until.append(sum(until[begin] * (case['jumps'] if begin else 1) * (1 - case['jumps']) ** (end - begin - 1)
                         * integrate.trapezoid(numpy.prod(seen[begin:end], axis=0), levels) / (high - low)
                         for begin in range(end if case['jumps'] else 1)))
    return until[-1]


def of_levels(case, runs, culprit, sd, share):
    """The evidence of all runs, over all steps of density 1/D, both ways alike."""
    machines = [list(boots_of(runs, machine, share == 0)) for machine in sorted({run[1] for run in runs})]
    is_moved = [[is_after(case, commit, culprit) for commit, _ in boots] for boots in machines]

    def evidence(step):
        return numpy.prod([of_machine(boots, [step * is_one for is_one in row], case, sd, share)
                           for boots, row in zip(machines, is_moved)])

    if culprit > case['nr']:
        return evidence(0)
    nodes, weights = numpy.polynomial.legendre.leggauss(64)
    low, high = numpy.log(case['smallest']), numpy.log(LARGEST)
    sizes = case['sd'] * numpy.exp(low + (high - low) * (nodes + 1) / 2)
    return sum(weight / 4 * evidence(sign * size) for size, weight in zip(sizes, weights) for sign in (-1, 1))


def is_after(case, commit, culprit):
    return culprit in case['holds'][commit] if 'holds' in case else culprit <= commit


def noises_of(case):
    """(sd, share of boots, weight): chi square of the squares that are known, or of 2 where it is a guess."""
    df = case['df'] or 2
    shares = SHARES if case['share'] < 0 else ((case['share'], 1),)
    if df >= 1000:
        return [(case['sd'], share, prior) for share, prior in shares]
    sds = case['sd'] * numpy.exp(numpy.linspace(-2, 2, 41))
    chis = df * (case['sd'] / sds) ** 2
    densities = stats.chi2(df).pdf(chis) * chis     # of ln(sd)
    return [(sd, share, density_of_sd * prior) for sd, density_of_sd in zip(sds, densities) for share, prior in shares]


def of_shares(case, runs, culprit):
    """The arcs of the roots of both shares lie anywhere, but so far apart."""
    arcs = (numpy.arange(1200) + 0.5) * numpy.pi / 2 / 1200

    def seen(is_after):
        fails = [value for commit, _, _, value in runs if (commit >= culprit) == is_after]
        return numpy.sin(arcs) ** (2 * sum(fails)) * numpy.cos(arcs) ** (2 * (len(fails) - sum(fails)))

    if culprit > case['nr']:
        return seen(False).mean()
    is_apart = abs(arcs[:, None] - arcs) >= case['smallest'] / 2
    return (numpy.outer(seen(False), seen(True)) * is_apart).sum() / is_apart.sum()


def every_step(case, runs):
    """All ways to lay steps; of commits the shares are those of the steps expected there."""
    levels = numpy.linspace(min(run[3] for run in runs) - 8, max(run[3] for run in runs) + 8, 400)
    heights = abs(levels[:, None] - levels)
    may_step = (heights >= case['smallest']) & (heights <= LARGEST)
    steps = may_step / numpy.maximum(heights, 0.1) / 2 / numpy.log(LARGEST / case['smallest']) * (levels[1] - levels[0])
    seen = [of_boot([run[3] for run in runs if run[0] == commit], levels, 1, 0) for commit in range(case['nr'] + 1)]
    stay = case['p_none'] ** (1.5 / case['nr'])
    evidences = {}
    for is_step in itertools.product((False, True), repeat=case['nr']):
        now = seen[0]
        for likelihood, is_here in zip(seen[1:], is_step):
            now = likelihood * ((1 - stay) * now @ steps if is_here else stay * now)
        evidences[is_step] = now.sum()
    p_none = evidences[(False,) * case['nr']] / sum(evidences.values())
    expected = numpy.array([sum(evidence for is_step, evidence in evidences.items() if is_step[i])
                            for i in range(case['nr'])])
    return numpy.array([p_none, *(1 - p_none) * expected / expected.sum()])


def evidence_of(case, runs, culprit):
    if case.get('is_share'):
        return of_shares(case, runs, culprit)
    return sum(weight * of_levels(case, runs, culprit, sd, share) for sd, share, weight in noises_of(case))


def posterior(case, runs):
    """[0]: nothing changed; [commit]: that commit did it."""
    if case.get('is_every'):
        return every_step(case, runs)
    culprits = (case['nr'] + 1, *range(1, case['nr'] + 1))     # the first is after the tip
    evidences = numpy.array([evidence_of(case, runs, culprit) for culprit in culprits])
    weights = numpy.array((0, *case.get('weights', case['nr'] * (1,))))
    shares = (1 - case['p_none']) * weights / weights.sum()
    shares[0] = case['p_none']
    shares *= evidences
    return shares / shares.sum()


def options_of(case):
    rows = {'nr_commits': case['nr'], 'sd': case['sd'], 'sd_df': case['df'], 'boot_share': case['share'],
            'p_none': case['p_none'], 'jumps': case['jumps'], 'smallest': case['smallest'], 'stop': 0.99,
            'budget': 100}
    if case.get('is_share'):
        rows['values'] = 'BISECT_PASS_FAIL'
    if case.get('is_every'):
        rows['every_step'] = 'true'
    if 'weights' in case:
        rows['weights'] = f'(const double[]){braces((0, *case["weights"]))}'
    if 'holds' in case:
        held = [braces(int(culprit in row) for culprit in range(6)) for row in case['holds']]
        rows['graph'] = '(const bool[6][6]){\n\t\t\t\t' + ',\n\t\t\t\t'.join(held) + ' }'
    return [f'.{name} = {value},' for name, value in rows.items()]


def braces(values):
    return '{ ' + ', '.join(map(str, values)) + ' }'


def main():
    print('/* SPDX-License-Identifier: GPL-2.0-or-later */')
    print(f'/* Written by posterior_values.py with SciPy {scipy.__version__}; do not edit. */')
    print('#ifndef POSTERIOR_VALUES_H\n#define POSTERIOR_VALUES_H\n\n#include "lib/stats/bisect.h"\n')
    print('static const struct worked {\n\tconst char *name;\n\tstruct bisect_options options;\n\tsize_t nr_runs;')
    print('\tstruct bisect_run runs[9];\n\tdouble p[6]; /* [0]: that nothing changed */\n} worked[] = {')
    for name, case, runs in CASES:
        print(f'\t{{\n\t\t"{name}",\n\t\t{{')
        for row in options_of(case):
            print(f'\t\t\t{row}')
        print(f'\t\t}},\n\t\t{len(runs)},\n\t\t{{')
        for run in runs:
            print(f'\t\t\t{braces(run)},')
        print(f'\t\t}},\n\t\t{braces(f"{p:.5f}" for p in posterior(case, runs))},\n\t}},')
    print('};\n\n#endif')


if __name__ == '__main__':
    main()
