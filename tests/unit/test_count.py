# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/count.py: what CI reads is what the tests said."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import count  # noqa: E402
import tap  # noqa: E402

SAMPLES = [
    ('cases of TAP count one by one', 'OK', 'ok 1 - a\nok 2 - b\n1..2\n', 'passed passed'),
    ('a failed case is one failure, whatever the program says', 'ERROR',
     'ok 1 - a\nnot ok 2 - b\n1..2\n', 'passed failed'),
    ('a case may be skipped with its reason', 'OK', 'ok 1 - a # SKIP no machine\n1..1\n', 'skipped'),
    ('a crash behind the last case is a failure', 'ERROR', 'ok 1 - a\n1..1\n', 'passed failed'),
    ('a crash before the plan is a failure', 'ERROR', 'ok 1 - a\n', 'failed'),
    ('so is one before the first case', 'ERROR', '1..2\n', 'failed'),
    ('a time-out is a failure', 'TIMEOUT', '', 'failed'),
    ('a skipped program says so in its plan', 'SKIP', '1..0 # SKIP no database\n', 'skipped'),
    ('a program without TAP counts as one', 'OK', '7 inputs\n', 'passed'),
    ('and may skip', 'SKIP', 'SKIP: no browser\n', 'skipped'),
    ('or fail', 'FAIL', 'Traceback\n', 'failed'),
]


def main():
    report = tap.Tap()
    for promise, result, output, expected in SAMPLES:
        record = {'name': 'x', 'result': result, 'stdout': output, 'returncode': 1}
        kinds = ' '.join(kind for kind, _, _ in count.cases(record))
        report.equal(kinds, expected, promise)
    record = {'name': 'x', 'result': 'OK', 'stdout': 'ok 1 - a # SKIP no machine\n1..1\n'}
    report.equal(list(count.cases(record)), [('skipped', 'x: a', 'no machine')],
                 'a skip names the case and the reason')
    sys.exit(report.end())


if __name__ == '__main__':
    main()
