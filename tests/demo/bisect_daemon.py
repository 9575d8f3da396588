#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A bisection by the daemon on real code: the stack of bisect_stack.py, too dear to be measured whole, and two workers.

Exit status: 0 the slow commit was named and no other, 1 it was not, 3 the source cannot be had.  With --noisy it
may be that only the page names it.
"""
import argparse
import os
import pathlib
import signal
import sys
import tempfile

import bisect_stack
import demo


def write_config(folder, repo, jobs):
    path = demo.write_config(folder, repo)
    text = path.read_text(encoding="utf-8")
    text = text.replace(str(demo.ROOT / "jobs"), str(jobs)).replace("budget = 1h", "budget = 4m")
    path.write_text(text.replace("branch = topic/*", f"branch = {bisect_stack.BRANCH}"), encoding="utf-8")
    return path


def start(options, folder, config, processes):
    """The daemon and two workers; its address."""
    data = folder / "daemon"
    (data / "url").unlink(missing_ok=True)
    processes.start([str(options.build / "daemon" / "patchmeterd"), "--config", str(config), "--embedded", str(data)],
                    folder / "daemon.log")
    demo.wait_for("the daemon", (data / "url").exists, processes, 300)
    url = (data / "url").read_text(encoding="utf-8").strip()
    for name in ("one", "two"):
        processes.start([str(options.build / "workers" / "patchmeter-worker"), "--server", url, "--token-file",
                         str(data / "worker.token"), "--state", str(folder / name), "--name", name, "--settle", "1"],
                        folder / f"{name}.log")
    return url


def tell(bisection):
    print(f"bisection {bisection['id']} of {bisection['metric']}: {bisection['state']}: {bisection['reason']}; "
          f"{bisection['nr_runs']} runs on {bisection['nr_commits']} commits")


def run(options, folder, processes):
    progress = demo.Progress()
    progress.show(0, "making the stack")
    repo, jobs, slow = bisect_stack.make(folder, bisect_stack.broken_of(options), options.noisy)
    url = start(options, folder, write_config(folder, repo, jobs), processes)
    demo.follow(url, processes, progress, options.minutes * 60)
    progress.end()
    bisections = demo.fetch(f"{url}/api/v1/bisections")["bisections"]
    for bisection in bisections:
        tell(bisection)
    paths = sorted((folder / "daemon" / "outbox").glob("*.eml"))
    for path in paths:
        print(path.read_text(encoding="utf-8"))
    found = demo.named(demo.read_mails(paths), repo)
    subject = bisect_stack.git(repo, "log", "-1", "--format=%s", slow)
    for name, kind in found.items():
        print(f"{'as expected' if name == subject else 'WRONG'}: {name}: {kind}")
    culprits = {bisection["commit"][:10] for bisection in bisections if bisection["state"] == "concluded"}
    is_named = culprits == {slow[:10]}
    # Under so much noise what is known may be too little for the risk that mails may take.
    return is_named and (found == {subject: "regression"} or (options.noisy and not found))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--folder", type=pathlib.Path, help="work here (default: a new folder under /var/tmp)")
    parser.add_argument("--build", type=pathlib.Path, default=demo.ROOT / "build", help="where the programs are")
    parser.add_argument("--minutes", type=float, default=30, help="give up after this time")
    bisect_stack.add_options(parser)
    options = parser.parse_args()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="patchmeter-bisect-", dir="/var/tmp"))
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.chmod(folder, 0o755)
    processes = demo.Processes()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that `finally` ends what was started
    try:
        return 0 if run(options, folder, processes) else 1
    finally:
        processes.stop()


if __name__ == "__main__":
    sys.exit(main())
