# SPDX-License-Identifier: GPL-2.0-or-later
"""Every file says its licence, holds no loose ends, and knows no machine but the reader's."""
import re

import lint

LICENCE = 'SPDX-License-Identifier: GPL-2.0-or-later'
# Spelt in pieces, so that this file may pass itself.
LOOSE_ENDS = re.compile(r'\b(' + '|'.join(('TO' 'DO', 'FIX' 'ME', 'X' 'XX', 'HA' 'CK')) + r')\b')
MACHINES = re.compile(r'/wo' r'rk/(shared|main|house)|/tmp/w' r't\b|/home/\w+/|/ro' r'ot/')
REGISTRIES = re.compile(r'\b(pypi|pythonhosted|npmjs|registry|crates|rubygems|proxy\.golang|deb|'
                        r'archive|security|snapshot|hub|quay|ghcr)[\w.-]*\.(org|com|io|net|dev)\b')
# Files that say their licence in the first lines: these endings, and every script.
LICENSED = ('.c', '.h', '.py', '.sql', '.sh', '.yaml', '.yml', '.css', '.js',
            'meson.build', 'meson_options.txt')


def needs_licence(path, text):
    return path.endswith(LICENSED) or text.startswith('#!')


def check(path, text):
    if path == 'LICENSE':
        return
    if needs_licence(path, text) and not any(LICENCE in line for line in text.split('\n')[:3]):
        yield 1, f'no "{LICENCE}" in the first lines'
    if '\r' in text:
        yield lint.line_of(text, text.index('\r')), 'a carriage return'
    if text and not text.endswith('\n'):
        yield text.count('\n') + 1, 'no line break at the end of the file'
    for number, line in enumerate(text.split('\n'), 1):
        if line != line.rstrip():
            yield number, 'blanks at the end of the line'
        for pattern, what in ((LOOSE_ENDS, 'a loose end'), (MACHINES, 'a path of one machine'),
                              (REGISTRIES, 'the host of a registry')):
            match = pattern.search(line)
            if match:
                yield number, f'"{match.group()}": {what}'


HEAD = f'/* {LICENCE} */\n'
SAMPLES = [
    ('x.c', HEAD + 'int x;\n', None),
    ('x.c', 'int x;\n', 'no "SPDX'),
    ('jobs/x/run', '#!/bin/sh\n' + f'# {LICENCE}\n', None),
    ('jobs/x/run', '#!/bin/sh\nls\n', 'no "SPDX'),
    ('x.md', 'text\n', None),
    ('x.md', 'text \n', 'blanks at the end'),
    ('x.md', 'text', 'no line break'),
    ('x.md', 'a\r\n', 'a carriage return'),
    ('x.c', HEAD + '/* TO' 'DO: later */\n', 'a loose end'),
    ('x.c', HEAD + 'path = "x.XXXX' 'XX";\n', None),
    ('x.md', 'see /wo' 'rk/shared/x\n', 'a path of one machine'),
    ('x.md', 'POST /api/v1/worker/join\n', None),
    ('x.md', 'from https://py' 'pi.org/\n', 'the host of a registry'),
    ('x.md', 'from http://deb.deb' 'ian.org/\n', 'the host of a registry'),
]

if __name__ == '__main__':
    lint.main('every file is licensed, finished and at home anywhere', check, SAMPLES, None)
