# SPDX-License-Identifier: GPL-2.0-or-later
"""The worker's protocol against a real database: who gets which run, and what a lost lease may do."""
import concurrent.futures
import pathlib
import socket
import subprocess
import tempfile
import time

from webtest import Test, Worker, main, oid, sha256


class Lease(Test):
    def setUp(self):
        super().setUp()
        self.repository = self.world.repository()
        self.commits = [self.world.commit(name) for name in ("base", "one", "two")]
        self.stack = self.world.stack(self.repository, self.commits)
        self.cell = self.world.cell()

    def block(self, base=0, head=1, **more):
        comparison = self.world.comparison(self.cell, self.commits[base], self.commits[head])
        return self.world.block(self.cell, comparison, self.commits[base], self.commits[head], **more)

    def state(self, run):
        return self.db.one(f"SELECT state FROM run WHERE id = {run}")

    def test_join_makes_an_epoch_when_the_environment_changes(self):
        worker = self.worker()
        first = worker.join().json["epoch"]
        self.assertEqual(worker.join().json["epoch"], first)
        second = worker.join(lasting="cpu 2").json["epoch"]
        self.assertNotEqual(second, first)
        self.assertEqual(self.db.one("SELECT count(*) FROM event WHERE kind = 'epoch'"), "2")

    def test_join_refuses_another_protocol_and_another_tokens_name(self):
        worker = self.worker()
        answer = worker.call("POST", "/api/v1/worker/join", {
            "protocol": 2, "name": "x", "group": "box", "fingerprint": {"lasting": {}}})
        self.assertEqual(answer.status, 400)
        self.assertIn("protocol 2", answer.json["detail"])
        thief = Worker(self.server, self.world.token(), "box-a")
        self.assertEqual(thief.join().status, 409)
        self.assertEqual(thief.lease().status, 403)
        self.db.sql("UPDATE token SET is_revoked = true WHERE id = (SELECT token_id FROM machine)")
        self.assertEqual(worker.lease().status, 401)
        self.assertEqual(thief.join().status, 200)

    def test_an_offer_tells_everything(self):
        run = self.world.build_run(self.cell, self.commits[1])
        offer = self.worker().lease().json
        self.assertEqual(offer["run"], run)
        self.assertEqual(offer["kind"], "build")
        self.assertEqual(offer["commit"], oid("one"))
        self.assertEqual(offer["repository"], self.repository)
        self.assertEqual(offer["variant"]["benchmark"], "bench")
        self.assertEqual(offer["recipe"]["build"], "make")
        self.assertRegex(offer["build_key"], "^[0-9a-f]{64}$")
        self.assertEqual((offer["beat_s"], offer["until_s"]), (10, 60))
        self.assertEqual(self.state(run), "leased")

    def test_the_secret_is_nowhere_in_the_database(self):
        self.world.build_run(self.cell, self.commits[1])
        worker = self.worker()
        offer = worker.lease().json
        self.assertEqual(worker.finish(offer).status, 200)
        for table in ("lease", "run", "event", "token", "machine"):
            dump = repr(self.db.sql(f"SELECT * FROM {table}"))
            self.assertNotIn(offer["secret"], dump, table)
            self.assertNotIn(worker.token, dump, table)

    def test_smaller_priority_is_first_and_a_begun_block_before_all(self):
        late = self.world.build_run(self.cell, self.commits[0], priority=30)
        _, runs = self.block(priority=20)
        soon = self.world.build_run(self.cell, self.commits[2], priority=10)
        worker = self.worker()
        order = []
        for _ in range(6):
            offer = worker.lease().json
            order.append(offer["run"])
            worker.finish(offer)
        self.assertEqual(order, [soon, *runs, late])
        self.assertEqual(worker.lease().status, 204)

    def test_another_group_gets_nothing(self):
        self.world.build_run(self.cell, self.commits[0])
        self.assertEqual(self.worker("other", group="elsewhere").lease().status, 204)

    def test_a_block_stays_on_its_machine(self):
        block, runs = self.block()
        first, second = self.worker("box-a"), self.worker("box-b")
        offer = first.lease().json
        self.assertEqual(offer["run"], runs[0])
        self.assertEqual(second.lease().status, 204)
        first.finish(offer)
        self.assertEqual(second.lease().status, 204)
        self.assertEqual(first.lease().json["run"], runs[1])
        self.assertEqual(self.db.one(f"""SELECT m.name FROM block b JOIN machine m ON m.id = b.machine_id
            WHERE b.id = {block}"""), "box-a")

    def test_many_claims_at_once_give_no_run_twice_and_no_block_to_two(self):
        runs = [self.world.build_run(self.cell, commit) for commit in self.commits]
        for head in (1, 2):
            runs += self.block(head=head)[1]
        workers = [self.worker(f"box-{i}") for i in range(12)]
        with concurrent.futures.ThreadPoolExecutor(len(workers)) as threads:
            answers = list(threads.map(lambda worker: worker.lease(), workers))
        got = [answer.json for answer in answers if answer.status == 200]
        self.assertEqual({answer.status for answer in answers}, {200, 204})
        self.assertEqual(len(got), 5, "three builds and the first run of each of two blocks")
        self.assertEqual(len({offer["run"] for offer in got}), 5)
        self.assertEqual(len({offer["block"] for offer in got if offer.get("block")}), 2)
        self.assertEqual({offer["order"] for offer in got}, {0})

    def test_a_waiting_worker_wakes_when_work_comes(self):
        worker = self.worker()
        with concurrent.futures.ThreadPoolExecutor(1) as threads:
            start = time.monotonic()
            waiting = threads.submit(worker.lease, 20)
            time.sleep(0.5)
            run = self.world.build_run(self.cell, self.commits[0])
            self.db.sql("SELECT pg_notify('belt', 'lease')")
            self.assertEqual(waiting.result().json["run"], run)
            self.assertLess(time.monotonic() - start, 5)

    def test_a_waiting_worker_gets_204_at_its_deadline_and_when_the_server_stops(self):
        worker = self.worker()
        start = time.monotonic()
        self.assertEqual(worker.lease(1).status, 204)
        self.assertGreaterEqual(time.monotonic() - start, 0.9)
        self.assertLess(time.monotonic() - start, 5)
        with concurrent.futures.ThreadPoolExecutor(40) as threads:
            waiting = [threads.submit(worker.lease, 25) for _ in range(40)]
            time.sleep(0.7)
            start = time.monotonic()
            self.server.process.stdin.close()
            self.assertEqual({answer.result().status for answer in waiting}, {204})
            self.assertLess(time.monotonic() - start, 5)
        self.server.process.stdin = open("/dev/null", "w", encoding="utf-8")

    def test_asking_again_loses_the_lease_and_the_third_time_the_run(self):
        block, runs = self.block()
        worker = self.worker()
        leases = [worker.lease().json for _ in range(3)]
        self.assertEqual([lease["run"] for lease in leases], [runs[0]] * 3)
        self.assertEqual(self.db.one(f"SELECT attempt FROM run WHERE id = {runs[0]}"), "3")
        self.assertEqual(worker.finish(leases[1]).status, 409)
        self.assertEqual(worker.lease().status, 204)
        self.assertEqual(self.state(runs[0]), "lost")
        self.assertEqual([self.state(run) for run in runs[1:]], ["cancelled"] * 3)
        self.assertEqual(self.db.one(f"SELECT state FROM block WHERE id = {block}"), "void")
        self.assertEqual(self.db.sql("SELECT reason, is_infrastructure FROM failure"), [["lost", "t"]])

    def test_a_lost_build_ends_its_build(self):
        self.world.build_run(self.cell, self.commits[1])
        worker = self.worker()
        for _ in range(3):
            self.assertEqual(worker.lease().status, 200)
        self.assertEqual(worker.lease().status, 204)
        self.assertEqual(self.db.one("SELECT state FROM build"), "failed")

    def expire(self):
        """An hour passes."""
        self.db.sql("UPDATE belt_clock SET skew = skew + interval '1 hour'")
        self.server.dispatch()

    def test_a_silent_machine_loses_its_lease_and_what_it_says_later_changes_nothing(self):
        run = self.world.build_run(self.cell, self.commits[1])
        worker = self.worker()
        lease = worker.lease().json
        self.assertEqual(worker.put(lease, "stdout", b"old").status, 200)
        self.expire()
        self.assertEqual(self.state(run), "queued")
        self.assertEqual(self.db.one("SELECT state FROM lease"), "expired")
        self.assertEqual(self.db.one("SELECT count(*) FROM artefact"), "0")
        before = self.db.sql("SELECT * FROM run")
        for answer in (worker.beat(lease), worker.finish(lease), worker.put(lease, "stderr", b"late"),
                       worker.received(lease, "stdout")):
            self.assertEqual(answer.status, 409)
        self.assertEqual(self.db.sql("SELECT * FROM run"), before)
        self.assertEqual(self.db.one("SELECT count(*) FROM artefact"), "0")
        again = self.worker("box-b").lease().json
        self.assertEqual(again["run"], run)
        self.assertEqual(worker.finish(lease).status, 409)
        self.assertEqual(self.state(run), "leased")

    def test_beats_keep_a_lease(self):
        run = self.world.build_run(self.cell, self.commits[1])
        worker = self.worker()
        lease = worker.lease().json
        for _ in range(4):
            self.db.sql("UPDATE belt_clock SET skew = skew + interval '40 seconds'")
            self.server.dispatch()
            self.assertEqual(worker.beat(lease, "building").json, {"action": "continue", "until_s": 60})
        self.assertEqual(self.state(run), "leased")
        self.assertEqual(self.db.one("SELECT phase FROM lease"), "building")

    def test_a_cancelled_run_is_told_with_the_beat_and_does_not_count(self):
        run = self.world.build_run(self.cell, self.commits[1])
        worker = self.worker()
        lease = worker.lease().json
        self.db.sql("UPDATE run SET state = 'cancelled'")
        self.assertEqual(worker.beat(lease).json["action"], "cancel")
        self.assertEqual(worker.finish(lease).json, {"accepted": False})
        self.assertEqual(worker.finish(lease).json, {"accepted": False})
        self.assertEqual(self.state(run), "cancelled")
        self.assertEqual(self.db.one("SELECT outcome IS NULL FROM run"), "t")

    def test_finish_counts_once_however_often_it_is_said(self):
        run = self.world.build_run(self.cell, self.commits[1])
        worker = self.worker()
        lease = worker.lease().json
        files = {"stdout": b"hello", "exit": b"{}"}
        for name, data in files.items():
            self.assertEqual(worker.put(lease, name, data).status, 200)
        with concurrent.futures.ThreadPoolExecutor(20) as threads:
            answers = list(threads.map(lambda _: worker.finish(lease, files), range(20)))
        self.assertEqual({answer.status for answer in answers}, {200})
        self.assertEqual({answer.json["accepted"] for answer in answers}, {True})
        self.assertEqual(self.state(run), "finished")
        first = self.db.sql("SELECT * FROM run")
        worker.finish(lease, outcome="failed", reason="timeout")
        self.assertEqual(self.db.sql("SELECT * FROM run"), first)
        self.assertEqual(self.db.one("SELECT outcome ->> 'outcome' FROM run"), "ok")

    def test_finish_names_a_file_that_was_not_stored(self):
        self.world.build_run(self.cell, self.commits[1])
        worker = self.worker()
        lease = worker.lease().json
        worker.put(lease, "stdout", b"hello")
        answer = worker.finish(lease, {"stdout": b"other", "build.log": b"x"})
        self.assertEqual(answer.status, 409)
        self.assertIn("'build.log'", answer.json["detail"])
        self.assertIn("'stdout'", answer.json["detail"])
        self.assertEqual(self.db.one("SELECT state FROM lease"), "live")

    def test_a_changed_environment_voids_what_was_begun_in_the_old_one(self):
        block, runs = self.block()
        worker = self.worker()
        worker.finish(worker.lease().json)
        worker.join(lasting="cpu 2")
        self.assertEqual(worker.lease().status, 204)
        self.assertEqual(self.db.sql(f"SELECT state, reason LIKE 'machine-changed%' FROM block WHERE id = {block}"),
                         [["void", "t"]])
        self.assertEqual([self.state(run) for run in runs], ["finished"] + ["cancelled"] * 3)

    def test_a_machine_that_stays_away_frees_its_blocks(self):
        block, runs = self.block()
        worker = self.worker()
        worker.finish(worker.lease().json)
        self.db.sql("UPDATE belt_clock SET skew = skew + interval '9 minutes'")
        self.server.dispatch()
        self.assertEqual(self.db.one(f"SELECT state FROM block WHERE id = {block}"), "open")
        self.db.sql("UPDATE belt_clock SET skew = skew + interval '2 minutes'")
        self.server.dispatch()
        self.assertEqual(self.db.one(f"SELECT state FROM block WHERE id = {block}"), "void")
        self.assertEqual(self.state(runs[1]), "cancelled")

    def test_only_its_own_worker_may_touch_a_lease(self):
        self.world.build_run(self.cell, self.commits[1])
        worker = self.worker()
        lease = worker.lease().json
        thief = self.worker("box-b")
        self.assertEqual(thief.beat(lease).status, 409)
        self.assertEqual(thief.put(lease, "stdout", b"x").status, 409)
        self.assertEqual(thief.finish(lease).status, 403)
        guess = {**lease, "secret": "pm_" + "0" * 64}
        self.assertEqual(worker.beat(guess).status, 409)
        self.assertEqual(worker.finish(guess).status, 403)
        self.assertEqual(worker.beat(lease).status, 200)


