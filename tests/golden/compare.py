#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeter compare` on files: what it says, to whom, and with which exit code.

compare.py PATCHMETER
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

PROGRAM = os.path.abspath(sys.argv[1])
JOB = """name: probe
summary: s
run: 'true'
metrics:
  - {name: pack_speed, unit: MB/s, better: higher, headline: true, floor: 1%, lines: a}
  - {name: pack_instructions, unit: '1', better: lower, headline: true, exact: true, lines: b}
  - {name: note, unit: s, better: lower, lines: c}
"""


def put(folder, name, content):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))


def compare(folder, *args):
    return subprocess.run([PROGRAM, "compare", *args], cwd=folder, capture_output=True, text=True,
                          check=False)


def view_of(folder, *args):
    """The JSON document, where no number may be NaN."""
    def refuse(word):
        raise AssertionError(f"{word} in JSON")

    done = compare(folder, "--json", *args)
    assert done.returncode in (0, 3), done
    return json.loads(done.stdout, parse_constant=refuse)


def rows_of(folder, *args):
    return {row["metric"]: row for group in view_of(folder, *args)["groups"] for row in group["rows"]}


def verdicts_of(folder, *args):
    return {name: row["changes"][0]["verdict"] for name, row in rows_of(folder, *args).items()}


def result(folder, name, runs, **about):
    if about:
        put(folder, f"{name}/result.json", {"schema": 1, **about})
    put(folder, f"{name}/runs.jsonl", "".join(json.dumps(run) + "\n" for run in runs))


def c01_single_runs_are_too_few(folder):
    put(folder, "a", {"bench.ops": [1901], "kmsg.timestamp_last": [3250]})
    put(folder, "b", {"bench.ops": [1885], "kmsg.timestamp_last": [436]})
    view = view_of(folder, "a", "b")
    assert view["groups"][0]["failures"] == []
    for row in view["groups"][0]["rows"]:
        assert row["changes"][0]["verdict"] == "too-few-runs", row
        for cell in row["cells"]:
            assert cell["n"] == 1 and cell["stddev"] is None, cell
    for line in compare(folder, "--all", "a", "b").stdout.splitlines():
        if "bench.ops" in line:
            assert line.split()[2:6] == ["1901", "-", "1885", "-"] and "1+1" in line, line


def c02_overall_is_of_the_intersection(folder):
    put(folder, "a", {"A": [100] * 6, "B": [10000] * 6})
    put(folder, "b", {"A": [100] * 6})
    overall = view_of(folder, "a", "b")["summary"][0]["overall"]
    assert overall == {"percent": 0, "nr": 1, "nr_left_out": 1}, overall
    text = compare(folder, "a", "b").stdout
    assert "missing: no value in head" in text and "1 left out" in text, text


def c03_all_samples_count(folder):
    put(folder, "a", {"ns": [115, 114, 115, 115, 115]})
    put(folder, "b", {"ns": [78.8] * 5})
    change = rows_of(folder, "a", "b")["ns"]["changes"][0]
    assert change["verdict"] == "improvement" and round(change["percent"], 1) == -31.4, change
    assert "5+5" in compare(folder, "a", "b").stdout


def c04_zeros_have_no_percentage(folder):
    put(folder, "a", {"errors": [0, 0, 0], "drops": [0, 0, 0], "lat": [7]})
    put(folder, "b", {"errors": [0, 0, 0], "drops": [5, 5, 6]})
    rows = rows_of(folder, "a", "b")
    drops = rows["drops"]["changes"][0]
    assert rows["errors"]["changes"][0]["verdict"] == "no-change"
    assert drops["verdict"] == "regression" and drops["percent"] is None, drops
    assert round(drops["absolute"], 2) == 5.33
    assert rows["lat"]["cells"][0]["value"] == 7 and rows["lat"]["cells"][0]["stddev"] is None
    assert "+5.33" in compare(folder, "a", "b").stdout


def c05_a_noisy_doubling_is_told(folder):
    base = [6, 14, 10, 5, 15, 9, 11, 4, 16, 10, 7, 13, 3, 17, 8, 12, 6, 14, 10, 10]
    put(folder, "a", {"ms": base})
    put(folder, "b", {"ms": [2 * value for value in base]})
    change = rows_of(folder, "a", "b")["ms"]["changes"][0]
    assert change["verdict"] == "regression" and change["percent"] == 100, change
    assert 30 < change["low"] < 100 < change["high"] < 200, change
    assert "noisy" in compare(folder, "a", "b").stdout


