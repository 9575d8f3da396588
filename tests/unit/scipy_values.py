#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes scipy_values.h: what SciPy says.  Needs Debian's python3-scipy, the tests do not.

    /usr/bin/python3 tests/unit/scipy_values.py > tests/unit/scipy_values.h
"""
import numpy
import scipy
from scipy import optimize, special, stats

MOST = 12
FAMILIES = 6
GAMMAS = (1e-6, 0.01, 0.3, 0.5, 1, 1.4616321449683622, 2, 3.5, 7, 10, 42.25, 1e3, 1e6)
TRIGAMMAS = (1e-6, 0.001, 0.02, 0.1, 0.5, 1, 1.6449340668482264, 3, 20, 1e4, 1e6)
RATES = ((0, 1), (1, 1), (0, 5), (2, 5), (5, 5), (1, 6), (6, 6), (3, 200), (100, 200), (199, 200), (7, 12345))


def row(values):
    return '{ ' + ', '.join(repr(float(v)) for v in values) + ' }'


def table(name, comment, rows):
    print(f'/* {comment} */\nstatic const double {name}[][{len(rows[0])}] = {{')
    for values in rows:
        print(f'\t{row(values)},')
    print('};\n')


def two_samples(rng):
    for nr_a, nr_b in ((2, 2), (3, 5), (4, 4), (8, 8), (12, 12), (12, 3), (1, 9)):
        for shift in (0.0, 0.7, -2.0):
            for step in (0, 1):
                a = rng.normal(50, 1, nr_a)
                b = rng.normal(50 + shift, 1, nr_b)
                # steps of 1 make many ties, also between the sides
                a, b = (numpy.round(a), numpy.round(b)) if step else (a, b)
                # an effect of nothing has p 1 with us, whatever the ranks say
                if numpy.median(numpy.subtract.outer(a, b)) != 0:
                    yield a, b


def adjusted(p):
    """R's p.adjust(p, "BH") and p.adjust(p, "holm"), whose lines these are."""
    nr = len(p)
    order = numpy.argsort(p)
    back = numpy.argsort(order)
    ranks = numpy.arange(1, nr + 1)
    bh = numpy.minimum(1, numpy.minimum.accumulate((nr / ranks * p[order])[::-1])[::-1])[back]
    holm = numpy.minimum(1, numpy.maximum.accumulate((nr - ranks + 1) * p[order]))[back]
    return bh, holm


print('/* SPDX-License-Identifier: GPL-2.0-or-later */')
print(f'/* Written by scipy_values.py with SciPy {scipy.__version__}, NumPy {numpy.__version__}; do not edit. */')
print('#ifndef SCIPY_VALUES_H\n#define SCIPY_VALUES_H\n\n#include <stddef.h>\n')
table('digammas', 'x, digamma(x)', [(x, special.digamma(x)) for x in GAMMAS])
table('trigammas', 'x, trigamma(x)', [(x, special.polygamma(1, x)) for x in GAMMAS])
table('trigamma_inverses', 'y, x with trigamma(x) = y',
      [(y, optimize.brentq(lambda x, y=y: special.polygamma(1, x) - y, 1e-4, 1e8, xtol=1e-300, rtol=1e-14))
       for y in TRIGAMMAS])
table('rates', 'hits, of, 95 % interval of Clopper and Pearson',
      [(k, n, *stats.binomtest(k, n).proportion_ci(0.95, 'exact')) for k, n in RATES])
print(f'''/* Mann and Whitney, two-sided, exact; ties as one half, the sum rounded down */
static const struct {{
	size_t nr[2];
	double p;
	double values[2][{MOST}];
}} mann_whitneys[] = {{''')
for a, b in two_samples(numpy.random.default_rng(1)):
    p = stats.mannwhitneyu(a, b, alternative='two-sided', method='exact').pvalue
    print(f'\t{{ {{ {len(a)}, {len(b)} }},\n\t  {p!r},\n\t  {{ {row(a)},\n\t    {row(b)} }} }},')
print('};\n')
print('/* p, by Benjamini and Hochberg, by Holm */')
print(f'static const double families[][3][{MOST}] = {{')
draws = numpy.random.default_rng(2)
for family in range(FAMILIES):
    drawn = draws.uniform(0, 1, MOST) ** (1 + family)
    drawn[5] = drawn[3]
    print('\t{ ' + ',\n\t  '.join(row(values) for values in (drawn, *adjusted(drawn))) + ' },')
print('};\n\n#endif')
