#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole robot on real input, in a few minutes: see README.md.

Gets lz4's source from Debian, puts a stack of patches on it, starts the daemon with a database of its
own and one worker, waits for the mails, and checks that they name the guilty commits and no other.
Nothing in the daemon, the worker or the jobs knows that this is a demo.

Exit status: 0 the right commits were named, 1 they were not, 3 the source cannot be had.
"""
import argparse
import email
import email.policy
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# Subjects of the patches in stack/ that have an effect, and which.
EXPECTED = {
    "lz4: count match lengths the same way on 32 and 64 bits": "regression",
    "lz4: decode short sequences in a loop of their own": "improvement",
}


class Progress:
    """A bar on a terminal, a line for each change elsewhere."""

    def __init__(self):
        self.is_terminal = sys.stderr.isatty()
        self.last = None
        self.start = time.monotonic()

    def show(self, share, text):
        seconds = int(time.monotonic() - self.start)
        if self.is_terminal:
            filled = int(30 * share)
            bar = "#" * filled + "-" * (30 - filled)
            print(f"\r\033[K[{bar}] {seconds // 60}:{seconds % 60:02} {text[:70]}", end="", file=sys.stderr)
        elif text != self.last:
            print(f"{seconds // 60}:{seconds % 60:02} {text}", file=sys.stderr)
        sys.stderr.flush()
        self.last = text

    def end(self):
        if self.is_terminal:
            print("\r\033[K", end="", file=sys.stderr)


class Processes:
    """Daemon and worker; ended in reverse, also when the demo is interrupted."""

    def __init__(self):
        self.all = []

    def start(self, command, log):
        with open(log, "w", encoding="utf-8") as out:
            process = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
        self.all.append((process, log))
        return process

    def check(self):
        for process, log in self.all:
            if process.poll() is not None:
                tail = pathlib.Path(log).read_text(encoding="utf-8", errors="replace")[-2000:]
                sys.exit(f"demo: '{process.args[0]}' ended with {process.returncode}:\n{tail}")

    def stop(self):
        for process, _ in reversed(self.all):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(60)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def get_source(folder):
    done = subprocess.run([HERE / "get-source.sh", folder], check=False)
    if done.returncode:
        sys.exit(3 if done.returncode == 3 else 1)
    repo = folder / "lz4.git"
    subprocess.run([HERE / "make-repo.sh", folder / "lz4-src", repo], check=True)
    return repo


def write_config(folder, repo):
    path = folder / "patchmeterd.conf"
    path.write_text(f"""# Made by ./dev demo.
[daemon]
	listen = 127.0.0.1:0
	jobs = {ROOT / "jobs"}
	poll = 2s
