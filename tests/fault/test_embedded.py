#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeterd --embedded DIR`: a private PostgreSQL that starts, dies and comes back with all rows."""
import os
import pathlib
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap

PROGRAM = str(belt.BUILD / "daemon" / "patchmeterd")
IS_ROOT = os.geteuid() == 0
LIMIT_S = 60


class Embedded:
    """One folder and the daemon on it."""

    def __init__(self, folder, *args, user=None):
        self.folder = pathlib.Path(folder)
        self.args = ["--embedded", str(self.folder), "-c", "daemon.listen=127.0.0.1:0", "-c",
                     f"daemon.jobs={belt.JOBS}", *args]
        self.user = user
        self.process = None
        self.log = self.folder.with_suffix(".log")

    def start(self, is_waited_for=True):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([PROGRAM, *self.args], stdout=log, stderr=log, user=self.user)
        if is_waited_for:
            self.wait()
        return self

    def wait(self):
        deadline = time.monotonic() + LIMIT_S
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the daemon is not ready ({self.process.poll()}):\n{self.log.read_text()}")
            time.sleep(0.01)

    def run(self, *args):
        """For starts that fail: what it says, and its exit code."""
        return run([*self.args, *args], self.user)

    def stop(self):
        """How many seconds it took."""
        start = time.monotonic()
        self.process.terminate()
        status = self.process.wait(LIMIT_S)
        if status:
            raise RuntimeError(f"the daemon ended with {status}:\n{self.log.read_text()}")
        return time.monotonic() - start

    def is_ready(self):
        return (self.folder / "url").exists()

    @property
    def url(self):
        return (self.folder / "url").read_text(encoding="utf-8").strip()

    @property
    def token(self):
        return (self.folder / "worker.token").read_text(encoding="utf-8").strip()

    def get(self, path):
        return belt.get(self.url, path)

    def postmaster(self):
        return int((self.folder / "postgresql/data/postmaster.pid").read_text(encoding="utf-8").split()[0])

    def wait_for(self, is_true):
        deadline = time.monotonic() + LIMIT_S
        while not is_true(self.database()):
            if time.monotonic() > deadline:
                raise RuntimeError(self.log.read_text(encoding="utf-8"))
            time.sleep(0.05)

    def database(self):
        return pg.Database(self.folder / "postgresql/socket", "postgres")

    def end(self):
        """Whatever the test left running."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def run(args, user=None, **more):
    done = subprocess.run([PROGRAM, *args], capture_output=True, text=True, timeout=LIMIT_S, user=user,
                          check=False, **more)
    return done.stderr.strip(), done.returncode


def is_gone(pid):
    for _ in range(600):
        try:
            if pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


def first_start(t, daemon):
    daemon.start()
    owner = pathlib.Path(f"/proc/{daemon.postmaster()}").stat().st_uid
    t.equal(owner, pwd.getpwnam("postgres").pw_uid if IS_ROOT else os.geteuid(),
            "the server does not run as root" if IS_ROOT else "the server runs as us")
    t.equal(daemon.get("/readyz")[0], 200, "the daemon is ready once its url is there")
    token = daemon.folder / "worker.token"
    t.equal(stat.S_IMODE(token.stat().st_mode), 0o600, "the worker's token is for us alone")
    t.check(token.read_text(encoding="utf-8").strip() not in
            subprocess.run([pg.programs() + "/pg_dump", daemon.database().conninfo], capture_output=True, text=True,
                           check=True).stdout, "and is not in the database")
    t.equal(stat.S_IMODE((daemon.folder / "postgresql/socket").stat().st_mode), 0o700,
            "nobody else reaches the server's socket")
    daemon.database().sql("INSERT INTO event (at, kind, detail) VALUES (belt_now(), 'test', 'kept')")


def second_daemon(t, daemon):
    said, status = daemon.run()
    t.check("another daemon uses the folder" in said and status == 6, "a second daemon on the folder refuses",
            (said, status))
    t.check(daemon.is_ready() and daemon.get("/readyz")[0] == 200, "and does not disturb the first one")


def stops_in_time(t, daemon):
    """F37, with a worker that waits and a repository that never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        config = daemon.folder.with_suffix(".conf")
        config.write_text(f'[tree "deaf"]\n\turl = git://127.0.0.1:{port}/x\n\tbranch = *\n\tjob = fake\n',
                          encoding="utf-8")
        daemon.stop()
        hung = Embedded(daemon.folder, "--config", str(config)).start()
        silent.settimeout(LIMIT_S)
        connection, _ = silent.accept()
        with belt.FakeWorker(hung, None) as worker:
            hung_up = hung.postmaster()
            hung.wait_for(lambda db: db.one("SELECT count(*) FROM machine") == "1")
            took_s = hung.stop()
            worker.is_over.set()
        connection.close()
    t.check(took_s < 10, "SIGTERM ends it within ten seconds, whatever it waits for", took_s)
    t.check(is_gone(hung_up), "and its server with it")
    t.check(not hung.is_ready(), "and its url is gone")


