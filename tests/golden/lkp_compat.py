#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeter compare --lkp-compat` on files, and that nothing of it is in what we say otherwise.

lkp_compat.py PATCHMETER SOURCE

The cases of golden/lkp-compare (beside the checkout, or where PATCHMETER_SHARED is) go through the
program as result folders, table and decisions; those that need options that only the peer has are
test_lkp_peer.c's.
"""
import glob
import json
import math
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

PROGRAM = os.path.abspath(sys.argv[1])
SHARED = os.environ.get("PATCHMETER_SHARED") or os.path.join(sys.argv[2], "..", "shared")
GOLDEN = os.path.join(SHARED, "golden", "lkp-compare")



def compare(folder, *args):
    return subprocess.run([PROGRAM, "compare", *args], cwd=folder, capture_output=True, text=True,
                          check=False)


def put(folder, name, content):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(content, file)


def put_result(folder, name, case, matrix):
    """One column of a case as `patchmeter-worker run` would leave it."""
    os.makedirs(os.path.join(folder, name))
    put(folder, f"{name}/result.json",
        {"schema": 1, "commit": case["commits"][int(name)], "params": case["axes"]})
    nr_runs = len(matrix.pop("stats_source"))
    with open(os.path.join(folder, name, "runs.jsonl"), "w", encoding="utf-8") as file:
        for run in range(nr_runs):
            metrics = {key: values[run] for key, values in matrix.items() if run < len(values)}
            file.write(json.dumps({"run": run, "metrics": metrics}) + "\n")


def is_alike(ours, peer):
    if isinstance(peer, dict):
        return isinstance(ours, dict) and ours.keys() == peer.keys() and all(
            is_alike(ours[key], peer[key]) for key in peer)
    if isinstance(peer, float) or isinstance(ours, float):
        return math.isclose(ours, peer, rel_tol=1e-12)
    return ours == peer


def peer_cases():
    """(case, decision, table) of those that the command line can ask for."""
    if not os.path.isdir(GOLDEN):
        raise tap.Skip("no golden/lkp-compare beside the checkout")
    for path in sorted(glob.glob(GOLDEN + "/*_*.json")):
        if not path.endswith(".decision.json"):
            with open(path, encoding="utf-8") as file:
                case = json.load(file)
            with open(path.replace(".json", ".decision.json"), encoding="utf-8") as file:
                decision = json.load(file)
            with open(path.replace(".json", ".expected.txt"), encoding="utf-8") as file:
                yield case, decision, file.read()
    with open(GOLDEN + "/fuzz-300.jsonl", encoding="utf-8") as file:
        for line in file:
            case = json.loads(line)
            yield case, case, case["table"]


def the_program_says_what_the_peer_says(folder):
    nr = 0
    for case, decision, table in peer_cases():
        if case["options"].keys() - {"use_all_stat_keys"}:
            continue
        sides = [str(i) for i in range(len(case["commits"]))]
        place = os.path.join(folder, case["name"])
        for name, matrix in zip(sides, case["matrices"]):
            put_result(place, name, case, matrix)
        args = ["--lkp-compat", *(["--all"] if case["options"] else []), *sides]
        done = compare(place, *args)
        assert done.returncode == 0 and done.stdout == table, (case["name"], done.stdout, table)
        ours = json.loads(compare(place, "--json", *args).stdout)
        assert ours.keys() == {"changed", "class", "error"} and ours["error"] is None, ours
        assert is_alike(ours["changed"], decision["changed"]), (case["name"], ours["changed"])
        assert ours["class"] == decision["class"], case["name"]
        nr += 1
    assert nr >= 240, nr


def it_says_whose_verdicts_these_are(folder):
    put(folder, "a", {"bench.ops": [100, 102, 110]})
    put(folder, "b", {"bench.ops": [103, 111, 112]})
    done = compare(folder, "--lkp-compat", "a", "b")
    assert "as lkp-tests does, its defects included" in done.stderr, done
    assert "    104.00 ±  4%      +4.5%     108.67 ±  3%  bench.ops\n" in done.stdout, done.stdout
    assert compare(folder, "a", "b").stderr == ""
    put(folder, "b", {"bench.ops": [102, 111, 112]})
    done = compare(folder, "--lkp-compat", "a", "b")
    assert (done.returncode, done.stdout) == (0, ""), done


def a_matrix_of_the_peer_is_read(folder):
    put(folder, "a", {"x.ops": [100, 101, 102], "stats_source": ["r/0", "r/1", "r/2", "r/3"]})
    put(folder, "b", {"x.ops": [200, 201, 202], "stats_source": ["r/0", "r/1", "r/2"]})
    # The sample that is lost counts as a zero, which hides nothing here but in the next.
    assert "x.ops" in compare(folder, "--lkp-compat", "a", "b").stdout
    put(folder, "b", {"x.ops": [103, 104, 105], "stats_source": ["r/0", "r/1", "r/2", "r/3"]})
    assert compare(folder, "--lkp-compat", "a", "b").stdout == ""
    assert '"x.ops"' in compare(folder, "--json", "a", "b").stdout
    put(folder, "b", {"x.ops": [1], "stats_source": [1]})
    assert compare(folder, "a", "b").returncode == 9


def minus_one_is_missing_only_there(folder):
    put(folder, "a", {"x.ops": [100, 101, 102, -1]})
    put(folder, "b", {"x.ops": [200, 201, 202, 203]})
    change = json.loads(compare(folder, "--lkp-compat", "--json", "a", "b").stdout)["changed"]
    assert change["x.ops"]["1"]["min_b"] == 100, change
    view = json.loads(compare(folder, "--json", "a", "b").stdout)
    cell = view["groups"][0]["rows"][0]["cells"][0]
    assert cell["n"] == 4 and cell["value"] == 75.5, cell


def what_does_not_go_together_is_told(folder):
    put(folder, "a", {"x.ops": [1, 2, 3]})
    put(folder, "empty", {})
    for args, code in ((["a", "empty"], 3), (["--exit-code", "a", "a"], 2), (["a"], 2),
                       (["--explain", "a", "a"], 2), (["--format", "md", "a", "a"], 2)):
        done = compare(folder, "--lkp-compat", *args)
        assert done.returncode == code and done.stderr, (args, done)


PROMISES = [
    ("the program says what the peer says, to the byte", the_program_says_what_the_peer_says),
    ("it says whose verdicts these are", it_says_whose_verdicts_these_are),
    ("a matrix of the peer is read", a_matrix_of_the_peer_is_read),
    ("-1 is missing only there", minus_one_is_missing_only_there),
    ("what does not go together is told", what_does_not_go_together_is_told),
]

sys.exit(tap.promises(PROMISES))
