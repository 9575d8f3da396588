# SPDX-License-Identifier: GPL-2.0-or-later
"""C knows no benchmark by name: a benchmark is a folder of jobs/."""
import os
import re
import sys

import lint

# Folders that are named by a word of the language, or of PostgreSQL's settings.
WORDS = {'command', 'lz4', 'monitors', 'time'}


def names(root):
    jobs = os.path.join(root, 'jobs')
    found = os.listdir(jobs) if os.path.isdir(jobs) else ()
    return {name for name in found if os.path.isdir(os.path.join(jobs, name))} - WORDS


def rule(benchmarks):
    def check(path, text):
        if path.startswith('tests/'):
            return
        for line, string in lint.strings(text):
            for name in sorted(benchmarks):
                if re.search(rf'(?<![\w-]){re.escape(name)}(?![\w-])', string):
                    yield line, f'"{name}" is the name of a benchmark'
    return check


SAMPLES = [
    ('lib/spec/x.c', 'if (strcmp(job, "hackbench") == 0) {\n', 'name of a benchmark'),
    ('lib/spec/x.c', 'print("jobs/stress-ng/job.yaml");\n', 'name of a benchmark'),
    ('lib/spec/x.c', '/* hackbench */ print("hackbenches, xstress-ng");\n', None),
]

if __name__ == '__main__':
    root = sys.argv[1] if len(sys.argv) > 1 else '.'
    promise = 'C knows no benchmark by name'
    lint.report([(f'the rule refuses what breaks it: {promise}',
                  lint.judge_samples(rule({'hackbench', 'stress-ng'}), SAMPLES)),
                 (promise, lint.judge_files(root, rule(names(root)), lint.C))])
