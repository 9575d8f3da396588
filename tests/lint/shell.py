# SPDX-License-Identifier: GPL-2.0-or-later
"""No shell between us and a child: programs are run with an argument vector, by lib/proc."""
import re

import lint

CALLS = re.compile(r'\b(system|popen|wordexp|posix_spawnp?|exec[lv]p?e?|execvpe|fexecve|v?fork)\s*\(')
SHELLS = re.compile(r'(/bin/|/usr/bin/)?(ba|da|z|k)?sh')

# Becomes another program of ours, without a child.
BECOMES = 'cli/online_exec.c'


def check(path, text):
    if path.startswith(('tests/', 'workers/', 'lib/proc/')) or path == BECOMES:
        return
    bare = lint.code(text)
    for match in CALLS.finditer(bare):
        if '#pragma' not in bare[bare.rfind('\n', 0, match.start()) + 1:match.start()]:
            yield lint.line_of(bare, match.start()), f'{match.group(1)}(): children are lib/proc\'s'
    for line, string in lint.strings(text):
        if SHELLS.fullmatch(string):
            yield line, f'"{string}": no shell; jobs run theirs on a worker'


SAMPLES = [
    ('daemon/x.c', 'system("ls");\n', 'system()'),
    ('daemon/x.c', 'f = popen (command, "r");\n', 'popen()'),
    ('daemon/x.c', 'argv = { "sh", "-c", text, NULL };\n', 'no shell'),
    ('web/x.c', 'run("/bin/bash");\n', 'no shell'),
    ('cli/x.c', 'if (fork() == 0) {\n', 'fork()'),
    ('cli/online_exec.c', 'execv(beside, words);\n', None),
    ('lib/vcs/x.c', 'execvp(argv[0], argv);\n', 'execvp()'),
    ('cli/x.c', '/* system() */ puts("show the shell, push it");\n', None),
    ('workers/x.c', 'argv = { "sh", "-c", text, NULL };\n', None),
]

if __name__ == '__main__':
    lint.main('nothing but a job meets a shell', check, SAMPLES, lint.C)
