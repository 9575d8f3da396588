# SPDX-License-Identifier: GPL-2.0-or-later
"""Which lines the tests run, a folder a line.  cov.py BUILD, a build with -Db_coverage=true.

The pure part of the house has a floor, below which this fails; the rind around it has none, since
it is judged by the simulations.
"""
import collections
import json
import os
import subprocess
import sys

FLOOR_PCT = 90
FLOORED = ('lib/', 'daemon/policy/')
NOT_COUNTED = ('lib/proc/',)  # its keeper leaves by _exit() or by exec, and gcov with it


def notes(build):
    for folder, _, names in os.walk(build):
        for name in names:
            if name.endswith('.gcda'):
                yield os.path.abspath(os.path.join(folder, name))


def reports(path, build):
    done = subprocess.run(['gcov', '--json-format', '--stdout', path], cwd=build,
                          capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        if line.startswith('{'):
            yield json.loads(line)


def count(build):
    """{path: {line: times}} of our own files."""
    root = os.path.realpath(os.path.dirname(os.path.abspath(build)))
    lines = collections.defaultdict(lambda: collections.defaultdict(int))
    for path in notes(build):
        for report in reports(path, build):
            for file in report['files']:
                source = os.path.realpath(os.path.join(build, file['file']))
                name = os.path.relpath(source, root)
                if not name.startswith(('..', 'tests/', os.path.basename(build))):
                    for line in file['lines']:
                        lines[name][line['line_number']] += line['count']
    return lines


def main():
    folders = collections.defaultdict(lambda: [0, 0])
    for name, lines in count(sys.argv[1]).items():
        folder = folders[os.path.dirname(name) + '/']
        folder[0] += sum(times > 0 for times in lines.values())
        folder[1] += len(lines)
        for number in sorted(number for number, times in lines.items() if times == 0):
            print(f'{name}:{number}: never run', file=sys.stderr)
    is_low = not folders
    for folder, (run, total) in sorted(folders.items()):
        pct = 100 * run / total
        is_below = (folder.startswith(FLOORED) and not folder.startswith(NOT_COUNTED) and
                    pct < FLOOR_PCT)
        is_low = is_low or is_below
        print(f'{pct:5.1f} % of {total:5} lines  {folder}{"  BELOW THE FLOOR" if is_below else ""}')
    sys.exit(is_low)


if __name__ == '__main__':
    main()
