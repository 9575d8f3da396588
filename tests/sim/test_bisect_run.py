#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeter bisect run` in small histories: what it names, what it leaves, what it says.

The steps are ten times the noise, so that a wrong answer is a fault and not bad luck."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import searched
from searched import BUILD, PATTERN, Commit, Work, expect, log_of, names, replays_to, step
import tap

# As the usual benchmark; in the second place everything is 8 % slower.
UNLIKE_PLACES = searched.BENCH.replace("read -r level < level", """read -r level < level
case $PWD in */place-2/*) level=$((level * 108 / 100)) ;; esac""")

JOB = """name: knob
summary: what the commit says, by a knob
params:
  knob: [loose, tight]
build: test ! -e broken
run: sh %s %s | sed "p; s/value/$PARAM_knob/"
metrics:
  - {name: plain, unit: units, better: lower, regex: 'value: (?<value>[0-9]+)'}
  - {name: knobbed, unit: units, better: lower, headline: true, regex: '(loose|tight): (?<value>[0-9]+)'}
"""


def judged_as(table, unit, verdict):
    """What else a run is measured by may differ, too, by chance."""
    assert re.search(rf"^. +bisect\.value +{unit} .* 4\+4 +{verdict}: ", table, re.MULTILINE), table


# --- the whole of it ---

def names_the_commit(folder):
    work = Work(folder, step(16, 11))
    (work.path / "level").write_text("changed by the user\n", encoding="utf-8")
    (work.path / "new file").write_text("of the user\n", encoding="utf-8")
    (work.path / "staged").write_text("of the user\n", encoding="utf-8")
    work.git("add", "staged")
    work.git("status", "--porcelain")
    before = work.snapshot()
    done = work.search("--log", work.folder / "log")
    names(done, work.id(11))
    assert searched.stated_posterior(done) >= 0.99, done.stdout
    assert work.snapshot() == before, "the work tree or its .git is not as it was"
    table = done.stdout[done.stdout.index("testcase="):]
    assert f"base {work.id(10)[:10]}\nhead {work.id(11)[:10]}\n" in table, table
    judged_as(table, "units", "regression")
    log = (work.folder / "log").read_text(encoding="utf-8")
    assert log == log_of(done), log
    replays_to(work, log, work.id(11))
    assert len(work.runs()) == len(work.journal_runs()) <= 30, work.runs()
    work.await_none_left()


def works_anywhere_in_a_work_tree(folder):
    work = Work(folder, step(6, 3))
    work.git("tag", "-a", "-m", "v1", "v1.0", work.id(1))
    work.git("worktree", "add", "-q", "--detach", str(work.folder / "linked"), work.id(5))
    below = work.folder / "linked" / "a" / "b"
    below.mkdir(parents=True)
    names(work.search(cwd=below, good="v1.0", bad="HEAD~1"), work.id(3))


def works_in_a_bare_repository(folder):
    work = Work(folder, step(4, 3))
    work.git("clone", "-q", "--bare", str(work.path), str(work.folder / "bare.git"))
    names(work.search(cwd=work.folder / "bare.git", bad="main"), work.id(3))


def answers_no_change(folder):
    work = Work(folder, step(8, None))
    done = work.search("--smallest", 5)
    expect(done, 3, "value did not change by 5.00 % or more\n", where="out")
    assert "git bisect" not in done.stdout and searched.stated_posterior(done) >= 0.99, done.stdout


def answers_with_the_smallest_set(folder):
    work = Work(folder, step(32, 20, 100000, 104000), sd=0.02)
    done = work.search("--budget", 12)
    first = done.stdout.splitlines()[0]
    found = re.fullmatch(r"the budget of 12 runs is spent; that value did not change has (0\.\d+), "
                         r"that it changed with one of these has (0\.\d+)", first)
    assert done.returncode == 3 and found and 0.94 <= float(found[1]) + float(found[2]) <= 1.01, first
    rows = re.findall("^  [0-9a-f]{10} step .*$", done.stdout.split("12 runs on")[0], re.MULTILINE)
    assert 1 < len(rows) < 32 and f"  {work.id(20)[:10]} step 20" in rows, done.stdout
    assert len(work.runs()) == 12 and "git bisect" not in done.stdout, done.stdout
    result = json.loads(work.search("--budget", 12, "--json").stdout)
    assert result["state"] == "spent" and len(result["set"]) == len(rows) and "culprit" not in result, result
    assert abs(result["posterior"] - float(found[2])) < 0.006, result
    assert abs(result["nothing_changed"] - float(found[1])) < 0.006, result


