#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A real worker at a daemon that fails it: killed, frozen, starved, cut off, lied to."""
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
from fake_daemon import FakeDaemon

PROGRAM = str(belt.BUILD / "workers" / "patchmeter-worker")
LOSSES = ("fetch-failed", "lost")


class Worker:
    """The program in a state folder that outlives it."""

    def __init__(self, daemon, folder):
        self.daemon = daemon
        self.folder = pathlib.Path(folder)
        self.state = self.folder / "state"
        self.process = None
        token = self.folder / "token"
        token.write_text(daemon.token + "\n", encoding="utf-8")
        token.chmod(0o600)

    def start(self, *args):
        with open(self.folder / "log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "--server", self.daemon.url(), "--token-file", str(self.folder / "token"),
                 "--state", str(self.state), "--name", "box", "--group", "lab", "--settle", "0", *args],
                stderr=log, stdout=log, env={"PATH": os.environ["PATH"], "CANARY": "canary-4711"})
        return self

    def log(self):
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    def terminate(self, seconds=30):
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(seconds)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def family(self):
        """The worker and all below it."""
        return [self.process.pid, *descendants(self.process.pid)]


def parents():
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                    found[int(entry)] = int(file.read().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                pass
    return found


def descendants(pid):
    table = parents()
    found, row = [], [pid]
    while row:
        row = [child for child, parent in table.items() if parent in row]
        found += row
    return found


def named(pids, name):
    result = []
    for pid in pids:
        try:
            if pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip() == name:
                result.append(pid)
        except FileNotFoundError:
            pass
    return result


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


class Lab:
    """A repository, a daemon, a worker, for one case."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="patchmeter-worker-")
        self.repo = belt.Repo(pathlib.Path(self.folder) / "repo")
        self.commit = self.repo.commit("base", "one\n")
        self.daemon = FakeDaemon(self.repo.path)
        self.worker = None

    def __enter__(self):
        self.daemon.open()
        os.mkdir(f"{self.folder}/worker")
        self.worker = Worker(self.daemon, f"{self.folder}/worker")
        return self

    def __exit__(self, kind, *_):
        if self.worker.process and self.worker.process.poll() is None:
            self.worker.kill()
        if kind:
            print("# " + self.worker.log().replace("\n", "\n# "), flush=True)
        self.daemon.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def reason_of(run):
    return run.finish.get("reason")


def delivers(t):
    with Lab() as lab:
        lease = lab.daemon.offer(lab.commit, "cat made; echo \"speed: 1\"; echo oops >&2; env >&2",
                                 build="sed s/one/uno/ file >made; echo building", repeat=2)
        again = lab.daemon.offer(lab.commit, "cat made; echo \"speed: 1\"",
                                 build="sed s/one/uno/ file >made; echo building", repeat=2)
        lab.worker.start()
        run = lab.daemon.wait_finished(lease)
        finish = run.finish
        t.equal(finish["outcome"], "ok", "a lease is fetched, built, measured and delivered")
        t.equal(run.files.get("stdout.2"), b"uno\nspeed: 1\n", "with the raw output of each iteration")
        t.equal(run.files.get("build.log"), b"building\n", "and the log of the build")
        t.equal(sorted(f["name"] for f in finish["files"]), sorted(run.files), "all files are listed")
        t.check(finish["usage"]["elapsed_s"] > 0 and finish["build"]["key"] == run.lease["build_key"],
                "with usage and build", finish)
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
        t.equal(finish["boot_id"], f"{boot}/{run.lease['run']}", "the unit is the kernel's boot and the run")
        heard = run.files["stderr.1"].decode()
        t.check(lab.daemon.token not in heard and "canary" not in heard,
                "the job sees neither the token nor the worker's environment", heard)
        second = lab.daemon.wait_finished(again).finish
        t.check(second["build"]["is_cached"] and
                second["build"]["artefact"] == finish["build"]["artefact"],
                "the next run takes the build from the cache", second)
        t.equal(len(lab.daemon.joins), 1, "an unchanged machine joins once")
        t.check(wait_until(lambda: not os.listdir(lab.worker.state / "runs") and
                           not (lab.worker.state / "lease.json").exists()),
                "nothing of an acknowledged run stays behind")
        t.equal(lab.worker.terminate(5), 0, "an idle worker ends at once when asked to")


def builds_only(t):
    with Lab() as lab:
        lease = lab.daemon.offer(lab.commit, "echo never >ran", kind="build", build="cp file \"$PATCHMETER_OUT\"/")
        broken = lab.daemon.offer(lab.commit, "true", kind="build", build="echo file:1: wrong >&2; exit 2")
        odd = lab.daemon.offer(lab.commit, "true", retries=3)
        lab.worker.start()
        finish = lab.daemon.wait_finished(lease).finish
        t.check(finish["outcome"] == "ok" and "usage" not in finish and len(finish["build"]["artefact"]) == 64,
                "a build lease builds and measures nothing", finish)
        run = lab.daemon.wait_finished(broken)
        t.equal((reason_of(run), run.finish["exit_code"], run.files.get("build.log")),
                ("build-failed", 2, b"file:1: wrong\n"), "a build that fails is told with its log")
        t.equal(reason_of(lab.daemon.wait_finished(odd)), "setup-failed",
                "a recipe that it does not understand is given back")


def fetch_fails(t):
    with Lab() as lab:
        lab.daemon.broken_pack = 404
        first = lab.daemon.offer(lab.commit, "true")
        lab.worker.start()
        t.equal(reason_of(lab.daemon.wait_finished(first)), "fetch-failed", "a commit that is not to be had")
        lab.daemon.broken_pack = b"PACK" + bytes(100)
        second = lab.daemon.offer(lab.commit, "true")
        t.equal(reason_of(lab.daemon.wait_finished(second)), "fetch-failed", "a pack that is damaged")
        lab.daemon.broken_pack = None
        third = lab.daemon.offer(lab.commit, "cat file; echo \"speed: 1\"")
        run = lab.daemon.wait_finished(third)
        t.equal(run.files.get("stdout"), b"one\nspeed: 1\n", "neither leaves anything that spoils the next")


def resumes_uploads(t):
    size = 4000000
    with Lab() as lab:
        lab.daemon.cuts["stdout"] = [size * tenth // 10 for tenth in range(1, 10)]
        lease = lab.daemon.offer(lab.commit, f"head -c {size} /dev/urandom")
        lab.worker.start()
        run = lab.daemon.wait_finished(lease, 120)
        t.equal(len(run.files["stdout"]), size, "an upload cut nine times arrives whole")
        t.equal(lab.daemon.cuts["stdout"], [], "every cut was made")
        t.check(run.nr_bytes < 1.5 * size, "and is not sent from the start each time", run.nr_bytes)


def outlives_daemon(t):
    with Lab() as lab:
        lease = lab.daemon.offer(lab.commit, "sleep 2; echo \"speed: 1\"")
        lab.worker.start()
        lab.daemon.wait_phase(lease, "run")
        lab.daemon.close()
        time.sleep(4)
        lab.daemon.is_down = True
        lab.daemon.open()
        time.sleep(1)
        t.check(lab.daemon.runs[lease].finish is None, "a daemon that is away gets nothing")
        lab.daemon.is_down = False
        t.equal(lab.daemon.wait_finished(lease).finish["outcome"], "ok",
                "a run that ended meanwhile is delivered when it is back")


def obeys_verdicts(t):
    with Lab() as lab:
        lost = lab.daemon.offer(lab.commit, "sleep 600 & echo $! >\"$HOME\"/../../sleeper; wait")
        lab.worker.start()
        lab.daemon.wait_phase(lost, "run")
        sleeper = lab.worker.state / "sleeper"
        wait_until(lambda: sleeper.exists() and sleeper.read_text(encoding="utf-8"))
        pid = int(sleeper.read_text(encoding="utf-8"))
        lab.daemon.runs[lost].is_lost = True
        t.check(wait_until(lambda: not is_running(pid)), "a lost lease ends the job")
        cancelled = lab.daemon.offer(lab.commit, "sleep 600")
        lab.daemon.wait_phase(cancelled, "run")
        before = time.monotonic()
        lab.daemon.runs[cancelled].is_cancelled = True
        run = lab.daemon.wait_finished(cancelled)
        t.equal(reason_of(run), "cancelled", "a cancelled run says so")
        t.check(time.monotonic() - before < 5, "within seconds")
        t.check(lab.daemon.runs[lost].finish is None, "a lost run is dropped")
        good = lab.daemon.offer(lab.commit, "echo \"speed: 1\"")
        t.equal(lab.daemon.wait_finished(good).finish["outcome"], "ok", "and the worker goes on")


def stops_politely(t):
    """Practice case C39."""
    with Lab() as lab:
        lease = lab.daemon.offer(lab.commit, "sleep 3; echo \"speed: 1\"")
        lab.worker.start()
        lab.daemon.wait_phase(lease, "run")
        lab.daemon.offer(lab.commit, "echo \"speed: 2\"")
        asks = lab.daemon.nr_asks
        for pid in lab.worker.family():  # as a service manager does: all of the group
            if named([pid], "heart") or pid == lab.worker.process.pid:
                os.kill(pid, signal.SIGTERM)
        stopped = time.monotonic()
        t.equal(lab.worker.process.wait(30), 0, "SIGTERM lets the run end, then the worker")
        run = lab.daemon.runs[lease]
        t.check(run.finish and run.finish["outcome"] == "ok", "the run counts", run.finish)
        t.check(sum(when > stopped + 0.5 for when, _ in run.beats) >= 1, "beats went on", run.beats)
        t.equal(lab.daemon.nr_asks, asks, "no other lease was asked for")


def survives_kill(t):
    steps = {
        "build": dict(run="echo \"speed: 1\"", build="sleep 3"),
        "setup": dict(run="echo \"speed: 1\"", setup="sleep 3"),
        "run": dict(run="sleep 3; echo \"speed: 1\""),
        "teardown": dict(run="echo \"speed: 1\"", teardown="sleep 3"),
    }
    for phase, recipe in steps.items():
        with Lab() as lab:
            lease = lab.daemon.offer(lab.commit, **recipe)
            lab.worker.start()
            lab.daemon.wait_phase(lease, phase)
            family = lab.worker.family()
            lab.worker.kill()
            t.check(wait_until(lambda: not any(map(is_running, family))),
                    f"killed in {phase}: job, keeper and heart end with the worker")
            lab.worker.start()
            run = lab.daemon.wait_finished(lease)
            t.equal(reason_of(run), "lost", f"killed in {phase}: the next life gives the run back")
            good = lab.daemon.offer(lab.commit, "echo \"speed: 1\"")
            t.equal(lab.daemon.wait_finished(good).finish["outcome"], "ok",
                    f"killed in {phase}: and goes on")


def delivers_after_kill(t):
    with Lab() as lab:
        lab.daemon.cuts["stdout"] = [1000000]
        lab.daemon.is_down_after_cut = True
        lease = lab.daemon.offer(lab.commit, "head -c 3000000 /dev/zero")
        lab.worker.start()
        report = lab.worker.state / "runs" / str(lease) / "finish.json"
        lab.daemon.wait(lambda: not lab.daemon.cuts["stdout"], "the cut")
        lab.worker.kill()
        t.check(report.exists(), "a finished run is on the disk until it is delivered")
        lab.daemon.is_down = False
        lab.worker.start()
        run = lab.daemon.wait_finished(lease)
        t.equal((run.finish["outcome"], len(run.files["stdout"])), ("ok", 3000000),
                "killed while it uploads: the next life delivers")


def gives_back_what_does_not_pass(t):
    with Lab() as lab:
        lab.daemon.refused["stdout"] = 413
        lease = lab.daemon.offer(lab.commit, "echo \"speed: 1\"")
        lab.worker.start()
        run = lab.daemon.wait_finished(lease)
        t.equal((reason_of(run), run.finish.get("files")), ("output-too-large", []),
                "a file that the daemon refuses fails the run, and not in silence")
        lab.daemon.refused.clear()
        lab.daemon.cuts["stdout"] = [1]
        lab.daemon.is_down_after_cut = True
        lease = lab.daemon.offer(lab.commit, "echo \"speed: 1\"")
        lab.daemon.wait(lambda: not lab.daemon.cuts["stdout"], "the cut")
        lab.worker.kill()
        (lab.worker.state / "runs" / str(lease) / "stdout").unlink()
        lab.daemon.is_down = False
        lab.worker.start()
        t.equal(reason_of(lab.daemon.wait_finished(lease)), "lost", "a report that lost a file is given back")
        good = lab.daemon.offer(lab.commit, "echo \"speed: 1\"")
        t.equal(lab.daemon.wait_finished(good).finish["outcome"], "ok", "and the worker goes on")


def survives_freeze(t):
    with Lab() as lab:
        lease = lab.daemon.offer(lab.commit, "sleep 600")
        lab.worker.start()
        lab.daemon.wait_phase(lease, "run")
        family = lab.worker.family()
        for pid in family:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(2)
        lab.daemon.runs[lease].is_lost = True
        for pid in reversed(family):
            os.kill(pid, signal.SIGCONT)
        good = lab.daemon.offer(lab.commit, "echo \"speed: 1\"")
        t.equal(lab.daemon.wait_finished(good).finish["outcome"], "ok",
                "a worker that slept through its lease drops the run and goes on")
        t.check(lab.daemon.runs[lease].finish is None, "the run that it lost does not count")


def dies_with_heart(t):
    with Lab() as lab:
        lease = lab.daemon.offer(lab.commit, "sleep 600")
        lab.worker.start()
        lab.daemon.wait_phase(lease, "run")
        os.kill(named(lab.worker.family(), "heart")[0], signal.SIGKILL)
        t.equal(lab.worker.process.wait(30), 9, "without its heart a worker ends with an error")
        lab.worker.start()
        lab.daemon.wait_finished(lease)
        t.check(True, "and its next life ends the lease")


def survives_starvation(t):
    """Practice case C38."""
    nr_cpus = len(os.sched_getaffinity(0))
    spin = ("import os, time\n"
            f"for i in range({nr_cpus}):\n"
            "    if os.fork() == 0:\n"
            "        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))\n"
            "        end = time.monotonic() + 6\n"
            "        while time.monotonic() < end: pass\n"
            "        os._exit(0)\n"
            f"for i in range({nr_cpus}): os.wait()\n")
    try:
        policy = os.sched_getscheduler(0)
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, policy, os.sched_param(0))
    except PermissionError:
        t.skip("beats go on under real-time load", "not allowed to set real-time priority")
        return
    with Lab() as lab:
        path = pathlib.Path(lab.folder) / "spin.py"
        path.write_text(spin, encoding="utf-8")
        lease = lab.daemon.offer(lab.commit, f"/usr/bin/python3 {path}; echo \"speed: 1\"")
        lab.worker.start()
        lab.daemon.wait(lambda: lab.daemon.runs[lease].beats, "a beat")
        heart = named(lab.worker.family(), "heart")[0]
        locked = pathlib.Path(f"/proc/{heart}/status").read_text(encoding="utf-8").split("VmLck:")[1].split()[0]
        # AddressSanitizer makes mlockall() do nothing.
        is_locked = int(locked) > 0 or "libasan" in pathlib.Path(f"/proc/{heart}/maps").read_text(encoding="utf-8")
        t.check(os.sched_getscheduler(heart) == os.SCHED_FIFO and is_locked,
                "the heart has real-time priority and locked memory", locked)
        # This daemon starves with everybody else: it must be heard, too.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(60))
        try:
            run = lab.daemon.wait_finished(lease, 120)
        finally:
            os.sched_setscheduler(0, policy, os.sched_param(0))
        # from beat to beat, and from the last one to the end, however few there were
        times = [when for when, _ in run.beats] + [time.monotonic()]
        gap = max(b - a for a, b in zip(times, times[1:]))
        t.check(run.finish["outcome"] == "ok" and gap < lab.daemon.until_s,
                f"beats go on while real-time loops hog {nr_cpus} processors", f"largest gap {gap:.2f} s")


def guards_its_state(t):
    with Lab() as lab:
        lab.worker.start()
        lab.daemon.wait(lambda: lab.daemon.nr_asks, "the first ask")
        second = subprocess.run([PROGRAM, "--server", lab.daemon.url(), "--token-file",
                                 str(lab.worker.folder / "token"), "--state", str(lab.worker.state)],
                                capture_output=True, text=True, timeout=30, check=False)
        t.check(second.returncode == 6 and "another worker uses it" in second.stderr,
                "two workers cannot share a state folder", second.stderr)
        t.equal(lab.worker.terminate(), 0, "the first one does not mind")
        os.chmod(lab.worker.folder / "token", 0o644)
        open_token = subprocess.run([PROGRAM, "--server", lab.daemon.url(), "--token-file",
                                     str(lab.worker.folder / "token"), "--state", str(lab.worker.state)],
                                    capture_output=True, text=True, timeout=30, check=False)
        t.check(open_token.returncode == 5 and "chmod 600" in open_token.stderr,
                "a token that others can read is refused", open_token.stderr)
        os.chmod(lab.worker.folder / "token", 0o600)
        lab.daemon.token = "pm_another"
        t.equal(lab.worker.start().process.wait(30), 5, "a token that the daemon refuses ends the worker")
        t.check("pm_worker_token" not in lab.worker.log(), "no log holds the token")
        lab.daemon.token = "pm_worker_token"
        lease = lab.daemon.offer(lab.commit, "echo \"speed: 1\"")
        t.equal(lab.worker.start("--once").process.wait(60), 0, "--once ends after one lease")
        t.equal(lab.daemon.runs[lease].finish["outcome"], "ok", "which it did")


CASES = [delivers, builds_only, fetch_fails, resumes_uploads, outlives_daemon, obeys_verdicts,
         stops_politely, survives_kill, delivers_after_kill,
         gives_back_what_does_not_pass, survives_freeze, dies_with_heart,
         survives_starvation, guards_its_state]


def main():
    t = tap.Tap()
    for case in CASES:
        if len(sys.argv) == 1 or case.__name__ in sys.argv[1:]:
            try:
                case(t)
            except (TimeoutError, subprocess.TimeoutExpired, IndexError, ValueError) as error:
                t.check(False, f"{case.__name__} comes to its end", repr(error))
    return t.end()


if __name__ == "__main__":
    sys.exit(main())
