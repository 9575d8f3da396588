# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts the single cases of a run of meson test, and names what failed and what was skipped.

    count.py build/meson-logs/testlog.json

A program that speaks TAP counts with each of its cases, any other as one.  The last line is
"N passed, N failed", with ", N skipped" where something was; the exit status tells of failures.
"""
import json
import re
import sys

CASE = re.compile(r'^(not )?ok\b[ \t]*\d*(?:[ \t]*-)?[ \t]*([^#\n]*?)[ \t]*(?:#[ \t]*(\w+)[ \t]*(.*))?$',
                  re.M)
PLAN = re.compile(r'^1\.\.(\d+)(?:[ \t]*#[ \t]*SKIP\w*[ \t]*(.*))?$', re.M | re.I)


def last_line(record):
    lines = (record.get('stdout', '') + '\n' + record.get('stderr', '')).strip().split('\n')
    return lines[-1]


def cases(record):
    """Yields ('passed' | 'failed' | 'skipped', name, why) of one program."""
    name, result, output = record['name'], record['result'], record.get('stdout', '')
    plan = PLAN.search(output)
    found = list(CASE.finditer(output)) if plan else []
    if plan and plan.group(1) == '0':
        yield 'skipped', name, plan.group(2) or ''
        return
    nr_failed = 0
    for case in found:
        is_bad, promise, directive, why = case.groups()
        kind = 'skipped' if (directive or '').upper().startswith('SKIP') else \
            'failed' if is_bad else 'passed'
        nr_failed += kind == 'failed'
        yield kind, f'{name}: {promise}', why or ''
    if not found:
        kind = {'OK': 'passed', 'SKIP': 'skipped'}.get(result, 'failed')
        yield kind, name, last_line(record) if kind != 'passed' else ''
    elif result not in ('OK', 'SKIP') and nr_failed == 0:
        # It crashed, hung or broke its plan behind its last case.
        yield 'failed', name, f'{result.lower()}, exit status {record["returncode"]}'


def main():
    counts = {'passed': 0, 'failed': 0, 'skipped': 0}
    try:
        with open(sys.argv[1], encoding='utf-8') as file:
            records = [json.loads(line) for line in file]
    except OSError as error:
        print(f'count.py: {error}', file=sys.stderr)
        records = []
    for record in records:
        for kind, name, why in cases(record):
            counts[kind] += 1
            if kind != 'passed':
                print(f'{kind}: {name}{": " if why else ""}{why}')
    if not records:
        print('failed: no test has run')
        counts['failed'] += 1
    skipped = f', {counts["skipped"]} skipped' if counts['skipped'] else ''
    print(f'{counts["passed"]} passed, {counts["failed"]} failed{skipped}')
    sys.exit(counts['failed'] > 0)


if __name__ == '__main__':
    main()
