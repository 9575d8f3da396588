# SPDX-License-Identifier: GPL-2.0-or-later
"""Foreign libraries call back into at most six files; everything else reads from top to bottom."""
import re

import lint

ALLOWED = (
    'daemon/loop.c',       # libuv: signals, timers, the bell's socket
    'web/server.c',        # libmicrohttpd: requests and bodies
    'lib/spec/pattern.c',  # PCRE2: counts the steps of a match, to end one that never would
    'lib/vcs/pack.c',      # libgit2: the bytes of a pack
    'lib/vcs/remote.c',    # libgit2: a limit to what a fetch brings, a key for ssh
)
assert len(ALLOWED) <= 6

# What hands one of our functions to a foreign library.
HANDS_OVER = [
    ('libuv', r'\buv_(\w+_(init|start|walk)|walk|queue_work|close|spawn|async_init)\s*\('),
    ('libcurl', r'\bCURLOPT_\w*FUNCTION\b'),
    ('libmicrohttpd', r'\bMHD_(start_daemon|create_response_from_callback|get_connection_values|'
                      r'create_post_processor|add_connection)\s*\('),
    ('libgit2', r'\bgit_\w+_foreach\w*\s*\(|\b(callbacks|checkout_opts|opts)\.\w+_cb\b|'
                r'\bcallbacks(\.|->)\w+\s*='),
    ('libpq', r'\bPQset(NoticeProcessor|NoticeReceiver|ErrorHook)\s*\(|\bPQregisterEventProc\s*\('),
    ('libyaml', r'\byaml_(parser_set_input|emitter_set_output)\s*\('),
    ('jansson', r'\bjson_(load|dump)_callback\s*\(|\bjson_set_alloc_funcs\s*\('),
    ('PCRE2', r'\bpcre2_(set_callout|substitute_callout|callout_enumerate)\s*\('),
    ('GMime', r'\bg_(signal_connect\w*|mime_\w+_foreach)\s*\('),
]


def check(path, text):
    if path.startswith('tests/') or path in ALLOWED:
        return
    bare = lint.code(text)
    for library, pattern in HANDS_OVER:
        for match in re.finditer(pattern, bare):
            yield (lint.line_of(bare, match.start()),
                   f'{match.group().rstrip("( ")}: {library} may call back into {", ".join(ALLOWED)}')


SAMPLES = [
    ('daemon/loop.c', 'uv_timer_start(&clock, on_clock, 0, 500);\n', None),
    ('daemon/main.c', 'uv_timer_start(&clock, on_clock, 0, 500);\n', 'libuv may call back'),
    ('daemon/main.c', 'uv_queue_work(loop, work, run, after);\n', 'libuv may call back'),
    ('cli/x.c', 'curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, f);\n', 'libcurl may call back'),
    ('cli/x.c', '/* CURLOPT_WRITEFUNCTION */ curl_easy_setopt(c, CURLOPT_URL, u);\n', None),
    ('lib/vcs/x.c', 'git_tag_foreach(repo, f, x);\n', 'libgit2 may call back'),
    ('lib/vcs/x.c', 'options.callbacks.credentials = f;\n', 'libgit2 may call back'),
    ('daemon/db/db.c', 'PQsetNoticeProcessor(pg, f, x);\n', 'libpq may call back'),
]

if __name__ == '__main__':
    lint.main('foreign libraries call back into few files', check, SAMPLES, lint.C)
