# SPDX-License-Identifier: GPL-2.0-or-later
"""The headers of lib/ teach: a purpose on top, and words for every function.

A declaration has its words in the comment above it or in its group, which is the lines up to the
next empty one; or in a comment that stands alone above its group.  init, free and release mean the
same everywhere (CONTRIBUTING.md) and need none.
"""
import re

import lint

LIFECYCLE = ('_init', '_free', '_release')
DECLARATION = re.compile(r'^(?!typedef|#|/|\s|\})[\w\s*]*?\b(\w+)\s*\([^;{]*(\)[^;{]*);', re.M | re.S)


def groups(text):
    """Yields (line, group) of the text between empty lines."""
    line = 1
    for group in re.split(r'\n[ \t]*\n', text):
        yield line, group
        line += group.count('\n') + 2


def check(path, text):
    if not path.startswith('lib/'):
        return
    if not re.match(r'/\*.*?\*/\n/\*\n \* [\w.]+\.h - ', text):
        yield 2, 'no comment "name.h - purpose" below the licence'
    has_heading = False
    for line, group in groups(text):
        bare = lint.blank(group, ('comment',))
        for match in DECLARATION.finditer(bare):
            end = group.find('\n', match.end())
            said = '/*' in group[:end if end >= 0 else None]
            if not said and not has_heading and not match.group(1).endswith(LIFECYCLE):
                number = line + bare.count('\n', 0, match.start())
                yield number, f'{match.group(1)}() has no word of explanation'
        has_heading = line > 1 and not bare.strip()


HEAD = '/* SPDX */\n/*\n * x.h - a thing.\n */\n'
SAMPLES = [
    ('lib/x/x.h', HEAD + '\n/* Gives one. */\nint x_one(void);\nint x_two(void);\n', None),
    ('lib/x/x.h', HEAD + '\nstruct x *x_free(struct x *x);\n', None),
    ('lib/x/x.h', HEAD + '\n/* making */\n\nint x_one(void);\n', None),
    ('lib/x/x.h', HEAD + '\nint x_one(void);\n', 'x_one() has no word'),
    ('lib/x/x.h', HEAD + '\n/* Gives one. */\nint x_one(void);\n\nint x_two(\n\tint a);\n', 'x_two()'),
    ('lib/x/x.h', HEAD + '\nMUST_CHECK bool x_do(const char *a, struct err *err);\n', 'x_do()'),
    ('lib/x/x.h', HEAD + '\nvoid x_say(const char *f, ...) PRINTF_LIKE(1, 2);\n', 'x_say()'),
    ('lib/x/x.h', HEAD + '\nstruct x {\n\tint (*f)(void);\n};\n', None),
    ('lib/x/x.h', HEAD + '\nint x_one(void); /* one */\n', None),
    ('lib/x/x.h', '/* SPDX */\n#ifndef X\n#endif\n', 'purpose'),
]

if __name__ == '__main__':
    lint.main('the headers of lib/ explain every function', check, SAMPLES, '.h')