def keeps_to_its_budget(folder):
    """Fourteen runs name the culprit and compare it."""
    for jobs in (1, 2):
        work = Work(pathlib.Path(folder) / str(jobs), step(16, 11))
        done = work.search("--budget", 11, "--jobs", jobs)
        assert done.returncode in (0, 3) and len(work.runs()) == 11, (done, work.runs())
    work = Work(pathlib.Path(folder) / "broken", step(30, 15, broken=range(1, 30)))
    expect(work.search("--budget", 12), 3, "the budget of 12 runs is spent", where="out")
    assert len(work.journal_runs()) == 12, "builds that fail cost nothing"


def answers_with_no_commit_at_all(folder):
    work = Work(folder, step(1, None))
    done = work.search("--budget", 10, "--smallest", 3)
    expect(done, 3, "the budget of 10 runs is spent; that value did not change has 0.98\n10 runs on 2", where="out")


def names_every_step(folder):
    levels = [100000] * 4 + [110000] * 4 + [100000] * 5
    work = Work(folder, [Commit(level) for level in levels])
    done = work.search("--every-step", "--smallest", 5, "--json")
    steps = [row["commit"] for row in json.loads(done.stdout)["steps"]]
    assert done.returncode == 0 and sorted(steps) == sorted([work.id(4), work.id(8)]), done.stdout


def uses_runs_again(folder):
    work = Work(folder, step(16, 5))
    names(work.search(), work.id(5))
    first = len(work.runs())
    done = work.search(bad=work.id(12))
    names(done, work.id(5))
    second = len(work.runs()) - first
    assert second < first / 2, (first, second)
    expect(done, 0, "earlier runs of this question count; --fresh forgets them", where="err")
    done = work.search(bad=work.id(12))
    names(done, work.id(5))
    assert len(work.runs()) == first + second, "an answered question was measured again"
    done = work.search("--fresh", bad=work.id(12))
    names(done, work.id(5))
    assert len(work.runs()) > first + second + 4 and "earlier runs" not in done.stderr, done.stderr


def asks_another_question(folder):
    work = Work(folder, step(1, 1))
    names(work.search(), work.id(1))
    names(work.run("--build", BUILD + " || exit 1", *PATTERN), work.id(1))
    assert len(list(work.state.glob("*.jsonl"))) == 2, list(work.state.iterdir())


# --- commits that do not build ---

def passes_over_what_does_not_build(folder):
    work = Work(folder, step(16, 11, broken=(8, 9, 12)))
    done = work.search()
    names(done, work.id(11))
    assert "(build-failed: " in done.stdout, done.stdout
    replays_to(work, log_of(done), work.id(11))
    assert not {8, 9, 12} & set(work.runs()), work.runs()


def names_a_set(folder):
    work = Work(folder, step(16, 11, broken=(9, 10)))
    done = work.search("--log", work.folder / "log")
    expect(done, 0, "value changed with one of 3 commits, which cannot be told apart", where="out")
    for number in range(1, 17):
        assert (f"  {work.id(number)[:10]} step {number}\n" in done.stdout) == (number in (9, 10, 11)), done.stdout
    assert "# first bad commit" not in done.stdout, done.stdout
    said = work.replay((work.folder / "log").read_text(encoding="utf-8"))
    assert "There are only 'skip'ped commits left to test." in said, said
    assert all(work.id(number) in said for number in (9, 10, 11)) and work.id(8) not in said, said


