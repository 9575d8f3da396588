#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts rely on: exit codes, and data on stdout and the rest on stderr.

cli.py PATCHMETER
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
JOB = """name: probe
summary: s
run: 'true'
params: {nr: 50%, mode: [a, b]}
metrics: [{name: m, unit: s, better: lower, headline: true, lines: m}]
"""


def run(folder, *args, stdout=subprocess.PIPE):
    return subprocess.run([PROGRAM, *args], cwd=folder, stdout=stdout, stderr=subprocess.PIPE,
                          text=True, check=False)


def fails(folder, code, part, *args):
    done = run(folder, *args)
    assert done.returncode == code, (args, done.returncode, done.stderr)
    assert done.stdout == "" and part in done.stderr, (args, done.stdout, done.stderr)


def every_verb_has_help(folder):
    verbs = re.findall(r"^  (\w+) +\S", run(folder, "help").stdout, re.MULTILINE)
    assert {"job", "parse", "help", "version"} <= set(verbs), verbs
    for verb in verbs:
        done = run(folder, verb, "--help")
        assert done.returncode == 0 and done.stderr == "", (verb, done)
        assert done.stdout.startswith(f"usage: patchmeter {verb}"), done.stdout
        assert "--help" in done.stdout, done.stdout
        assert run(folder, "help", verb).stdout == done.stdout, verb


def version_is_told(folder):
    assert re.fullmatch(r"patchmeter \d+\.\d+\.\d+\n", run(folder, "--version").stdout)


def a_wrong_command_line_is_2(folder):
    fails(folder, 2, "usage: patchmeter")
    fails(folder, 2, "did you mean 'parse'?", "prase")
    fails(folder, 2, "--bogus", "parse", "--bogus")
    fails(folder, 2, "usage: patchmeter parse", "parse", "hackbench")
    fails(folder, 2, "validate, expand or explain", "job", "eat", "job.yaml")
    fails(folder, 2, "--status", "parse", "--status", "999", "./job.yaml", "out")
    fails(folder, 2, "--cpus", "job", "expand", "--cpus", "-1", "job.yaml")


def an_unknown_benchmark_is_3(folder):
    fails(folder, 3, "no job 'nothing'", "parse", "nothing", "out")


def a_failed_run_is_7(folder):
    done = run(folder, "parse", "./job.yaml", "out", "--status", "1")
    assert done.returncode == 7, done
    assert json.loads(done.stdout)["reason"] == "exit-status", done.stdout


def a_bad_file_is_9(folder):
    fails(folder, 9, "bad.yaml:1:1: unknown key 'nmae'; did you mean 'name'?", "job", "validate", "bad.yaml")
    fails(folder, 9, "gone.yaml", "job", "validate", "gone.yaml")
    fails(folder, 9, "gone", "parse", "./job.yaml", "gone")


def a_full_disk_is_no_success(folder):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = run(folder, "job", "validate", "job.yaml", stdout=full)
    assert done.returncode == 9 and "stdout" in done.stderr, done


def expand_tells_what_a_machine_makes_of_percentages(folder):
    done = run(folder, "job", "expand", "--json", "--cpus", "6", "--group", "lab", "job.yaml")
    variants = json.loads(done.stdout)["variants"]
    assert [v["identity"]["params"]["mode"] for v in variants] == ["a", "b"]
    assert variants[0]["identity"]["params"]["nr"] == "50%", variants[0]
    assert variants[0]["environment"] == ["PARAM_nr=3", "PARAM_mode=a"], variants[0]
    assert variants[0]["cpus"] == 6 and variants[0]["identity"]["group"] == "lab"
    assert "nr=50% (3 of 6)" in run(folder, "job", "expand", "--cpus", "6", "job.yaml").stdout
    assert run(folder, "job", "expand", "-p", "mode=c", "job.yaml").stdout.count("mode=c\n") == 1


def main():
    checks = [check for name, check in globals().items()
              if callable(check) and name not in ("run", "fails", "main")]
    print(f"1..{len(checks)}")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("job.yaml", JOB), ("bad.yaml", "nmae: x\n"), ("out", "m: 1\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        for number, check in enumerate(checks, 1):
            try:
                check(folder)
                print(f"ok {number} - {check.__name__.replace('_', ' ')}")
            except AssertionError as fault:
                print(f"# {fault}".replace("\n", "\n# "))
                print(f"not ok {number} - {check.__name__.replace('_', ' ')}")


main()
