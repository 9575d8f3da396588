# SPDX-License-Identifier: GPL-2.0-or-later
"""SQL stands in schema/, and reads the time through belt_now() alone."""
import re

import lint

STATEMENT = re.compile(r'\bselect\b.*\bfrom\b|^\s*select\b|\binsert\s+into\b|\bdelete\s+from\b|'
                       r'\bupdate\s+\w+\s+set\b|\bwith\s+\w+\s+as\s*\(|'
                       r'\b(create|alter|drop|truncate)\s+(table|type|index|function|view|database|'
                       r'schema|role|trigger|extension)\b', re.I)
# The words of a connection; daemon/db says them itself.
CONNECTION = re.compile(r'^\s*(BEGIN|COMMIT|ROLLBACK|LISTEN|NOTIFY|SAVEPOINT|PREPARE|DEALLOCATE)\b')
TIME = re.compile(r'\b(now|clock_timestamp|transaction_timestamp|statement_timestamp|timeofday)'
                  r'\s*\(|\b(current_timestamp|current_date|current_time|localtime\w*)\b|'
                  r"'(now|today|tomorrow|yesterday)'", re.I)
DEFINITION = re.compile(r'CREATE\s+(OR\s+REPLACE\s+)?FUNCTION\s+belt_now\b.*?\$\$.*?\$\$', re.I | re.S)
COMMENT = re.compile(r'--[^\n]*|/\*.*?\*/', re.S)


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group())


def check_c(path, text):
    for line, string in lint.strings(text):
        plain = re.sub(r'\\.', ' ', string)
        if STATEMENT.search(plain):
            yield line, 'SQL in C: write it in schema/queries/'
        elif CONNECTION.match(plain) and not path.startswith('daemon/db/'):
            yield line, 'the words of a connection are said by daemon/db alone'


def check_sql(text):
    bare = DEFINITION.sub(blank, COMMENT.sub(blank, text))
    for match in TIME.finditer(bare):
        yield lint.line_of(bare, match.start()), f'{match.group()}: the time is belt_now()'


def check(path, text):
    if path.startswith('tests/'):
        return ()
    return check_sql(text) if path.endswith('.sql') else check_c(path, text)


SAMPLES = [
    ('web/x.c', 'q("SELECT id "\n  "FROM run");\n', 'SQL in C'),
    ('web/x.c', 'q("insert into run values (1)");\n', 'SQL in C'),
    ('web/x.c', 'q("UPDATE run SET state = 1");\n', 'SQL in C'),
    ('web/x.c', 'q("CREATE TABLE x ()");\n', 'SQL in C'),
    ('web/x.c', '/* SELECT id FROM run */ q("run_select");\n', None),
    ('web/x.c', 'q("nothing to update, delete the setting");\n', None),
    ('web/x.c', 'q("BEGIN");\n', 'daemon/db alone'),
    ('daemon/db/db.c', 'q("BEGIN");\n', None),
    ('daemon/db/db.c', 'q("DELETE FROM run");\n', 'SQL in C'),
    ('schema/queries/x.sql', 'SELECT now();\n', 'the time is belt_now()'),
    ('schema/queries/x.sql', 'SELECT Current_Timestamp;\n', 'the time is belt_now()'),
    ('schema/queries/x.sql', "SELECT 'now'::timestamptz;\n", 'the time is belt_now()'),
    ('schema/queries/x.sql', '-- now()\nSELECT belt_now();\n', None),
    ('schema/0001_x.sql', 'CREATE FUNCTION belt_now() AS\n$$ SELECT clock_timestamp() $$;\n', None),
    ('schema/0001_x.sql', 'CREATE FUNCTION other() AS\n$$ SELECT clock_timestamp() $$;\n', 'belt_now'),
]

if __name__ == '__main__':
    lint.main('SQL stands in schema/ and has one clock', check, SAMPLES, lint.C + ('.sql',))
