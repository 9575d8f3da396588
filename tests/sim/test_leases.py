#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Workers that die, sleep, change or are two: the belt goes on, and nothing counts twice."""
import json
import pathlib
import socket
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import moves
import pg
import tap


class Lab:
    """What the steps share: the daemon, its repository and database, and the clock in hand."""

    def __init__(self, t, daemon):
        self.t = t
        self.daemon = daemon
        self.db = daemon.database
        self.model = belt.Model({})

    def hand(self, name, instance=None):
        """A worker that a step plays itself."""
        worker = belt.FakeWorker(self.daemon, self.model, name, instance)
        worker.enrol()
        return worker

    def pass_time(self, seconds):
        self.db.sql(f"UPDATE belt_clock SET skew = skew + interval '{seconds} s'; SELECT pg_notify('belt', 'dispatch')")

    def lose(self, lease):
        """Its worker is not heard of any more."""
        self.pass_time(61)
        self.daemon.wait("the lease to expire", lambda: self.db.one(
            f"SELECT state FROM lease WHERE id = {lease['lease']}") == "expired")

    def do(self, worker, lease):
        return worker.finish(lease, self.model(lease))

    def build_all(self, worker, ref):
        """Builds the stack of a branch; gives the first lease to measure."""
        while True:
            lease = worker.take()
            if lease and lease["kind"] == "measure":
                return lease
            if lease:
                self.do(worker, lease)

    def push(self, name, start="main"):
        self.daemon.repo.branch(f"topic/{name}", start)
        return self.daemon.repo.commit(name)

    def refused(self, act):
        try:
            act()
        except belt.LeaseLost:
            return True
        return False


def late_result(lab):
    """A lease that expired is worth nothing, whoever has the run now."""
    lab.push("late")
    slow, quick = lab.hand("slow"), lab.hand("quick")
    old = slow.take()
    lab.lose(old)
    new = quick.take()
    lab.t.equal(new["run"], old["run"], "the run of a lost lease goes to the next worker")
    look = f"""SELECT r.state, r.attempt, r.machine_id, r.outcome, (SELECT count(*) FROM artefact a
        WHERE a.run_id = r.id) FROM run r WHERE r.id = {old['run']}"""
    before = lab.db.sql(look)
    lab.t.check(lab.refused(lambda: slow.beat(old)), "a late beat gets 409")
    lab.t.check(lab.refused(lambda: slow.put(old, "stdout", b"late")), "a late file gets 409")
    lab.t.check(lab.refused(lambda: slow.post(f"/api/v1/lease/{old['lease']}/finish", {
        "secret": old["secret"], "outcome": "ok", "boot_id": "late", "files": []})), "a late result gets 409")
    lab.t.equal(lab.db.sql(look), before, "and none of them changes anything")
    lab.do(quick, new)
    with belt.FakeWorker(lab.daemon, lab.model, "quick"):
        lab.daemon.wait_for_stack("topic/late")
    lab.t.equal(lab.db.sql(f"""SELECT r.state, m.name FROM run r JOIN machine m ON m.id = r.machine_id
        WHERE r.id = {old['run']}"""), [["done", "quick"]], "the run counts once, for the worker that did it")


