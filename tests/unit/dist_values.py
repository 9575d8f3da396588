#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes dist_values.h: what SciPy says.  Needs Debian's python3-scipy, the tests do not.

    /usr/bin/python3 tests/unit/dist_values.py > tests/unit/dist_values.h
"""
import itertools
import math

import numpy
import scipy
from scipy import optimize, special, stats

DFS = (0.5, 1, 2, 2.7, 3, 5, 7.3, 11, 17, 30, 100, 1234.5, 1e5)
TS = (1e-9, 0.01, 0.3, 1, 1.96, 2.5, 4.7, 8, 20, 100, 1e6)
PS = (1e-12, 1e-6, 0.001, 0.01, 0.05, 0.3, 0.499, 0.51, 0.8, 0.95, 0.975, 0.995, 0.9995)
AS = (0.1, 0.5, 1, 2.5, 10, 77, 1000)
XS = (1e-8, 0.001, 0.1, 0.45, 0.5, 0.77, 0.99, 0.999999)
GS = (1e-10, 0.1, 0.5, 1, 1.5, 2, 3.7, 10, 123.4, 1e6)


def t_quantile(p, df):
    """stats.t.ppf has 9 digits; SciPy's own tail, inverted by a root finder, has more."""
    tail = min(p, 1 - p)
    rough = -stats.t.ppf(tail, df)
    t = optimize.brentq(lambda t: math.log(special.stdtr(df, -t) / tail), rough * 0.999, rough * 1.001,
                        xtol=1e-300, rtol=1e-15)
    return -t if p < 0.5 else t


def number(value):
    return repr(float(value))


def table(name, comment, rows):
    print(f'/* {comment} */')
    print(f'static const double {name}[][{len(rows[0])}] = {{')
    for row in rows:
        print('\t{ ' + ', '.join(number(v) for v in row) + ' },')
    print('};\n')


print('/* SPDX-License-Identifier: GPL-2.0-or-later */')
print(f'/* Written by dist_values.py with SciPy {scipy.__version__}, NumPy {numpy.__version__}; do not edit. */')
print('#ifndef DIST_VALUES_H\n#define DIST_VALUES_H\n')
table('t_tails', 't, df, share above t', [(t, df, special.stdtr(df, -t)) for df, t in
                                          itertools.product(DFS, TS)])
table('t_quantiles', 'p, df, t', [(p, df, t_quantile(p, df)) for df, p in itertools.product(DFS, PS)
                                  if not (df < 1 and p < 1e-5)])
table('normal_tails', 't, share above t', [(t, stats.norm.sf(t)) for t in TS if t < 30])
table('betas', 'a, b, x, share below x', [(a, b, x, special.betainc(a, b, x)) for a, b, x in
                                          itertools.product(AS, AS, XS)])
table('fishers', 'hits, of, hits, of, p', [(a, na, b, nb, stats.fisher_exact([[a, na - a], [b, nb - b]])[1])
                                           for na, nb in ((3, 3), (5, 5), (12, 12), (20, 6), (1, 9))
                                           for a in range(0, na + 1, 1 + na // 4)
                                           for b in range(0, nb + 1, 1 + nb // 4)])
table('lgammas', 'x, ln gamma(x)', [(x, math.lgamma(x)) for x in GS])
print('#endif')
