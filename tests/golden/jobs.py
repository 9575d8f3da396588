#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every job file is valid, and the guide's example works as the guide says.

jobs.py PATCHMETER SOURCE-ROOT

A block of the guide that a test uses stands below a line `<!-- test: KIND NAME -->`.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAM, ROOT = map(os.path.abspath, sys.argv[1:3])
VALUES = [("best", 0.408), ("rate", 2450980), ("memory", 16.5)]


def run(args, folder=ROOT):
    return subprocess.run([PROGRAM] + args, cwd=folder, capture_output=True, text=True, check=False)


def job_files():
    for folder, _, names in os.walk(os.path.join(ROOT, "jobs")):
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".yaml"))


def check_job(path):
    done = run(["job", "validate", path])
    assert done.returncode == 0, done.stderr
    name = json.loads(run(["job", "explain", "--json", path]).stdout)["benchmark"]
    if os.path.basename(path) == "job.yaml":
        assert name == os.path.basename(os.path.dirname(path)), f"named '{name}'"
        assert os.path.exists(os.path.join(os.path.dirname(path), "README.md")), "no README.md"


def blocks():
    with open(os.path.join(ROOT, "docs/jobs.md"), encoding="utf-8") as file:
        text = file.read()
    pattern = r"^<!-- test: (\w+) \w+ -->\n```\w*\n(.*?)^```$"
    return dict(re.findall(pattern, text, re.MULTILINE | re.DOTALL))


def check_guide():
    parts = blocks()
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "jobs/sortbench"))
        for name, text in (("jobs/sortbench/job.yaml", parts["job"]), ("output.txt", parts["output"])):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        for step in re.findall(r"^\$ patchmeter (.*)\n((?:[^$].*\n)*)", parts["session"], re.MULTILINE):
            done = run(step[0].split(), folder)
            assert done.returncode == 0, done.stderr
            if step[1]:
                assert done.stdout == step[1], f"'{step[0]}' prints\n{done.stdout}"
        metrics = json.loads(done.stdout)["metrics"]
        assert [(m["name"], m["value"]) for m in metrics] == VALUES, metrics


def main():
    checks = [(os.path.relpath(path, ROOT), lambda path=path: check_job(path)) for path in job_files()]
    assert len(checks) > 3, "no jobs"
    checks.append(("docs/jobs.md", check_guide))
    print(f"1..{len(checks)}")
    for number, (name, check) in enumerate(checks, 1):
        try:
            check()
            print(f"ok {number} - {name}")
        except AssertionError as fault:
            print(f"# {fault}".replace("\n", "\n# "))
            print(f"not ok {number} - {name}")


main()
