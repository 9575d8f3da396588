#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The three commands at the top of docs/compare.md, as a new user types them."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import tap

GUIDE = belt.ROOT / "docs" / "compare.md"


def main():
    if not shutil.which("hackbench"):
        tap.skip_all("hackbench is not installed")
    t = tap.Tap()
    script = re.search(r"^```sh\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL).group(1)
    t.equal(script.count("\n"), 3, "there are three commands")
    path = os.pathsep.join(str(belt.BUILD / part) for part in ("cli", "workers"))
    with tempfile.TemporaryDirectory() as folder:
        env = {"PATH": path + os.pathsep + os.environ["PATH"], "HOME": folder}
        os.symlink(belt.ROOT / "jobs", os.path.join(folder, "jobs"))
        done = subprocess.run(["bash", "-euc", script], cwd=folder, env=env, capture_output=True, text=True,
                              timeout=300, check=False)
        t.equal(done.returncode, 0, "they do what they say")
        for ipc in ("pipe", "socket"):
            row = re.search(rf"hackbench/ipc={ipc}\.time +ms .* 6\+6 ", done.stdout)
            t.check(row, f"each kind of channel has a row of six runs a side: {ipc}", done.stdout + done.stderr)
        t.check("groups=1" in done.stdout, "what is equal everywhere stands above", done.stdout)
        t.check("differs" not in done.stderr, "one machine does not differ from itself", done.stderr)
        done = subprocess.run(["patchmeter", "compare", "--json", "--by", "ipc", "before"], cwd=folder, env=env,
                              capture_output=True, text=True, timeout=60, check=False)
        columns = [column["name"] for column in json.loads(done.stdout)["columns"]]
        t.equal(columns, ["ipc=pipe", "ipc=socket"], "and the variants of one folder can be compared")
    return t.end()


sys.exit(main())
