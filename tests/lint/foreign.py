# SPDX-License-Identifier: GPL-2.0-or-later
"""One foreign library, one folder (docs/dependencies.md)."""
import re

import lint

# Library: what its includes look like, and the files or folders that may have them.
LIBRARIES = [
    ('libuv', r'<uv(\.h|/.*)>', ('daemon/loop.c', 'lib/proc/')),
    ('jansson', r'<jansson\.h>', ('lib/base/json_read.c',)),
    ('nettle', r'<nettle/.*>', ('lib/base/hash.c',)),
    ('libyaml', r'<yaml\.h>', ('lib/spec/',)),
    ('PCRE2', r'<pcre2.*\.h>', ('lib/spec/',)),
    ('libcurl', r'<curl/.*>', ('lib/proto/', 'daemon/mail/')),
    ('libgit2', r'<git2(\.h|/.*)>', ('lib/vcs/',)),
    ('libpq', r'<(libpq-fe|libpq/.*|libpq-events|pg_config)\.h>', ('daemon/db/',)),
    ('libmicrohttpd', r'<microhttpd\.h>', ('web/',)),
    ('GMime', r'<(gmime/.*|glib.*|gio/.*)>', ('daemon/mail/',)),
]


def check(path, text):
    if path.startswith('tests/'):
        return
    for line, name in lint.includes(text):
        for library, pattern, places in LIBRARIES:
            if re.fullmatch(pattern, name) and not path.startswith(places):
                yield line, f'{library} is used in {" and ".join(places)} alone'


SAMPLES = [
    ('lib/base/json_read.c', '#include <jansson.h>\n', None),
    ('lib/base/str.c', '#include <jansson.h>\n', 'jansson is used'),
    ('lib/base/json.h', '#include <jansson.h>\n', 'jansson is used'),
    ('web/server.c', '#include <libpq-fe.h>\n', 'libpq is used'),
    ('web/server.c', '#include <microhttpd.h>\n#include <stdio.h>\n', None),
    ('workers/run.c', '  #  include <uv.h>\n', 'libuv is used'),
    ('daemon/main.c', '#include <gmime/gmime.h>\n', 'GMime is used'),
    ('daemon/main.c', '#include <git2/types.h>\n', 'libgit2 is used'),
    ('lib/spec/x.c', '#include <pcre2.h>\n#include <yaml.h>\n', None),
    ('lib/proto/x.c', '#include <nettle/sha2.h>\n', 'nettle is used'),
    ('cli/x.c', '#include <curl/curl.h>\n', 'libcurl is used'),
]

if __name__ == '__main__':
    lint.main('a foreign library has one folder', check, SAMPLES, lint.C)