def c48_no_pair_is_3_and_says_why(folder):
    put(folder, "a", {"x": [1, 2, 3]})
    put(folder, "b", {"y": [1, 2, 3]})
    done = compare(folder, "a", "b")
    assert done.returncode == 3 and done.stdout == "", done
    for part in ("no metric is on both sides", "a has x", "b has y"):
        assert part in done.stderr, done.stderr
    done = compare(folder, "--json", "a", "b")
    view = json.loads(done.stdout)
    assert done.returncode == 3 and view["groups"] == [], done
    assert view["reason"] == "no metric is on both sides"


def c53_a_difference_is_no_failure(folder):
    put(folder, "a", {"s": [10.0, 10.1, 9.9]})
    put(folder, "b", {"s": [15.0, 15.1, 14.9]})
    assert compare(folder, "a", "b").returncode == 0
    assert compare(folder, "--exit-code", "a", "b").returncode == 1
    assert compare(folder, "--exit-code", "b", "a").returncode == 0
    assert compare(folder, "--exit-code", "a", "a").returncode == 0
    assert compare(folder, "--exit-code", "a", "gone").returncode == 9
    put(folder, "empty/.keep", "")
    assert compare(folder, "--exit-code", "a", "empty").returncode == 3


def names_tell_the_direction(folder):
    put(folder, "a", {"ops_per_sec": [10, 10.1, 9.9], "reads/s": [10, 10.1, 9.9], "p99": [10, 10.1, 9.9],
                      "error_rate": [10, 10.1, 9.9]})
    put(folder, "b", {"ops_per_sec": [15, 15.1, 14.9], "reads/s": [15, 15.1, 14.9], "p99": [15, 15.1, 14.9],
                      "error_rate": [15, 15.1, 14.9]})
    assert verdicts_of(folder, "a", "b") == {"ops_per_sec": "improvement", "reads/s": "improvement",
                                             "p99": "regression", "error_rate": "regression"}
    assert "going by the name" in compare(folder, "--explain", "a", "b").stdout


def malformed_files_are_9_with_the_byte(folder):
    put(folder, "good", {"a": [1, 2]})
    for text, part in (('{"a":[1,NaN]}', "byte 8"), ('{"a":[1e999]}', "byte 6"), ('{"a":[1],"a":[2]}', "byte 9"),
                       ('{"run":1}\n{"metrics":{"a":nan}}', "byte 26"), ("", "is empty"), ("[]", "byte 0")):
        put(folder, "bad", text)
        done = compare(folder, "good", "bad")
        assert done.returncode == 9 and done.stdout == "" and part in done.stderr, (text, done)
    put(folder, "null", {"a": [1, None, 2, 3]})
    assert rows_of(folder, "good", "null")["a"]["cells"][1]["n"] == 3


def a_job_tells_what_metrics_mean(folder):
    put(folder, "jobs/probe/job.yaml", JOB)

    def side(name, speed, work):
        result(folder, name, [{"run": i, "boot": f"{name}{i}", "block": i // 2,
                               "metrics": {"pack_speed": speed * (1 + 0.08 * (-1) ** i), "pack_instructions": work,
                                           "note": 1 + 0.01 * i, "time.elapsed": 5 + 0.1 * (i % 3)}}
                              for i in range(8)],
               benchmark="probe", commit=name * 40, machine="box", params={"level": 3})

    side("a", 100, 1000000)
    side("b", 91, 1100000)
    side("c", 91, 1000000)
    rows = rows_of(folder, "--jobs", "jobs", "a", "b")
    assert rows["probe.pack_speed"]["changes"][0]["verdict"] == "regression"
    assert rows["probe.pack_instructions"]["changes"][0]["verdict"] == "regression"
    assert rows["probe.pack_speed"]["unit"] == "MB/s" and rows["probe.pack_speed"]["better"] == "higher"
    assert rows["probe.time.elapsed"]["class"] == rows["probe.note"]["class"] == "supporting"
    view = view_of(folder, "--jobs", "jobs", "a", "b", "c")
    assert [column["commit"] for column in view["columns"]] == ["a" * 40, "b" * 40, "c" * 40]
    assert {"name": "level", "value": "3"} in view["groups"][0]["axes"]
    speed = next(row for row in view["groups"][0]["rows"] if row["metric"] == "probe.pack_speed")
    assert [change["verdict"] for change in speed["changes"]] == ["regression", "cannot-resolve"]


def boots_are_the_unit(folder):
    result(folder, "a", [{"boot": "x", "metrics": {"s": 10 + 0.01 * i}} for i in range(10)])
    result(folder, "b", [{"boot": "y", "metrics": {"s": 12 + 0.01 * i}} for i in range(10)])
    result(folder, "c", [{"boot": "x", "metrics": {"s": 12 + 0.01 * i}} for i in range(10)])
    row = rows_of(folder, "a", "b")["s"]
    assert row["changes"][0]["verdict"] == "too-few-runs" and row["cells"][1]["n"] == 1, row
    assert len(row["cells"][1]["samples"]) == 10
    assert verdicts_of(folder, "a", "c") == {"s": "regression"}


