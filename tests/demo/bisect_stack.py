#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The stack that the demos of bisection search: 16 commits on lz4, one of which slows the match search down.

bisect_stack.py FOLDER [--broken 5,12] [--noisy] makes FOLDER/lz4.git with the branch topic/bisected on main, and
FOLDER/jobs with the benchmark, and prints both paths.  Commits of --broken do not build, the next one mends them.
With --noisy the speeds that the benchmark prints have 5 % of noise of their own, and nothing is counted.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

import demo

BRANCH = "topic/bisected"
NR = 16
SLOW = 9
SLOW_PATCH = next((demo.HERE / "stack").glob("0002-*.patch"))
BREAK = '#error "half done"\n'

PRINTED = 'printf "compress_speed: %.2f\\ndecompress_speed: %.1f\\n", c, d }'
NOISY = 'printf "compress_speed: %.2f\\ndecompress_speed: %.1f\\n", c * noise(), d * noise() }'
NOISE = """function noise(  i, sum) { for (i = 0; i < 12; i++) sum += rand(); return exp(0.05 * (sum - 6)) }
    BEGIN { "od -An -N4 -tu4 /dev/urandom" | getline seed; srand(seed + 0) }
    """


def git(repo, *args):
    who = ["-c", "user.name=Demo Author", "-c", "user.email=author@example.org"]
    done = subprocess.run(["git", "-C", repo, *who, *args], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def append(path, text):
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


def change(repo, number):
    """What a commit that matters to nobody's speed changes: code, a comment, a document or a test in turn."""
    if number % 4 == 0:
        append(repo / "NEWS", f"\nstep {number} of the bisected stack\n")
    elif number % 4 == 2:
        append(repo / "lib" / "lz4hc.c", f"/* step {number}: nothing but this comment */\n")
    else:
        append(repo / "lib" / "lz4frame.c", f"int LZ4F_step{number}(void);\nint LZ4F_step{number}(void) {{ return {number}; }}\n")


def make_stack(repo, broken):
    source = repo / "lib" / "lz4frame.c"
    git(repo, "checkout", "-q", "-B", BRANCH, "main")
    for number in range(1, NR + 1):
        if number == SLOW:
            git(repo, "am", "-q", SLOW_PATCH)
            continue
        source.write_text(source.read_text(encoding="utf-8").replace(BREAK, ""), encoding="utf-8")
        change(repo, number)
        if number in broken:
            append(source, BREAK)
        git(repo, "commit", "-q", "-a", "-m", f"lz4: step {number}")


def make_jobs(folder, is_noisy):
    jobs = folder / "jobs"
    shutil.rmtree(jobs, ignore_errors=True)
    shutil.copytree(demo.ROOT / "jobs" / "lz4", jobs / "lz4")
    if is_noisy:
        path = jobs / "lz4" / "job.yaml"
        text = path.read_text(encoding="utf-8")
        assert PRINTED in text, "the job prints its speeds in another way"
        text = text.replace(PRINTED, NOISY).replace("    $1 == level {", f"    {NOISE}$1 == level {{")
        head, metrics = text.split("metrics:\n")
        speeds = [f"  - name:{metric}" for metric in metrics.split("  - name:")[1:] if "_speed" in metric]
        path.write_text(head[:head.index("  # below main()")] + "timeout: 5m\nmetrics:\n" + "".join(speeds), encoding="utf-8")
    return jobs


def make(folder, broken=(), is_noisy=False):
    """The repository, the folder of jobs, and the id of the slow commit."""
    if SLOW in broken or SLOW - 1 in broken:
        raise ValueError("what lies beside the slow commit must build, else it cannot be told apart")
    repo = demo.get_source(folder)
    make_stack(repo, broken)
    return repo, make_jobs(folder, is_noisy), git(repo, "rev-parse", f"{BRANCH}~{NR - SLOW}")


def add_options(parser):
    parser.add_argument("--broken", default="", help="commits that do not build: 5,12")
    parser.add_argument("--noisy", action="store_true", help="5 %% of noise on what the benchmark prints")


def broken_of(options):
    return [int(word) for word in options.broken.split(",") if word]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    add_options(parser)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print(*make(options.folder.resolve(), broken_of(options), options.noisy)[:2], sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