def kept(daemon):
    return daemon.database().one("SELECT count(*) FROM event WHERE detail = 'kept'")


def daemon_killed(t, daemon):
    daemon.start()
    old_url = daemon.url
    daemon.process.kill()
    daemon.process.wait()
    daemon.start(is_waited_for=False)
    seen = [old_url]
    deadline = time.monotonic() + LIMIT_S
    while (seen[-1] in (old_url, None)) and time.monotonic() < deadline:
        try:
            now = daemon.url
        except FileNotFoundError:
            now = None
        if now != seen[-1]:
            seen.append(now)
    t.check(len(seen) == 3 and seen[1] is None, "after kill -9 the old url is gone before the new one is ready", seen)
    t.equal(kept(daemon), "1", "and the next start has all rows")


def server_killed(t, daemon):
    postmaster = daemon.postmaster()
    os.kill(postmaster, signal.SIGKILL)
    status = daemon.process.wait(LIMIT_S)
    said = daemon.log.read_text(encoding="utf-8").strip().splitlines()[-1]
    t.check(status not in (0, 1) and said.startswith("patchmeterd: the embedded database died"),
            "a daemon whose server was killed says so and ends", (status, said))
    daemon.start()
    t.equal(kept(daemon), "1", "the next start recovers with all rows")


