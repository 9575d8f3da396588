#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line on a real daemon: a tree is added, tested, looked at, and asked for in vain.

tests/golden/online.py has the details of exit codes, terminals and cuts.
"""
import email
import email.policy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap

PROGRAM = str(belt.BUILD / "cli" / "patchmeter")


class Cli:
    def __init__(self, daemon):
        self.env = {**os.environ, "NO_COLOR": "1",
                    "PATCHMETER_CONFIG": str(daemon.folder / "patchmeterd.conf")}
        self.data = str(daemon.data)

    def run(self, *args, server=True):
        where = ["--data", self.data] if server else []
        return subprocess.run([PROGRAM, *args, *where], capture_output=True, text=True, check=False,
                              timeout=120, env=self.env)

    def json(self, *args):
        return json.loads(self.run(*args, "--json").stdout)

    def start(self, *args):
        return subprocess.Popen([PROGRAM, *args, "--data", self.data], stdout=subprocess.PIPE,
                                text=True, env=self.env)


def numbers(document, array, member):
    return [element[member] for element in document[array]]


def add_a_tree(t, cli, daemon, repo):
    done = cli.run("tree", "add", "second", "--url", str(repo.path), "--branch", "topic/*", "--job", "fake",
                   server=False)
    t.equal((done.returncode, done.stdout), (0, ""), "a tree is added")
    daemon.wait("the daemon to see it", lambda: "second" in numbers(
        cli.json("ls", "repositories"), "repositories", "name"))
    t.check("second" in cli.run("ls", "repositories").stdout, "the running daemon takes it up by itself")


def follow(t, cli, daemon, repo):
    """A log is waited for from before the run begins; gives what the other steps look at."""
    repo.branch("work")
    commits = {name: repo.commit(name) for name in ("slow", "broken", "mended")}
    repo.git("branch", "topic/stack")
    slow = (1.1, 1.1)
    model = belt.Model({commits["slow"]: slow, commits["mended"]: slow}, broken=[commits["broken"]])
    daemon.wait("builds to wait", lambda: daemon.database.one("SELECT id FROM run WHERE state = 'queued'"))
    builds = dict(daemon.database.sql("""SELECT m.subject, r.id FROM run r JOIN commit m ON m.id = r.commit_id
                                         WHERE r.kind = 'build'"""))
    early = cli.run("log", builds["slow"])
    t.check(early.returncode == 3 and "is queued and has no log" in early.stderr,
            "a log that is not there yet is nothing found", early)
    good = cli.start("log", "-f", builds["slow"])
    bad = cli.start("log", "-f", "run:" + builds["broken"])
    with belt.FakeWorker(daemon, model):
        daemon.wait_for_stack("topic/stack")
        daemon.wait("the mail", daemon.mails)
        daemon.wait("the look at all runs", lambda: daemon.database.one(
            "SELECT count(*) FROM run WHERE state IN ('queued', 'leased', 'finished')") == "0")
    t.equal((good.communicate(timeout=60)[0], good.returncode), ("cc -o bench\n", 0),
            "a log is followed until its run is done")
    t.equal((bad.communicate(timeout=60)[0], bad.returncode),
            ("file.c:1: error: expected ';'\n", 7), "a failed run is exit status 7")
    return commits


def look_around(t, cli, commits):
    status = cli.run("status")
    t.check(status.returncode == 0 and "fake-1" in status.stdout and "last 24 hours" in status.stdout,
            "status has the machine and the last day", status)
    for what, words in (("series", ("second", "topic/stack", "mended")), ("machines", ("fake-1",)),
                        ("runs", ("measure", "build", "failed", "fake-1")), ("mails", ("regression", "written")),
                        ("repositories", ("second", "topic/*"))):
        done = cli.run("ls", what)
        t.check(done.returncode == 0 and all(word in done.stdout for word in words),
                f"ls {what}", done)
    t.equal(len(cli.json("ls", "runs", "--state", "failed")["runs"]), 1, "ls runs --state failed has the one")
    ids = numbers(cli.json("ls", "series", "--tree", "second"), "series", "id")
    t.equal(len(ids), 1, "ls series --tree NAME has the one of this tree")
    series = cli.run("show", f"series:{ids[0]}").stdout
    t.check("worse +" in series and "build failed" in series and commits["slow"][:10] in series,
            "a series shows the verdict of each commit, or why there is none", series)
    done = cli.run("show", commits["slow"][:9])
    t.check(done.returncode == 0 and commits["slow"] in done.stdout and "worse" in done.stdout,
            "a commit is found by the beginning of its name", done)
    machine = cli.run("show", "machine:fake-1")
    t.check(machine.returncode == 0 and "epoch" in machine.stdout, "a machine shows its epochs", machine)
    return ids[0]


def read_a_mail(t, cli, daemon):
    ids = numbers(cli.json("ls", "mails"), "mails", "id")
    shown = cli.run("show", f"mail:{ids[0]}").stdout
    (text,) = daemon.mails().values()
    message = email.message_from_string(text, policy=email.policy.default)
    t.check(message.get_content().strip() in shown, "a mail is shown as it is", shown)
    t.check("author@example.org" in shown and "author of the commit" in shown,
            "with its recipients, and why each")


def read_a_run(t, cli, daemon, commits):
    run = daemon.database.one(f"""SELECT r.id FROM run r JOIN commit m ON m.id = r.commit_id
        WHERE m.oid = '{commits["slow"]}' AND r.kind = 'measure' AND r.state = 'done' ORDER BY r.id LIMIT 1""")
    shown = cli.run("show", f"run:{run}")
    t.check(shown.returncode == 0 and "fake.work_time" in shown.stdout and "stdout" in shown.stdout,
            "a run shows metrics and files", shown)
    log = cli.run("log", run).stdout
    t.check(log.startswith("work_time: ") and log.count("\n") == 2, "its log is what it printed", log)
    t.equal((cli.run("log", run, "--file", "stderr").returncode, cli.run("log", run, "--file", "stderr").stdout),
            (0, ""), "an empty file is no failure")
    script = cli.run("reproduce", run).stdout
    checked = subprocess.run(["sh", "-n"], input=script, text=True, check=False, capture_output=True)
    t.check(checked.returncode == 0 and commits["slow"] in script, "the script is one, and names the commit",
            script)
    page = json.loads(daemon.get(f"/api/v1/runs/{run}")[1])
    t.equal(cli.json("show", f"run:{run}"), page, "--json is the document of the page")


def compare(t, cli, daemon, commits, series):
    base = daemon.database.one("SELECT oid FROM commit WHERE subject = 'other base'")
    done = cli.run("compare", base, commits["slow"])
    t.check(done.returncode == 0 and "work_time" in done.stdout and "+10" in done.stdout,
            "two commits are compared by their ids", done)
    t.equal(cli.run("compare", "--exit-code", base, commits["slow"]).returncode, 1,
            "--exit-code is 1 for a regression")
    for name, operands in (("series:N has its ends", (f"series:{series}",)),
                           ("TREE:BRANCH is where the branch stands", (base, "second:topic/stack")),
                           ("series:N among others is its tip", (base, f"series:{series}"))):
        done = cli.run("compare", "--format", "lkp", *operands)
        t.check(done.returncode == 0 and "%stddev" in done.stdout and commits["mended"][:10] in done.stdout,
                name, done)
    document = cli.json("compare", base, commits["slow"])
    t.equal(document["head"]["commit"], commits["slow"], "--json is the document of the page of two commits")
    never = cli.run("compare", commits["broken"], commits["mended"])
    t.check(never.returncode == 3 and "not measured side by side" in never.stderr,
            "what was not measured side by side is nothing comparable", never)
    gone = cli.run("compare", base, "second:topic/gone")
    t.check(gone.returncode == 3 and "no such branch" in gone.stderr, "nor is a branch that is not there", gone)


def ask_in_vain(t, cli, daemon):
    for args, code in ((("show", "run:999999"), 3), (("show", "0123456789abcdef"), 3),
                       (("show", "series:999999"), 3), (("show", "machine:nobody"), 3), (("log", "999999"), 3),
                       (("reproduce", "999999"), 3), (("ls", "series", "--state", "odd"), 2),
                       (("ls", "machines", "--state", "idle"), 2)):
        done = cli.run(*args)
        t.check(done.returncode == code and done.stdout == "" and done.stderr.startswith("patchmeter "),
                f"{' '.join(args)} is {code}", done)
    address = daemon.url
    daemon.stop()
    done = cli.run("status", "--server", address, server=False)
    t.check(done.returncode == 4 and done.stdout == "", "a daemon that is away is 4", done)


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        first = belt.Repo(pathlib.Path(folder) / "first")
        first.commit("base")
        second = belt.Repo(pathlib.Path(folder) / "second")
        second.commit("other base")
        with belt.Daemon(cluster.database("belt"), first) as daemon:
            cli = Cli(daemon)
            t.check(cli.run("ls", "series").returncode == 3, "an empty list is nothing found")
            add_a_tree(t, cli, daemon, second)
            commits = follow(t, cli, daemon, second)
            series = look_around(t, cli, commits)
            read_a_mail(t, cli, daemon)
            read_a_run(t, cli, daemon, commits)
            compare(t, cli, daemon, commits, series)
            ask_in_vain(t, cli, daemon)
    return t.end()


sys.exit(main())