def is_told_of_an_end_that_does_not_build(folder):
    for end, jobs in ((0, 1), (4, 1), (4, 2)):
        work = Work(pathlib.Path(folder) / f"{end}-{jobs}", step(4, 3, broken=(end,)))
        done = work.run("--build", "test ! -e broken || { echo no such header; exit 7; }", *PATTERN, "--jobs", jobs)
        option = "--bad" if end else "--good"
        expect(done, 6, f"{option} '{work.id(end)[:10]}' cannot be measured: build-failed", where="err")
        where = pathlib.Path(done.stderr.rsplit("see '", 1)[1].split("'")[0])
        assert "no such header" in (where / "build.log").read_text(encoding="utf-8"), where
        assert done.stdout == "", done.stdout


def tries_a_failed_run_once_more(folder):
    """Practice case C13: what fails at every commit is no step."""
    work = Work(folder, step(12, 9))
    done = work.run("--build", BUILD, *PATTERN, bench=("sh", "-c", 'echo x >> "$0"/runs; exit 1', work.lab))
    expect(done, 6, "cannot be measured: exit-status", where="err")
    assert len((work.lab / "runs").read_text(encoding="utf-8").split()) <= 4, done.stderr


# --- merges ---

def side_branch(slow):
    """0-1-2-7-8-9 with the side branch 3-4-5-6 from 1, merged by 7."""
    parents = {3: [1], 7: [2, 6]}
    return [Commit(110000 if number in slow else 100000, parents=parents.get(number)) for number in range(10)]


def names_a_commit_of_a_side_branch(folder):
    work = Work(folder, side_branch((5, 6, 7, 8, 9)))
    done = work.search()
    names(done, work.id(5))
    replays_to(work, log_of(done), work.id(5))


def names_a_merge(folder):
    work = Work(folder, side_branch((7, 8, 9)))
    done = work.search()
    names(done, work.id(7))
    replays_to(work, log_of(done), work.id(7))


def names_a_commit_of_an_octopus(folder):
    parents = {3: [1], 5: [1], 7: [2, 4, 6]}
    work = Work(folder, [Commit(110000 if number in (5, 6, 7, 8) else 100000, parents=parents.get(number))
                         for number in range(9)])
    done = work.search()
    names(done, work.id(5))
    replays_to(work, log_of(done), work.id(5))


def names_a_commit_of_an_older_branch(folder):
    """2 is good; the side branch 3-4-5 began at 0, before it."""
    parents = {3: [0], 6: [2, 5]}
    work = Work(folder, [Commit(110000 if number in (4, 5, 6, 7) else 100000, parents=parents.get(number))
                         for number in range(8)])
    done = work.search(good=work.id(2))
    names(done, work.id(4))
    replays_to(work, log_of(done), work.id(4))


def names_a_set_of_a_side_branch(folder):
    history = side_branch((5, 6, 7, 8, 9))
    history[3].is_broken = history[4].is_broken = True
    work = Work(folder, history)
    done = work.search()
    expect(done, 0, "one of 3 commits", where="out")
    said = work.replay(log_of(done))
    assert "only 'skip'ped commits left" in said, said
    assert all((work.id(number) in said) == (number in (3, 4, 5)) for number in range(10)), said


# --- several places ---

def measures_two_at_once(folder):
    work = Work(folder, step(16, 6))
    (work.lab / "unlike").write_text(UNLIKE_PLACES, encoding="utf-8")
    done = work.search("--jobs", 2, bench=("sh", work.lab / "unlike", work.lab))
    names(done, work.id(6))
    places = {json.loads(line)["place"] for line in work.journal().read_text(encoding="utf-8").splitlines()[1:]}
    assert places == {0, 1}, places


# --- another day ---

def counts_runs_of_an_earlier_boot(folder):
    """Since then everything got 20 % slower."""
    work = Work(folder, step(16, 11))
    expect(work.search("--budget", 8), 3)
    journal = work.journal().read_text(encoding="utf-8")
    assert journal.count('"boot":"') == 8, journal
    work.journal().write_text(re.sub(r'"boot":"[^/"]+', '"boot":"0123', journal), encoding="utf-8")
    bench = (work.lab / "bench").read_text(encoding="utf-8")
    (work.lab / "bench").write_text(bench.replace("read -r level < level", "read -r level < level; level=$((level * 6 / 5))"),
                                    encoding="utf-8")
    done = work.search()
    names(done, work.id(11))
    expect(done, 0, "8 earlier runs of this question count", where="err")