[tree "lz4"]
	url = {repo}
	base = main
	branch = topic/*
	job = lz4
	budget = 1h
""", encoding="utf-8")
    return path


def fetch(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.load(answer)


def wait_for(what, is_true, processes, seconds):
    deadline = time.monotonic() + seconds
    while not is_true():
        processes.check()
        if time.monotonic() > deadline:
            sys.exit(f"demo: waited {seconds} s in vain for {what}")
        time.sleep(0.1)


def count_runs(stack):
    """Runs that have ended, and runs that are planned, of all comparisons."""
    cells = [cell for row in stack["rows"] for cell in row["cells"]] + (stack["ends"] or [])
    runs = [cell["runs"] for cell in cells if cell.get("runs")]
    return sum(run["nr_ended"] for run in runs), sum(run["nr"] for run in runs)


def describe(stack):
    """Share done, and what happens, in words."""
    builds = [cell["build"]["state"] for row in stack["rows"] for cell in row["cells"] if cell.get("build")]
    nr_built = sum(state != "wanted" for state in builds)
    if stack["state"] in ("new", "building"):
        return 0.2 * nr_built / max(1, len(builds)), f"built {nr_built} of {len(builds)} commits"
    nr_ended, nr_planned = count_runs(stack)
    if stack["state"] == "confirming":
        return 0.85, f"measured {nr_ended} runs, confirming {len(stack['findings'])} finding(s) on fresh builds"
    share = 0.2 + 0.65 * nr_ended / max(1, nr_planned)
    return share, f"measured {nr_ended} of {nr_planned} runs, {len(stack['findings'])} finding(s)"


def follow(url, processes, progress, seconds):
    """Shows what happens until the stack is through and everything is told; its document."""
    deadline = time.monotonic() + seconds
    while True:
        processes.check()
        stacks = fetch(f"{url}/api/v1/series")["series"]
        if stacks:
            stack = fetch(f"{url}/api/v1/series/{stacks[0]['id']}")
            progress.show(*describe(stack))
            is_told = all(finding["state"] != "new" for finding in stack["findings"]) and \
                all(mail["state"] != "drafted" for mail in stack["mails"])
            if stack["state"] == "refused":
                sys.exit(f"demo: the stack was refused: {stack['reason']}")
            if stack["state"] == "done" and is_told:
                return stack
        if time.monotonic() > deadline:
            sys.exit(f"demo: not through after {seconds:.0f} s")
        time.sleep(1)


def read_mails(paths):
    return [email.message_from_bytes(path.read_bytes(), policy=email.policy.default) for path in paths]


def named(mails, repo):
    """{subject of the commit that a mail names: kind}, from the mails' own words."""
    result = {}
    for mail in mails:
        subject = str(mail["Subject"])
        kind = re.search(r" (regression|improvement)$", subject)
        commit = re.search(r"\b([0-9a-f]{10,40}): ", subject)
        if not kind or not commit:
            sys.exit(f"demo: cannot read the subject '{subject}'")
        shown = subprocess.run(["git", "-C", repo, "log", "-1", "--format=%s", commit.group(1)],
                               check=True, capture_output=True, text=True)
        result[shown.stdout.strip()] = kind.group(1)
    return result


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--keep", action="store_true", help="leave daemon and worker running at the end")
    parser.add_argument("--folder", type=pathlib.Path,
                        help="work here, and use again what is there (default: a new folder under /var/tmp)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="where the programs are")
    parser.add_argument("--minutes", type=float, default=30, help="give up after this time")
    return parser.parse_args()


def run(options, folder, processes):
    progress = Progress()
    progress.show(0, "getting the source of lz4")
    repo = get_source(folder)
    config = write_config(folder, repo)
    data = folder / "daemon"
    (data / "url").unlink(missing_ok=True)
    progress.show(0, "starting the daemon and its database")
    processes.start([str(options.build / "daemon" / "patchmeterd"), "--config", str(config),
                     "--embedded", str(data)], folder / "daemon.log")
    wait_for("the daemon", (data / "url").exists, processes, 300)
    url = (data / "url").read_text(encoding="utf-8").strip()
    processes.start([str(options.build / "workers" / "patchmeter-worker"), "--server", url,
                     "--token-file", str(data / "worker.token"), "--state", str(folder / "worker"), "--settle", "1"],
                    folder / "worker.log")
    stack = follow(url, processes, progress, options.minutes * 60)
    progress.end()
    paths = sorted((data / "outbox").glob("*.eml"))
    for path in paths:
        print(path.read_text(encoding="utf-8"))
        print("-" * 89)
    found = named(read_mails(paths), repo)
    is_right = found == EXPECTED
    for subject in sorted(set(found) | set(EXPECTED)):
        print(f"{'as expected' if found.get(subject) == EXPECTED.get(subject) else 'WRONG'}: "
              f"{subject}: {found.get(subject, 'not named')}")
    print(f"dashboard: {url}/series/{stack['id']}")
    print(f"mails:     {data / 'outbox'}")
    return is_right


def main():
    options = arguments()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="patchmeter-demo-", dir="/var/tmp"))
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.chmod(folder, 0o755)
    processes = Processes()
    is_right = False
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that `finally` ends what was started
    try:
        is_right = run(options, folder, processes)
        if options.keep:
            pids = " ".join(str(process.pid) for process, _ in processes.all)
            print(f"still running; stop it with: kill {pids}")
    finally:
        if not (options.keep and is_right):
            processes.stop()
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
