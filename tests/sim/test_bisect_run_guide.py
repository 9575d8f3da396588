#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of docs/bisecting.md for a developer's own machine, as written there, in a repository that fits them."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import tap

GUIDE = belt.ROOT / "docs" / "bisecting.md"
NR = 16
CULPRIT = 11

# From the culprit on what it prints, noisy by 1 %, is 10 % larger, it takes 0.2 s longer, and the test fails.
BENCH = """#!/bin/sh
noise=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
total=$(awk -v level={level} -v noise=$noise 'BEGIN {{ print level * (1 + 0.02 * (noise / 65535 - 0.5)) }}')
sleep {sleep}
[ "$1" = --json ] && echo "{{\\"total\\": $total}}" || echo "total: $total s"
"""


def git(repo, *args):
    return subprocess.run(["git", "-C", repo, "-c", "user.name=A", "-c", "user.email=author@example.org", *args],
                          check=True, capture_output=True, text=True).stdout.strip()


def make_repo(folder):
    repo = folder / "work"
    git(folder, "init", "-q", str(repo))
    for number in range(NR + 1):
        is_slow = number >= CULPRIT
        (repo / "bench.in").write_text(BENCH.format(level=110 if is_slow else 100, sleep=0.2 if is_slow else 0),
                                       encoding="utf-8")
        (repo / "check.in").write_text(f"#!/bin/sh\nexit {int(is_slow)}\n", encoding="utf-8")
        (repo / "Makefile").write_text("all:\n\tcp bench.in bench; cp check.in check; chmod +x bench check\n",
                                       encoding="utf-8")
        (repo / "number").write_text(f"{number}\n", encoding="utf-8")
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", f"step {number}")
        if number == 0:
            git(repo, "tag", "v1.2")
    return repo


def main():
    t = tap.Tap()
    text = GUIDE.read_text(encoding="utf-8")
    commands = [line.strip() for line in re.findall(r"^    patchmeter bisect run .*$", text, re.MULTILINE)]
    own = [command for command in commands if "--benchmark" not in command]
    t.equal(len(own), 4, "the guide reads a pattern, JSON, the time and a test")
    path = os.pathsep.join(str(belt.BUILD / part) for part in ("cli", "workers"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        repo = make_repo(folder)
        culprit = git(repo, "rev-parse", f"HEAD~{NR - CULPRIT}")
        env = {"PATH": path + os.pathsep + os.environ["PATH"], "HOME": name}
        for command in own:
            done = subprocess.run(["bash", "-euc", command], cwd=repo, env=env, capture_output=True, text=True,
                                  timeout=120, check=False)
            t.check(done.returncode == 0 and f"changed with {culprit}" in done.stdout, f"it names the commit: {command}",
                    done.stdout + done.stderr)
        t.equal(git(repo, "status", "--porcelain"), "", "and the work tree is as it was")
    return t.end()


sys.exit(main())
