#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeter-worker run`: a small C project, built and measured here, without a daemon."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import tap

PROGRAM = str(belt.BUILD / "workers" / "patchmeter-worker")
COMPARE = str(belt.BUILD / "cli" / "patchmeter")

MAIN = """#include <stdio.h>
#include <time.h>
%s
int main(void)
{
	struct timespec a, b;
	volatile double sum = 0;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (long i = 0; i < %d; i++) {
		sum += (double)i;
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	printf("loop: %%.6f\\n", (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9);
	return 0;
}
"""
JOB = """name: loop
summary: a loop that takes as long as its source says
build: |
  make
  cp loop "$PATCHMETER_OUT"/
run: ./loop
repeat: 3
metrics:
  - {name: loop, unit: s, better: lower, headline: true, lines: loop}
"""
MAKEFILE = "loop: main.c\n\t$(CC) -O1 -o loop main.c\n"


def project(folder):
    repo = belt.Repo(folder)
    for name, note, nr in (("base", "", 20000000), ("note", "/* nothing */", 20000000),
                           ("slow", "/* nothing */", 60000000)):
        (folder / "main.c").write_text(MAIN % (note, nr), encoding="utf-8")
        (folder / "Makefile").write_text(MAKEFILE, encoding="utf-8")
        repo.git("add", "main.c", "Makefile")
        repo.commit(name)
        repo.git("tag", name)
    return repo


class Runner:
    def __init__(self, folder):
        self.folder = folder
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "SECRET": "x"}

    def __call__(self, *args):
        return subprocess.run([PROGRAM, "run", *map(str, args)], cwd=self.folder, env=self.env,
                              capture_output=True, text=True, timeout=300, check=False)


