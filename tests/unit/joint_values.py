#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes joint_values.h: stacks, and what NumPy's least squares say of them.  Needs Debian's
python3-numpy, the tests do not.

    /usr/bin/python3 tests/unit/joint_values.py > tests/unit/joint_values.h

The design matrix has one dummy column a commit and one a block, so that nothing of joint.c's way
(the blocks' levels taken out by hand, a grounded Laplacian, Cholesky) is used here.
"""
import numpy

random = numpy.random.default_rng(11)


def fit(units, nr_commits):
    """All levels against commit 0, their covariance, the residual variance, its df."""
    commit = numpy.array([u[0] for u in units])
    block = numpy.array([u[1] for u in units])
    y = numpy.array([u[2] for u in units])
    x = numpy.column_stack([commit == c for c in range(nr_commits)] +
                           [block == b for b in numpy.unique(block)]).astype(float)
    inverse = numpy.linalg.pinv(x.T @ x)
    beta = inverse @ x.T @ y
    df = len(y) - numpy.linalg.matrix_rank(x)
    rest = y - x @ beta
    variance = rest @ rest / df
    contrast = numpy.zeros((nr_commits, x.shape[1]))
    for c in range(nr_commits):
        contrast[c, c] += 1
        contrast[c, 0] -= 1
    return contrast @ beta, contrast @ inverse @ contrast.T * variance, variance, df


def chain(nr_commits, pairs, blocks, uneven=False):
    """Blocks of two runs a side of each pair, each at a level of its own."""
    levels = random.normal(0, 2, nr_commits)
    units, block = [], 0
    for pair in pairs:
        for _ in range(blocks):
            block += 1
            here = random.normal(-3, 5)
            for c in (*pair, *pair):
                units.append((c, block, levels[c] + here + random.normal(0, 0.7)))
            if uneven and block % 3 == 0:
                del units[-1]
    return units


def show(name, units, nr_commits):
    levels, covariance, variance, df = fit(units, nr_commits)
    print(f'static const struct joint_unit {name}[] = {{')
    for c, b, y in units:
        print(f'\t{{ {c}, {b}, 0, {float(y)!r} }},')
    print('};')
    print(f'static const double {name}_levels[] = {{ {", ".join(repr(float(v)) for v in levels)} }};')
    print(f'static const double {name}_covariance[] = {{')
    for line in covariance:
        print('\t' + ', '.join(repr(float(v)) for v in line) + ',')
    print('};')
    print(f'static const double {name}_variance = {float(variance)!r};')
    print(f'static const double {name}_df = {df};\n')


print('/* SPDX-License-Identifier: GPL-2.0-or-later */')
print(f'/* Written by joint_values.py with NumPy {numpy.__version__}; do not edit. */')
print('#ifndef JOINT_VALUES_H\n#define JOINT_VALUES_H\n')
show('stack', chain(5, [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)], 2), 5)
show('uneven', chain(4, [(0, 1), (1, 2), (0, 2), (2, 3)], 3, True), 4)
show('three_at_once', chain(4, [(0, 1, 2), (1, 2, 3)], 2), 4)
print('#endif')