def all_killed(t, daemon):
    """As by the out-of-memory killer; twice, since the old server's children take their time to notice."""
    for _ in range(2):
        postmaster = daemon.postmaster()
        keeper = int(pathlib.Path(f"/proc/{postmaster}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
        for pid in (daemon.process.pid, keeper, postmaster):
            os.kill(pid, signal.SIGKILL)
        daemon.process.wait()
        (daemon.folder / "url").unlink()
        daemon.start()
    t.equal(kept(daemon), "1", "daemon and server killed together come back with all rows")


def stale_pid(t, daemon):
    """After a power cut the server's number may be anybody's."""
    daemon.stop()
    with subprocess.Popen(["sleep", "600"]) as other:
        file = daemon.folder / "postgresql/data/postmaster.pid"
        file.write_text(f"{other.pid}\n{daemon.folder}/postgresql/data\n0\n5432\n\n\n", encoding="utf-8")
        start = time.monotonic()
        daemon.start()
        t.check(time.monotonic() - start < LIMIT_S, "a stale postmaster.pid that names another process delays nothing")
        t.check(other.poll() is None, "and that process is left alone")
        other.kill()


def newer_schema(t, daemon):
    database = daemon.database()
    database.sql("INSERT INTO schema_version (version, name, hash) VALUES (9999, '9999_later', 'x')")
    before = database.sql("SELECT * FROM schema_version ORDER BY 1")
    daemon.stop()
    said, status = daemon.run()
    t.check("install the newer program" in said and status == 6, "a schema of a newer program is refused",
            (said, status))
    t.check(not daemon.is_ready(), "without an url")
    server = subprocess.Popen([pg.programs() + "/postgres", "-D", str(daemon.folder / "postgresql/data"), "-k",
                               str(daemon.folder / "postgresql/socket"), "-c", "listen_addresses="], cwd="/",
                              user=pwd.getpwnam("postgres").pw_uid if IS_ROOT else None, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            if subprocess.run([pg.programs() + "/pg_isready", "-q", "-h", daemon.folder / "postgresql/socket"],
                              check=False).returncode == 0:
                break
            time.sleep(0.05)
        t.equal(database.sql("SELECT * FROM schema_version ORDER BY 1"), before, "and without a change")
        database.sql("DELETE FROM schema_version WHERE version = 9999")
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(LIMIT_S)
    daemon.start()
    t.equal(kept(daemon), "1", "the right program goes on with it")
    daemon.stop()


def refusals(t, folder):
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    if IS_ROOT:
        said, status = Embedded(closed / "in").run()
        t.check(f"folder '{closed}' is closed to user 'postgres'" in said and status == 5,
                "a parent folder that is closed to the server's user is named", (said, status))
    said, status = Embedded(folder / "none").run("-c", "daemon.postgresql=/nonexistent")
    t.check("no PostgreSQL server in '/nonexistent'" in said and "install the package 'postgresql'" in said
            and status not in (0, 1), "where there is no server it says what to install", (said, status))
    said, status = Embedded(folder / "not" / "there").run()
    t.check(f"'{folder}/not/there'" in said and status not in (0, 1), "a folder that cannot be made is named",
            (said, status))
    said, status = Embedded(folder / ("long" * 20)).run()
    t.check("too long for a socket" in said and status == 9, "a folder too long for a socket is refused",
            (said, status))
    (folder / "file").write_text("", encoding="utf-8")
    said, status = Embedded(folder / "file").run()
    t.check(f"'{folder}/file/" in said and status not in (0, 1), "a file in place of the folder is named",
            (said, status))


def as_nobody(t, folder):
    nobody = pwd.getpwnam("nobody")
    promise = "another user than root has a server of its own"
    if not IS_ROOT:
        t.skip(promise, "only root can become another user")
        return
    if subprocess.run([PROGRAM, "--version"], user=nobody.pw_uid, capture_output=True, check=False).returncode:
        t.skip(promise, "the build folder is closed to 'nobody'")
        return
    home = folder / "home"
    home.mkdir()
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    daemon = Embedded(home / "data", user=nobody.pw_uid)
    daemon.log = folder / "nobody.log"
    try:
        daemon.start()
        t.equal((pathlib.Path(f"/proc/{daemon.postmaster()}").stat().st_uid, daemon.get("/readyz")[0]),
                (nobody.pw_uid, 200), promise)
        t.check(daemon.stop() < 10, "and ends as fast")
    finally:
        daemon.end()


def migrations(t, cluster):
    """An outer server is never migrated unasked; a killed migration leaves nothing."""
    database = cluster.database("migrated")
    args = ["-c", f"daemon.database={database.conninfo}", "-c", "daemon.listen=127.0.0.1:0", "-c",
            f"daemon.data={cluster.folder}/files"]
    count = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname <> 'schema_version'"
    said, status = run(args)
    t.check("run 'patchmeterd admin migrate'" in said and status == 6, "a database without a schema is refused",
            (said, status))
    t.equal(database.one(f"{count} AND relname NOT LIKE 'schema_version%'"), "0", "and not touched")
    _, status = run([*args, "admin", "migrate"], env=dict(os.environ, PATCHMETER_CRASH="migrate.before-commit:1"))
    t.equal((status, database.one(f"{count} AND relname NOT LIKE 'schema_version%'")), (-signal.SIGKILL, "0"),
            "a migration that is killed before its end leaves nothing")
    _, status = run([*args, "admin", "migrate"], env=dict(os.environ, PATCHMETER_CRASH="migrate.after-commit:1"))
    t.equal((status, database.one("SELECT count(*) FROM schema_version")), (-signal.SIGKILL, "1"),
            "one that is killed behind its end is done")
    t.equal(run([*args, "admin", "migrate"])[1], 0, "and goes on the next time")
    dump = [pg.programs() + "/pg_dump", database.conninfo]
    database.sql("UPDATE schema_version SET hash = 'x' WHERE version = 1")
    before = subprocess.run(dump, capture_output=True, check=True).stdout
    said, status = run(args)
    t.check("another build" in said and status == 6, "a schema of another build is refused", (said, status))
    versions = database.sql("SELECT version, name, hash FROM schema_version ORDER BY version")
    database.sql("DELETE FROM schema_version")
    said, status = run(args)
    t.check("schema version 0, this program needs" in said and "admin migrate" in said and status == 6,
            "an older schema is refused, and how to mend it is said", (said, status))
    for row in versions:
        database.sql("INSERT INTO schema_version (version, name, hash) VALUES ('{}', '{}', '{}')".format(*row))
    after = subprocess.run(dump, capture_output=True, check=True).stdout
    t.equal(len(after), len(before), "and no refusal changed the database")


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster:
        migrations(t, cluster)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        refusals(t, folder)
        as_nobody(t, folder)
        daemon = Embedded(folder / "data")
        try:
            for step in (first_start, second_daemon, stops_in_time, daemon_killed, server_killed, all_killed,
                         stale_pid, newer_schema):
                step(t, daemon)
        finally:
            daemon.end()
    return t.end()


sys.exit(main())
