#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compiles files into the program, as an array of struct template_file.

Usage: embed.py SYMBOL OUTPUT FILE...

OUTPUT defines SYMBOL and nr_SYMBOL; declare both where they are used:

    extern const struct template_file SYMBOL[];
    extern const size_t nr_SYMBOL;
"""
import pathlib
import sys


def literal(data):
    """A C string a line; octal for whatever is not plain, so that no escape can run on."""
    lines = []
    for line in data.splitlines(keepends=True):
        text = "".join(
            chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
            for byte in line)
        lines.append(f'\t  "{text}"')
    return "\n".join(lines) or '\t  ""'


def main():
    symbol, output, *files = sys.argv[1:]
    rows = []
    for path in sorted(map(pathlib.Path, files), key=lambda path: path.name):
        data = path.read_bytes()
        rows.append(f'\t{{ "{path.name}",\n{literal(data)},\n\t  {len(data)} }},')
    body = "\n".join(rows)
    pathlib.Path(output).write_text(f"""/* Made by lib/text/embed.py. */
#include "lib/text/template_set.h"

extern const struct template_file {symbol}[];
extern const size_t nr_{symbol};

const struct template_file {symbol}[] = {{
{body}
}};
const size_t nr_{symbol} = {len(rows)};
""", encoding="utf-8")


main()
