#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The disk of the store is full, really: a small file system in a mount namespace of our own."""
import errno
import hashlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap

SIZE_MIB = 80  # 64 of them are the reserve of daemon/store/upload.c


def enter_namespace():
    """Runs this again where mounts are ours alone; skips where that is not allowed."""
    if "PATCHMETER_OWN_MOUNTS" in os.environ:
        return
    way = ["unshare", "--mount"]
    if os.geteuid() != 0:
        way += ["--map-current-user", "--keep-caps"]
    with tempfile.TemporaryDirectory() as folder:
        trial = subprocess.run([*way, "mount", "-t", "tmpfs", "none", folder], capture_output=True, check=False)
    if trial.returncode:
        tap.skip_all("no mount namespace: " + trial.stderr.decode().strip().replace("\n", " "))
    os.environ["PATCHMETER_OWN_MOUNTS"] = "yes"
    os.execvp(way[0], [*way, sys.executable, *sys.argv])


def fill(path, free_mib):
    """Takes the room away but for so much."""
    with open(path, "wb") as file:
        room = os.statvfs(path)
        try:
            for _ in range(room.f_bavail * room.f_frsize // (1 << 20) - free_mib + (free_mib == 0)):
                file.write(bytes(1 << 20))
                file.flush()
        except OSError as fault:
            if fault.errno != errno.ENOSPC or free_mib:
                raise


def begin_put(daemon, lease, name, content):
    """Sends the header alone."""
    where = urllib.parse.urlsplit(daemon.url)
    wire = socket.create_connection((where.hostname, where.port), timeout=30)
    wire.sendall((f"PUT /api/v1/lease/{lease['lease']}/file/{name} HTTP/1.1\r\nHost: x\r\nPatchmeter-Protocol: 1\r\n"
                  f"Authorization: Bearer {daemon.token}\r\nPatchmeter-Lease-Secret: {lease['secret']}\r\n"
                  f"Patchmeter-SHA256: {hashlib.sha256(content).hexdigest()}\r\n"
                  f"Content-Length: {len(content)}\r\n\r\n").encode())
    return wire


def answer(wire):
    text = b""
    while b"\r\n\r\n" not in text:
        text += wire.recv(65536)
    return int(text.split()[1]), text


def by_hand(t, daemon, store):
    content = os.urandom(8 << 20)
    stored = store / hashlib.sha256(content).hexdigest()[:2]
    worker = belt.FakeWorker(daemon, belt.Model({}))
    worker.enrol()
    lease = worker.take()
    fill(store / "filler", 60)
    with begin_put(daemon, lease, "big", content) as wire:
        status, text = answer(wire)
    t.check(status == 507 and b"Retry-After" in text, "without room for it 507 comes before the body is sent", text)
    (store / "filler").unlink()
    with begin_put(daemon, lease, "big", content) as wire:
        daemon.wait("the upload to begin", lambda: any((store / "incoming").iterdir()))
        fill(store / "filler", 0)
        wire.sendall(content)
        status, text = answer(wire)
    t.check(status == 507 and b"No space left" in text,
            "a disk that fills up under an upload gives 507", text)
    t.equal((daemon.database.one("SELECT count(*) FROM artefact"), stored.exists()), ("0", False),
            "and nothing half-written is acknowledged")
    digest = hashlib.sha256(content).hexdigest()
    status, text = worker.call("POST", f"/api/v1/lease/{lease['lease']}/finish", json.dumps({
        "secret": lease["secret"], "outcome": "ok", "boot_id": "boot",
        "files": [{"name": "big", "size": len(content), "sha256": digest}]}))
    t.check(status == 409 and b"not stored" in text, "nor can a run be finished with it", (status, text))
    (store / "filler").unlink()
    worker.put(lease, "big", content)
    t.check((stored / digest[2:4] / digest).read_bytes() == content, "once there is room it is stored whole")
    worker.finish(lease, belt.build_result(lease["commit"]))


def by_worker(t, daemon, store):
    """A real worker waits for the room; its build fails, as there is no Makefile, and that must arrive."""
    fill(store / "filler", 60)
    with belt.Worker(daemon) as worker:
        daemon.wait("the worker to be refused", lambda: "kind=full" in worker.log())
        t.check("the disk is full" in worker.log(), "a worker says that the daemon's disk is full", worker.log())
        (store / "filler").unlink()
        daemon.wait_for_stack("topic/full")
    t.equal(daemon.database.one("SELECT count(*) FROM event WHERE kind = 'lost'"), "0",
            "and delivers its run once there is room")


def main():
    enter_namespace()
    t = tap.Tap()
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        repo = belt.Repo(pathlib.Path(folder) / "repo")
        repo.commit("base")
        repo.branch("topic/full")
        repo.commit("full")
        daemon = belt.Daemon(cluster.database("belt"), repo, pathlib.Path(folder) / "daemon")
        store = daemon.data / "store"
        daemon.write_config()
        store.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE_MIB}m", "none", store], check=True)
        try:
            with daemon:
                by_hand(t, daemon, store)
                by_worker(t, daemon, store)
        finally:
            subprocess.run(["umount", "-l", store], check=True)
    return t.end()


sys.exit(main())
