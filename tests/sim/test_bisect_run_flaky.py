#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeter bisect run --pass-fail`: the commit since which a test fails, though not always.

The file `level` of a commit says in how many of 100 runs it fails.  How the first, second ... run of each
commit ends is drawn from a seed, so that it does not depend on what is run when."""
import json
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import searched
from searched import BUILD, Commit, Work, expect, log_of, replays_to, step
import tap

MOST_RUNS = 100  # of a commit
FLAKY = f"""#!/bin/sh
read -r number < number
read -r level < level
echo "$number" >> "$1/runs"
at=$((number * {MOST_RUNS} + $(grep -c "^$number\\$" "$1/runs")))
test "$(sed -n "${{at}}{{p;q}}" "$1/chances")" -ge "$level"
"""
EXITS = 'read -r level < level; test "$level" = 0 || exit "$level"'


def flaky(work, seed):
    """The command of a test whose runs end as the seed says."""
    draw = random.Random(seed)
    (work.lab / "flaky").write_text(FLAKY, encoding="utf-8")
    (work.lab / "chances").write_text("".join(f"{draw.randrange(100)}\n" for _ in range(MOST_RUNS * (work.nr + 1))),
                                      encoding="utf-8")
    return ("sh", work.lab / "flaky", work.lab)


def names_the_commit(folder):
    """30 % false passes."""
    work = Work(folder, step(64, 41, 0, 70))
    before = work.snapshot()
    done = work.run("--pass-fail", "--build", BUILD, bench=flaky(work, 3))
    expect(done, 0, f"the share of failures changed with {work.id(41)}\n", where="out")
    found = re.search(r"before 0 of (\d+) runs failed, then ([1-9]\d*) of (\d+) runs failed", done.stdout)
    assert found and int(found[1]) >= 3, done.stdout
    assert searched.stated_posterior(done) >= 0.95 and len(work.journal_runs()) <= 80, done.stdout
    assert re.search(r"^ +\d+  [0-9a-f]{10}    0\.[1-9]", done.stdout, re.MULTILINE), "no commit passed and failed"
    replays_to(work, log_of(done), work.id(41))
    assert work.snapshot() == before


def names_the_commit_that_mended_it(folder):
    work = Work(folder, step(16, 5, 80, 0))
    done = work.run("--pass-fail", bench=flaky(work, 2))
    expect(done, 0, f"the share of failures changed with {work.id(5)}\n", where="out")


def says_where_nothing_changed(folder):
    work = Work(folder, step(4, None, 10))
    done = work.run("--pass-fail", "--smallest", 90, bench=flaky(work, 3))
    expect(done, 3, "the share of failures did not change\n", where="out")
    assert len(work.journal_runs()) <= 60, "what was not asked for was excluded, too"


def share_of_failures(folder, tip, command, *options):
    """Of the tip, whose `level` is what is given, after a base of level 0."""
    work = Work(folder, [Commit(0), Commit(tip)])
    done = work.run("--pass-fail", "--json", "--budget", 4, *options, bench=command)
    assert done.returncode in (0, 3), done
    commits = json.loads(done.stdout)["commits"]
    assert commits[0]["mean"] == 0, commits
    return commits[1]["mean"]


def takes_exit_statuses_as_git_does(folder):
    folder = pathlib.Path(folder)
    for code in (1, 124, 126, 127, 128, 192):
        assert share_of_failures(folder / str(code), code, EXITS) == 1, code
    work = Work(folder / "skip", [Commit(0), Commit(125), Commit(1), Commit(1)])
    done = work.run("--pass-fail", bench=EXITS)
    expect(done, 0, "one of 2 commits", "step 1 (exit-status: run exited with 125)", where="out")
    assert f"git bisect skip {work.id(1)}\n" in done.stdout, done.stdout
    assert work.journal_runs().count(work.id(1)) == 1, "a commit that cannot be tested was tried again"
    for code in (193, 255):
        work = Work(folder / str(code), [Commit(0), Commit(code)])
        done = work.run("--pass-fail", bench=EXITS)
        expect(done, 6, f"the command asked to stop: it exited with {code}", where="err")
        assert not done.stdout and work.id(1) not in work.journal_runs(), done


def takes_crashes_for_failures(folder):
    folder = pathlib.Path(folder)
    for name in ("SEGV", "ABRT", "KILL"):
        assert share_of_failures(folder / name, name, f"read -r l < level; test $l = 0 || kill -{name} $$") == 1, name
    assert share_of_failures(folder / "time", 9, "read -r l < level; exec sleep $l", "--timeout", 1) == 1


def keeps_builds_and_crashes_apart(folder):
    """Practice case C14: 1-3 are good, 4-7 do not build, 8-12 crash."""
    work = Work(folder, [Commit(139 if number > 7 else 0, is_broken=4 <= number <= 7) for number in range(13)])
    done = work.run("--pass-fail", "--build", "test ! -e broken || { echo no such header; exit 2; }",
                    bench='read -r l < level; test $l = 0 || kill -SEGV $$')
    expect(done, 0, "the share of failures changed with one of 5 commits, which cannot be told apart", where="out")
    for number in range(4, 8):
        assert f"step {number} (build-failed: build exited with 2)" in done.stdout, done.stdout
    said = work.replay(log_of(done))
    assert "only 'skip'ped commits left" in said, said
    assert all((work.id(number) in said) == (4 <= number <= 8) for number in range(1, 13)), said


def takes_a_benchmark(folder):
    work = Work(folder, step(3, 2, 0, 100))
    (work.folder / "jobs" / "check").mkdir(parents=True)
    command = " ".join(map(str, flaky(work, 4)))
    (work.folder / "jobs" / "check" / "job.yaml").write_text(
        f"name: check\nsummary: fails or not\nrun: {command}\nmetrics: []\n", encoding="utf-8")
    done = work.run("--pass-fail", "--benchmark", "check", "--jobs-folder", work.folder / "jobs",
                    bench=searched.NO_COMMAND)
    expect(done, 0, f"the share of failures changed with {work.id(2)}\n", where="out")


ROWS = (
    ("a test that fails in 70 % of runs since one of 64 commits: the commit is named, and git replays it",
     names_the_commit),
    ("the commit that mended a flaky test is named", names_the_commit_that_mended_it),
    ("a test that always was flaky has no culprit", says_where_nothing_changed),
    ("exit statuses are those of git bisect run: 125 skips, up to 192 fails, above ends it",
     takes_exit_statuses_as_git_does),
    ("a crash and a timeout are failures", takes_crashes_for_failures),
    ("what does not build is no failure, but part of the set before what crashes (C14)",
     keeps_builds_and_crashes_apart),
    ("a benchmark of a folder of jobs passes or fails", takes_a_benchmark),
)

sys.exit(tap.promises(ROWS))
