#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeter bisect run` among commits that mean harm, with revisions that are none, on terminals."""
import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import termios

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import searched
from searched import BENCH, BUILD, PATTERN, Work, expect, log_of, names, replays_to, step
import tap

CONTROLS = b"\x1b[31mred\x1b]0;title\x07\x08\x7f \xc2\x9b2J \xe2\x80\xae \r tab\t "
ROWS, COLUMNS = 24, 80


def is_clean(text):
    """Of line ends and what can be seen."""
    return all(char == "\n" or char.isprintable() for char in text)


# --- what commits say ---

def prints_no_control_characters(folder):
    history = step(8, 5)
    history[3].subject = CONTROLS
    history[4].subject = CONTROLS + b"\xff\xfe is no UTF-8"
    history[5].subject = CONTROLS + 10000 * b"x"
    history[5].author = b"Ev\x1b[2Jil\x07 \xe2\x80\xae <author@example.org>"
    work = Work(folder, history)
    done = work.search()
    names(done, work.id(5))
    assert is_clean(done.stdout) and is_clean(done.stderr), (done.stdout, done.stderr)
    assert max(map(len, (done.stdout + done.stderr).split("\n"))) < 250
    replays_to(work, log_of(done), work.id(5))
    done = work.search("--json")
    assert is_clean(done.stdout) and is_clean(json.loads(done.stdout)["culprit"]["subject"]), done.stdout


# --- what commits do ---

def survives(folder, evil, *texts, build=BUILD, is_named=True):
    """The commit before the culprit does `evil` after its run; the search, and it leaves nothing."""
    work = Work(folder, step(4, 3))
    before = work.snapshot()
    (work.lab / "evil").write_text(BENCH + f"test $number -ne 2 || {{ {evil}; }}\n", encoding="utf-8")
    done = work.run("--build", build, *PATTERN, bench=("sh", work.lab / "evil", work.lab))
    if is_named:
        names(done, work.id(3))
    else:
        expect(done, 0, "value changed with one of 2 commits", work.id(2)[:10], work.id(3)[:10], where="out")
    expect(done, 0, *texts)
    work.await_none_left(1)
    assert work.snapshot() == before, "the work tree or its .git is not as it was"
    return work


def survives_a_flood(folder):
    flood = "test $(cat number) -ne 2 || { yes | head -c 100000000; }"
    work = survives(folder, "true", "(build-failed: build printed more than", build=flood, is_named=False)
    kept = sum(path.stat().st_size for path in work.state.rglob("*") if path.is_file())
    assert kept < 10 << 20, kept


def survives_a_daemon(folder):
    survives(folder, "setsid sleep 58 & (env -i setsid sleep 59 &)", "(left-processes: ", is_named=False)


def survives_what_deletes_itself(folder):
    survives(folder, 'rm -rf "$PWD"')


def survives_locked_folders(folder):
    survives(folder, "ln -s / root; mkdir -p a/b/c; chmod 0 a/b; chmod -R a-w .")


def survives_writes_above(folder):
    survives(folder, "echo x > ../x; mkdir ../raw ../../raw; ln -sf /dev/full ../../run.json.new")


def tells_of_what_deletes_everything(folder):
    work = Work(folder, step(2, 1))
    before = work.snapshot()
    done = work.run(*PATTERN, bench='rm -rf ../* ../../* ../../../place-1; echo "value: 1"')
    expect(done, 4, "patchmeter-worker failed", where="err")
    assert work.snapshot() == before


# --- revisions ---

def refuses_what_is_no_commit(folder):
    work = Work(folder, step(4, 2))
    before = work.snapshot()
    for revision in ("--exec=x", "HEAD; touch x", "$(touch x)", "", "HEAD~99", "HEAD:level", "HEAD^{tree}", "main..main",
                     "\x1b[31m", "@{-1}", 40 * "7"):
        done = work.search("--good=" + revision)
        expect(done, 2, "--good: '", "is no commit", where="err")
        assert is_clean(done.stderr) and not done.stdout, done
        expect(work.search("--bad=" + revision), 2, "--bad: '", where="err")
    assert work.snapshot() == before and not work.runs()


def refuses_ends_that_are_no_range(folder):
    work = Work(folder, step(4, 2))
    expect(work.search(good="HEAD", bad="main"), 6, "--good and --bad are the same commit", where="err")
    expect(work.search(good="HEAD", bad="HEAD~2"), 6, "the first is no ancestor of the second", work.id(2)[:12],
           where="err")
    work.git("checkout", "-q", "--orphan", "apart")
    work.repo.commit("apart")
    expect(work.search(good="main", bad="apart"), 6, "they share no commit", where="err")
    assert not work.runs()


def tells_of_a_shallow_clone(folder):
    work = Work(folder, step(6, 5))
    work.env["ASAN_OPTIONS"] = "detect_leaks=0"  # libgit2 1.5 where a parent is missing
    work.git("clone", "-q", "--depth", "3", f"file://{work.path}", str(work.folder / "shallow"))
    for good, code in ((work.id(0), 2), ("HEAD~2", 9)):
        done = work.search(cwd=work.folder / "shallow", good=good, bad="HEAD")
        expect(done, code, "the clone is shallow; 'git fetch --unshallow' completes it", where="err")