def third_loss(lab):
    """Three times lost is lost: the block is void, and another one is wanted in its place."""
    commit = lab.push("thrice")
    worker = lab.hand("mortal")
    lease = lab.build_all(worker, "topic/thrice")
    run, block = lease["run"], lease["block"]
    while run == lease["run"] or lease["commit"] != commit:
        lab.do(worker, lease)
        lease = worker.take()
    for attempt in (1, 2, 3):
        lab.t.equal((lease["block"], lab.db.one(f"SELECT attempt FROM run WHERE id = {lease['run']}")),
                    (block, str(attempt)), f"try {attempt} is of the same block, on its machine")
        lab.lose(lease)
        lost = lease["run"]
        lease = worker.take() if attempt < 3 else None
    lab.t.equal(lab.db.sql(f"""SELECT r.state, f.reason, f.is_infrastructure FROM run r JOIN failure f
        ON f.run_id = r.id WHERE r.id = {lost}"""), [["lost", "lost", "t"]], "after the third the run is lost")
    lab.t.equal(lab.db.one(f"SELECT state || ' ' || split_part(reason, ':', 1) FROM block WHERE id = {block}"),
                "void lost", "and its block void")
    with belt.FakeWorker(lab.daemon, lab.model, "heir"):
        lab.daemon.wait_for_stack("topic/thrice")
    comparison = lab.db.one(f"SELECT comparison_id FROM block WHERE id = {block}")
    lab.t.check(lab.db.one(f"""SELECT count(*) FROM want WHERE comparison_id = {comparison}
        AND reason LIKE 'in place of lost blocks%'""") != "0", "another block is wanted in its place")
    lab.t.equal(lab.db.sql(f"""SELECT DISTINCT x.state, x.reason, v.nr_base, v.nr_head FROM comparison x JOIN verdict v
        ON v.comparison_id = x.id WHERE x.id = {comparison} AND v.look = 1 AND v.slot = 1"""), [["done", "", "4", "4"]],
                "and the comparison is judged on whole blocks")
    lab.t.equal(lab.db.one(f"SELECT state FROM run WHERE id = {run}"), "done",
                "the run before it stays, in a block that does not count")
    stack = lab.db.one("SELECT id FROM stack WHERE ref = 'topic/thrice'")
    document = json.loads(lab.daemon.get(f"/api/v1/series/{stack}")[1])
    lab.t.equal((document["failures"], document["infrastructure"]),
                ([], {"nr": 3, "reasons": [{"reason": "lost", "nr": 3}]}),
                "the page of the series counts three losses, and no failure of its own")


def changed_machine(lab):
    """Practice case C43: runs of two environments are never compared, not within a block either."""
    lab.push("changed")
    worker = lab.hand("upgraded")
    lease = lab.build_all(worker, "topic/changed")
    block = lease["block"]
    lab.do(worker, lease)
    worker.enrol(cpu="another kernel")
    lease = worker.take()
    lab.t.check(lease["block"] != block, "a machine that changed goes on with another block")
    lab.t.check(lab.db.one(f"SELECT reason FROM block WHERE id = {block} AND state = 'void'").startswith("machine-changed"),
                "the block that it had begun is void, and says why")
    lab.t.equal(lab.db.one(f"""SELECT count(*) FROM run WHERE block_id = {block}
        AND state IN ('queued', 'leased')"""), "0", "and nothing of it is run any more")
    while lab.db.one("SELECT state FROM stack WHERE ref = 'topic/changed'") != "done":
        if lease:
            lab.do(worker, lease)
        lease = worker.take(wait_s=1)
    lab.t.equal(lab.db.sql("""SELECT b.id FROM block b JOIN run r ON r.block_id = b.id
        WHERE b.state = 'done' AND r.state = 'done' GROUP BY b.id
        HAVING count(DISTINCT (r.machine_id, r.epoch_id)) > 1 OR count(*) <> 4"""), [],
                "every block that counts has four runs of one machine in one environment")


def stranded(lab):
    """A machine that stays away frees its block for others."""
    lab.push("stranded")
    worker = lab.hand("leaver")
    lease = lab.build_all(worker, "topic/stranded")
    lab.do(worker, lease)
    lab.pass_time(11 * 60)
    with belt.FakeWorker(lab.daemon, lab.model, "stayer"):
        lab.daemon.wait_for_stack("topic/stranded")
    lab.t.check("has not been seen" in lab.db.one(f"SELECT reason FROM block WHERE id = {lease['block']}"),
                "the block of a machine that stayed away is void, and says why")


def superseded(lab):
    """Practice case C46: who measures what nobody wants any more is told with the next beat; cancelling needs no
    worker."""
    lab.push("moving")
    worker = lab.hand("diligent")
    lease = lab.build_all(worker, "topic/moving")
    lab.daemon.repo.git("reset", "-q", "--hard", "main")
    lab.daemon.repo.commit("moving again")
    lab.daemon.wait("the new version", lambda: lab.db.one(
        "SELECT id FROM stack WHERE ref = 'topic/moving' AND version = 2"))
    lab.t.equal(lab.db.one(f"SELECT state FROM run WHERE id = {lease['run']}"), "cancelled",
                "a run of a superseded stack is cancelled while it runs")
    lab.t.equal(worker.beat(lease)["action"], "cancel", "its worker hears of it with the next beat")
    lab.t.equal(lab.do(worker, lease), {"accepted": False}, "what it delivers all the same is not counted")
    lab.t.equal(lab.db.one(f"SELECT state FROM run WHERE id = {lease['run']}"), "cancelled", "and the run stays cancelled")
    with belt.FakeWorker(lab.daemon, lab.model, "diligent"):
        lab.daemon.wait_for_stack("topic/moving")


