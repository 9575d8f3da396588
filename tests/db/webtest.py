# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of this folder share: the server under test, a client for it, and rows to start from."""
import csv
import hashlib
import http.client
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import pg

HOST = sys.argv[1] if len(sys.argv) > 1 else None


def main():
    """unittest.main() behind the program's path in argv."""
    del sys.argv[1:2]
    unittest.main(verbosity=2)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def oid(text):
    """A commit's name that a test can find again."""
    return hashlib.sha1(text.encode()).hexdigest()


def quote(text):
    """A text for SQL, whatever is in it."""
    return "'" + text.replace("'", "''") + "'"


class Session(pg.Database):
    """The same database through one psql that stays, for who says many statements."""
    END = "---- end of the answer ----"

    def __init__(self, db):
        self.name, self.conninfo = db.name, db.conninfo
        self.psql = subprocess.Popen(["psql", "-X", "-q", "--csv", "-t", "-v", "VERBOSITY=terse", self.conninfo],
                                     text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT)

    def sql(self, text):
        self.psql.stdin.write(f"{text}\n;\n\\echo {self.END}\n")
        self.psql.stdin.flush()
        lines = []
        while (line := self.psql.stdout.readline()) != self.END + "\n":
            if not line or line.startswith("ERROR:"):
                raise RuntimeError(f"{line}\n-- in --\n{text}")
            lines.append(line)
        return list(csv.reader(io.StringIO("".join(lines))))

    def close(self):
        self.psql.stdin.close()
        self.psql.stdout.close()
        self.psql.wait()


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class Server:
    """tests/db/host.c, with its own data folder."""

    def __init__(self, db, *options):
        self.db = db
        self.data = tempfile.mkdtemp(prefix="patchmeter-data-", dir="/var/tmp")
        self.process = subprocess.Popen([HOST, db.conninfo, self.data, *options], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the server did not start")
        self.port = int(line)

    def dispatch(self):
        self.process.stdin.write("dispatch\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "done\n":
            raise RuntimeError("dispatch failed")

    def call(self, method, path, body=None, token=None, headers=None, timeout=40):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        head = dict(headers or {})
        if token:
            head["Authorization"] = "Bearer " + token
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        try:
            try:
                connection.request(method, path, body=body, headers=head)
            except (BrokenPipeError, ConnectionResetError):
                pass  # it was answered before it was sent to its end
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def close(self):
        """The exit status; the data folder stays until it is 0."""
        self.process.stdin.close()
        status = self.process.wait(20)
        self.process.stdout.close()
        shutil.rmtree(self.data, ignore_errors=True)
        return status


class World:
    """A repository with a stack of commits, a cell, builds: rows as the stages make them."""

    def __init__(self, db):
        self.db = db
        self.nr = 0

    def token(self, scope="worker"):
        self.nr += 1
        token = f"pm_{scope}_{self.nr}_" + oid(f"{scope}{self.nr}")
        self.db.sql(f"""INSERT INTO token (hash, scope, note, created)
            VALUES ('\\x{sha256(token.encode())}', '{scope}', 'test', belt_now())""")
        return token

    def repository(self, name="tree"):
        return int(self.db.one(f"""INSERT INTO repository
            (name, url, base, branches, jobs, machine_group, budget_s, mail)
            VALUES ({quote(name)}, 'file:///srv/tree.git', 'main', '{{topic/*}}', '{{bench}}', 'box', 36000, 'dry-run')
            RETURNING id"""))

    def commit(self, name, subject=None, author="A U Thor", email="author@example.org"):
        return int(self.db.one(f"""INSERT INTO commit
            (oid, author_name, author_email, author_time, subject, message, is_merge, is_docs_only)
            VALUES ('{oid(name)}', {quote(author)}, {quote(email)}, '2026-01-02 03:04:05+00',
            {quote(subject or name)}, {quote(subject or name)}, false, false)
            ON CONFLICT (oid) DO UPDATE SET subject = EXCLUDED.subject RETURNING id"""))

    def stack(self, repository, commits, ref="topic/x", version=1, state="measuring"):
        stack = int(self.db.one(f"""INSERT INTO stack
            (repository_id, ref, version, base_id, tip_id, nr_commits, is_ends_only, state, created)
            VALUES ({repository}, {quote(ref)}, {version}, {commits[0]}, {commits[-1]}, {len(commits) - 1},
            false, '{state}', belt_now()) RETURNING id"""))
        for position, commit in enumerate(commits):
            self.db.sql(f"INSERT INTO stack_commit VALUES ({stack}, {position}, {commit})")
        return stack

    def cell(self, benchmark="bench", group="box", params=None):
        identity = {"benchmark": benchmark, "params": params or {}, "machine_group": group}
        recipe = {"build": "make", "run": "./bench", "timeout_s": 60, "repeat": 1, "warmup": 0, "needs": {}}
        number = self.db.one(f"""INSERT INTO benchmark AS b (name) VALUES ({quote(benchmark)})
            ON CONFLICT (name) DO UPDATE SET name = b.name RETURNING id""")
        digest = sha256(json.dumps(identity, sort_keys=True).encode())
        return int(self.db.one(f"""INSERT INTO cell
            (hash, benchmark_id, machine_group, identity, recipe, build_hash)
            VALUES ('{digest}', {number}, '{group}', {quote(json.dumps(identity))}, {quote(json.dumps(recipe))},
            '{sha256(benchmark.encode())}') RETURNING id"""))

    def build(self, cell, commit, state="wanted"):
        return int(self.db.one(f"""INSERT INTO build (commit_id, build_hash, state)
            SELECT {commit}, build_hash, '{state}' FROM cell WHERE id = {cell}
            ON CONFLICT (commit_id, build_hash, layout) DO UPDATE SET state = EXCLUDED.state RETURNING id"""))

    def job(self, cell, commit):
        return int(self.db.one(f"""INSERT INTO job (cell_id, commit_id, hash)
            VALUES ({cell}, {commit}, '{sha256(f"{cell} {commit}".encode())}')
            ON CONFLICT (cell_id, commit_id) DO UPDATE SET hash = EXCLUDED.hash RETURNING id"""))

    def build_run(self, cell, commit, priority=10):
        return int(self.db.one(f"""INSERT INTO run
            (cell_id, kind, machine_group, priority, job_id, commit_id, build_id, created)
            SELECT id, 'build', machine_group, {priority}, {self.job(cell, commit)}, {commit},
            {self.build(cell, commit)}, belt_now() FROM cell WHERE id = {cell} RETURNING id"""))

    def comparison(self, cell, base, head, state="measuring"):
        return int(self.db.one(f"""INSERT INTO comparison (cell_id, base_id, head_id, state, priority)
            VALUES ({cell}, {base}, {head}, '{state}', 20) RETURNING id"""))

    def block(self, cell, comparison, base, head, priority=20):
        """ABBA; gives the block and its runs."""
        block = int(self.db.one(f"""INSERT INTO block (cell_id, comparison_id, seed)
            VALUES ({cell}, {comparison}, 1) RETURNING id"""))
        runs = []
        for position, (commit, is_head) in enumerate([(base, False), (head, True), (head, True), (base, False)]):
            runs.append(int(self.db.one(f"""INSERT INTO run
                (cell_id, kind, machine_group, priority, job_id, commit_id, build_id, block_id, position, is_head,
                created)
                SELECT id, 'measure', machine_group, {priority}, {self.job(cell, commit)}, {commit},
                {self.build(cell, commit, 'done')}, {block}, {position}, {is_head}, belt_now()
                FROM cell WHERE id = {cell} RETURNING id""")))
        return block, runs


class Worker:
    """Speaks the protocol by hand, so that it can also speak it wrongly."""

    def __init__(self, server, token, name="box-a", group="box"):
        self.server, self.token, self.name, self.group = server, token, name, group
        self.boot = "boot-1"

    def call(self, method, path, body=None, **more):
        return self.server.call(method, path, body, token=self.token, **more)

    def join(self, lasting="cpu 1"):
        return self.call("POST", "/api/v1/worker/join", {
            "protocol": 1, "name": self.name, "group": self.group,
            "fingerprint": {"lasting": {"cpu": lasting}, "passing": {}}})

    def lease(self, wait_s=0):
        return self.call("POST", "/api/v1/worker/lease",
                         {"machine": self.name, "boot_id": self.boot, "wait_s": wait_s})

    def beat(self, lease, phase="running"):
        return self.call("POST", f"/api/v1/lease/{lease['lease']}/beat",
                         {"secret": lease["secret"], "phase": phase})

    def put(self, lease, name, data, digest=None, content_range=None):
        headers = {"Patchmeter-Lease-Secret": lease["secret"],
                   "Patchmeter-SHA256": digest or sha256(data)}
        if content_range:
            headers["Content-Range"] = content_range
        return self.call("PUT", f"/api/v1/lease/{lease['lease']}/file/{name}", data, headers=headers)

    def received(self, lease, name):
        return self.call("HEAD", f"/api/v1/lease/{lease['lease']}/file/{name}",
                         headers={"Patchmeter-Lease-Secret": lease["secret"]})

    def finish(self, lease, files=None, outcome="ok", **more):
        listed = [{"name": name, "size": len(data), "sha256": sha256(data)}
                  for name, data in (files or {}).items()]
        return self.call("POST", f"/api/v1/lease/{lease['lease']}/finish",
                         {"secret": lease["secret"], "outcome": outcome, "boot_id": self.boot,
                          "files": listed, **more})


class Test(unittest.TestCase):
    """A case with a cluster of its class and a database and server of its own."""
    options = []

    @classmethod
    def setUpClass(cls):
        cls.cluster = pg.Cluster()
        cls.cluster.__enter__()
        cls.nr = 0

    @classmethod
    def tearDownClass(cls):
        cls.cluster.__exit__()

    def setUp(self):
        Test.nr += 1
        self.db = self.cluster.database(f"belt{Test.nr}")
        self.server = Server(self.db, *self.options)
        self.world = World(self.db)

    def tearDown(self):
        self.assertEqual(self.server.close(), 0, "the server did not end well")

    def worker(self, name="box-a", **more):
        worker = Worker(self.server, self.world.token(), name, **more)
        self.assertEqual(worker.join().status, 200)
        return worker

    def path_of(self, digest):
        return pathlib.Path(self.server.data, "store", digest[:2], digest[2:4], digest)


Test.nr = 0