# --- what is read of a run ---

def reads(folder, bench, *options, value):
    """Four runs of two commits; the job file that came of it."""
    work = Work(folder, step(1, 1))
    done = work.run("--build", BUILD, *options, "--budget", 4, bench=("sh", "-c", bench, work.lab))
    assert done.returncode in (0, 3) and done.stdout, done
    entries = [json.loads(line) for line in work.journal().read_text(encoding="utf-8").splitlines()[1:]]
    for entry in entries:
        expected = value[1] * (1.1 if entry["commit"] == work.id(1) else 1)
        assert abs(entry["run"]["metrics"][value[0]] - expected) < 1e-6 * expected, entry
    return json.loads(next(work.state.glob("*.yaml")).read_text(encoding="utf-8"))


def reads_a_pattern(folder):
    rows = (
        ("one group", r"total: ([0-9]+) s", r"total: (?<value>[0-9]+) s"),
        ("no group", r"(?<=total: )[0-9]+", r"(?<value>(?<=total: )[0-9]+)"),
        ("a named one", r"(total): (?<value>[0-9]+)", None),
        ("named with quotes", r"(total): (?'value'[0-9]+)", None),
        ("an escaped parenthesis before", r"\(all\) total: ([0-9]+)", r"\(all\) total: (?<value>[0-9]+)"),
        ("one in a class before", r"[(]all[])] total: ([0-9]+)", r"[(]all[])] total: (?<value>[0-9]+)"),
        ("one in classes of a class before", r"[[:punct:](]all[^](] total: ([0-9]+)",
         r"[[:punct:](]all[^](] total: (?<value>[0-9]+)"),
        ("a first one of another name", r"total: (?<total>[0-9]+)", r"total: (?<value>[0-9]+)"),
        ("as in Python", r"total: (?P<total>[0-9]+)", r"total: (?<value>[0-9]+)"),
        ("a look back before", r"(?<=total: )([0-9]+)", r"(?<=total: )(?<value>[0-9]+)"),
        ("a group that keeps nothing before", r"(?:x|total): ([0-9]+)", r"(?:x|total): (?<value>[0-9]+)"),
    )
    for number, (what, pattern, expected) in enumerate(rows):
        job = reads(pathlib.Path(folder) / str(number), 'read -r l < level; echo "(all) total: $l s"',
                    "--regex", pattern, value=("value", 100000))
        assert job["metrics"][0]["regex"] == (expected or pattern), (what, job)


def reads_json(folder):
    job = reads(folder, """read -r l < level; echo "{\\"a\\": [0, {\\"b\\": $l}]}" """, "--pointer", "/a/1/b",
                "--metric", "rate", "--unit", "ops/s", "--better", "higher", value=("rate", 100000))
    metric = {name: job["metrics"][0][name] for name in ("name", "unit", "better", "pointer")}
    assert metric == {"name": "rate", "unit": "ops/s", "better": "higher", "pointer": "/a/1/b"}, job


def reads_the_time(folder):
    work = Work(folder, step(3, 2))
    done = work.run("--build", BUILD, "--time", bench="read -r l < level; test $l = 100000 && sleep 0.05 || sleep 0.5")
    expect(done, 0, f"time.elapsed changed with {work.id(2)}", "bisect.time.elapsed  ", where="out")


def judges_what_higher_is(folder):
    work = Work(folder, step(2, 2))
    done = work.search("--better", "higher", "--unit", "op")
    judged_as(done.stdout, "op", "improvement")


