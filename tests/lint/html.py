# SPDX-License-Identifier: GPL-2.0-or-later
"""HTML stands in web/templates/, which escape by themselves; C makes documents, not markup."""
import re

import lint

TAG = re.compile(r'<(!doctype\b|/?(a|abbr|b|body|br|button|circle|code|details|div|em|form|g|h[1-6]|'
                 r'head|hr|html|i|img|input|label|li|line|link|main|meta|nav|ol|option|p|path|pre|'
                 r'rect|script|section|select|small|span|strong|style|summary|svg|table|tbody|td|'
                 r'text|textarea|th|thead|time|title|tr|ul)\b[^<>]*>)', re.I)


def check(path, text):
    if path.startswith('tests/'):
        return
    for line, string in lint.strings(text):
        match = TAG.search(string)
        if match:
            yield line, f'{match.group()}: HTML in C, write it in web/templates/'


SAMPLES = [
    ('web/x.c', 'put("<td>%s</td>");\n', 'HTML in C'),
    ('web/x.c', 'put("<a href=\\"%s\\">");\n', 'HTML in C'),
    ('web/x.c', 'put("<!DOCTYPE html>");\n', 'HTML in C'),
    ('web/x.c', 'put("<svg "\n"width=1>");\n', 'HTML in C'),
    ('web/x.c', '/* <td> */ put("a < b > c, <name@example.org>, (?<name>x)");\n', None),
]

if __name__ == '__main__':
    lint.main('HTML stands in templates', check, SAMPLES, lint.C)
