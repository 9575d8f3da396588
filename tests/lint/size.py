# SPDX-License-Identifier: GPL-2.0-or-later
"""A function fits on a screen, a file in a head, a line in half a screen, a branch on three fingers."""
import os
import re

import lint

FUNCTION_LINES = 60
FILE_LINES = 500
TEST_LINES = 700  # of tests/: a test file is a list
GENERATED = re.compile(r'tests/.*_values\.h')  # numbers from elsewhere
NESTING = 3
LINE_COLUMNS = {'.c': 100, '.h': 100, '.py': 120}


def functions(text):
    """Yields (line, name, lines of the body); clang-format puts both braces at the margin."""
    head, start = '', None
    for number, line in enumerate(lint.code(text).split('\n'), 1):
        if line.rstrip() == '{':
            start = number
        elif line.startswith('}') and start is not None:
            name = re.findall(r'(\w+)\s*\(', head)
            yield start, name[0] if name else '?', number - start - 1
            head, start = '', None
        elif start is None:
            head = '' if line.rstrip().endswith(';') or not line.strip() else head + line


def nestings(text):
    """Yields (line, depth) of each block of if, for, while, do, switch inside a function."""
    bare, is_branch = lint.code(text), []
    for match in re.finditer(r'[{}]', bare):
        if match.group() == '}':
            if is_branch:
                is_branch.pop()
            continue
        before = bare[max(0, match.start() - 8):match.start()]
        is_branch.append(bool(is_branch) and bool(re.search(r'(\) |\belse |\bdo )$', before)))
        if is_branch[-1]:
            yield lint.line_of(bare, match.start()), sum(is_branch)


def is_text(line, most):
    """A text in quotes may stick out: broken, nobody finds it."""
    return any(match.start() < most <= match.end() + 4  # what closes a row
               for match in re.finditer(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', line))


def check(path, text):
    if GENERATED.fullmatch(path):
        return
    lines = text.split('\n')
    most = TEST_LINES if path.startswith('tests/') else FILE_LINES
    if len(lines) - 1 > most:
        yield most, f'{len(lines) - 1} lines, a file has at most {most}'
    most = LINE_COLUMNS.get(os.path.splitext(path)[1], 100)
    for number, line in enumerate(lines, 1):
        line = line.expandtabs(8)
        if len(line) > most and not is_text(line, most):
            yield number, f'{len(line)} columns, a line has at most {most}'
    if path.endswith(lint.C):
        for line, name, nr_lines in functions(text):
            if nr_lines > FUNCTION_LINES:
                yield line, f'{name}() has {nr_lines} lines, a function has at most {FUNCTION_LINES}'
        for line, depth in nestings(text):
            if depth > NESTING:
                yield line, f'{depth} levels deep, a function has at most {NESTING}'


SAMPLES = [
    ('x.c', 'int f(void)\n{\n' + '\tx;\n' * 60 + '}\n', None),
    ('x.c', 'int f(int (*g)(void))\n{\n' + '\tx;\n' * 61 + '}\n', 'f() has 61 lines'),
    ('x.c', 'int f(void)\n{\n' + 'if (x) {\n' * 3 + '}\n' * 3 + '}\n', None),
    ('x.c', 'int f(void)\n{\n' + 'while (x) {\n' * 4 + '}\n' * 4 + '}\n', '4 levels deep'),
    ('x.c', 'int f(void)\n{\ndo {\nif (x) {\n} else {\nfor (;;) {\nx = (struct x){ { 1 } };\n'
     '}\n}\n} while (x);\n}\n', None),
    ('x.c', 'static const int x[] = {\n' + '\t1,\n' * 90 + '};\n', None),
    ('x.c', '\n' * 500, None),
    ('x.c', '\n' * 501, 'a file has at most'),
    ('tests/x.c', '\n' * 700, None),
    ('tests/x.c', '\n' * 701, 'a file has at most'),
    ('tests/unit/x_values.h', '\n' * 2000, None),
    ('x.py', 'x' * 121 + '\n', '121 columns'),
    ('x.c', 'f("' + 'x' * 100 + '");\n', None),
    ('x.c', '\t' * 12 + 'abcd\n', None),
    ('x.c', '\t' * 12 + 'abcde\n', '101 columns'),
]

if __name__ == '__main__':
    lint.main('functions, files and lines have their size', check, SAMPLES,
              lint.C + ('.py', '.css', '.js', 'dev'))