def runs_a_benchmark(folder):
    work = Work(folder, step(4, 2))
    jobs = work.folder / "jobs"
    (jobs / "knob").mkdir(parents=True)
    (jobs / "knob" / "job.yaml").write_text(JOB % (work.lab / "bench", work.lab), encoding="utf-8")
    options = ("--benchmark", "knob", "--jobs-folder", jobs)
    expect(work.run(*options, bench=searched.NO_COMMAND), 2, "'knob' has 2 variants; choose one with -p", where="err")
    done = work.run(*options, "-p", "knob=tight", bench=searched.NO_COMMAND)
    expect(done, 0, f"knobbed changed with {work.id(2)}", "knob.knobbed", where="out")
    assert "tight: " in (work.state / "place-1/result/raw/1/stdout").read_text(encoding="utf-8")
    nr = len(work.runs())
    done = work.run(*options, "-p", "knob=tight", "--metric", "plain", bench=searched.NO_COMMAND)
    expect(done, 0, f"plain changed with {work.id(2)}", where="out")
    assert len(work.runs()) == nr, "another metric of the same runs was measured again"
    done = work.run(*options, "-p", "knob=tight", "--metric", "plane", bench=searched.NO_COMMAND)
    expect(done, 2, "--metric: 'plane' is none of 'knob'", where="err")
    done = work.run(*options, "-p", "nob=tight", bench=searched.NO_COMMAND)
    expect(done, 2, "'nob=tight' sets no parameter", where="err")
    expect(work.run("--benchmark", "knop", "--jobs-folder", jobs, bench=searched.NO_COMMAND), 2, "no job 'knop'",
           where="err")


def refuses_what_does_not_fit(folder):
    work = Work(folder, step(2, 1))
    ends = ("--good", work.id(0), "--bad", work.id(2))
    rows = (
        (("--bad", work.id(2), "--time", "--", "true"), "expected --good REV and --bad REV"),
        ((*ends, "--", "true"), "expected one of --benchmark, --regex, --pointer, --time and --pass-fail"),
        ((*ends, "--time", "--regex", "x", "--", "true"), "expected one of --benchmark"),
        ((*ends, "--pass-fail", "--pointer", "/x", "--", "true"), "expected one of --benchmark"),
        ((*ends, "--time"), "expected '--' and the command to run"),
        ((*ends, "--benchmark", "lz4", "--", "true"), "leave out the command"),
        ((*ends, "--benchmark", "lz4", "--build", "make"), "leave out --build"),
        ((*ends, "--regex", "x", "--better", "faster", "--", "true"), "--better: expected lower or higher"),
        ((*ends, "--time", "--budget", "3", "--", "true"), "--budget: expected 4 to 100000"),
        ((*ends, "--time", "--jobs", "0", "--", "true"), "--jobs: expected 1 to "),
        ((*ends, "--time", "--timeout", "0", "--", "true"), "--timeout: expected 1 to 86400"),
        ((*ends, "--time", "--noise", "-1", "--", "true"), "--noise: '-1'"),
        ((*ends, "--time", "--smallest", "nan", "--", "true"), "--smallest: 'nan'"),
        ((*ends, "--regex", "(", "--", "true"), "regex"),
        ((*ends, "--pointer", "x", "--", "true"), "pointer"),
        ((*ends, "--time", "-p", "a=b", "--", "true"), "-p and --jobs-folder go with --benchmark"),
        ((*ends, "--time", "--jobs-folder", "x", "--", "true"), "-p and --jobs-folder go with --benchmark"),
        ((*ends, "--time", "--unit", "ms", "--", "true"), "--unit and --better go with --regex or --pointer"),
        ((*ends, "--time", "--metric", "rate", "--", "true"), "--metric: 'rate' is none of"),
    )
    for options, wanted in rows:
        done = subprocess.run([searched.PROGRAM, "bisect", "run", *options], cwd=work.path, env=work.env, text=True,
                              capture_output=True, timeout=60, check=False)
        expect(done, 2, wanted, "usage: patchmeter bisect run", where="err")
    assert not (work.folder / "home").exists(), "a wrong command line left something behind"


def tells_that_nothing_matches(folder):
    work = Work(folder, step(8, 3))
    done = work.run("--build", BUILD, "--regex", "valeu: ([0-9]+)")
    expect(done, 6, f"--good '{work.id(0)[:10]}' cannot be measured: no-metric", where="err")
    assert work.runs() == [0, 0], work.runs()


