# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole belt for a test: a git repository, the real daemon, workers that pretend to measure.

    with pg.Cluster() as cluster, belt.Daemon(cluster.database("belt"), repo) as daemon:
        with belt.FakeWorker(daemon, model):
            mail = daemon.wait_for_mail()

The daemon, its database and git are the real ones.  A fake worker speaks the real protocol and
uploads the output that its model makes up for a commit; nothing is built.
"""
import hashlib
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("PATCHMETER_BUILD", ROOT / "build"))
JOBS = ROOT / "tests" / "fixtures" / "jobs"
GIT_ENV = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
           "GIT_AUTHOR_NAME": "Test Author", "GIT_AUTHOR_EMAIL": "author@example.org",
           "GIT_COMMITTER_NAME": "Test Author", "GIT_COMMITTER_EMAIL": "author@example.org",
           "LC_ALL": "C.UTF-8"}


class Repo:
    """A git repository under a temporary folder; every commit has a fixed date, so equal ids."""

    def __init__(self, folder):
        self.path = pathlib.Path(folder)
        self.clock = 1700000000
        self.git("init", "-q", "-b", "main", str(self.path))

    def git(self, *args, **more):
        env = dict(GIT_ENV, GIT_AUTHOR_DATE=f"{self.clock} +0000",
                   GIT_COMMITTER_DATE=f"{self.clock} +0000")
        cwd = self.path if self.path.exists() else None
        done = subprocess.run(["git", *args], cwd=cwd, env=env, check=True, capture_output=True, **more)
        return done.stdout.decode(errors="replace").strip()

    def commit(self, subject, text=None):
        """A commit that changes one file; its id."""
        self.clock += 60
        (self.path / "file").write_text(text or subject + "\n", encoding="utf-8")
        self.git("add", "file")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")

    def branch(self, name, start="main"):
        self.git("checkout", "-q", "-B", name, start)

    def line(self, ref, start, nr, name, is_apart=False):
        """A line of commits, much faster than one by one; each of a file of its own, or all of one."""
        text = []
        for number in range(nr):
            message = f"{name} {number}"
            file = message.replace(" ", "-") if is_apart else "file"
            text.append(f"commit {ref}\ncommitter A <author@example.org> {1600000000 + number} +0000\n"
                        f"data {len(message)}\n{message}\n"
                        + (f"from {start}\n" if number == 0 and start else "")
                        + f"M 100644 inline {file}\ndata {len(message)}\n{message}\n")
        self.git("fast-import", "--quiet", "--force", input="\n".join(text).encode())


def get(url, path):
    """Status and body of a page."""
    where = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=30)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


class Daemon:
    """`job` names those of the tree "test", `more` is appended to the configuration."""

    def __init__(self, database, repo, folder=None, more="", args=(), jobs=JOBS, job=("fake",)):
        self.database = database
        self.repo = repo
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="patchmeter-belt-", dir="/var/tmp"))
        self.is_ours = folder is None
        self.data = self.folder / "data"
        self.more = more
        self.args = list(args)
        self.jobs = jobs
        self.job = job
        self.process = None

    def __enter__(self):
        self.write_config()
        self.migrate()
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        if self.is_ours:
            shutil.rmtree(self.folder, ignore_errors=True)

    def write_config(self):
        self.folder.mkdir(exist_ok=True)
        self.data.mkdir(exist_ok=True)
        (self.folder / "patchmeterd.conf").write_text(f"""
[daemon]
	listen = 127.0.0.1:0
	database = {self.database.conninfo}
	data = {self.data}
	jobs = {self.jobs}
	poll = 1s