def comes_back(lab):
    """What was superseded and comes back is not held to have failed."""
    repo = lab.daemon.repo
    oid = lab.push("returning")
    worker = lab.hand("patient")
    lease = lab.build_all(worker, "topic/returning")
    repo.git("reset", "-q", "--hard", "main")
    lab.push("other")
    repo.git("branch", "-q", "-f", "topic/returning", "main")
    repo.git("branch", "-q", "-f", "topic/returning", "topic/other")
    lab.daemon.wait("the other version", lambda: lab.db.one(
        "SELECT id FROM stack WHERE ref = 'topic/returning' AND version = 2"))
    repo.git("branch", "-q", "-f", "topic/returning", oid)
    lab.daemon.wait("the first version again", lambda: lab.db.one(
        "SELECT id FROM stack WHERE ref = 'topic/returning' AND version = 3 AND state = 'measuring'"))
    lab.do(worker, lease)
    lease = worker.take()
    while lab.db.one(f"SELECT oid FROM commit c JOIN run r ON r.commit_id = c.id WHERE r.id = {lease['run']}") != oid:
        lab.do(worker, lease)
        lease = worker.take()
    for _ in range(3):
        lab.lose(lease)
        lease = worker.take()
    lab.do(worker, lease)
    with belt.FakeWorker(lab.daemon, lab.model, "patient"):
        lab.daemon.wait_for_stack("topic/returning")
    lab.t.equal(lab.db.sql(f"""SELECT x.state, x.reason FROM comparison x JOIN commit h ON h.id = x.head_id
        WHERE h.oid = '{oid}'"""), [["done", ""]],
                "a lost block of a comparison that was once superseded does not end it")


def namesake(lab):
    """A second worker of a name is refused while the first lives; a restarted one is the first."""
    lab.push("namesake")
    first = lab.hand("twin", "one")
    lease = first.take()
    second = belt.FakeWorker(lab.daemon, lab.model, "twin", "two")
    for _ in range(2):
        status, text = second.call("POST", "/api/v1/worker/join", json.dumps({
            "protocol": 1, "name": "twin", "group": "default", "fingerprint": {"lasting": {"cpu": "fake"}},
            **second.who}))
        lab.t.check(status == 409 and b"another state folder" in text and b"--name" in text,
                    "a second worker of the same name gets 409 and what to do", (status, text))
    lab.t.equal(lab.db.one("SELECT count(*) FROM event WHERE kind = 'refused' AND detail LIKE 'machine twin:%'"), "1",
                "which is an event, told once")
    status, _ = second.call("POST", "/api/v1/worker/lease", json.dumps(
        {"machine": "twin", "boot_id": "boot", "wait_s": 0, **second.who}))
    lab.t.equal(status, 403, "it gets no lease either")
    lab.t.equal(first.beat(lease)["action"], "continue", "and the lease of the first is unaffected")
    lab.hand("twin", "one")
    lab.t.check(True, "the first may join again, as after a restart")
    lab.do(first, lease)
    lab.pass_time(61)
    second.enrol()
    lab.t.check(True, "once the first was silent for a minute the name is free")
    status, _ = first.call("POST", "/api/v1/worker/lease", json.dumps(
        {"machine": "twin", "boot_id": "boot", "wait_s": 0, **first.who}))
    lab.t.equal(status, 403, "and the first does not take the second's lease when it wakes up")
    with belt.FakeWorker(lab.daemon, lab.model, "other"):
        lab.daemon.wait_for_stack("topic/namesake")


def real_namesake(lab):
    """The same with real workers, which keep their id in the state folder."""
    first, second = belt.Worker(lab.daemon, "house"), belt.Worker(lab.daemon, "house-too")
    second.name = "house"
    with first:
        lab.daemon.wait("the first to join", lambda: lab.db.one("SELECT instance FROM machine WHERE name = 'house'"))
        second.start()
        lab.t.check(second.process.wait(30) != 0 and "give this worker another --name" in second.log(),
                    "a second real worker ends and says why", second.log())
        first.kill()
        first.start()
        lab.daemon.wait("the first to join again", lambda: first.log().count("do=join") == 2)
        lab.t.check(True, "a real worker that was killed comes back at once")