class Files(Test):
    def setUp(self):
        super().setUp()
        commits = [self.world.commit(name) for name in ("base", "one")]
        self.world.stack(self.world.repository(), commits)
        self.world.build_run(self.world.cell(), commits[1])
        self.box = self.worker()
        self.lease = self.box.lease().json

    def test_a_stored_file_has_its_bytes_under_its_hash(self):
        data = bytes(range(256)) * 5000
        answer = self.box.put(self.lease, "perf/data.bin", data)
        self.assertEqual((answer.status, answer.json), (200, {"received": len(data), "is_complete": True}))
        self.assertEqual(self.path_of(sha256(data)).read_bytes(), data)
        self.assertEqual(self.db.sql("SELECT name, hash, size_bytes FROM artefact"),
                         [["perf/data.bin", sha256(data), str(len(data))]])
        self.assertEqual(self.box.received(self.lease, "perf/data.bin").headers["Patchmeter-Received"],
                         str(len(data)))

    def test_an_empty_file_is_a_file(self):
        self.assertEqual(self.box.put(self.lease, "stderr", b"").json, {"received": 0, "is_complete": True})
        self.assertEqual(self.box.received(self.lease, "stderr").headers["Patchmeter-Received"], "0")
        self.assertEqual(self.box.received(self.lease, "stdout").status, 404)

    def test_the_same_again_is_fine_and_other_content_is_refused(self):
        self.assertEqual(self.box.put(self.lease, "stdout", b"one").status, 200)
        self.assertEqual(self.box.put(self.lease, "stdout", b"one").json["is_complete"], True)
        self.assertEqual(self.box.put(self.lease, "stdout", b"two").status, 409)
        self.assertEqual(self.db.one("SELECT hash FROM artefact"), sha256(b"one"))

    def test_a_wrong_hash_keeps_nothing(self):
        answer = self.box.put(self.lease, "stdout", b"one", digest=sha256(b"two"))
        self.assertEqual(answer.status, 400)
        self.assertIn(sha256(b"one"), answer.json["detail"])
        self.assertEqual(self.db.one("SELECT count(*) FROM artefact"), "0")
        self.assertEqual(self.box.received(self.lease, "stdout").status, 404)
        self.assertEqual(self.box.put(self.lease, "stdout", b"one").status, 200)

    def cut_upload(self, data, nr_bytes):
        """A PUT whose connection dies after so many bytes."""
        wire = socket.create_connection(("127.0.0.1", self.server.port))
        wire.sendall((f"PUT /api/v1/lease/{self.lease['lease']}/file/stdout HTTP/1.1\r\nHost: x\r\n"
                      f"Authorization: Bearer {self.box.token}\r\n"
                      f"Patchmeter-Lease-Secret: {self.lease['secret']}\r\n"
                      f"Patchmeter-SHA256: {sha256(data)}\r\nContent-Length: {len(data)}\r\n\r\n").encode())
        wire.sendall(data[:nr_bytes])
        time.sleep(0.3)
        wire.close()
        time.sleep(0.3)

    def test_an_upload_goes_on_where_it_was_cut(self):
        data = b"0123456789" * 100000
        for tenth in range(1, 10):
            with self.subTest(tenth=tenth):
                self.cut_upload(data, len(data) * tenth // 10)
                there = int(self.box.received(self.lease, "stdout").headers["Patchmeter-Received"])
                self.assertEqual(there, len(data) * tenth // 10)
        rest = data[there:]
        wrong = self.box.put(self.lease, "stdout", rest[1:], sha256(data),
                             f"bytes {there + 1}-{len(data) - 1}/{len(data)}")
        self.assertEqual(wrong.status, 503)
        part = self.box.put(self.lease, "stdout", rest[:1000], sha256(data),
                            f"bytes {there}-{there + 999}/{len(data)}")
        self.assertEqual(part.json, {"received": there + 1000, "is_complete": False})
        last = self.box.put(self.lease, "stdout", rest[1000:], sha256(data),
                            f"bytes {there + 1000}-{len(data) - 1}/{len(data)}")
        self.assertEqual(last.json, {"received": len(data), "is_complete": True})
        self.assertEqual(self.path_of(sha256(data)).read_bytes(), data)

    def test_bad_ranges_and_headers_are_refused(self):
        for text in ("bytes 0-9/10", "bytes 5-3/10", "bytes 0-2/2", "bytes -1-1/3", "lines 0-2/3",
                     "bytes 0-2/3x", "bytes 0-2/*", "bytes 0-2/99999999999999999999"):
            with self.subTest(text=text):
                self.assertEqual(self.box.put(self.lease, "stdout", b"abc", None, text).status, 400)
        self.assertEqual(self.box.put(self.lease, "stdout", b"abc", "x" * 64).status, 400)
        self.assertEqual(self.box.put(self.lease, "stdout", b"abc", sha256(b"abc").upper()).status, 400)

    def test_names_cannot_leave_the_run(self):
        for name in ("..", ".", "../x", "a/../b", "%2e%2e%2fx", "..%2fx", "a%2f..%2fb", ".hidden", "-rf", "a/-b",
                     "a%00b", "a%0ab", "a%5cb", "%c0%ae%c0%ae", "a//b", "/etc/passwd", "a/", "x" * 101, "a/b/c/d/e/f",
                     "a%20b", "%e2%80%aetxt", "%ff", "%", "%zz", "a%2", "CON:", "a;b", "a%7cb", "..;/x"):
            with self.subTest(name=name):
                self.assertIn(self.box.put(self.lease, name, b"x").status, (400, 404))
        self.assertEqual(self.db.one("SELECT count(*) FROM artefact"), "0")
        for name in ("a", "a.b+c-d_e", "a/b/c/d/e", "x" * 100):
            with self.subTest(name=name):
                self.assertEqual(self.box.put(self.lease, name, b"x").status, 200)

    def test_two_uploads_of_one_file_at_once_do_not_mix(self):
        data = [bytes([65 + i]) * 3_000_000 for i in range(6)]
        with concurrent.futures.ThreadPoolExecutor(6) as threads:
            answers = list(threads.map(lambda one: self.box.put(self.lease, "stdout", one), data))
        self.assertEqual([a.status for a in answers if a.status not in (200, 409, 503)], [])
        self.assertEqual(len([a for a in answers if a.status == 200]), 1)
        digest = self.db.one("SELECT hash FROM artefact")
        self.assertIn(digest, [sha256(one) for one in data])
        self.assertEqual(sha256(self.path_of(digest).read_bytes()), digest)


class Pack(Test):
    def git(self, *args, **more):
        return subprocess.run(["git", "-C", self.folder, "-c", "user.name=x", "-c", "user.email=x@example.org", *args],
                              check=True, capture_output=True, **more).stdout

    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp(dir=self.server.data)
        self.git("init", "-q")
        self.ids = []
        for name in ("base", "one"):
            pathlib.Path(self.folder, "file").write_text(name * 1000, encoding="utf-8")
            self.git("add", "file")
            self.git("commit", "-q", "-m", name)
            self.ids.append(self.git("rev-parse", "HEAD").decode().strip())
        self.repository = self.world.repository()
        mirror = pathlib.Path(self.server.data, "mirror")
        mirror.mkdir()
        self.git("clone", "-q", "--bare", ".", str(mirror / f"{self.repository}.git"))
        self.box = self.worker()

    def pack(self, query):
        return self.box.call("GET", f"/api/v1/repos/{self.repository}/pack?{query}")

    def test_a_pack_holds_a_planned_commit(self):
        base, one = self.ids
        commits = [self.world.commit(name) for name in ("base", "one")]
        self.db.sql(f"UPDATE commit SET oid = '{base}' WHERE id = {commits[0]}")
        self.assertEqual(self.pack("want=" + base).status, 404, "it is in the mirror, but not planned")
        self.db.sql(f"UPDATE commit SET oid = '{one}' WHERE id = {commits[1]}")
        self.world.stack(self.repository, commits)
        whole = self.pack("want=" + one)
        self.assertEqual((whole.status, whole.headers["Content-Type"]), (200, "application/x-git-packed-objects"))
        self.assertEqual(whole.body[:4], b"PACK")
        fresh = tempfile.mkdtemp(dir=self.server.data)
        subprocess.run(["git", "init", "-q", "--bare", fresh], check=True)
        subprocess.run(["git", "-C", fresh, "index-pack", "--stdin"], input=whole.body, check=True, capture_output=True)
        self.assertEqual(subprocess.run(["git", "-C", fresh, "show", one + ":file"], check=True,
                                        capture_output=True).stdout, b"one" * 1000)
        self.assertEqual(self.pack(f"want={one}&have={base}&have={'0' * 40}").status, 200)

    def test_what_is_not_an_id_is_refused(self):
        for query in ("", "want=", "want=HEAD", "want=" + self.ids[0][:10], f"want={self.ids[0]}&have=x",
                      f"want={self.ids[0]}&x=1"):
            with self.subTest(query=query):
                self.assertEqual(self.pack(query).status, 400)
        self.assertEqual(self.pack("want=" + self.ids[0]).status, 404)


if __name__ == "__main__":
    main()
