# SPDX-License-Identifier: GPL-2.0-or-later
"""A daemon that a test holds in its hand: it hands out the leases it is given, notes all it hears,
and misbehaves on request.

    with FakeDaemon(repo.path) as daemon:
        lease = daemon.offer(commit, "echo 'speed: 1'")
        ...
        run = daemon.wait_finished(lease)
"""
import hashlib
import http.server
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

SECRET = "pm_lease_secret"


class Run:
    """What one lease heard."""

    def __init__(self, lease):
        self.lease = lease
        self.beats = []      # (time, phase)
        self.files = {}      # name -> bytes, acknowledged
        self.parts = {}      # name -> bytes, on their way
        self.nr_bytes = 0    # of all bodies
        self.finish = None
        self.nr_finishes = 0
        self.is_lost = False
        self.is_cancelled = False


class FakeDaemon:
    def __init__(self, repository, token="pm_worker_token"):
        self.repository = str(repository)
        self.token = token
        self.lock = threading.Condition()
        self.waiting = []
        self.runs = {}
        self.joins = []
        self.nr_asks = 0
        self.cuts = {}          # name -> byte offsets at which an upload is cut, each once
        self.is_down_after_cut = False
        self.refused = {}       # name -> status
        self.broken_pack = None  # bytes in place of a pack; an int is a status
        self.is_down = False     # answers 503
        self.beat_s = 1
        self.until_s = 5
        self.next_lease = 1
        self.server = None
        self.port = 0

    def __enter__(self):
        self.open()
        return self

    def __exit__(self, *_):
        self.close()

    def open(self):
        daemon = self

        class Handler(RequestHandler):
            pass
        Handler.daemon = daemon
        self.server = Server(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        if self.server:
            server, self.server = self.server, None
            server.shutdown()
            server.server_close()
            for connection in list(server.connections):
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def url(self):
        return f"http://127.0.0.1:{self.port}"

    # what a test wants

    def offer(self, commit, run, kind="measure", **recipe):
        with self.lock:
            number = self.next_lease
            self.next_lease += 1
            build = recipe.get("build", "")
            key = hashlib.sha256(f"{commit} {build}".encode()).hexdigest()
            recipe = dict({"timeout_s": 600, "metrics": [
                {"name": "speed", "unit": "s", "better": "lower", "headline": True, "lines": "speed"}]},
                run=run, **recipe)
            lease = {"lease": number, "secret": SECRET, "run": 1000 + number, "kind": kind,
                     "benchmark": "tiny", "variant": {"benchmark": "tiny", "params": {"n": "50%"}},
                     "recipe": recipe, "repository": 1, "commit": commit, "build_key": key,
                     "block": 1, "order": 0, "is_warmup": False,
                     "beat_s": self.beat_s, "until_s": self.until_s}
            self.runs[number] = Run(lease)
            self.waiting.append(lease)
            self.lock.notify_all()
            return number

    def wait(self, condition, what, seconds=60):
        deadline = time.monotonic() + seconds
        with self.lock:
            while not condition():
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"in vain: {what}")
                self.lock.wait(min(left, 0.1))

    def wait_finished(self, number, seconds=60):
        run = self.runs[number]
        self.wait(lambda: run.finish, f"finish of lease {number}", seconds)
        return run

    def wait_phase(self, number, phase, seconds=60):
        """Until the worker is at this step, by what its beats say."""
        run = self.runs[number]
        self.wait(lambda: any(p == phase for _, p in run.beats), f"phase {phase}", seconds)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *args):
        self.connections = set()
        super().__init__(*args)

    def process_request(self, request, client_address):
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        self.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # cuts are what tests are about
            super().handle_error(request, client_address)


class RequestHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    daemon = None

    def log_message(self, *args):
        pass

    def answer(self, status, document=None, headers=()):
        body = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Patchmeter-Protocol", "1")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, detail):
        if self.command == "PUT":
            self.close_connection = True
        self.answer(status, {"title": "no", "status": status, "detail": detail})

    def is_heard(self):
        try:
            return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def is_fit(self):
        if self.daemon.is_down:
            self.refuse(503, "the database is away")
        elif self.headers.get("Authorization") != "Bearer " + self.daemon.token:
            self.refuse(403, "unknown token")
        elif self.headers.get("Patchmeter-Protocol") != "1":
            self.refuse(400, "no protocol")
        else:
            return True
        return False

    def run_of(self, number, secret):
        run = self.daemon.runs.get(int(number))
        if not run or secret != SECRET:
            self.refuse(404, "no such lease")
        elif run.is_lost:
            self.refuse(409, f"lease {number} is lost")
        else:
            return run
        return None

    def do_POST(self):
        body = json.loads(self.body())
        path = urllib.parse.urlparse(self.path).path
        if not self.is_fit():
            return
        if path == "/api/v1/worker/join":
            with self.daemon.lock:
                self.daemon.joins.append(body)
            self.answer(200, {"machine": body["name"], "epoch": len(self.daemon.joins)})
        elif path == "/api/v1/worker/lease":
            self.lease(body)
        elif match := re.fullmatch(r"/api/v1/lease/(\d+)/beat", path):
            self.beat(match[1], body)
        elif match := re.fullmatch(r"/api/v1/lease/(\d+)/finish", path):
            self.end_lease(match[1], body)
        else:
            self.refuse(404, "no such call")

    def lease(self, body):
        deadline = time.monotonic() + min(body["wait_s"], 2)
        with self.daemon.lock:
            self.daemon.nr_asks += 1
            self.daemon.lock.notify_all()
            while not self.daemon.waiting and time.monotonic() < deadline and self.is_heard():
                self.daemon.lock.wait(0.05)
            lease = self.daemon.waiting.pop(0) if self.daemon.waiting and self.is_heard() else None
        if lease:
            self.answer(200, lease)
        else:
            self.answer(204)

    def beat(self, number, body):
        run = self.run_of(number, body["secret"])
        if run:
            with self.daemon.lock:
                run.beats.append((time.monotonic(), body["phase"]))
                self.daemon.lock.notify_all()
            action = "cancel" if run.is_cancelled else "continue"
            self.answer(200, {"action": action, "until_s": self.daemon.until_s})

    def end_lease(self, number, body):
        run = self.run_of(number, body["secret"])
        if not run:
            return
        missing = [f["name"] for f in body.get("files", []) if f["name"] not in run.files]
        if missing:
            self.refuse(400, f"files {missing} were not stored")
            return
        with self.daemon.lock:
            run.finish = body
            run.nr_finishes += 1
            self.daemon.lock.notify_all()
        self.answer(200, {"accepted": True})

    def do_HEAD(self):
        if not self.is_fit():
            return
        match = re.fullmatch(r"/api/v1/lease/(\d+)/file/(.+)", self.path)
        run = self.run_of(match[1], self.headers.get("Patchmeter-Lease-Secret"))
        if run:
            have = run.files.get(match[2], run.parts.get(match[2]))
            if have is None:
                self.answer(404)
            else:
                self.answer(200, headers=[("Patchmeter-Received", str(len(have)))])

    def do_PUT(self):
        if not self.is_fit():
            return
        match = re.fullmatch(r"/api/v1/lease/(\d+)/file/(.+)", self.path)
        run = self.run_of(match[1], self.headers.get("Patchmeter-Lease-Secret"))
        if not run:
            return
        name, length = match[2], int(self.headers["Content-Length"])
        if name in self.daemon.refused:
            self.refuse(self.daemon.refused[name], "not this one")
            return
        part = run.parts.setdefault(name, bytearray())
        span = self.headers.get("Content-Range")
        if not span:
            del part[:]
        elif int(re.match(r"bytes (\d+)-", span)[1]) != len(part):
            self.refuse(503, f"stands at {len(part)}")
            return
        while length > 0:
            cuts = self.daemon.cuts.get(name, [])
            cut = cuts[0] if cuts and cuts[0] > len(part) else None
            piece = self.rfile.read(min(length, 65536, cut - len(part) if cut else length))
            if not piece:
                return
            part += piece
            run.nr_bytes += len(piece)
            length -= len(piece)
            if cut and len(part) >= cut:
                self.daemon.is_down = self.daemon.is_down_after_cut
                cuts.pop(0)
                self.close_connection = True
                self.connection.close()
                return
        if hashlib.sha256(part).hexdigest() != self.headers["Patchmeter-SHA256"]:
            del part[:]
            self.refuse(400, "wrong hash")
            return
        run.files[name] = bytes(part)
        self.answer(200, {"received": len(part), "is_complete": True})

    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        query = urllib.parse.parse_qs(url.query)
        if not self.is_fit():
            return
        if isinstance(self.daemon.broken_pack, int):
            self.refuse(self.daemon.broken_pack, "no such commit")
            return
        pack = self.daemon.broken_pack
        if pack is None:
            pack = snapshot_pack(self.daemon.repository, query["want"][0])
        self.send_response(200)
        self.send_header("Content-Type", "application/x-git-packed-objects")
        self.send_header("Content-Length", str(len(pack)))
        self.end_headers()
        self.wfile.write(pack)


def snapshot_pack(repository, commit):
    """The commit, its trees and files, by git itself."""
    def git(*args, **more):
        return subprocess.run(["git", "-C", repository, *args], check=True, capture_output=True,
                              env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, **more).stdout
    names = [commit.encode(), git("rev-parse", commit + "^{tree}").strip()]
    for line in git("ls-tree", "-r", "-t", commit).splitlines():
        names.append(line.split()[2])
    return git("pack-objects", "--stdout", "-q", input=b"\n".join(names) + b"\n")
