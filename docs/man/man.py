#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A manual page from its prose and from what the programs say of themselves, so it cannot go stale.

Usage: man.py INPUT OUTPUT VERSION PROGRAM...

INPUT is man(7) with lines of its own:

    @options NAME [WORD...]    the options of `NAME WORD... --help`
    @verbs NAME [WORD]         a section for each verb of `NAME [WORD] --help`, with its options
    @keys NAME                 the keys of the configuration in `NAME --help`
"""
import os
import re
import subprocess
import sys

OPTION = re.compile(r"  (?:(-\w)(, )?|    )(?:(--[\w-]+))?( \S+)?  +(\S.*)")
SECTION = re.compile(r"\[\w+.*\]")
KEY = re.compile(r"  ([a-z-]+) +(\S.*)")


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti").replace("'", "\\(aq").replace("`", "\\(ga")
    return "\\&" + text if text.startswith(".") else text


def said(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def options(text):
    """The options in a help text, as definitions."""
    page = []
    for letter, _, name, value, doc in (m.groups() for m in map(OPTION.fullmatch, text.splitlines())
                                        if m):
        spelt = ", ".join(f"\\fB{escape(way)}\\fR" for way in (letter, name) if way)
        page += [".TP", spelt + (f" \\fI{escape(value.strip())}\\fR" if value else ""), escape(doc)]
    if not page:
        raise SystemExit("man.py: no option found in:\n" + text)
    return page


def verbs(program, *words):
    page = []
    row = re.compile("  " + "".join(word + " " for word in words) + r"([a-z]+) +(\S.*)")
    for verb, summary in (m.groups() for m in map(row.fullmatch, said(program, *words, "--help").splitlines())
                          if m):
        text = said(program, *words, verb, "--help")
        usage = re.match(r"usage: (.*)", text).group(1)
        page += [f".SS {verb}", f"\\fB{escape(usage)}\\fR", ".PP",
                 escape(summary[0].upper() + summary[1:]) + "."] + options(text)
    return page


def keys(program):
    lines = said(program, "--help").split("keys of the configuration:\n")[1].splitlines()
    page = []
    for line in lines:
        if SECTION.fullmatch(line):
            page += [f".SS {escape(line)}"]
        elif line:
            key, doc = KEY.fullmatch(line).groups()
            page += [".TP", f"\\fB{escape(key)}\\fR", escape(doc)]
    return page


def main():
    source, output, version, *paths = sys.argv[1:]
    programs = {os.path.basename(path): path for path in paths}
    page = []
    with open(source, encoding="utf-8") as file:
        for line in file.read().splitlines():
            words = line.split()
            if line.startswith("@options "):
                page += options(said(programs[words[1]], *words[2:], "--help"))
            elif line.startswith("@verbs "):
                page += verbs(programs[words[1]], *words[2:])
            elif line.startswith("@keys "):
                page += keys(programs[words[1]])
            elif line.startswith("@"):
                raise SystemExit(f"{source}: '{line}': unknown directive")
            else:
                page.append(line.replace("@VERSION@", version))
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(page) + "\n")


main()
