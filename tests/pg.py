# SPDX-License-Identifier: GPL-2.0-or-later
"""A PostgreSQL cluster for one test: made, started, thrown away.

    with pg.Cluster() as cluster:
        db = cluster.database("belt")
        db.sql("SELECT 1")          # [["1"]]
        db.conninfo                 # for libpq

It lives under /var/tmp, since the server may run as another user than the test (as root it must),
listens on a socket in its own folder only, and does not sync: a test measures no disk.
Where PostgreSQL is not installed the test ends as skipped.
"""
import csv
import glob
import io
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time


def programs():
    """The folder of initdb and postgres, the newest that Debian has."""
    found = [path for path in glob.glob("/usr/lib/postgresql/*/bin")
             if os.path.exists(path + "/initdb")]
    if not found:
        print("SKIP: PostgreSQL's server is not installed (apt-get install postgresql)")
        sys.exit(77)
    return max(found, key=lambda path: int(re.search(r"/(\d+)/", path).group(1)))


class Database:
    def __init__(self, folder, name):
        self.name = name
        self.conninfo = f"host={folder} dbname={name} user=patchmeter"

    def sql(self, text):
        """Runs statements; the rows of the last one as lists of text."""
        done = subprocess.run([programs() + "/psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "--csv", "-t",
                               self.conninfo], input=text, text=True, capture_output=True,
                              check=False)
        if done.returncode:
            raise RuntimeError(f"{done.stderr.strip()}\n-- in --\n{text}")
        return list(csv.reader(io.StringIO(done.stdout)))

    def one(self, text):
        """The one value of the one row; None for no row."""
        rows = self.sql(text)
        return rows[0][0] if rows else None


class Cluster:
    def __init__(self, superuser="patchmeter"):
        self.bin = programs()
        self.superuser = superuser
        self.folder = tempfile.mkdtemp(prefix="patchmeter-pg-", dir="/var/tmp")
        self.user = None
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            self.user = owner.pw_uid
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        self.server = None

    def run(self, *command):
        subprocess.run(command, user=self.user, cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL, env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]})

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        self.run(self.bin + "/initdb", "-D", self.folder + "/data", "-A", "trust", "-U", self.superuser,
                 "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        self.serve()

    def serve(self):
        """Starts the server, or starts it again."""
        data = self.folder + "/data"
        options = {"listen_addresses": "", "unix_socket_directories": self.folder, "fsync": "off",
                   "full_page_writes": "off", "max_connections": "50", "shared_buffers": "32MB",
                   "logging_collector": "off", "autovacuum_naptime": "10min"}
        command = [self.bin + "/postgres", "-D", data]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        log = open(self.folder + "/log", "a", encoding="utf-8")
        self.server = subprocess.Popen(command, user=self.user, cwd=self.folder, stderr=log,
                                       stdout=log, env={"LC_ALL": "C.UTF-8"})
        log.close()
        for _ in range(300):
            if subprocess.run([self.bin + "/pg_isready", "-q", "-h", self.folder], check=False).returncode == 0:
                return
            if self.server.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(pathlib.Path(self.folder, "log").read_text(encoding="utf-8"))

    def stop(self, how=signal.SIGQUIT):
        """As a power cut would; SIGINT: in order."""
        self.server.send_signal(how)
        self.server.wait(20)

    def database(self, name, template="template1"):
        self.run(self.bin + "/createdb", "-h", self.folder, "-U", self.superuser, "-T", template, name)
        return Database(self.folder, name)

    def __exit__(self, *_):
        if self.server and self.server.poll() is None:
            try:
                self.stop(signal.SIGINT)
            except subprocess.TimeoutExpired:
                self.server.send_signal(signal.SIGQUIT)
                self.server.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)
