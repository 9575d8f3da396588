#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeter bisect run` is stopped, killed and begun twice; its journal is damaged."""
import json
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import searched
from searched import BUILD, PATTERN, Work, expect, names, step
import tap

SLEEP = "57.31"  # of nobody else

# The build and the run of one commit hang once: until somebody takes away the file that says so.
HANGS = """#!/bin/sh
# hangs LAB STEP COMMAND...
lab=$1; step=$2; shift 2
if test -e "$lab/hang-$step" && test $(wc -l < "$lab/runs") -ge 3; then
	touch "$lab/hung"
	(trap '' INT TERM HUP; setsid sleep %s) &
	sleep %s
fi
exec "$@"
""" % (SLEEP, SLEEP)


def await_file(path, seconds=30):
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"no {path}"
        time.sleep(0.01)


class Stop:
    """A search of a step of 8 commits which hangs in the build or the run after three runs."""

    def __init__(self, folder, moment):
        self.work = Work(folder, step(8, 5))
        self.moment = moment
        lab = self.work.lab
        (lab / "hangs").write_text(HANGS, encoding="utf-8")
        (lab / f"hang-{moment}").touch()
        self.build = f"sh {lab}/hangs {lab} build sh -c '{BUILD}'"
        self.bench = ("sh", lab / "hangs", lab, "run", "sh", lab / "bench", lab)
        (self.work.path / "level").write_text("of the user\n", encoding="utf-8")
        (self.work.path / "new").write_text("of the user\n", encoding="utf-8")
        self.before = self.work.snapshot()
        self.process = None

    def start(self):
        self.process = self.work.start("--build", self.build, *PATTERN, bench=self.bench)
        if self.moment != "between":
            await_file(self.work.lab / "hung")
            while len([line for line in self.work.left() if f"sleep {SLEEP}" in line]) < 2:
                time.sleep(0.01)
        else:
            while len(self.work.runs()) < 4:
                time.sleep(0.001)
        return self

    def end(self, number, to_group=False):
        """Sends it; what it ends with, and nothing is left."""
        (os.killpg if to_group else os.kill)(self.process.pid, number)
        code = self.process.wait(30)
        self.work.await_none_left()
        assert self.work.snapshot() == self.before, "the work tree or its .git is not as it was"
        return code

    def go_on(self):
        """The same command ends with the culprit and measures nothing again."""
        recorded = self.work.journal_runs() if self.work.journal_exists() else []
        (self.work.lab / f"hang-{self.moment}").unlink()
        nr = len(self.work.runs())
        done = self.work.run("--build", self.build, *PATTERN, bench=self.bench)
        names(done, self.work.id(5))
        after = self.work.journal_runs()
        assert after[:len(recorded)] == recorded, (recorded, after)
        assert len(self.work.runs()) - nr == len(after) - len(recorded), (self.work.runs(), recorded, after)
        if recorded:
            expect(done, 0, f"{len(recorded)} earlier runs of this question count", where="err")
        assert self.work.snapshot() == self.before


def is_stopped_by(number, to_group, moment):
    def check(folder):
        stop = Stop(folder, moment).start()
        recorded = len(stop.work.journal_runs())
        code = stop.end(number, to_group)
        if number == signal.SIGKILL:
            assert code == -signal.SIGKILL, code
        else:
            text = (stop.work.folder / "out").read_text(encoding="utf-8")
            assert code == 130 and "runs; the same command goes on\n" in text, (code, text)
        assert recorded <= len(stop.work.journal_runs()) <= recorded + 1
        stop.go_on()
    return check


def survives_many_kills(folder):
    work = Work(folder, step(16, 11))
    nr = 0
    for wait_ms in range(0, 300, 23):
        process = work.start("--build", BUILD, *PATTERN)
        time.sleep(wait_ms / 1000)
        process.kill()
        process.wait()
        work.await_none_left()
        recorded = work.journal_runs() if work.journal_exists() else []
        assert len(recorded) >= nr, (recorded, nr)
        nr = len(recorded)
    names(work.search(), work.id(11))
    assert work.journal_runs()[:nr] == recorded


def reads_a_cut_journal(folder):
    work = Work(folder, step(2, 2))
    names(work.search(), work.id(2))
    whole = work.journal().read_bytes()
    first, *_, last = whole.splitlines(keepends=True)
    for kept in (len(whole) - 1, len(whole) - len(last) // 2, len(first) - 2, 0):
        work.journal().write_bytes(whole[:kept])
        names(work.search(), work.id(2))
        lines = [json.loads(line) for line in work.journal().read_bytes().splitlines()]
        assert lines[0] == json.loads(first) and all("run" in line for line in lines[1:]), lines


def refuses_a_damaged_journal(folder):
    work = Work(folder, step(2, 2))
    names(work.search(), work.id(2))
    whole = work.journal().read_bytes().split(b"\n")
    rows = ((1, b'{"schema": 9}'), (1, b""), (2, b""), (2, b"\0\0\0\0"), (2, b"[]"), (3, b'{"commit": 7}'),
            (3, whole[2][:-1]), (3, whole[2] + b"}"), (3, whole[2].replace(b'"run":{', b'"run":7,"was":{')))
    for number, line in rows:
        damaged = b"\n".join([*whole[:number - 1], line, *whole[number:]])
        work.journal().write_bytes(damaged)
        done = work.search()
        expect(done, 9, f"{work.journal()}:{number}", where="err")
        assert work.journal().read_bytes() == damaged and not done.stdout, "a damaged journal was changed"
    names(work.search("--fresh"), work.id(2))


def is_alone_at_its_state(folder):
    stop = Stop(folder, "run").start()
    nr = len(stop.work.runs())
    done = stop.work.run("--build", stop.build, *PATTERN, bench=stop.bench)
    expect(done, 6, "another 'bisect run' is at work there", where="err")
    done = stop.work.run("--fresh", "--build", stop.build, *PATTERN, bench=stop.bench)
    expect(done, 6, "another 'bisect run' is at work there", where="err")
    other = stop.work.run("--build", BUILD, *PATTERN, bench=stop.bench)
    expect(other, 6, "another 'bisect run' is at work there", where="err")
    assert len(stop.work.runs()) == nr
    assert stop.end(signal.SIGTERM) == 130
    stop.go_on()


STOPS = (
    ("SIGINT to the process group", signal.SIGINT, True, ("build", "run", "between")),
    ("SIGINT to it alone", signal.SIGINT, False, ("run",)),
    ("SIGTERM", signal.SIGTERM, False, ("build",)),
    ("SIGHUP", signal.SIGHUP, False, ("between",)),
    ("SIGKILL", signal.SIGKILL, False, ("build", "run", "between")),
    ("SIGKILL to the process group", signal.SIGKILL, True, ("run",)),
)
MOMENTS = {"build": "in a build", "run": "in a run", "between": "when something ends"}

ROWS = (
    *((f"{name} {MOMENTS[moment]} ends all that runs, and the same command goes on",
       is_stopped_by(number, to_group, moment)) for name, number, to_group, moments in STOPS for moment in moments),
    ("killed at any moment it goes on with all recorded runs", survives_many_kills),
    ("a journal that a power cut ended in the middle of a line is read", reads_a_cut_journal),
    ("a journal that is damaged before its end is an error with file and line", refuses_a_damaged_journal),
    ("two searches at one state: the second says so", is_alone_at_its_state),
)

sys.exit(tap.promises(ROWS))