def lines_of(folder):
    with open(folder / "runs.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def measures_commits(t, folder, run):
    repo = project(folder / "repo")
    (folder / "job.yaml").write_text(JOB, encoding="utf-8")
    for name in ("base", "note", "slow"):
        done = run("--repo", repo.path, "--commit", name, "-o", name, "-n", 6, "job.yaml")
        t.check(done.returncode == 0, f"commit '{name}' is built and measured", done.stderr)
    base, note, slow = (lines_of(folder / name) for name in ("base", "note", "slow"))
    t.equal([line["run"] for line in base], [1, 2, 3, 4, 5, 6], "each run has a line")
    t.equal(len({line["boot"] for line in base + note}), 12, "each run is a boot of its own, across invocations")
    t.equal(len({line["build"] for line in base + note}), 1, "a comment gives the same binary")
    t.check(slow[0]["build"] != base[0]["build"], "a change of code gives another")
    result = json.loads((folder / "base" / "result.json").read_text(encoding="utf-8"))
    t.equal((result["schema"], result["benchmark"], result["commit"]),
            (1, "loop", repo.git("rev-parse", "base")), "result.json says what was measured")
    t.check("kernel" in result["env"]["lasting"], "and on what")
    raw = folder / "base" / "raw" / "1"
    printed = [float((raw / f"stdout.{i}").read_text(encoding="utf-8").split()[1]) for i in (1, 2, 3)]
    t.equal(base[0]["iterations"]["loop"], printed, "all iterations are kept in their order")
    t.check(abs(base[0]["metrics"]["loop"] - sum(printed) / 3) < 1e-9, "and make one number, their mean")
    t.check(base[0]["metrics"]["time.elapsed"] >= sum(printed), "the runner adds times of its own")
    done = subprocess.run([COMPARE, "compare", "--exit-code", "base", "slow"], cwd=folder,
                          capture_output=True, text=True, timeout=60, check=False)
    t.check(done.returncode == 1 and "loop" in done.stdout, "compare sees the slow commit",
            done.stdout + done.stderr)
    done = subprocess.run([COMPARE, "compare", "base", "note"], cwd=folder,
                          capture_output=True, text=True, timeout=60, check=False)
    t.check(done.returncode == 0, "compare reads the folders of the note", done.stdout + done.stderr)


def measures_folders(t, folder, run):
    source = folder / "repo"
    before = sorted(path.name for path in source.iterdir())
    done = run("--source", source, "--json", "job.yaml")
    document = json.loads(done.stdout)
    t.equal((done.returncode, document["runs"][0]["outcome"]), (0, "ok"), "a plain folder is measured")
    t.equal(sorted(path.name for path in source.iterdir()), before, "and stays as it was")
    t.check(not (folder / "result").exists(), "--json alone leaves no folder")
    with open(source / "main.c", "a", encoding="utf-8") as file:
        file.write("#error changed\n")
    done = run("--source", source, "-o", "broken", "job.yaml")
    line = lines_of(folder / "broken")[0]
    t.equal((done.returncode, line["outcome"], line["reason"], line["metrics"]),
            (7, "failed", "build-failed", {}), "a folder that changed is built anew, and may fail")
    t.check("#error" in (folder / "broken/raw/1/build.log").read_text(encoding="utf-8"),
            "the log of the build is there")


def runs_commands(t, folder, run):
    job = belt.ROOT / "jobs" / "command" / "job.yaml"
    done = run("-p", "command=sleep 0.2", "-o", "command", job)
    elapsed = lines_of(folder / "command")[0]["metrics"]["elapsed"]
    t.check(done.returncode == 0 and 0.2 <= elapsed < 5, "any command is timed", done.stderr)
    done = run("-p", "command=exit 3", "-o", "failed", job)
    t.equal((done.returncode, lines_of(folder / "failed")[0]["reason"]), (7, "exit-status"),
            "one that fails has no time")
    done = run("-o", "command", job)
    t.check(done.returncode == 6 and "--output" in done.stderr, "a folder with results is not mixed up",
            done.stderr)


def runs_variants(t, folder, run):
    (folder / "matrix.yaml").write_text(
        "name: matrix\nsummary: variants\nparams:\n  share: [50%, 100%]\n  mode: fast\n"
        "run: 'echo \"share: $PARAM_share\"'\n"
        "metrics:\n  - {name: share, unit: cpus, better: higher, headline: true, lines: share}\n",
        encoding="utf-8")
    done = run("-o", "matrix", "matrix.yaml")
    nr_cpus = len(os.sched_getaffinity(0))
    shares = {name: lines_of(folder / "matrix" / f"share={name}")[0]["metrics"]["share"]
              for name in ("50%", "100%")}
    t.equal((done.returncode, shares), (0, {"50%": (nr_cpus + 1) // 2, "100%": nr_cpus}),
            "each variant has a folder; percentages are processors")
    params = json.loads((folder / "matrix/share=50%/result.json").read_text(encoding="utf-8"))["params"]
    t.equal(params, {"share": "50%", "mode": "fast"}, "the result keeps what the job file said")
    done = run("-p", "share=200%", "--json", "matrix.yaml")
    t.equal(json.loads(done.stdout)["params"]["share"], "200%", "-p chooses a value")
    for args, code, part in ((["-p", "shore=1", "matrix.yaml"], 9, "'shore=1'"),
                             (["absent.yaml"], 3, "absent.yaml"),
                             (["--commit", "x", "matrix.yaml"], 2, "--repo"),
                             ([], 2, "job file"),
                             (["--repo", str(folder), "--commit", "x", "matrix.yaml"], None, str(folder))):
        done = run(*args)
        t.check(done.returncode == code or (code is None and done.returncode != 0), f"refused: {args}",
                f"exit {done.returncode}: {done.stderr}")
        t.check(part in done.stderr, f"with words: {part}", done.stderr)


def ends_on_interrupt(t, folder, run):
    (folder / "hang.yaml").write_text(
        "name: hang\nsummary: hangs\nparams: {mark: x}\n"
        "run: 'echo $$ >\"$PARAM_mark\"; trap \"\" INT; sleep 600'\n"
        "metrics:\n  - {name: a, unit: s, better: lower, headline: true, lines: a}\n", encoding="utf-8")
    mark = folder / "mark"
    process = subprocess.Popen([PROGRAM, "run", "-p", f"mark={mark}", "-n", "3", "-o", "hang", "hang.yaml"],
                               cwd=folder, env=run.env, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not (mark.exists() and mark.read_text(encoding="utf-8")):
        time.sleep(0.02)
    pid = int(mark.read_text(encoding="utf-8"))
    process.send_signal(signal.SIGINT)
    t.equal(process.wait(30), 130, "an interrupt ends it")
    t.check(not pathlib.Path(f"/proc/{pid}").exists(), "and what it ran")
    t.equal([line["reason"] for line in lines_of(folder / "hang")], ["cancelled"], "with a line that says so")


def main():
    t = tap.Tap()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="patchmeter-offline-"))
    try:
        run = Runner(folder)
        for case in (measures_commits, measures_folders, runs_commands, runs_variants, ends_on_interrupt):
            case(t, folder, run)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return t.end()


if __name__ == "__main__":
    sys.exit(main())
