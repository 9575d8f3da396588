#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeter parse` against outputs of which something other than our code read the numbers.

parse.py PATCHMETER SOURCE-ROOT           cases of our own, a JSON file each
parse.py PATCHMETER SOURCE-ROOT --shared  real outputs beside the checkout; skipped where absent

A metric is right when a row has its value, unit and direction; names differ.  A run that failed must be
refused: exit code 7, no metrics.
"""
import json
import os
import subprocess
import sys
import tempfile


def parse(program, jobs, case):
    with tempfile.TemporaryDirectory() as folder:
        args = [program, "parse", "--jobs", jobs, "--status", str(case["status"]), case["benchmark"]]
        for stream in ("stdout", "stderr"):
            path = os.path.join(folder, stream)
            with open(path, "wb") as file:
                file.write(case[stream])
            args += [path] if stream == "stdout" else ["--stderr", path] if case[stream] else []
        return subprocess.run(args, capture_output=True, check=False)


def rows_of(metrics):
    return sorted((m["value"], m["unit"], m["better"], m.get("headline", False)) for m in metrics)


def faults_of(program, jobs, case):
    done = parse(program, jobs, case)
    if done.stderr:
        return [done.stderr.decode(errors="replace")]
    got = json.loads(done.stdout)
    expected = {"outcome": case["outcome"], "code": 0 if case["outcome"] == "ok" else 7,
                "metrics": rows_of(case["metrics"])}
    actual = {"outcome": got["outcome"], "code": done.returncode, "metrics": rows_of(got["metrics"])}
    if "reason" in case:
        expected["reason"], actual["reason"] = case["reason"], got["reason"]
    return [f"{key}: expected {expected[key]}, got {actual[key]}"
            for key in expected if expected[key] != actual[key]]


def own_cases(folder):
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            case = json.load(file)
        for stream in ("stdout", "stderr"):
            case[stream] = case.get(stream, "").encode("latin-1")
        yield name, case


def read(path):
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def shared_cases(folder, jobs):
    for benchmark in sorted(set(os.listdir(folder)) & set(os.listdir(jobs))):
        for name in sorted(os.listdir(os.path.join(folder, benchmark))):
            stem, ending = os.path.splitext(os.path.join(folder, benchmark, name))
            if ending != ".json":
                continue
            with open(stem + ending, encoding="utf-8") as file:
                truth = json.load(file)
            case = {"benchmark": benchmark, "status": truth["exit_code"], "stdout": read(stem + ".txt"),
                    "stderr": read(stem + ".stderr.txt"), "metrics": truth["metrics"],
                    "outcome": "ok" if truth["outcome"] == "ok" else "failed"}
            yield f"{benchmark}/{name}", case
            if not case["stdout"] and case["stderr"]:
                # either stream may be the operand
                yield f"{benchmark}/{name} alone", {**case, "stdout": case["stderr"], "stderr": b""}


def main():
    program, root = sys.argv[1:3]
    jobs = os.path.join(root, "jobs")
    if "--shared" in sys.argv:
        shared = os.environ.get("PATCHMETER_SHARED", os.path.join(root, "../shared"))
        folder = os.path.join(shared, "data/bench-output")
        if not os.path.isdir(folder):
            print("1..0 # SKIP no data/bench-output beside the checkout")
            return
        cases = list(shared_cases(folder, jobs))
    else:
        cases = list(own_cases(os.path.join(root, "tests/golden/parse")))
    print(f"1..{len(cases)}")
    for number, (name, case) in enumerate(cases, 1):
        faults = faults_of(program, jobs, case)
        for fault in faults:
            print(f"# {fault}")
        print(f"{'not ok' if faults else 'ok'} {number} - {name}")
    if not cases:
        sys.exit("no cases")


main()