def tells_of_no_repository(folder):
    work = Work(folder, step(2, 1))
    expect(work.search(cwd=work.folder), 2, "'.' is in no git repository", where="err")


# --- on a terminal ---

class Terminal:
    """So much of one as the picture needs; it is an error to write more."""

    def __init__(self):
        self.rows, self.row, self.column = {0: ""}, 0, 0
        self.wraps = True
        self.nr_drawn = 0

    def write(self, text):
        for token in re.findall(r"\x1b\[[?0-9]*[A-Za-z]|.", text, re.DOTALL):
            self.take(token)

    def take(self, token):
        if token in ("\x1b[?7l", "\x1b[?7h"):
            self.wraps = token[-1] == "h"
        elif token == "\x1b[J":
            self.rows = {row: line for row, line in self.rows.items() if row < self.row}
            self.nr_drawn += 1
        elif re.fullmatch(r"\x1b\[\d+A", token):
            assert int(token[2:-1]) <= self.row, f"{token!r} from row {self.row} is above what was drawn"
            self.row -= int(token[2:-1])
        elif token == "\r":
            self.column = 0
        elif token == "\n":  # the line discipline has put "\r" before it
            self.row += 1
            assert self.row < ROWS, "the picture scrolls"
        else:
            assert token.isprintable(), f"{token!r} on the terminal"
            self.put(token)

    def put(self, char):
        assert self.column < COLUMNS or not self.wraps, "a line wraps"
        if self.column < COLUMNS:
            self.rows[self.row] = self.rows.get(self.row, "")[:self.column] + char
            self.column += 1


def on_a_terminal(work, term, *options, rows=ROWS):
    """What came to the terminal on stderr, and the exit status; stdout is no part of it."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("4H", rows, COLUMNS, 0, 0))
    process = subprocess.Popen(work.command("--build", BUILD, *PATTERN, *options), cwd=work.path, stderr=other,
                               env={**work.env, "TERM": term}, stdout=subprocess.PIPE, text=True)
    os.close(other)
    text = b""
    while True:
        try:
            some = os.read(main, 65536)
        except OSError:  # the other end is closed
            break
        if not some:
            break
        text += some
    os.close(main)
    out, _ = process.communicate(timeout=60)
    return text.decode(), out, process.returncode


def draws_in_its_place(folder):
    history = step(300, 211)
    for number in range(200, 220):
        history[number].subject = CONTROLS + 500 * f"{number} ".encode()
    work = Work(folder, history)
    text, out, code = on_a_terminal(work, "xterm")
    assert code == 0 and f"value changed with {work.id(211)}\n" in out, (code, out)
    terminal = Terminal()
    tallest = 0
    for part in re.split(r"(?<=\n)", text):
        terminal.write(part)
        tallest = max(tallest, len(terminal.rows))
    assert terminal.nr_drawn >= len(work.runs()) and tallest > ROWS // 2, (terminal.nr_drawn, tallest)
    assert terminal.wraps and not any(terminal.rows.values()) and terminal.row == 0, terminal.rows


def draws_on_a_small_terminal(folder):
    work = Work(folder, step(40, 31))
    text, out, code = on_a_terminal(work, "xterm", rows=14)
    assert code == 0 and work.id(31) in out
    most = max(part.count("\n") for part in text.split("\x1b[J"))
    assert 8 <= most < 14, most


def nr_values(text):
    return len(re.findall(r"^[0-9a-f]{10} step \d: 1?\d{5}$", text, re.MULTILINE))


def writes_a_line_a_run(folder):
    work = Work(folder, step(8, 5))
    text, out, code = on_a_terminal(work, "dumb")
    text = text.replace("\r\n", "\n")
    assert code == 0 and work.id(5) in out and is_clean(text), text
    nr = len(work.runs())
    assert nr_values(text) == nr, text
    text = work.search("--fresh").stderr
    assert nr_values(text) == len(work.runs()) - nr and is_clean(text), text


PROMISES = (
    ("control characters, escape sequences and 10 kB of subject come out clean and short",
     prints_no_control_characters),
    ("a build that prints 100 MB is skipped and not kept", survives_a_flood),
    ("a run that leaves daemons behind is skipped, and they are ended", survives_a_daemon),
    ("a run that deletes its own folder is measured on", survives_what_deletes_itself),
    ("folders that cannot be deleted do no harm", survives_locked_folders),
    ("what a run writes above its folder does no harm", survives_writes_above),
    ("a run that deletes all around it is an error, and the work tree is untouched", tells_of_what_deletes_everything),
    ("revisions that are none are refused and never run", refuses_what_is_no_commit),
    ("ends that are no range are refused with what they share", refuses_ends_that_are_no_range),
    ("in a shallow clone it says how to complete it", tells_of_a_shallow_clone),
    ("outside of a repository it says so", tells_of_no_repository),
    ("on a terminal 300 commits are drawn in one place without a scroll or a wrap", draws_in_its_place),
    ("a small terminal gets a small picture", draws_on_a_small_terminal),
    ("on a dumb terminal and in a pipe a run is a line", writes_a_line_a_run),
)

sys.exit(tap.promises(PROMISES))