def hung_up(lab):
    """Who hung up while it waited is given nothing: its lease would be lost until it expires."""
    where = urllib.parse.urlsplit(lab.daemon.url)
    leaver = lab.hand("leaver-2")
    with socket.create_connection((where.hostname, where.port)) as wire:
        body = json.dumps({"machine": "leaver-2", "boot_id": "boot", "wait_s": 20})
        wire.sendall((f"POST /api/v1/worker/lease HTTP/1.1\r\nHost: x\r\nPatchmeter-Protocol: 1\r\nAuthorization: "
                      f"Bearer {lab.daemon.token}\r\nContent-Type: application/json\r\nContent-Length: "
                      f"{len(body)}\r\n\r\n{body}").encode())
        lab.daemon.wait("the request to wait", lambda: lab.db.one(
            "SELECT boot_id FROM machine WHERE name = 'leaver-2' AND boot_id IS NOT NULL"))
    lab.push("hung-up")
    lab.daemon.wait("the builds to be queued", lambda: lab.db.one(
        "SELECT id FROM stack WHERE ref = 'topic/hung-up' AND state = 'building'"))
    time.sleep(1)
    lab.t.equal(lab.db.one(f"""SELECT count(*) FROM lease l JOIN machine m ON m.id = l.machine_id
        WHERE m.name = '{leaver.machine}'"""), "0", "who hung up while it waited is given no lease")
    with belt.FakeWorker(lab.daemon, lab.model, "present"):
        lab.daemon.wait_for_stack("topic/hung-up")


def absence(lab):
    """Who was away himself does not hold others to have been silent."""
    lab.push("absence")
    worker = lab.hand("steadfast")
    lease = worker.take()
    lab.daemon.stop()
    lab.db.sql("UPDATE attendance SET at = at - interval '20 min'; UPDATE belt_clock SET skew = skew + interval '20 min'")
    lab.daemon.start()
    lab.daemon.wait("dispatch to look", lambda: lab.db.one(
        "SELECT at > clock_timestamp() - interval '10 s' FROM attendance") == "t")
    lab.t.equal(worker.beat(lease)["action"], "continue", "a lease outlives an absence of the daemon of 20 minutes")
    lab.do(worker, lease)
    lease = worker.take()
    lab.daemon.stop()
    lab.db.sql("UPDATE attendance SET at = at - interval '20 min'; UPDATE belt_clock SET skew = skew + interval '20 min'")
    lab.daemon.start()
    lab.daemon.wait("dispatch to look", lambda: lab.db.one(
        "SELECT at > clock_timestamp() - interval '10 s' FROM attendance") == "t")
    lab.lose(lease)
    lab.t.check(True, "but not a minute of silence after it")
    with belt.FakeWorker(lab.daemon, lab.model, "steadfast"):
        lab.daemon.wait_for_stack("topic/absence")


def two_workers(lab):
    repo = lab.daemon.repo
    repo.branch("topic/shared")
    for number in range(5):
        repo.commit(f"shared {number}")
    left, right = (belt.FakeWorker(lab.daemon, lab.model, name) for name in ("left", "right"))
    with left, right:
        lab.daemon.wait_for_stack("topic/shared")
        lab.t.check(left.nr_runs and right.nr_runs, "two workers share the work", (left.nr_runs, right.nr_runs))
    lab.t.equal(lab.db.sql("""SELECT run_id FROM lease WHERE state = 'done' GROUP BY run_id HAVING count(*) > 1"""), [],
                "no run is done twice")
    lab.t.equal(lab.db.sql("""SELECT block_id FROM run WHERE state = 'done' AND block_id IS NOT NULL
        GROUP BY block_id HAVING count(DISTINCT machine_id) > 1"""), [], "every block stays on one machine")


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        repo = belt.Repo(pathlib.Path(folder) / "repo")
        repo.commit("base")
        daemon = belt.Daemon(cluster.database("belt"), repo)
        daemon.write_config()
        daemon.migrate()
        moves.watch(daemon.database)
        with daemon:
            lab = Lab(t, daemon)
            for step in (late_result, third_loss, changed_machine, stranded, superseded, comes_back,
                         namesake, hung_up, real_namesake, absence, two_workers):
                step(lab)
        t.equal(moves.illegal(daemon.database), [], "every row moved as its table of states allows")
    return t.end()


sys.exit(main())
