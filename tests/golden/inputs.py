#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeter compare` on what other tools write, and on what nobody should.

inputs.py PATCHMETER
"""
import json
import os
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

PROGRAM = os.path.abspath(sys.argv[1])
NOISE = (0, 0.004, -0.004, 0.008, -0.008, 0.002, -0.006, 0.004)


def put(folder, name, content):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8"))


def compare(folder, *args, **more):
    return subprocess.run([PROGRAM, "compare", *args], cwd=folder, capture_output=True, text=True, check=False,
                          **more)


def view_of(folder, *args):
    done = compare(folder, "--json", *args)
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def rows_of(view, group=0):
    return {row["metric"]: row for row in view["groups"][group]["rows"]}


def verdicts_of(rows):
    return {name: row["changes"][0]["verdict"] for name, row in rows.items()}


def fails(folder, name, text, *parts):
    """The input is malformed: exit 9, nothing on stdout, and the place."""
    put(folder, name, text)
    put(folder, "good", '{"a":[1,2,3]}')
    done = compare(folder, "good", name)
    assert done.returncode == 9 and done.stdout == "", (text, done)
    for part in parts:
        assert part in done.stderr, (part, done.stderr)


# --- Go ---

def go(factor, cpu="Box"):
    lines = ["goos: linux", "goarch: amd64", f"cpu: {cpu}", "pkg: example.org/sort", "Unit hits better=lower",
             "Unit size assume=exact"]
    for noise in NOISE:
        for size in (10, 1000):
            time = 100 * size * factor * (1 + noise)
            lines.append(f"BenchmarkSort/size={size}/fast-8 \t 200\t {time:.2f} ns/op\t {1e4 / time:.4f} MB/s\t"
                         f" {20 * factor * (1 + noise):.3f} hits\t {16 * factor:.0f} size\t 48 B/op")
    return "\n".join(lines + ["PASS", "ok  \texample.org/sort\t1.2s", ""])


def go_text_is_read(folder):
    put(folder, "a", go(1))
    put(folder, "b", go(1.25))
    view = view_of(folder, "a", "b")
    rows = rows_of(view)
    assert {axis["name"]: axis["value"] for axis in view["groups"][0]["axes"]} == {
        "gomaxprocs": "8", "pkg": "example.org/sort"}
    row = rows["Sort/fast/size=10.time"]
    assert row["unit"] == "ns/op" and row["better"] == "lower" and row["cells"][0]["n"] == 8, row
    assert abs(row["cells"][0]["value"] - 1000) < 0.01 and row["changes"][0]["verdict"] == "regression"
    assert abs(row["changes"][0]["percent"] - 25) < 0.01
    assert rows["Sort/fast/size=1000.speed"]["better"] == "higher"
    assert rows["Sort/fast/size=1000.speed"]["changes"][0]["verdict"] == "regression"
    assert rows["Sort/fast/size=10.hits"]["better"] == "lower"
    size = rows["Sort/fast/size=10.size"]
    assert size["is_exact"] and size["changes"][0]["verdict"] == "regression", size
    assert rows["Sort/fast/size=10.memory"]["changes"][0]["verdict"] == "no-change"


def go_noise_is_passed_over_and_told(folder):
    put(folder, "a", go(1))
    put(folder, "b", "hello\nBenchmarkDone\n" + go(1) + "BenchmarkSort-8 100 12 ns/op oops\nBenchmarkish: no\n"
        "--- FAIL: BenchmarkSort/size=10/fast-8\n    x_test.go:3: boom\n")
    done = compare(folder, "a", "b")
    line = 2 + go(1).count("\n") + 1
    assert done.returncode == 0 and f"b:{line}:30: no result of a benchmark, passed over" in done.stderr, done
    failures = {row["metric"]: row["cells"] for row in view_of(folder, "a", "b")["groups"][0]["failures"]}
    assert failures == {"Sort/fast/size=10.FAIL": [{"fails": 0, "runs": 8}, {"fails": 1, "runs": 9}]}, failures


def go_faults_have_places(folder):
    fails(folder, "nan", "pkg: x\nBenchmarkA-8 1 NaN ns/op\n", "nan:2:16: not a finite number")
    fails(folder, "inf", "BenchmarkA-8 1 1 ns/op +Inf x/s\n", "inf:1:24: not a finite number")
    fails(folder, "nul", b"BenchmarkA-8 1 1 ns/op\nx\0\n", "nul:2:2: a NUL")


def other_machines_are_told(folder):
    put(folder, "a", go(1))
    put(folder, "b", go(1, "Other box"))
    done = compare(folder, "a", "b")
    assert done.returncode == 0 and "cpu is Box and Other box" in done.stderr, done
    assert any("cpu is Box and Other box" in note for note in view_of(folder, "a", "b")["notes"])


# --- hyperfine ---

def hyperfine(factor, codes=True):
    return json.dumps({"results": [
        {"command": f"sort -n -S {size} {size}0.txt", "mean": 1, "stddev": None, "median": 1, "user": 1, "system": 0,
         "min": 1, "max": 1, "times": [factor * size * (1 + noise) for noise in NOISE],
         "memory_usage_byte": [1000] * len(NOISE),
         "exit_codes": [0] * 7 + [0 if codes else 3], "parameters": {"size": str(size)}}
        for size in (1, 20)]})


def hyperfine_is_read(folder):
    put(folder, "a", hyperfine(1))
    put(folder, "b", hyperfine(0.8, False))
    view = view_of(folder, "a", "b")
    rows = rows_of(view)
    assert set(rows) == {f"sort -n -S {size} {size}0.txt.{name}" for size in (1, 20)
                         for name in ("time", "memory")}, set(rows)
    row = rows["sort -n -S 20 200.txt.time"]
    assert row["unit"] == "s" and row["cells"][0]["n"] == 8 and row["cells"][1]["n"] == 7, row
    assert row["changes"][0]["verdict"] == "improvement"
    failures = {row["metric"] for row in view["groups"][0]["failures"]}
    assert failures == {f"sort -n -S {size} {size}0.txt.exit-status" for size in (1, 20)}, failures


def hyperfine_faults_are_told(folder):
    fails(folder, "cut", hyperfine(1)[:-3], "cut: ")
    fails(folder, "text", '{"results":[{"command":"a","times":[1,"2"]}]}', "results[0].times[1]: expected a number")
    fails(folder, "twice", '{"results":[{"command":"a","command":"b","times":[1]}]}', "twice: ")
    fails(folder, "none", '{"results":[{"times":[1]}]}', "'command': expected a text")
    put(folder, "a", hyperfine(1))
    put(folder, "b", '{"results":[{"command":"sort -n -S 1 10.txt","mean":1}]}')
    done = compare(folder, "a", "b")
    assert done.returncode == 3 and "has no times, left out" in done.stderr, done


# --- CSV ---

def csv(factor, separator=",", end="\r\n"):
    lines = ["# made by hand", separator.join(("mode", '"time (ms)"', "ops_per_sec", "params.threads", "boot"))]
    for number, noise in enumerate(NOISE):
        for mode in ('fast', 'with "a" quote'):
            lines.append(separator.join(('"' + mode.replace('"', '""') + '"', f"{10 * factor * (1 + noise)}",
                                         f" {100 / factor} ", "2", f"boot{factor}{number}")))
    return end.join(lines) + end


def csv_is_read(folder):
    for separator, end in ((",", "\r\n"), (";", "\n"), ("\t", "\n")):
        put(folder, "a", csv(1, separator, end))
        put(folder, "b", "\ufeff" + csv(1.2, separator, end))
        view = view_of(folder, "a", "b")
        rows = rows_of(view)
        row = rows["mode=fast.time"]
        assert row["unit"] == "ms" and row["changes"][0]["verdict"] == "regression", row
        assert row["cells"][0]["n"] == 8 and abs(row["changes"][0]["percent"] - 20) < 0.01, row
        assert rows["mode=fast.ops_per_sec"]["better"] == "higher"
        assert {"name": "threads", "value": "2"} in view["groups"][0]["axes"]


def long_csv_is_read(folder):
    for name, factor in (("a", 1), ("b", 1.2)):
        lines = ["benchmark,size,metric,value,unit"]
        for noise in NOISE:
            lines += [f"sort,{size},{metric},{factor * size * (1 + noise)},{unit}" for size in (1, 2)
                      for metric, unit in (("time", "s"), ("speed", "MB/s"))]
        put(folder, name, "\n".join(lines))
    rows = rows_of(view_of(folder, "a", "b"))
    assert verdicts_of(rows) == {"sort/size=1.time": "regression", "sort/size=2.time": "regression",
                                 "sort/size=1.speed": "improvement", "sort/size=2.speed": "improvement"}
    assert rows["sort/size=1.speed"]["unit"] == "MB/s"


def csv_outcomes_count(folder):
    head = "time,outcome,reason,warmup\n"
    put(folder, "a", head + "9,ok,,true\n" + "1,ok,,false\n2,ok,,false\n3,ok,,0\n" * 2)
    put(folder, "b", head + ",failed,timeout,0\n" * 6)
    view = view_of(folder, "a", "b")
    failure = view["groups"][0]["failures"][0]
    assert failure["metric"] == "timeout" and failure["cells"] == [{"fails": 0, "runs": 6}, {"fails": 6, "runs": 6}]
    assert view["notes"] == ["a: 1 warm-up run left out"], view["notes"]


def csv_faults_have_places(folder):
    for text, part in (
            ("a,b\n1,2\n3\n", "f:3:1: expected 2 fields as in the first line, found 1"),
            ("a,b\n1,2\n3,x\n", "f:3:3: expected a number in 'b', as in line 2"),
            ("a,b\n1,NaN\n", "f:2:3: not a finite number"),
            ("a,b\n1,2\n1,inf\n", "f:3:3: not a finite number"),
            ("a,b\n1,1e999\n", "f:2:3: not a finite number"),
            ("a,a\n1,2\n", "f:1:3: a second column of this name"),
            ("1,2\n3,4\n", "f:1:1: expected the name of a column"),
            ("a,,b\n", "f:1:3: expected the name of a column"),
            ('a,b\n1,"2\n3', "f:2:3: this quote is not closed"),
            ('a,b\n"x\ny"z,2\n', "f:3:3: expected a separator behind the quote"),
            ('a,b\nx"y,2\n', "f:2:2: a quote inside a field"),
            ("a,block\n1,1.5\n", "f:2:3: expected a whole number"),
            ("a,warmup\n1,perhaps\n", "f:2:3: expected true or false"),
            ("metric,value\n,1\n", "f:2:1: a row without a metric's name"),
            (b"a,b\n1,\x002\n", "f:2:3: a NUL")):
        fails(folder, "f", text, part)


# --- one input, several, none ---

def by_divides_one_input(folder):
    put(folder, "a", go(1))
    view = view_of(folder, "--by", "size", "a")
    assert [column["name"] for column in view["columns"]] == ["size=10", "size=1000"]
    row = rows_of(view)["Sort/fast.time"]
    assert abs(row["changes"][0]["percent"] - 9900) < 0.1, row
    put(folder, "b", csv(1).replace("params.threads", "threads"))
    done = compare(folder, "--by", "threads", "b")
    assert done.returncode == 2 and "'threads' is 2 everywhere" in done.stderr, done
    done = compare(folder, "--by", "nothing", "a")
    assert done.returncode == 2 and "there are: benchmark, " in done.stderr and ", size" in done.stderr, done
    done = compare(folder, "a")
    assert done.returncode == 2 and "--by and one of benchmark" in done.stderr, done


def by_makes_tables_of_several(folder):
    for name, factor in (("a", 1), ("b", 1.1), ("c", 1.2)):
        put(folder, name, go(factor))
    view = view_of(folder, "--by", "size", "a", "b", "c")
    assert len(view["columns"]) == 3 and len(view["groups"]) == 2, view["columns"]
    for index, size in enumerate(("10", "1000")):
        assert {"name": "size", "value": size} in view["groups"][index]["axes"]
        row = rows_of(view, index)["Sort/fast.time"]
        assert [round(change["percent"]) for change in row["changes"]] == [10, 20], row


def a_folder_of_variants_is_one_input(folder):
    for name, factor in (("a", 1), ("b", 1.1)):
        for size in (1, 2):
            put(folder, f"{name}/size={size}/result.json", json.dumps(
                {"schema": 1, "benchmark": "sort", "params": {"size": size, "mode": "x"}, "machine": "m",
                 "env": {"kernel": {"release": name}, "memory": 5}}))
            put(folder, f"{name}/size={size}/runs.jsonl", "".join(
                json.dumps({"run": i, "boot": f"{name}{size}{i}", "metrics": {"time": size * factor * (1 + noise)}}) + "\n"
                for i, noise in enumerate(NOISE)))
    put(folder, "b/other/file", "")
    done = compare(folder, "a", "b")
    assert "b/other holds no result.json and no runs.jsonl" in done.stderr, done
    assert "kernel.release is a and b" in done.stderr and "memory" not in done.stderr, done
    view = view_of(folder, "a", "b")
    assert verdicts_of(rows_of(view)) == {"sort/size=1.time": "regression", "sort/size=2.time": "regression"}
    assert {"name": "mode", "value": "x"} in view["groups"][0]["axes"]
    assert len(view_of(folder, "--by", "size", "a", "b")["groups"]) == 2
    assert [column["name"] for column in view_of(folder, "--by", "size", "a")["columns"]] == ["size=1", "size=2"]


def what_is_on_one_side_is_told(folder):
    put(folder, "a", "benchmark,t\n" + "".join(f"x,{n}\ny,{n}\n" for n in (1.0, 1.01, 1.02, 1.03)))
    put(folder, "b", "benchmark,t\n" + "".join(f"x,{n}\nz,{n}\n" for n in (1.0, 1.01, 1.02, 1.03)))
    done = compare(folder, "a", "b")
    assert "only in 'a', not in 'b': 'y'" in done.stderr and "only in 'b', not in 'a': 'z'" in done.stderr, done
    assert view_of(folder, "a", "b")["summary"][0]["overall"] == {"percent": 0, "nr": 1, "nr_left_out": 2}


def few_runs_are_told(folder):
    put(folder, "a", '{"a":[1],"b":[1]}')
    done = compare(folder, "a", "a")
    assert done.returncode == 0 and "too few runs for a verdict on 2 of 2 metrics" in done.stderr, done


def what_is_no_results_is_refused(folder):
    fails(folder, "empty", "", "empty: is empty")
    fails(folder, "prose", "Dear reader\nhello\n", "prose:1:1: expected JSON")
    fails(folder, "bytes", bytes(range(256)), "bytes:1:1: ")
    fails(folder, "list", "[1,2]", "list: byte 0: expected an object")
    put(folder, "a", '{"a":[1,2,3]}')
    put(folder, "view", compare(folder, "--json", "a", "a").stdout)
    fails(folder, "view", compare(folder, "--json", "a", "a").stdout, "view: a comparison document")
    os.mkdir(os.path.join(folder, "nothing"))
    done = compare(folder, "a", "nothing")
    assert done.returncode == 3 and "'nothing' holds no measurement" in done.stderr, done
    fails(folder, "cut", '{"a":[1,2', "cut: byte 9: ")


def odd_numbers_are_numbers(folder):
    put(folder, "a", '{"zero":[0,0,0,0],"minus":[-5,-5.1,-4.9,-5],"few":[1,2],"mixed":[-1,0,1,0]}')
    put(folder, "b", '{"zero":[0,0,0,0],"minus":[-7,-7.1,-6.9,-7],"few":[1,2,3,2,1,2,3],"mixed":[0,-1,1,0]}')
    rows = rows_of(view_of(folder, "a", "b"))
    assert rows["zero"]["changes"][0]["verdict"] == "no-change"
    assert rows["minus"]["changes"][0]["verdict"] == "improvement", rows["minus"]
    assert abs(rows["minus"]["changes"][0]["absolute"] + 2) < 1e-9
    assert rows["few"]["cells"][0]["n"] == 2 and rows["few"]["cells"][1]["n"] == 7
    assert compare(folder, "--all", "--explain", "a", "b").returncode == 0


def units_are_for_people(folder):
    put(folder, "a", "t (s),size (B),speed (B/s),n (ops)\n" + "0.00012,20480,5000000,7\n" * 3)
    done = compare(folder, "a", "a")
    cells = {line.split()[1]: line.split()[2:4] for line in done.stdout.splitlines() if line.startswith("\u25cf")}
    assert cells == {"t": ["\u00b5s", "120.00"], "size": ["KiB", "20.00"], "speed": ["kB/s", "5000"],
                     "n": ["ops", "7.00"]}, done.stdout
    assert rows_of(view_of(folder, "a", "a"))["t"]["cells"][0]["value"] == 0.00012


def words_are_explained(folder):
    put(folder, "a", '{"t":[1,1.01,1.02,1.03]}')
    put(folder, "b", '{"t":[2,2.01,2.02,2.03]}')
    text = compare(folder, "--explain", "a", "b").stdout
    for part in ("95 % interval          where the true change lies", "  regression             worse"):
        assert part in text, text
    assert "cannot-resolve  " not in text, text


def columns_have_names(folder):
    put(folder, "a", '{"t":[1,1.01,1.02,1.03]}')
    put(folder, "x=y", '{"t":[1,1.01,1.02,1.03]}')
    columns = view_of(folder, "old=a", "new kernel=a", "x=y", "./a")["columns"]
    assert [column["name"] for column in columns] == ["old", "new kernel", "x=y", "./a"], columns
    done = compare(folder, "old=a", "new=b")
    assert done.returncode == 9 and "read 'b'" in done.stderr, done


def notes_are_few(folder):
    put(folder, "a", go(1))
    put(folder, "b", go(1) + "BenchmarkSort-8 100 12 ns/op oops\n" * 1000)
    notes = view_of(folder, "a", "b")["notes"]
    assert len(notes) == 6 and notes[5] == "b: 995 more such notes", notes


def pipes_are_inputs(folder):
    put(folder, "a", '{"t":[1,1.01,1.02,1.03]}')
    done = subprocess.run(["bash", "-c", '"$0" compare a <(sed "s/1/2/" a)', PROGRAM], cwd=folder, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0 and "t" in done.stdout, done


def ten_million_samples_take_little_memory(folder):
    """Bounded: 64 MiB of data segment, where the samples alone are 320 MB as the judge takes them."""
    text = ",".join(f"{1 + noise}" for noise in NOISE)
    for name, factor in (("a", b""), ("b", b"1")):  # the first one of b is ten times as large
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b'{"ms":[' + factor + text.encode())
            chunk = ("," + text).encode() * 1250
            for _ in range(1000):
                file.write(chunk)
            file.write(b"]}")

    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (64 << 20, 64 << 20))

    # A sanitizer's own memory is more than that.
    has_room = subprocess.run([PROGRAM, "version"], capture_output=True, preexec_fn=limit, check=False).returncode == 0
    done = compare(folder, "--json", "a", "b", preexec_fn=limit if has_room else None)
    assert done.returncode == 0, done.stderr
    view = json.loads(done.stdout)
    assert len(view["groups"][0]["rows"][0]["cells"][0]["samples"]) <= 65536
    assert view["groups"][0]["rows"][0]["changes"][0]["verdict"] in ("no-change", "cannot-resolve")
    assert abs(view["groups"][0]["rows"][0]["changes"][0]["percent"]) < 0.01
    assert "'ms' has 10000008 samples" in view["notes"][0], view["notes"]


PROMISES = [
    ("Go's benchmark text is read, with its units", go_text_is_read),
    ("what is no result in Go's text is passed over, and told", go_noise_is_passed_over_and_told),
    ("faults in Go's text have places", go_faults_have_places),
    ("that two sides ran on different machines is told in a line", other_machines_are_told),
    ("hyperfine's export is read, with its parameters", hyperfine_is_read),
    ("faults in hyperfine's export are told", hyperfine_faults_are_told),
    ("CSV is read, a row a run", csv_is_read),
    ("CSV is read, a row a value", long_csv_is_read),
    ("CSV knows outcomes and warm-ups", csv_outcomes_count),
    ("faults in CSV have places", csv_faults_have_places),
    ("--by compares the values of a parameter of one input", by_divides_one_input),
    ("--by makes a table of each value of several inputs", by_makes_tables_of_several),
    ("a folder of result folders is one input", a_folder_of_variants_is_one_input),
    ("what is on one side only is told and left out of the mean", what_is_on_one_side_is_told),
    ("that runs are too few is told", few_runs_are_told),
    ("what holds no results is refused", what_is_no_results_is_refused),
    ("zeros, negatives and unequal counts are compared", odd_numbers_are_numbers),
    ("times and sizes have units for people, and those of the file for programs", units_are_for_people),
    ("--explain tells what the columns and the verdicts mean", words_are_explained),
    ("a column may be given a name", columns_have_names),
    ("of many notes the first ones are told", notes_are_few),
    ("a pipe is an input", pipes_are_inputs),
    ("ten million samples of a metric take little memory", ten_million_samples_take_little_memory),
]

sys.exit(tap.promises(PROMISES))
