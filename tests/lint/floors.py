# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may include whom: the folders are the architecture (docs/architecture.md)."""
import os
import re

import lint

# The longest prefix that fits a file counts.  A file may always include its own folder.
FLOORS = {
    'lib/base/': (),
    'lib/proc/': ('lib/base/',),
    'lib/stats/': ('lib/base/',),
    'lib/spec/': ('lib/base/',),
    'lib/proto/': ('lib/base/',),
    'lib/settings/': ('lib/base/',),
    'lib/text/': ('lib/base/',),
    'lib/vcs/': ('lib/base/',),
    'lib/report/': ('lib/base/', 'lib/stats/', 'lib/text/'),
    'daemon/policy/': ('lib/base/', 'lib/stats/', 'lib/spec/', 'daemon/model.h'),
    'daemon/db/': ('lib/base/', 'schema/', 'daemon/model.h', 'daemon/bell.h', 'daemon/crash.h'),
    'daemon/store/': ('lib/base/', 'daemon/model.h', 'daemon/crash.h'),
    'daemon/mail/': ('lib/', 'daemon/model.h', 'daemon/crash.h'),
    'daemon/pipeline/': ('lib/', 'daemon/'),
    'daemon/': ('lib/', 'daemon/', 'web/'),
    'web/': ('lib/', 'daemon/db/', 'daemon/store/', 'daemon/model.h', 'daemon/bell.h',
             'daemon/comparison.h', 'daemon/stack_fit.h'),
    'workers/': ('lib/',),
    'cli/': ('lib/',),
    'tests/': ('',),
}

# Pure folders: no I/O, no clock, no chance but what is passed in.
PURE = ('lib/stats/', 'daemon/policy/')
IMPURE_HEADERS = re.compile(r'<(unistd|fcntl|time|sys/.*|pthread|signal)\.h>|'
                            r'"(lib/base/)?(clock|log|hash)\.h"')
IMPURE_CALLS = re.compile(r'\b(fopen|open|read|write|printf|fprintf|puts|time|clock_gettime|rand|'
                          r'random|srand|getenv|mono_now|wall_now|random_bytes|log_line|'
                          r'str_read_file|str_write_file)\s*\(')


def floor_of(path):
    return max((prefix for prefix in FLOORS if path.startswith(prefix)), key=len, default=None)


def target_of(path, name):
    """The path from the root that an include in quotes names."""
    return name if '/' in name else os.path.dirname(path) + '/' + name


def check_include(path, name):
    floor = floor_of(path)
    if floor is None:
        return 'the file stands in no folder of the house'
    target = target_of(path, name)
    if os.path.dirname(target) == os.path.dirname(path) or target.startswith(floor):
        return None
    if not any(target.startswith(allowed) for allowed in FLOORS[floor]):
        return f'{floor} may not include "{target}", only {", ".join(FLOORS[floor]) or "itself"}'
    if floor == 'daemon/pipeline/' and target in ('daemon/loop.h', 'daemon/site.h'):
        return f'a stage may not include "{target}"'
    return None


def check(path, text):
    for line, name in lint.includes(text):
        if name[0] == '"':
            complaint = check_include(path, name.strip('"'))
            if complaint:
                yield line, complaint
        if path.startswith(PURE) and IMPURE_HEADERS.fullmatch(name):
            yield line, f'this folder is pure: it may not include {name}'
    if path.startswith(PURE):
        bare = lint.code(text)
        for match in IMPURE_CALLS.finditer(bare):
            yield lint.line_of(bare, match.start()), f'this folder is pure: {match.group(1)}()'


SAMPLES = [
    ('lib/base/x.c', '#include "str.h"\n', None),
    ('lib/base/x.c', '#include "lib/proc/proc.h"\n', 'lib/base/ may not include'),
    ('lib/stats/x.c', '#include "lib/base/mem.h"\n#include "judge.h"\n', None),
    ('lib/stats/x.c', '#include "lib/text/table.h"\n', 'lib/stats/ may not include'),
    ('lib/stats/x.c', '#include "lib/base/clock.h"\n', 'pure'),
    ('lib/stats/x.c', '#include <time.h>\n', 'pure'),
    ('lib/stats/x.c', 'x = rand();\n', 'pure: rand()'),
    ('lib/stats/x.c', '/* rand() */ operand(1); bread();\n', None),
    ('lib/report/x.c', '#include "lib/stats/judge.h"\n', None),
    ('daemon/db/x.c', '#include "daemon/policy/budget.h"\n', 'daemon/db/ may not include'),
    ('daemon/policy/x.c', '#include "daemon/db/db.h"\n', 'daemon/policy/ may not include'),
    ('daemon/pipeline/plan.c', '#include "daemon/db/db.h"\n', None),
    ('daemon/pipeline/plan.c', '#include "web/server.h"\n', 'daemon/pipeline/ may not include'),
    ('daemon/pipeline/plan.c', '#include "daemon/loop.h"\n', 'a stage may not include'),
    ('daemon/main.c', '#include "web/server.h"\n', None),
    ('web/pages/x.c', '#include "web/server.h"\n#include "daemon/db/db.h"\n', None),
    ('web/pages/x.c', '#include "daemon/pipeline/pipeline.h"\n', 'web/ may not include'),
    ('workers/x.c', '#include "daemon/db/db.h"\n', 'workers/ may not include'),
    ('cli/x.c', '#include "lib/vcs/vcs.h"\n', None),
    ('extra/x.c', '#include "lib/vcs/vcs.h"\n', 'no folder of the house'),
]

if __name__ == '__main__':
    lint.main('a file includes only what its floor may', check, SAMPLES, lint.C)
