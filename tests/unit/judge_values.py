#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes judge_values.h: comparisons, and what NumPy and SciPy say of them.  Needs Debian's
python3-scipy, the tests do not.

    /usr/bin/python3 tests/unit/judge_values.py > tests/unit/judge_values.h

Values around zero are compared as they are, so SciPy's Welch test and least squares must agree to
the last digits.  Values far above zero with a small spread are compared as ratios, which least
squares of logarithms must agree with to first order.
"""
import numpy
import scipy
from scipy import stats

random = numpy.random.default_rng(7)


def welch(base, head):
    p = stats.ttest_ind(head, base, equal_var=False).pvalue
    a, b = base.var(ddof=1) / len(base), head.var(ddof=1) / len(head)
    df = (a + b) ** 2 / (a ** 2 / (len(base) - 1) + b ** 2 / (len(head) - 1))
    half = stats.t.ppf(0.975, df) * numpy.sqrt(a + b)
    effect = head.mean() - base.mean()
    return effect, p, effect - half, effect + half


def least_squares(values, block, side):
    """One dummy column a block and one for the side."""
    x = numpy.column_stack([block == b for b in numpy.unique(block)] + [side]).astype(float)
    beta, *_ = numpy.linalg.lstsq(x, values, rcond=None)
    df = len(values) - x.shape[1]
    rest = values - x @ beta
    se = numpy.sqrt(rest @ rest / df * numpy.linalg.inv(x.T @ x)[-1, -1])
    half = stats.t.ppf(0.975, df) * se
    return beta[-1], 2 * stats.t.sf(abs(beta[-1]) / se, df), beta[-1] - half, beta[-1] + half


def moderated(x, y, prior, prior_df, build, build_df, least):
    """Least squares of y on x whose last column is the side; the residual variance shares its
    degrees of freedom with a prior, and a variance between builds comes on top."""
    beta, *_ = numpy.linalg.lstsq(x, y, rcond=None)
    df = len(y) - x.shape[1]
    rest = y - x @ beta
    run = (rest @ rest + prior_df * prior) / (df + prior_df) * numpy.linalg.inv(x.T @ x)[-1, -1]
    se = numpy.sqrt(run + 2 * build)
    df = (run + 2 * build) ** 2 / (run ** 2 / (df + prior_df) + (2 * build) ** 2 / build_df)
    effect = abs(beta[-1])
    beyond = stats.t.sf((effect - least) / se, df) + stats.t.sf((effect + least) / se, df)
    return beta[-1], 2 * stats.t.sf(effect / se, df), beyond


def show(name, values, block, side, answer):
    print(f'/* effect, p, 95 % interval: {", ".join(repr(float(a)) for a in answer)} */')
    print(f'static const struct value {name}[] = {{')
    for v, b, s in zip(values, block, side):
        print(f'\t{{ {float(v)!r}, {b}, {"true" if s else "false"} }},')
    print('};')
    print(f'static const double {name}_answer[] = {{ {", ".join(repr(float(a)) for a in answer)} }};\n')


print('/* SPDX-License-Identifier: GPL-2.0-or-later */')
print(f'/* Written by judge_values.py with SciPy {scipy.__version__}, NumPy {numpy.__version__}; do not edit. */')
print('#ifndef JUDGE_VALUES_H\n#define JUDGE_VALUES_H\n\n#include "lib/base/base.h"\n')
print('struct value {\n\tdouble value;\n\tuint32_t block;\n\tbool is_head;\n};\n')

side = numpy.repeat([0, 1], [7, 4])
values = numpy.where(side == 1, random.normal(0.4, 2, 11), random.normal(-0.7, 0.6, 11))
show('one_block', values, numpy.ones(11, int), side, welch(values[:7], values[7:]))

block = numpy.repeat([1, 2, 3, 4], 4)
side = numpy.array([0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1])
values = random.normal(0, 1, 16) + numpy.array([0, 30, -12, 5])[block - 1] + 0.9 * side
show('four_blocks', values, block, side, least_squares(values, block, side))

keep = numpy.array([0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 14, 15])
show('uneven_blocks', values[keep] + 3, block[keep], side[keep],
     least_squares(values[keep] + 3, block[keep], side[keep]))

values = 5000 * numpy.exp(random.normal(0, 0.0005, 16) + 0.0008 * side)
show('ratios', values, block, side, least_squares(numpy.log(values), block, side))
x = numpy.column_stack([block == b for b in numpy.unique(block)] + [side]).astype(float)
prior_df = 1 / (1 / 20 + 1 / 12)
answer = moderated(x, numpy.log(values), 1e-6, prior_df, 9e-8, 10, numpy.log1p(0.0006))
print('/* the same with a variance of 1e-6 in history, 20 degrees of freedom worth 12, a variance of 9e-8')
print('between builds with 10, and a smallest effect of 0.06 %: effect, p, p of that effect */')
print(f'static const double moderated_answer[] = {{ {", ".join(repr(float(a)) for a in answer)} }};\n')
print('#endif')
