#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual: complete, about nothing that is not there, and without a warning.

man.py PAGE... -- PROGRAM...   and docs/cli.md besides
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap

OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def verbs(program, *words):
    """Those that the program, or a verb of it, lists."""
    prefix = "".join(word + " " for word in words)
    return re.findall(rf"^  {prefix}([a-z]+) +\S", said(program, *words, "--help"), re.MULTILINE)


def helps(program, *words):
    """Every help text of a program, or of a verb of it that has others below."""
    texts = [said(program, *words, "--help")]
    if program.endswith("meter"):
        texts += [said(program, *words, verb, "--help") for verb in verbs(program, *words)]
    if program.endswith("worker"):
        texts.append(said(program, "run", "--help"))
    return "\n".join(texts)


def every_option(programs):
    texts = [helps(program) for program in programs.values()] + [helps(programs["patchmeter"], "bisect")]
    return set().union(*(OPTION.findall(text) for text in texts))


def rendered(page):
    """The page as a reader sees it, without overstrikes and hyphens that are not plain."""
    text = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-rLL=200n", page], check=True,
                          capture_output=True, text=True)
    shown = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", text.stdout)
    return shown.replace("\u2212", "-").replace("\u2010", "-"), text.stderr


def check_page(checks, page, programs):
    name = os.path.basename(page)
    text, warnings = rendered(page)
    checks.equal(warnings, "", f"{name} has no warning")
    lint = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], check=False,
                          capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    checks.equal((lint.returncode, lint.stderr), (0, ""), f"man reads {name} without a warning")
    about = {"patchmeter.1": ["patchmeter"], "patchmeter-bisect.1": ["patchmeter", "bisect"],
             "patchmeterd.8": ["patchmeterd"], "patchmeter-worker.8": ["patchmeter-worker"],
             "patchmeterd.conf.5": ["patchmeterd"]}[name]
    help_text = helps(programs[about[0]], *about[1:])
    if name.endswith(".5"):
        help_text = help_text.split("keys of the configuration:\n")[1]
        for key in re.findall(r"^  ([a-z]+)  +(\S.*)$", help_text, re.MULTILINE):
            checks.check(all(part in text for part in key), f"{name} has the key {key[0]}", text)
        return
    known = set(OPTION.findall(help_text))
    for option in sorted(known):
        checks.check(re.search(re.escape(option) + r"(?![\w-])", text), f"{name} has {option}")
    for option in sorted(set(OPTION.findall(text)) - every_option(programs)):
        checks.check(False, f"{name} speaks of {option}, which nothing has")


def check_guide(checks, programs):
    """docs/cli.md names every verb, and no option that nothing has."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "cli.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for option in sorted(set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text)) - every_option(programs)):
        checks.check(False, f"cli.md speaks of {option}, which nothing has")
    for verb in verbs(programs["patchmeter"]):
        if verb not in ("help", "version"):
            checks.check(f"| `{verb}` |" in text, f"cli.md has the verb {verb}")


def main():
    split = sys.argv.index("--")
    programs = {os.path.basename(path): os.path.abspath(path) for path in sys.argv[split + 1:]}
    for tool in ("groff", "man"):
        if not shutil.which(tool):
            tap.skip_all(f"{tool} is not installed")
    checks = tap.Tap()
    for page in sys.argv[1:split]:
        check_page(checks, page, programs)
    check_guide(checks, programs)
    return checks.end()


sys.exit(main())
