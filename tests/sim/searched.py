# SPDX-License-Identifier: GPL-2.0-or-later
"""Small histories in which `patchmeter bisect run` searches for one commit.

    work = searched.Work(folder, searched.step(16, 11, 100000, 110000))
    done = work.search("--budget", 30)
    searched.names(done, work.id(11))

The benchmark stands outside of the tree and adds noise to what the commit's file `level` says.  The noise
of the first, second ... run of each commit is read from a list, so that it does not depend on what is run
when, as that does on how long builds take; what was run is counted."""
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import time

import belt

PROGRAM = str(belt.BUILD / "cli" / "patchmeter")
PATTERN = ("--regex", r"value: ([-0-9.]+)")
MOST_RUNS = 200  # of a commit
NO_COMMAND = ("", )

# The build of a commit with a file `broken` fails.
BUILD = "test ! -e broken"

BENCH = f"""#!/bin/sh
# bench LAB: one noisy value of the commit whose files are here
read -r number < number
read -r level < level
echo "$number" >> "$1/runs"
at=$((number * {MOST_RUNS} + $(grep -c "^$number\\$" "$1/runs")))
noise=$(sed -n "${{at}}{{p;q}}" "$1/noise")
echo "value: $((level + level / 1000 * noise / 100))"
"""


class Commit:
    """`parents` are numbers of commits before it; None: the one before it."""

    def __init__(self, level, parents=None, is_broken=False, subject=None, author=b"A <author@example.org>",
                 files=None):
        self.level, self.parents, self.is_broken = level, parents, is_broken
        self.subject, self.author, self.files = subject, author, files or {}


def step(nr, culprit, before=100000, after=110000, broken=()):
    """A base and `nr` commits; from `culprit` on (None: never) the level is another."""
    return [Commit(before if culprit is None or number < culprit else after, is_broken=number in broken)
            for number in range(nr + 1)]


def history(commits):
    """As `git fast-import` takes it; commit `i` has the mark i + 1."""
    text = []
    for number, commit in enumerate(commits):
        subject = commit.subject or f"step {number}".encode()
        parents = commit.parents if commit.parents is not None else [number - 1][:number]
        files = {"number": str(number), "level": str(commit.level), **commit.files}
        if commit.is_broken:
            files["broken"] = "it does not build"
        when = 1600000000 + 60 * number
        text.append(b"commit refs/heads/main\nmark :%d\nauthor %s %d +0000\n" % (number + 1, commit.author, when)
                    + b"committer A <author@example.org> %d +0000\ndata %d\n%s\n" % (when, len(subject), subject))
        text += [b"%s :%d\n" % (b"merge" if i else b"from", parent + 1) for i, parent in enumerate(parents)]
        text.append(b"deleteall\n")
        for path, content in files.items():
            content = content.encode() + b"\n"
            text.append(b"M 100644 inline %s\ndata %d\n%s" % (path.encode(), len(content), content))
    return b"".join(text)