def tells_that_there_is_no_worker(folder):
    work = Work(folder, step(2, 1))
    shutil.copy(searched.PROGRAM, work.folder / "patchmeter")
    work.env["PATH"] = str(work.folder)
    command = [work.folder / "patchmeter", *work.command(*PATTERN)[1:]]
    done = subprocess.run(command, cwd=work.path, env=work.env, text=True, capture_output=True, check=False)
    expect(done, 9, "start 'patchmeter-worker': not found in", where="err")


# --- for programs ---

def speaks_json(folder):
    work = Work(folder, step(8, 3))
    done = work.search("--json")
    expect(done, 0, f"measuring {work.id(0)[:10]}", where="err")
    result = json.loads(done.stdout)
    assert result["state"] == "culprit" and result["metric"] == "value", result
    assert result["culprit"]["commit"] == work.id(3) and result["set"] == [work.id(3)], result
    assert 0.99 <= result["posterior"] <= 1 and result["culprit"]["posterior"] == result["posterior"], result
    assert [row["commit"] for row in result["commits"]] == [work.id(number) for number in range(9)], result
    assert result["runs"] == len(work.runs()) == sum(row["runs"] for row in result["commits"]), result
    row = result["comparison"]["groups"][0]["rows"][0]
    assert (row["metric"], row["changes"][0]["verdict"]) == ("bisect.value", "regression"), row
    replays_to(work, result["log"], work.id(3))
    done = work.search("--json", "--smallest", 5, bad=work.id(2))
    expect(done, 3)
    result = json.loads(done.stdout)
    assert result["state"] == "none" and "log" not in result and "culprit" not in result, result


ROWS = (
    ("a step in 16 commits is named; its log is replayed by git; the work tree is as it was", names_the_commit),
    ("a search from below a linked worktree takes tags and HEAD~1", works_anywhere_in_a_work_tree),
    ("a search in a bare repository works", works_in_a_bare_repository),
    ("where nothing changed it says so with exit 3", answers_no_change),
    ("a budget that is spent gives the smallest set with exit 3", answers_with_the_smallest_set),
    ("a budget is never exceeded, by the comparison or by builds that fail either", keeps_to_its_budget),
    ("a budget that is spent where nothing changed says so", answers_with_no_commit_at_all),
    ("two steps that cancel are both named by --every-step", names_every_step),
    ("runs of another range of the same history count; --fresh forgets them", uses_runs_again),
    ("runs of an earlier boot count, with a level of their own", counts_runs_of_an_earlier_boot),
    ("another build is another question", asks_another_question),
    ("commits elsewhere that do not build do no harm", passes_over_what_does_not_build),
    ("commits before the culprit that do not build make a set, for git bisect replay, too", names_a_set),
    ("an end that does not build is an error with its log", is_told_of_an_end_that_does_not_build),
    ("a benchmark that always fails is no step (C13)", tries_a_failed_run_once_more),
    ("a culprit in a side branch is named", names_a_commit_of_a_side_branch),
    ("a merge that is the culprit is named", names_a_merge),
    ("a culprit in a branch of an octopus merge is named", names_a_commit_of_an_octopus),
    ("a culprit in a branch that began before the good end is named", names_a_commit_of_an_older_branch),
    ("a set in a side branch is one for git bisect replay, too", names_a_set_of_a_side_branch),
    ("two places of unlike levels that measure at once agree on the culprit", measures_two_at_once),
    ("a pattern's first group, or its group 'value', or all of it is the number", reads_a_pattern),
    ("a JSON pointer reads the number, and its metric has name, unit and direction", reads_json),
    ("the time that a command takes is a metric", reads_the_time),
    ("--better decides what a step is called", judges_what_higher_is),
    ("a benchmark of a folder of jobs is run by variant and metric", runs_a_benchmark),
    ("options that do not fit are refused with exit 2 and what to do", refuses_what_does_not_fit),
    ("a pattern that matches nothing ends the search after two runs", tells_that_nothing_matches),
    ("without a worker it says so", tells_that_there_is_no_worker),
    ("--json is pure data with all that the text says", speaks_json),
)

sys.exit(tap.promises(ROWS))