[tree "test"]
	url = {self.repo.path}
	base = main
	branch = topic/*
{"".join(f"	job = {name}" + chr(10) for name in self.job)}
{self.more}
""", encoding="utf-8")

    def command(self, *args):
        return [str(BUILD / "daemon" / "patchmeterd"), "--config", str(self.folder / "patchmeterd.conf"),
                *self.args, *args]

    def migrate(self):
        subprocess.run(self.command("admin", "migrate"), check=True, capture_output=True)

    def start(self, crash=None):
        env = dict(os.environ)
        env.pop("PATCHMETER_CRASH", None)
        if crash:
            env["PATCHMETER_CRASH"] = crash
        (self.data / "url").unlink(missing_ok=True)
        with open(self.folder / "log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command(), env=env, stderr=log, stdout=log)
        deadline = time.monotonic() + 60
        while not (self.data / "url").exists():
            if self.process.poll() is not None:
                if crash and self.process.returncode == -signal.SIGKILL:
                    return
                raise RuntimeError(f"the daemon ended with {self.process.returncode}:\n{self.log()}")
            if time.monotonic() > deadline:
                raise RuntimeError(f"the daemon is not ready:\n{self.log()}")
            time.sleep(0.01)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise RuntimeError(f"the daemon did not stop:\n{self.log()}") from None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def is_alive(self):
        return self.process is not None and self.process.poll() is None

    def log(self, length=8000):
        """The end of it."""
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")[-length:]

    @property
    def url(self):
        return (self.data / "url").read_text(encoding="utf-8").strip()

    @property
    def token(self):
        return (self.data / "worker.token").read_text(encoding="utf-8").strip()

    def get(self, path):
        return get(self.url, path)

    def mails(self):
        """The finished mails in the outbox, by name."""
        return {path.name: text_of(path.read_bytes())
                for path in sorted((self.data / "outbox").glob("*.eml"))}

    def wait(self, what, is_true, seconds=60):
        deadline = time.monotonic() + seconds
        while True:
            result = is_true()
            if result:
                return result
            if time.monotonic() > deadline:
                raise RuntimeError(f"waited {seconds} s in vain for {what}\n{self.state()}\n{self.log()}")
            if self.process and self.process.poll() not in (None, 0, -signal.SIGKILL):
                raise RuntimeError(f"the daemon ended with {self.process.returncode}:\n{self.log()}")
            time.sleep(0.05)

    def is_told(self):
        """Whether every finding has its mail in the outbox; one statement, so one moment."""
        return self.database.one("""SELECT NOT EXISTS (SELECT FROM finding WHERE state = 'new')
            AND NOT EXISTS (SELECT FROM mail WHERE state = 'drafted')""") == "t"

    def wait_for_stack(self, ref, state="done", seconds=60):
        return self.wait(f"stack of {ref} to be {state}", lambda: self.database.one(
            f"SELECT id FROM stack WHERE ref = '{ref}' AND state = '{state}' ORDER BY id DESC LIMIT 1"),
            seconds)

    def state(self):
        tables = ("SELECT 'stack', ref, state, reason FROM stack",
                  "SELECT 'run', kind, state, reason, count(*) FROM run GROUP BY 1, 2, 3, 4",
                  "SELECT 'comparison', state, look, reason, count(*) FROM comparison GROUP BY 1, 2, 3, 4",
                  "SELECT 'finding', id, kind, state FROM finding",
                  "SELECT 'mail', id, state, reason FROM mail")
        return "\n".join(str(row) for table in tables for row in self.database.sql(table))


class Worker:
    """The real worker, which builds and measures."""

    def __init__(self, daemon, name="real-1", args=()):
        self.belt = daemon
        self.name = name
        self.args = list(args)
        self.folder = daemon.folder / name
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        with open(self.folder.with_suffix(".log"), "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [str(BUILD / "workers" / "patchmeter-worker"), "--server", self.belt.url, "--token-file",
                 str(self.belt.data / "worker.token"), "--state", str(self.folder), "--name", self.name,
                 "--settle", "0", *self.args], stdout=log, stderr=log)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise RuntimeError(f"the worker did not stop:\n{self.log()}") from None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def log(self):
        return self.folder.with_suffix(".log").read_text(encoding="utf-8", errors="replace")[-8000:]

    def nr_left(self):
        """How many processes of its jobs are alive."""
        mark = f"PATCHMETER_OUT={self.folder}/".encode()
        nr = 0
        for environ in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                nr += mark in environ.read_bytes()
            except OSError:
                pass
        return nr


def text_of(mail):
    """A mail is written in the smallest charset that holds it: a table's +- alone makes it Latin-1."""
    is_latin = b"charset=iso-8859-1" in mail.split(b"\n\n", maxsplit=1)[0].lower()
    return mail.decode("latin-1" if is_latin else "utf-8")


class LeaseLost(Exception):
    pass


class FakeWorker(threading.Thread):
    """A worker without a machine.  `model(lease)` gives what comes of a lease; it must be a function
    of its arguments alone, so that a repeated run gives what the lost one would have.

    With `with` it works by itself; else a test does each step: enrol(), take(), beat(), finish()."""

    def __init__(self, daemon, model, name="fake-1", instance=None):
        super().__init__(daemon=True)
        self.belt = daemon
        self.model = model
        self.machine = name
        self.who = {"instance": instance} if instance else {}
        self.is_over = threading.Event()
        self.fault = None
        self.nr_runs = 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.join(40)
        if self.fault:
            raise self.fault

    def call(self, method, path, body=None, headers=None):
        """Status, headers and body; tries again while the daemon is away."""
        while True:
            try:
                where = urllib.parse.urlsplit(self.belt.url)
                connection = http.client.HTTPConnection(where.hostname, where.port, timeout=40)
                connection.request(method, path, body=body, headers={
                    "Authorization": f"Bearer {self.belt.token}", "Patchmeter-Protocol": "1",
                    **({"Content-Type": "application/json"} if isinstance(body, str) else {}),
                    **(headers or {})})
                answer = connection.getresponse()
                text = answer.read()
                connection.close()
                if answer.status not in (500, 502, 503, 504):
                    return answer.status, text
            except (OSError, http.client.HTTPException, ValueError):
                pass
            if self.is_over.is_set():
                raise LeaseLost("the test is over")
            time.sleep(0.02)

    def post(self, path, document):
        status, text = self.call("POST", path, json.dumps(document))
        if status == 409:
            raise LeaseLost(text)
        if status not in (200, 204):
            raise RuntimeError(f"POST {path}: {status} {text!r}")
        return json.loads(text) if text else None

    def enrol(self, cpu="fake"):
        self.post("/api/v1/worker/join", {
            "protocol": 1, "name": self.machine, "group": "default",
            "fingerprint": {"lasting": {"cpu": cpu}}, **self.who})

    def take(self, wait_s=20):
        """A lease, or None."""
        return self.post("/api/v1/worker/lease",
                         {"machine": self.machine, "boot_id": "boot", "wait_s": wait_s, **self.who})

    def beat(self, lease):
        return self.post(f"/api/v1/lease/{lease['lease']}/beat", {"secret": lease["secret"], "phase": "run"})

    def run(self):
        try:
            self.enrol()
            while not self.is_over.is_set():
                try:
                    self.work()
                except LeaseLost:
                    continue
        except LeaseLost:
            pass
        except BaseException as fault:  # told to the test in __exit__
            self.fault = fault

    def work(self):
        lease = self.take(1)
        if lease:
            self.nr_runs += 1
            self.finish(lease, self.model(lease))

    def put(self, lease, name, content):
        digest = hashlib.sha256(content).hexdigest()
        status, text = self.call("PUT", f"/api/v1/lease/{lease['lease']}/file/{name}", content, {
            "Patchmeter-Lease-Secret": lease["secret"], "Patchmeter-SHA256": digest,
            "Content-Length": str(len(content))})
        if status == 409:
            raise LeaseLost(text)
        if status >= 300:
            raise RuntimeError(f"PUT {name}: {status} {text!r}")
        return {"name": name, "size": len(content), "sha256": digest}

    def finish(self, lease, result):
        files = [self.put(lease, name, content) for name, content in result.pop("files", {}).items()]
        message = {"secret": lease["secret"], "outcome": "ok", "exit_code": 0,
                   "boot_id": f"boot/{lease['run']}", "files": files}
        message.update(result)
        return self.post(f"/api/v1/lease/{lease['lease']}/finish", message)


def build_result(commit, is_broken=False, artefact=None):
    """What a worker says of a build."""
    if is_broken:
        return {"outcome": "failed", "reason": "build-failed", "detail": "make: exit status 2",
                "exit_code": 2, "files": {"build.log": b"file.c:1: error: expected ';'\n"}}
    digest = artefact or hashlib.sha256(commit.encode()).hexdigest()
    return {"files": {"build.log": b"cc -o bench\n"},
            "build": {"key": hashlib.sha256(b"key" + commit.encode()).hexdigest(),
                      "artefact": digest, "toolchain": "cc fake", "is_cached": False, "wall_s": 0.5}}


def measure_result(time_s, instructions):
    """What a worker says of a run of tests/fixtures/jobs/fake."""
    text = f"work_time: {time_s:.6f}\nwork_instructions: {instructions}\n"
    return {"files": {"stdout": text.encode(), "stderr": b""},
            "usage": {"elapsed_s": time_s, "user_s": time_s, "system_s": 0.0, "minor_faults": 1,
                      "major_faults": 0, "voluntary_switches": 1, "involuntary_switches": 1,
                      "maxrss_kib": 1000}}


class Model:
    """Speeds by commit: {commit: (factor of time, factor of instructions)}; the rest is neutral.
    A key (commit, layout) is for one of its builds.  Noise of `cv` that depends on the commit, the
    block's order and the seed alone."""

    def __init__(self, factors, broken=(), same=None, cv=0.01, seed=1):
        self.factors = factors
        self.broken = set(broken)
        self.same = same or {}
        self.cv = cv
        self.seed = seed
        self.has_layouts = True  # a build with its code moved is other bytes

    def __call__(self, lease):
        commit = lease["commit"]
        if lease["kind"] == "build":
            twin = self.same.get(commit, commit)
            layout = f" {lease['layout']}" if lease["layout"] and self.has_layouts else ""
            return build_result(commit, not self.broken.isdisjoint({commit, (commit, lease["layout"])}),
                                hashlib.sha256(twin.encode() + layout.encode()).hexdigest())
        slow, work = self.factors.get((commit, lease["layout"])) or self.factors.get(commit, (1.0, 1.0))
        noise = random.Random(f"{self.seed} {commit} {self.noise_key(lease)}").gauss(0, self.cv)
        return measure_result(10 * slow * (1 + noise), round(1e6 * work))

    def noise_key(self, lease):
        return lease["run"]
