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


def show(name, values, block, side, answer):
    print(f'/* effect, p, 95 % interval: {", ".join(repr(float(a)) for a in answer)} */')
    print(f'static const struct value {name}[] = {{')
    for v, b, s in zip(values, block, side):
        print(f'\t{{ {float(v)!r}, {b}, {"true" if s else "false"} }},')
    print('};')
    print(f'static const double {name}_answer[] = {{ {", ".join(repr(float(a)) for a in answer)} }};\n')


print('/* SPDX-License-Identifier: GPL-2.0-or-later */')
print(f'/* Written by judge_values.py with SciPy {scipy.__version__}, NumPy {numpy.__version__}; do not edit. */')
print('#ifndef JUDGE_VALUES_H\n#define JUDGE_VALUES_H\n')
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
print('#endif')
