# SPDX-License-Identifier: GPL-2.0-or-later
"""What the house rules share: the files, C without comments, and a report in TAP.

A rule is a script with one function, check(path, text), which yields (line, message), and a table
of small samples, SAMPLES, that it must accept (None) or refuse (a part of the message):

    lint.main('stages meet only in rows', check, SAMPLES, lint.C)

The first case judges the rule by its samples: a rule that cannot fail says nothing.  The second
judges the checkout by the rule.
"""
import os
import re
import sys

C = ('.c', '.h')
# Bytes that must stay as they are; our own C among them is code all the same.
FIXTURE_FOLDERS = ('tests/golden/', 'tests/fuzz/corpus/')
FIXTURE_SUFFIXES = ('.patch', '.mbox', '.eml')


def is_ours(folder):
    return not folder.startswith(('build', '__pycache__')) and (folder[0] != '.' or folder == '.ci')


def files(root, suffixes):
    """The paths below root that end in one of the suffixes; all where suffixes is None."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if is_ours(name))
        for name in sorted(set(names) - {'.git'}):  # a file in a worktree
            path = os.path.relpath(os.path.join(folder, name), root)
            is_fixture = (path.startswith(FIXTURE_FOLDERS) and not path.endswith(C) or
                          path.endswith(FIXTURE_SUFFIXES))
            if not is_fixture and (suffixes is None or name.endswith(suffixes)):
                yield path


TOKEN = re.compile(r'''(?P<comment> /\*.*?\*/ | //[^\n]* )
                     | (?P<text> "(?:\\.|[^"\\\n])*" )
                     | (?P<letter> '(?:\\.|[^'\\\n])+' )''', re.X | re.S)


def blank(text, kinds):
    """The text with every token of these kinds made of blanks; lines keep their numbers."""
    def replace(match):
        return re.sub(r'[^\n]', ' ', match.group()) if match.lastgroup in kinds else match.group()
    return TOKEN.sub(replace, text)


def code(text):
    """C without comments and without what stands in quotes."""
    return blank(text, ('comment', 'text', 'letter'))


def line_of(text, offset):
    return text.count('\n', 0, offset) + 1


def strings(text):
    """Yields (line, content) of each C string, adjacent literals joined, in source form."""
    joined, line, end = None, 0, 0
    text = re.sub(r'^[ \t]*#[ \t]*include.*$', '', text, flags=re.M)
    bare = blank(text, ('comment', 'letter'))
    for match in TOKEN.finditer(bare):
        if match.lastgroup != 'text':
            continue
        if joined is not None and bare[end:match.start()].isspace():
            joined += match.group()[1:-1]
        else:
            if joined is not None:
                yield line, joined
            joined, line = match.group()[1:-1], line_of(text, match.start())
        end = match.end()
    if joined is not None:
        yield line, joined


def includes(text):
    """Yields (line, '"path"' or '<path>') of each include."""
    for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]+(["<][^">]+[">])', text, re.M):
        yield line_of(text, match.start()), match.group(1)


def judge_samples(check, samples):
    """Yields what the rule says wrongly about its samples."""
    for path, text, expected in samples:
        found = [message for _, message in check(path, text)]
        if expected is None and found:
            yield f'{path}: {text!r}: must pass, but: {found[0]}'
        elif expected is not None and not any(expected in message for message in found):
            yield f'{path}: {text!r}: must be refused with {expected!r}, but: {found}'


def judge_files(root, check, suffixes):
    for path in files(root, suffixes):
        try:
            with open(os.path.join(root, path), encoding='utf-8', newline='') as file:
                text = file.read()
        except UnicodeDecodeError:
            continue
        for line, message in check(path, text):
            yield f'{path}:{line}: {message}'


def report(cases):
    """Prints TAP; a case is (promise, iterable of complaints)."""
    nr_failed = 0
    for number, (promise, complaints) in enumerate(cases, 1):
        complaints = list(complaints)
        for complaint in complaints:
            print(f'# {complaint}', file=sys.stderr)  # meson hides the TAP itself
        print(f'{"not " if complaints else ""}ok {number} - {promise}')
        nr_failed += bool(complaints)
    print(f'1..{len(cases)}')
    sys.exit(nr_failed > 0)


def main(promise, check, samples, suffixes):
    root = sys.argv[1] if len(sys.argv) > 1 else '.'
    report([(f'the rule refuses what breaks it: {promise}', judge_samples(check, samples)),
            (promise, judge_files(root, check, suffixes))])