def what_is_not_the_same_does_not_pair(folder):
    runs = [{"metrics": {"s": 10 + i}} for i in range(4)]
    result(folder, "a", runs, benchmark="x", machine="m", params={"n": 1})
    for name, part, about in (("b", "measured x, 'b' y", {"benchmark": "y"}),
                              ("c", "'n' is 1 in 'a' and 2", {"params": {"n": 2}}),
                              ("d", "more than one machine", {"machine": "other"})):
        result(folder, name, runs, **about)
        done = compare(folder, "a", name)
        assert done.returncode == 3 and part in done.stderr, done


def blocks_take_jumps_out(folder):
    def runs(level):
        return [{"block": block, "metrics": {"s": level * (1.15 if block == 2 else 1) * (1 + 0.001 * i)}}
                for block in range(4) for i in range(2)]

    result(folder, "a", runs(100))
    result(folder, "b", runs(102))
    assert verdicts_of(folder, "a", "b") == {"s": "regression"}
    result(folder, "c", [dict(run, block=run["block"] + 10) for run in runs(102)])
    assert verdicts_of(folder, "a", "c") == {"s": "cannot-resolve"}


def failures_are_told(folder):
    good = [{"run": i, "metrics": {"s": 10 + 0.1 * i}} for i in range(6)]
    bad = [{"run": i, "outcome": "failed", "reason": "timeout"} for i in range(6)]
    result(folder, "a", good)
    result(folder, "b", bad)
    view = view_of(folder, "a", "b")
    failure = view["groups"][0]["failures"][0]
    assert failure["metric"] == "timeout" and failure["changes"][0]["verdict"] == "regression", failure
    assert view["groups"][0]["rows"][0]["cells"][1]["reason"] == "6 of 6 runs failed: timeout"
    assert compare(folder, "--exit-code", "a", "b").returncode == 1


def every_format_is_offered(folder):
    put(folder, "a", {"s": [10.0, 10.1, 9.9]})
    put(folder, "b", {"s": [15.0, 15.1, 14.9]})
    for name, part in (("text", "+50.0%"), ("lkp", "%stddev     %change"), ("md", "| metric |"), ("csv", "base_value"),
                       ("json", '"percent"')):
        done = compare(folder, "--format", name, "a", "b")
        assert done.returncode == 0 and part in done.stdout and done.stderr == "", done
    put(folder, "document", compare(folder, "--json", "a", "b").stdout)
    assert compare(folder, "document").stdout == compare(folder, "a", "b").stdout
    assert compare(folder, "--exit-code", "document").returncode == 1
    for args in (("--format", "xml", "a", "b"), ("--json", "--format", "csv", "a", "b"), (),
                 ("--explain", "--json", "a", "b"), ("--explain", "document")):
        assert compare(folder, *args).returncode == 2, args


def hostile_names_are_cleaned(folder):
    put(folder, "a", {"s\u001b[31m\u202e": [1, 2, 3]})
    put(folder, "b", {"t\u001b[31m": [1, 2, 3]})
    for done in (compare(folder, "a", "b"), compare(folder, "--all", "--explain", "a", "a"),
                 compare(folder, "--format", "csv", "a", "a")):
        assert "\u001b" not in done.stdout + done.stderr and "\u202e" not in done.stdout, done


PROMISES = [
    ("C01: one run a side is too few", c01_single_runs_are_too_few),
    ("C02: the overall change is that of the intersection", c02_overall_is_of_the_intersection),
    ("C03: all samples count, also without variance", c03_all_samples_count),
    ("C04: zeros have no percentage", c04_zeros_have_no_percentage),
    ("C05: a noisy doubling is told", c05_a_noisy_doubling_is_told),
    ("C48: no pair is 3, and says why", c48_no_pair_is_3_and_says_why),
    ("C53: a difference is no failure", c53_a_difference_is_no_failure),
    ("without a job file names tell the direction", names_tell_the_direction),
    ("malformed files are 9, with the byte", malformed_files_are_9_with_the_byte),
    ("a job file tells what metrics mean", a_job_tells_what_metrics_mean),
    ("the boot is the unit", boots_are_the_unit),
    ("other benchmarks, parameters and machines do not pair", what_is_not_the_same_does_not_pair),
    ("blocks take jumps out", blocks_take_jumps_out),
    ("failures are told", failures_are_told),
    ("every format is offered", every_format_is_offered),
    ("hostile names are cleaned", hostile_names_are_cleaned),
]

sys.exit(tap.promises(PROMISES))
