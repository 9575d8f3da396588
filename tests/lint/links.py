# SPDX-License-Identifier: GPL-2.0-or-later
"""A link of a page of ours leads somewhere: to a file of the checkout, and to a heading in it."""
import os
import re
import sys

import lint

LINK = re.compile(r'\[[^\]]*\]\(([^)\s]+)\)')
CODE = re.compile(r'```.*?```|`[^`\n]*`', re.S)


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group())


def anchors(text):
    """The names that headings get: lower case, blanks as '-', without signs."""
    for heading in re.findall(r'^#+ +(.*)$', CODE.sub(lambda match: match.group().strip('`'), text),
                              re.M):
        yield re.sub(r'[^\w\- ]', '', heading.strip().lower()).replace(' ', '-')


def rule(read):
    """`read` gives the text of a file, '' for a folder, None where there is nothing."""
    def check(path, text):
        bare = CODE.sub(blank, text)
        for match in LINK.finditer(bare):
            target, _, anchor = match.group(1).partition('#')
            if re.match(r'[a-z]+:', target):
                continue
            name = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            found = text if name == path else read(name)
            if found is None:
                yield lint.line_of(bare, match.start()), f'{match.group(1)}: there is no such file'
            elif anchor and anchor not in anchors(found):
                yield lint.line_of(bare, match.start()), f'{match.group(1)}: no such heading'
    return check


def read_from(root):
    def read(name):
        path = os.path.join(root, name)
        if os.path.isdir(path):
            return ''
        if not os.path.exists(path):
            return None
        with open(path, encoding='utf-8') as file:
            return file.read()
    return read


TREE = {'docs/a.md': '# One `two`, three\n', 'docs': ''}
SAMPLES = [
    ('docs/b.md', '[a](a.md) [a](a.md#one-two-three) [up](../docs) [out](https://example.org/)\n',
     None),
    ('docs/b.md', '# Here\n[here](#here)\n', None),
    ('docs/b.md', '# Here\n[there](#there)\n', 'no such heading'),
    ('docs/b.md', '[a](a.md#four)\n', 'no such heading'),
    ('b.md', '[a](a.md)\n', 'no such file'),
    ('b.md', '`argv[i](x)`\n```\n[a](a.md)\n```\n', None),
]

if __name__ == '__main__':
    promise = 'the links of our pages lead somewhere'
    root = sys.argv[1] if len(sys.argv) > 1 else '.'
    lint.report([(f'the rule refuses what breaks it: {promise}',
                  lint.judge_samples(rule(TREE.get), SAMPLES)),
                 (promise, lint.judge_files(root, rule(read_from(root)), '.md'))])