class Work:
    """A work tree with the history, and a folder beside it for what searches leave."""

    def __init__(self, folder, commits, sd=0.01, seed=1):
        self.folder = pathlib.Path(folder)
        self.nr = len(commits) - 1
        self.path = self.folder / "work"
        self.lab = self.folder / "lab"
        self.state = self.folder / "state"
        self.repo = belt.Repo(self.path)
        self.git = self.repo.git
        marks = self.folder / "marks"
        self.git("fast-import", "--quiet", f"--export-marks={marks}", input=history(commits))
        self.git("reset", "-q", "--hard", "main")
        rows = [line.split() for line in marks.read_text(encoding="utf-8").splitlines()]
        self.ids = {int(mark[1:]) - 1: commit for mark, commit in rows}
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), "LC_ALL": "C.UTF-8"}
        self.make_lab(sd, seed)

    def make_lab(self, sd, seed):
        draw = random.Random(seed)
        self.lab.mkdir()
        (self.lab / "bench").write_text(BENCH, encoding="utf-8")
        (self.lab / "runs").touch()
        noise = [str(round(1e5 * draw.gauss(0, sd))) for _ in range(MOST_RUNS * (self.nr + 1))]  # of 1e5; see BENCH
        (self.lab / "noise").write_text("\n".join(noise) + "\n", encoding="utf-8")

    def id(self, number):
        return self.ids[number]

    def command(self, *options, bench=None, good=None, bad=None):
        bench = bench or ("sh", str(self.lab / "bench"), str(self.lab))
        bench = (bench,) if isinstance(bench, str) else bench
        return [PROGRAM, "bisect", "run", "--good", good or self.id(0), "--bad", bad or self.id(self.nr), "--state",
                str(self.state), *map(str, options), *(["--", *map(str, bench)] if bench != NO_COMMAND else [])]

    def search(self, *options, cwd=None, **more):
        """With the reading of the usual benchmark; see run() for another."""
        return self.run("--build", BUILD, *PATTERN, *options, cwd=cwd, **more)

    def run(self, *options, cwd=None, **more):
        return subprocess.run(self.command(*options, **more), cwd=cwd or self.path, env=self.env, text=True,
                              capture_output=True, timeout=240, check=False, errors="replace")

    def start(self, *options, **more):
        """run() in the background, in a process group of its own, as a shell does."""
        with open(self.folder / "out", "w", encoding="utf-8") as out:
            return subprocess.Popen(self.command(*options, **more), cwd=self.path, env=self.env, stdout=out,
                                    stderr=out, start_new_session=True)

    def runs(self):
        """The numbers of the commits that were run, in their order."""
        return [int(line) for line in (self.lab / "runs").read_text(encoding="utf-8").split()]

    def journal(self):
        return sorted(self.state.glob("*.jsonl"))[0]

    def journal_exists(self):
        return any(self.state.glob("*.jsonl"))

    def journal_runs(self):
        """The commits of the runs on disk."""
        lines = self.journal().read_bytes().split(b"\n")
        return [json.loads(line)["commit"] for line in lines[1:-1]]

    def replay(self, log):
        """What git says of a log, in a clone that is thrown away."""
        clone = self.folder / "clone"
        self.git("clone", "-q", "--no-checkout", str(self.path), str(clone))
        file = self.folder / "replayed"
        file.write_text(log, encoding="utf-8")
        done = subprocess.run(["git", "bisect", "replay", str(file)], cwd=clone, env=belt.GIT_ENV, text=True,
                              capture_output=True, check=False)
        subprocess.run(["rm", "-rf", str(clone)], check=True)
        return done.stdout + done.stderr

    def snapshot(self):
        """Every file of the work tree and of its .git: kind, time of change, content."""
        files = {}
        for path in sorted(self.path.rglob("*")):
            state = path.lstat()
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
            files[str(path.relative_to(self.path))] = (state.st_mode, state.st_mtime_ns, content)
        return files

    def left(self):
        """Processes of the search that are alive: theirs is the folder in an environment or a command line."""
        mark = str(self.folder).encode()
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                text = (process / "cmdline").read_bytes()
                if mark in text or mark in (process / "environ").read_bytes():
                    found.append(text.replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                pass
        return found

    def await_none_left(self, seconds=10):
        end = time.monotonic() + seconds
        while self.left() and time.monotonic() < end:
            time.sleep(0.05)
        assert not self.left(), self.left()


def expect(done, code, *texts, where="both"):
    text = {"out": done.stdout, "err": done.stderr, "both": done.stdout + done.stderr}[where]
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    for wanted in texts:
        assert wanted in text, f"no {wanted!r} in\n{done.stdout}\n{done.stderr}"


def names(done, commit):
    """The search ended with this commit."""
    expect(done, 0, f" changed with {commit}\n", where="out")


def log_of(done):
    """The log at the end of the output."""
    at = done.stdout.find("git bisect start\n")
    assert at >= 0, done.stdout
    return done.stdout[at:]


def replays_to(work, log, commit):
    said = work.replay(log)
    assert f"{commit} is the first bad commit" in said, f"{said}\nof\n{log}"


def stated_posterior(done):
    found = re.search(r"^posterior (?:over )?([0-9.]+);", done.stdout, re.MULTILINE)
    assert found, done.stdout
    return float(found[1])


