#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes failure_values.h: what SciPy says.  Needs Debian's python3-scipy, the tests do not.

    /usr/bin/python3 tests/unit/failure_values.py > tests/unit/failure_values.h
"""
import math

import numpy
import scipy
from scipy import integrate, special

COUNTS = ((0, 0, 0, 0), (0, 1, 1, 1), (1, 6, 6, 6), (0, 3, 3, 3), (0, 12, 1, 12), (6, 6, 1, 6), (5, 20, 9, 20),
          (0, 200, 3, 12), (40, 100, 60, 100), (12, 12, 12, 12), (0, 1000, 1000, 1000))


def posterior(base_fails, base_runs, head_fails, head_runs):
    """With x = sin(angle)^2 there is no pole at either end."""
    a, b = head_fails + 0.5, head_runs - head_fails + 0.5
    c, d = base_fails + 0.5, base_runs - base_fails + 0.5

    def density(angle):
        x = math.sin(angle) ** 2
        weight = 2 * math.exp(2 * head_fails * math.log(max(math.sin(angle), 1e-300))
                              + 2 * (head_runs - head_fails) * math.log(max(math.cos(angle), 1e-300))
                              - special.betaln(a, b))
        return weight * special.betainc(c, d, x)

    peak = math.asin(math.sqrt(a / (a + b)))
    return integrate.quad(density, 0, math.pi / 2, points=[peak], epsabs=1e-13, epsrel=1e-13, limit=500)[0]


print('/* SPDX-License-Identifier: GPL-2.0-or-later */')
print(f'/* Written by failure_values.py with SciPy {scipy.__version__}, NumPy {numpy.__version__}; do not edit. */')
print('#ifndef FAILURE_VALUES_H\n#define FAILURE_VALUES_H\n')
print("/* fails and runs of base, of head, chance that head's rate is higher */")
print('static const double posteriors[][5] = {')
for row in COUNTS:
    print('\t{ ' + ', '.join(repr(float(v)) for v in row + (posterior(*row),)) + ' },')
print('};\n\n#endif')
