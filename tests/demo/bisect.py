#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeter bisect run` on real code: which of 16 commits on lz4 slowed its compressor down?

Exit status: 0 the right commit was named, 1 it was not, 3 the source cannot be had.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import bisect_stack
import demo


def run(options, folder):
    repo, jobs, slow = bisect_stack.make(folder, bisect_stack.broken_of(options), options.noisy)
    log = folder / "bisect.log"
    done = subprocess.run(
        [options.build / "cli" / "patchmeter", "bisect", "run", "--good", "main", "--bad", bisect_stack.BRANCH,
         "--benchmark", "lz4", "--jobs-folder", jobs, "--metric", "compress_speed", "--state", folder / "state",
         "--settle", "5", "--log", log, "--fresh"],
        cwd=repo, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout)
    if done.returncode != 0 or f"changed with {slow}" not in done.stdout:
        print(f"it is {slow}")
        return False
    replayed = bisect_stack.git(repo, "bisect", "replay", log)
    bisect_stack.git(repo, "bisect", "reset")
    return f"{slow} is the first bad commit" in replayed and bisect_stack.git(repo, "status", "--porcelain") == ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=demo.ROOT / "build", help="the build folder (build)")
    parser.add_argument("--folder", type=pathlib.Path, help="where everything goes (a new one)")
    bisect_stack.add_options(parser)
    options = parser.parse_args()
    options.build = options.build.resolve()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="patchmeter-bisect-", dir="/var/tmp"))
    folder.mkdir(parents=True, exist_ok=True)
    return 0 if run(options, folder.resolve()) else 1


if __name__ == "__main__":
    sys.exit(main())
