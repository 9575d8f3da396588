# SPDX-License-Identifier: GPL-2.0-or-later
"""The HTTP server and its pages: who may do what, what is too much, what is hostile."""
import concurrent.futures
import html.parser
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.parse

import lab
import pg
from webtest import HOST, Server, Test, World, main, oid, quote, sha256

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def routes():
    done = subprocess.run([HOST, "--routes"], check=True, capture_output=True, text=True)
    names = ("method", "pattern", "scope", "body", "query", "template", "doc")
    return [dict(zip(names, line.split("\t"))) for line in done.stdout.splitlines()]


def filled(pattern):
    """A path that the pattern matches."""
    return re.sub(r"\*\*", "a/b", pattern).replace("*", "1")


class Who(Test):
    def test_every_route_lets_in_whom_its_row_names_and_nobody_else(self):
        tokens = {scope: self.world.token(scope) for scope in ("worker", "admin")}
        revoked = self.world.token("worker")
        self.db.sql("UPDATE token SET is_revoked = true WHERE id = (SELECT max(id) FROM token)")
        strangers = {"no token": None, "a wrong token": "pm_" + "0" * 64, "a revoked token": revoked}
        nr = 0
        for route in routes():
            path = filled(route["pattern"])
            for who, token in {**strangers, **tokens}.items():
                with self.subTest(route=route["method"] + " " + route["pattern"], who=who):
                    body = "{}" if route["body"] == "json" else b"x" if route["body"] == "file" else None
                    answer = self.server.call(route["method"], path, body, token=token)
                    nr += 1
                    if route["scope"] == "public":
                        self.assertNotIn(answer.status, (401, 403))
                    elif who in strangers:
                        self.assertEqual(answer.status, 401)
                        self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")
                    elif who != route["scope"]:
                        self.assertEqual(answer.status, 403)
                    else:
                        self.assertNotIn(answer.status, (401, 403))
        self.assertGreater(nr, 150)

    def test_a_token_counts_only_as_bearer(self):
        token = self.world.token("worker")
        for headers in ({"Authorization": "Basic " + token}, {"Authorization": token}, {"Cookie": "token=" + token},
                        {"X-Token": token}, {"Authorization": "Bearer " + token[:-1]},
                        {"Authorization": "Bearer " + token + "x"}, {"Authorization": "Bearer"}):
            with self.subTest(headers=headers):
                self.assertEqual(self.server.call("POST", "/api/v1/worker/join", "{}", headers=headers).status, 401)
        self.assertEqual(self.server.call("POST", "/api/v1/worker/join?token=" + token, "{}").status, 400)
        self.assertEqual(self.server.call("POST", "/api/v1/worker/join", "{}",
                                          headers={"authorization": "bearer " + token}).status, 400, "joined badly, but let in")

    def test_use_of_a_token_is_recorded(self):
        token = self.world.token("worker")
        self.assertEqual(self.db.one("SELECT used IS NULL FROM token"), "t")
        self.server.call("POST", "/api/v1/worker/join", "{}", token=token)
        self.assertEqual(self.db.one("SELECT used IS NULL FROM token"), "f")


class Table(unittest.TestCase):
    def test_no_row_hides_another(self):
        rows = routes()
        for later, route in enumerate(rows):
            mine = re.sub(r"\*\*", "§", route["pattern"]).replace("*", "¤")
            for earlier in rows[:later]:
                if earlier["method"] == route["method"]:
                    shape = re.escape(earlier["pattern"]).replace(r"\*\*", ".+").replace(r"\*", "[^/]+")
                    self.assertIsNone(re.fullmatch(shape, mine), f"{earlier['pattern']} hides {route['pattern']}")

    def test_every_row_is_documented(self):
        text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
        for route in routes():
            path = re.escape(route["pattern"]).replace(r"\*\*", "NAME").replace(r"\*", "[A-Z]+")
            self.assertRegex(text, f"`{route['method']} {path}[`?]", route["pattern"])
            for name in route["query"].split():
                self.assertRegex(text, f"`{name}`|[?&]{name}=")

    def test_the_workers_routes_are_those_of_the_protocol(self):
        text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
        told = set(re.findall(r"^\| `(\w+) (/[^?`]*)", text, re.M))
        ours = {(route["method"], route["pattern"]) for route in routes() if route["scope"] == "worker"}
        self.assertEqual({(method, re.sub("[A-Z]+", "*", path)) for method, path in told},
                         {(method, pattern.replace("**", "*")) for method, pattern in ours})


class Limits(Test):
    options = ["64"]

    def raw(self, data, wait=0.0):
        """What comes back for these bytes, until the server closes or is silent for a second."""
        wire = socket.create_connection(("127.0.0.1", self.server.port), timeout=1)
        answer = b""
        try:
            wire.sendall(data)
        except OSError:
            pass  # it was answered before it was sent to its end
        try:
            time.sleep(wait)
            while part := wire.recv(65536):
                answer += part
        except OSError:
            pass
        wire.close()
        return answer

    def status(self, data):
        match = re.match(rb"HTTP/1\.1 (\d+)", self.raw(data))
        return int(match.group(1)) if match else None

    def test_too_long_is_said_with_its_own_status(self):
        self.assertEqual(self.server.call("GET", "/" + "x" * 5000).status, 414)
        self.assertEqual(self.server.call("GET", "/series?tree=" + "1" * 5000).status, 414)
        self.assertEqual(self.server.call("GET", "/", headers={"X-Long": "x" * 17000}).status, 431)
        self.assertEqual(self.server.call("GET", "/", headers={f"X-{i}": "x" * 100 for i in range(200)}).status, 431)
        self.assertIn(self.status(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 100000 + b"\r\n\r\n"), (413, 431, None))

    def test_a_json_body_ends_at_a_megabyte(self):
        token = self.world.token()
        for size, status in ((1 << 20, 400), ((1 << 20) + 1, 413), (1 << 30, 413)):
            head = (f"POST /api/v1/worker/join HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
                    f"Content-Length: {size}\r\n\r\n").encode()
            with self.subTest(size=size):
                self.assertEqual(self.status(head + b"x" * min(size, 1 << 20)), status)
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        head = (f"POST /api/v1/worker/join HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
                "Transfer-Encoding: chunked\r\n\r\n").encode()
        self.assertEqual(self.status(head + chunk * 17 + b"0\r\n\r\n"), 413)

    def test_a_file_ends_at_256_mib_and_needs_its_length(self):
        token = self.world.token()
        head = (f"PUT /api/v1/lease/1/file/stdout HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
                f"Patchmeter-Lease-Secret: x\r\nPatchmeter-SHA256: {'0' * 64}\r\n")
        self.assertEqual(self.status((head + f"Content-Length: {(256 << 20) + 1}\r\n\r\n").encode()), 413)
        self.assertEqual(self.status((head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n").encode()), 411)
        self.assertEqual(self.status((head + "Content-Length: -1\r\n\r\n").encode()), 400)
        self.assertEqual(self.status((head + "Content-Length: 3\r\n\r\nabc").encode()), 409)

    def test_a_body_that_nobody_asked_for_is_refused(self):
        self.assertEqual(self.status(b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"), 413)

    def test_garbage_does_not_stop_it(self):
        for data in (b"", b"\r\n" * 100, b"GET", b"\x00" * 1000, b"GET / HTTP/9.9\r\n\r\n", b"GET /\r\n\r\n",
                     b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
                     b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 50, b"PUT /api/v1/lease/1/file/x HTTP/1.1\r\n\r\n",
                     b"GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
                     b"POST /api/v1/worker/join HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                     b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"):
            with self.subTest(data=data[:60]):
                self.raw(data)
                self.assertEqual(self.server.call("GET", "/healthz").status, 200)

    def test_an_address_with_all_its_connections_waits_and_others_are_not_hurt(self):
        wires = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(64)]
        time.sleep(0.3)
        with self.assertRaises((OSError, AssertionError)):
            self.assertEqual(self.server.call("GET", "/healthz", timeout=2).status, 200)
        for wire in wires:
            wire.close()
        time.sleep(0.3)
        self.assertEqual(self.server.call("GET", "/healthz").status, 200)

    def test_who_says_nothing_is_cut_off(self):
        wires = [socket.create_connection(("127.0.0.1", self.server.port), timeout=12) for _ in range(3)]
        wires[1].sendall(b"GET / HTTP/1.1\r\nHo")
        wires[2].sendall(b"POST /api/v1/worker/join HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        start = time.monotonic()
        for wire in wires:
            try:
                while wire.recv(65536):
                    pass
            except ConnectionError:
                pass
            wire.close()
        self.assertLess(time.monotonic() - start, 11)

    def test_parked_workers_do_not_hold_up_the_pages(self):
        boxes = [self.worker(f"box-{i}") for i in range(50)]
        with concurrent.futures.ThreadPoolExecutor(50) as threads:
            waiting = [threads.submit(box.lease, 4) for box in boxes]
            time.sleep(0.7)
            start = time.monotonic()
            for _ in range(20):
                self.assertEqual(self.server.call("GET", "/").status, 200)
            self.assertLess(time.monotonic() - start, 3)
            self.assertEqual({answer.result().status for answer in waiting}, {204})


class Crowd(Test):
    options = ["1000"]

    def test_five_hundred_parked_workers_are_all_answered_and_one_gets_the_run(self):
        token = self.world.token()
        wires = []
        for i in range(500):
            answer = self.server.call("POST", "/api/v1/worker/join", {
                "protocol": 1, "name": f"box-{i}", "group": "box", "fingerprint": {"lasting": {}}}, token=token)
            self.assertEqual(answer.status, 200)
        for i in range(500):
            body = json.dumps({"machine": f"box-{i}", "boot_id": "b", "wait_s": 4})
            wire = socket.create_connection(("127.0.0.1", self.server.port), timeout=30)
            wire.sendall((f"POST /api/v1/worker/lease HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
                          f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}").encode())
            wires.append(wire)
        time.sleep(1)
        commits = [self.world.commit(name) for name in ("base", "one")]
        self.world.stack(self.world.repository(), commits)
        self.world.build_run(self.world.cell(), commits[1])
        self.db.sql("SELECT pg_notify('belt', 'lease')")
        start = time.monotonic()
        statuses = []
        for wire in wires:
            statuses.append(int(wire.recv(65536).split(b" ")[1]))
            wire.close()
        self.assertEqual(statuses.count(200), 1)
        self.assertEqual(statuses.count(204), 499)
        self.assertLess(time.monotonic() - start, 15)


class Form(Test):
    def test_unknown_parameters_are_named(self):
        for path in ("/?x=1", "/series?sate=done", "/healthz?x", "/api/v1/status?format=json", "/compare?bases=1",
                     "/machines?%66oo=1"):
            with self.subTest(path=path):
                answer = self.server.call("GET", path, headers={"Accept": "application/json"})
                self.assertEqual(answer.status, 400)
                name = urllib.parse.unquote(path.split("?")[1].split("=")[0])
                self.assertIn(f"unknown parameter &#39;{name}&#39;" if b"<!DOCTYPE" in answer.body else
                              f"unknown parameter '{name}'", answer.body.decode())

    def test_failures_are_problems_for_programs_and_pages_for_people(self):
        problem = self.server.call("GET", "/api/v1/runs/99")
        self.assertEqual((problem.status, problem.headers["Content-Type"]), (404, "application/problem+json"))
        self.assertEqual(problem.json["status"], 404)
        self.assertIn("/api/v1/runs/99", problem.json["detail"])
        page = self.server.call("GET", "/run/99")
        self.assertEqual((page.status, page.headers["Content-Type"]), (404, "text/html; charset=utf-8"))
        self.assertIn(b"<h1>404", page.body)
        self.assertEqual(self.server.call("GET", "/nothing/here").status, 404)
        for path in ("/run/0", "/run/01", "/run/+1", "/run/-1", "/run/1e3", "/run/x", "/run/9999999999999999999999",
                     "/run/1/", "/run//", "//", "/series/1/x", "/run/1/file/", "/%2e%2e/etc/passwd"):
            with self.subTest(path=path):
                self.assertEqual(self.server.call("GET", path).status, 404)
        for path in ("/%", "/%zz", "/run/%00", "/run/%0a", "/run/%c0%80", "/run/%e2%80%ae", "/machine/%ff"):
            with self.subTest(path=path):
                self.assertEqual(self.server.call("GET", path).status, 400)

    def test_wrong_values_of_parameters_are_named(self):
        for path in ("/series?tree=x", "/series?tree=-1", "/series?before=0", "/series?state=bad", "/?format=xml",
                     "/compare", "/compare?base=12345678", "/compare?base=1&head=2",
                     "/compare?base=xxxxxxxx&head=12345678", "/mail?before=y"):
            with self.subTest(path=path):
                self.assertEqual(self.server.call("GET", path).status, 400)

    def test_methods_that_a_path_does_not_have(self):
        answer = self.server.call("DELETE", "/api/v1/lease/1/file/x")
        self.assertEqual((answer.status, answer.headers["Allow"]), (405, "PUT, HEAD"))
        self.assertEqual(self.server.call("POST", "/", "{}").headers["Allow"], "GET")

    def test_head_is_get_without_the_body(self):
        for path in ("/", "/healthz", "/static/style.css", "/machines?format=json"):
            with self.subTest(path=path):
                head, whole = self.server.call("HEAD", path), self.server.call("GET", path)
                self.assertEqual((head.status, head.body), (200, b""))
                self.assertEqual(head.headers["Content-Length"], str(len(whole.body)))

    def test_readiness_and_version(self):
        self.assertEqual(self.server.call("GET", "/healthz").body, b"ok\n")
        self.assertEqual(self.server.call("GET", "/readyz").json["database"], "ok")
        version = self.server.call("GET", "/version").json
        self.assertEqual((version["protocol"], version["schema"]), (1, int(self.db.one("SELECT count(*) FROM schema_version"))))

    def test_without_its_database_it_lives_and_says_so_and_comes_back(self):
        self.db.sql("SELECT 1")
        self.cluster.server.send_signal(3)  # SIGQUIT: as bad as a crash
        self.cluster.server.wait(30)
        self.assertEqual(self.server.call("GET", "/healthz").status, 200)
        self.assertEqual(self.server.call("GET", "/readyz").status, 503)
        page = self.server.call("GET", "/")
        self.assertEqual((page.status, page.headers["Retry-After"]), (503, "5"))
        self.cluster.serve()
        self.assertEqual(self.server.call("GET", "/readyz").status, 200)
        self.assertEqual(self.server.call("GET", "/").status, 200)

    def test_the_style_is_small(self):
        self.assertLessEqual(len(self.server.call("GET", "/static/style.css").body), 12 << 10)


class Reader(html.parser.HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.tags, self.attributes, self.ids = [], set(), set(), []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value for name, value in attrs if name in ("href", "src", "action")]
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_data(self, data):
        self.words += data


class Pages(Test):
    def setUp(self):
        super().setUp()
        self.lab = lab.Lab(self.db, self.server).fill()

    def test_every_link_leads_somewhere_and_every_twin_is_json(self):
        seen, queue = set(), self.lab.pages()
        while queue:
            path = queue.pop().split("#")[0]
            if not path or path in seen:
                continue
            seen.add(path)
            with self.subTest(path=path):
                self.assertTrue(path.startswith("/"), path)
                answer = self.server.call("GET", path)
                self.assertEqual(answer.status, 200 if path != "/mail/1?format=eml" else 404, answer)
                if answer.headers["Content-Type"].startswith("text/html"):
                    queue += Reader(answer.body.decode()).links
                elif "json" in answer.headers["Content-Type"]:
                    json.loads(answer.body)
        self.assertGreater(len(seen), 100)

    def test_the_api_gives_the_documents_of_the_pages(self):
        pairs = {"/": "/api/v1/status", "/series": "/api/v1/series", f"/series/{self.lab.series}":
                 f"/api/v1/series/{self.lab.series}", "/machines": "/api/v1/machines", "/runs": "/api/v1/runs",
                 "/bisect": "/api/v1/bisections", f"/bisect/{self.lab.found}": f"/api/v1/bisections/{self.lab.found}",
                 "/mail": "/api/v1/mails",
                 "/machine/box-a": "/api/v1/machines/box-a", "/mail/1": "/api/v1/mails/1",
                 f"/run/{self.lab.good_run}": f"/api/v1/runs/{self.lab.good_run}", "/repositories": "/api/v1/repositories", "/calibration": "/api/v1/calibration",
                 f"/commit/{oid('c2')}": f"/api/v1/commits/{oid('c2')}"}
        for page, twin in pairs.items():
            with self.subTest(page=page):
                one, two = self.server.call("GET", page + "?format=json").json, self.server.call("GET", twin).json
                one.pop("at", None), two.pop("at", None), one.pop("running", None), two.pop("running", None)
                self.assertEqual(one, two)
        query = f"?base={oid('c1')}&head={oid('c2')}"
        self.assertEqual(self.server.call("GET", "/compare" + query + "&format=json").json,
                         self.server.call("GET", "/api/v1/compare" + query).json)

    def test_a_short_commit_is_led_to_its_full_name(self):
        answer = self.server.call("GET", "/commit/" + oid("c2")[:8])
        self.assertEqual((answer.status, answer.headers["Location"]), (302, "/commit/" + oid("c2")))
        for path in (f"/commit/{oid('c2')[:8]}?format=json", "/api/v1/commits/" + oid("c2")[:8]):
            self.assertEqual(self.server.call("GET", path).json["commit"], oid("c2"))
        self.assertEqual(self.server.call("GET", "/commit/" + oid("c2")[:7]).status, 400)
        self.assertEqual(self.server.call("GET", "/commit/deadbeef").status, 404)
        twin = oid("c2")[:20] + "0" * 20
        self.db.sql(f"UPDATE commit SET oid = '{twin}' WHERE oid = '{oid('c4')}'")
        answer = self.server.call("GET", "/api/v1/commits/" + oid("c2")[:8])
        self.assertEqual(answer.status, 409)
        self.assertIn(twin, answer.json["detail"])

    def cells(self):
        document = self.server.call("GET", f"/api/v1/series/{self.lab.series}").json
        return [[(cell["word"], cell["text"], cell["why"]) for cell in row["cells"]] for row in document["rows"]], \
               [cell["word"] for cell in document["ends"]]

    def test_each_cell_of_the_grid_has_its_verdict_or_its_reason(self):
        rows, ends = self.cells()
        self.assertEqual(rows[0], [("base", None, None)] * 3)
        self.assertEqual(rows[1], [("within noise", "+0.2%", None), ("within noise", "-0.1%", None),
                                   ("missing", None, "its blocks were lost")])
        self.assertEqual(rows[2], [("worse", "+7.4%", None), ("same binary", None, None),
                                   ("waits for tip against base", None, None)])
        self.assertEqual(rows[3], [("cannot resolve", None, "excluded above 2.1 %, needs about 40 runs"),
                                   ("better", "-3.1%", None), ("build failed", None, "make: exit status 2")])
        self.assertEqual([cell[0] for cell in rows[4]], ["not planned", "running 1/4", "not planned"])
        self.assertEqual(ends, ["worse", "not planned", "not planned"])

    def test_a_comparison_without_verdicts_claims_nothing(self):
        path = f"/api/v1/compare?base={oid('c1')}&head={oid('c2')}&cell={self.lab.cells[2]}"
        comparison = self.server.call("GET", path).json["comparisons"][0]
        self.assertEqual(comparison["state"], "waiting")
        for row in comparison["view"]["groups"][0]["rows"]:
            change = row["changes"][0]
            self.assertEqual((change["verdict"], change["reason"]), ("missing", "not judged yet"))
            self.assertEqual([change[name] for name in ("percent", "absolute", "low", "high", "p", "q")], [None] * 6)
            self.assertEqual([cell["value"] for cell in row["cells"]], [None, None])

    def test_a_jump_that_main_made_too_is_told(self):
        cell = self.lab.cells[0]
        tip = self.db.one(f"""SELECT h.oid FROM stack_comparison s JOIN comparison x ON x.id = s.comparison_id
            JOIN commit h ON h.id = x.head_id WHERE s.role = 'tip' AND s.cell_id = {cell}""")
        path = f"/compare?base={oid('c0')}&head={tip}&cell={cell}"
        tree = self.db.one("SELECT repository_id FROM stack LIMIT 1")

        def note():
            view = self.server.call("GET", "/api/v1" + path).json["comparisons"][0]["view"]
            return view["groups"][0]["rows"][0]["note"]

        self.assertIsNone(note())
        for i in range(16):
            base, head = self.lab.commit(f"main {i}"), self.lab.commit(f"on main {i}")
            self.lab.stack(tree, [base, head], ref=f"topic/{i}")
            comparison = self.lab.comparison(cell, base, head, "done")
            level = (10, 10.8)[i >= 8] + i % 3 / 100
            self.db.sql(f"""INSERT INTO verdict
                (cell_id, comparison_id, look, slot, kind, nr_base, nr_head, base, is_ratio, at)
                VALUES ({cell}, {comparison}, 1, 1, 'no-change', 4, 4, {level}, true, belt_now());
                UPDATE comparison SET look = 1 WHERE id = {comparison}""")
            if i == 8:
                self.assertIsNone(note())
        self.assertRegex(note(), "^main has made this jump by itself: "
                         rf"\+8\.0 % at {oid('main 8')[:12]} \(p = 0\.00")
        self.assertIn("main has made this jump by itself", self.server.call("GET", path).body.decode())

    def test_false_alarms_are_counted_by_purpose_and_benchmark(self):
        rates = self.server.call("GET", "/api/v1/calibration").json["rates"]
        self.assertEqual([(rate["what"], rate["benchmark"], rate["jobs"]["text"]) for rate in rates],
                         [("same image", None, "0.00 % (0.00 to 97.50 %), 0 of 1"),
                          ("same image", "fio", "0.00 % (0.00 to 97.50 %), 0 of 1"),
                          ("neutral rebuild", None, "100.00 % (2.50 to 100.00 %), 1 of 1"),
                          ("neutral rebuild", "fio", "100.00 % (2.50 to 100.00 %), 1 of 1")])
        self.assertEqual(rates[2]["metrics"]["text"], "33.33 % (0.84 to 90.57 %), 1 of 3")
        status = self.server.call("GET", "/api/v1/status").json
        self.assertEqual(status["calibration"], [rate for rate in rates if rate["benchmark"] is None])

    def test_the_queue_says_why_it_waits(self):
        reason = lambda: self.server.call("GET", "/api/v1/status").json["queue"]["oldest"]["reason"]
        self.assertEqual(reason(), "its block began on machine box-a, which is busy")
        self.db.sql("UPDATE lease SET state = 'expired'; UPDATE machine SET seen = belt_now() - interval '1 hour'")
        self.assertEqual(reason(), "its block began on machine box-a, which is away")
        self.db.sql("UPDATE block SET machine_id = NULL, epoch_id = NULL WHERE state = 'open'")
        self.assertEqual(reason(), "every machine of group box is away")
        self.db.sql("UPDATE machine SET seen = belt_now()")
        self.assertEqual(reason(), "a machine of group box is about to take it")
        self.db.sql("UPDATE machine SET machine_group = 'other'")
        self.assertEqual(reason(), "no machine of group box has joined")

    def test_an_empty_database_has_pages_too(self):
        self.db.sql("TRUNCATE token, machine, repository, commit, cell, benchmark, run, block, comparison, event CASCADE")
        for path in ("/", "/series", "/bisect", "/machines", "/mail", "/repositories", "/calibration"):
            with self.subTest(path=path):
                answer = self.server.call("GET", path)
                self.assertEqual(answer.status, 200)
                self.assertNotIn(b"{{", answer.body)

    def test_raw_files_come_whole_or_in_parts_and_never_as_pages(self):
        data = bytes(range(256)) * 40
        path = f"/run/{self.lab.good_run}/file/perf/data.bin"
        whole = self.server.call("GET", path)
        self.assertEqual((whole.status, whole.body), (200, data))
        self.assertEqual(whole.headers["Content-Type"], "application/octet-stream")
        self.assertEqual(whole.headers["Content-Disposition"],
                         f'attachment; filename="run-{self.lab.good_run}-perf-data.bin"')
        self.assertIn("sandbox", whole.headers["Content-Security-Policy"])
        for text, part in (("bytes=0-9", data[:10]), ("bytes=100-", data[100:]), ("bytes=-7", data[-7:]),
                           ("bytes=10230-99999", data[10230:]), ("bytes=-99999", data)):
            with self.subTest(text=text):
                answer = self.server.call("GET", path, headers={"Range": text})
                self.assertEqual((answer.status, answer.body), (206, part))
                start = len(data) - len(part) if text != "bytes=0-9" else 0
                self.assertEqual(answer.headers["Content-Range"], f"bytes {start}-{start + len(part) - 1}/{len(data)}")
        for text in ("lines=1-2", "bytes=1-2,5-6", "bytes=x"):
            self.assertEqual(self.server.call("GET", path, headers={"Range": text}).body, data)
        self.assertEqual(self.server.call("GET", path, headers={"Range": "bytes=99999-"}).status, 400)
        self.assertEqual(self.server.call("GET", path + "?tail=5").body, data[-5:])
        self.assertEqual(self.server.call("GET", path + "?tail=99999").body, data)
        self.assertEqual(self.server.call("GET", path + "x").status, 404)
        empty = self.server.call("GET", f"/run/{self.lab.good_run}/file/stderr")
        self.assertEqual((empty.status, empty.body), (200, b""))

    def test_a_log_is_shown_from_its_end_without_what_terminals_read(self):
        page = Reader(self.server.call("GET", f"/run/{self.lab.bad_run}").body.decode())
        self.assertIn("mm/frob.c:12: error: expected ';' before 'return'\nmake: ***", page.words)
        self.assertNotIn("\x1b", page.words)
        self.assertNotIn("title", page.words.split("build.log")[-1].split("Do it again")[0])
        cell = self.db.one(f"SELECT cell_id FROM run WHERE id = {self.lab.good_run}")
        long = "".join(f"line {i}\n" for i in range(100000))
        self.lab.store(cell, self.lab.good_run, "setup.log", long.encode())
        log = self.server.call("GET", f"/api/v1/runs/{self.lab.good_run}?file=setup.log").json["log"]
        self.assertTrue(log["is_cut"])
        self.assertTrue(log["text"].endswith("line 99998\nline 99999\n"))
        self.assertRegex(log["text"], "^line [0-9]+\n")
        self.assertLessEqual(len(log["text"]), 64 << 10)

    def test_the_mail_is_shown_as_it_is(self):
        outbox = pathlib.Path(self.server.data, "outbox")
        outbox.mkdir()
        (outbox / "1.eml").write_bytes(b"Subject: x\n\nbody\n")
        answer = self.server.call("GET", f"/mail/{self.lab.the_mail}?format=eml")
        self.assertEqual((answer.headers["Content-Type"], answer.body), ("message/rfc822", b"Subject: x\n\nbody\n"))
        document = self.server.call("GET", f"/api/v1/mails/{self.lab.the_mail}").json
        self.assertEqual(document["recipients"][0]["why"], "wrote the commit")
        self.db.sql("UPDATE mail SET file = '../store/incoming/x'")
        self.assertEqual(self.server.call("GET", f"/mail/{self.lab.the_mail}?format=eml").status, 404)

    def test_every_answer_has_the_headers_that_protect_readers(self):
        for path in self.lab.pages() + ["/api/v1/status", "/static/style.css", "/healthz", "/nothing", "/api/v1/x",
                                        f"/run/{self.lab.good_run}/file/stdout"]:
            with self.subTest(path=path):
                headers = self.server.call("GET", path).headers
                self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
                self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
                self.assertIn("frame-ancestors 'none'", headers["Content-Security-Policy"])
                self.assertNotIn("unsafe", headers["Content-Security-Policy"])
                self.assertEqual(headers["Cross-Origin-Opener-Policy"], "same-origin")
                if headers["Content-Type"].startswith("text/html"):
                    self.assertIn("base-uri 'none'", headers["Content-Security-Policy"])
                else:
                    self.assertIn("sandbox", headers["Content-Security-Policy"])


class Reproduce(Test):
    """The script is run for real, against a repository of this machine."""

    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp(dir=self.server.data)
        git = ["git", "-C", self.folder, "-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run([*git, "init", "-q", "-b", "topic/x"], check=True)
        pathlib.Path(self.folder, "greeting").write_text("it's built\n", encoding="utf-8")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "it's"], check=True)
        head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
        commit = self.world.commit("x", subject="it's; $(touch /tmp/no) `x`")
        self.db.sql(f"UPDATE commit SET oid = '{head}'")
        repository = self.world.repository()
        self.db.sql(f"UPDATE repository SET url = '{self.folder}'")
        self.world.stack(repository, [commit, commit])
        self.cell = self.world.cell(params={"text": "a 'b' $c", "list": ["1", "2"], "share": "0.1%"})
        recipe = {"build": "cp greeting built", "setup": "echo 'set up' >setup", "warmup": 1, "repeat": 2,
                  "run": "cat setup built\necho \"$PARAM_text|$PARAM_list|$PARAM_share\"", "needs": {"commands": ["cat"]}}
        self.db.sql(f"UPDATE cell SET recipe = {quote(json.dumps(recipe))}")
        self.run_id = self.world.build_run(self.cell, commit)
        self.db.sql("UPDATE run SET kind = 'measure'")

    def script(self):
        answer = self.server.call("GET", f"/run/{self.run_id}/reproduce.sh")
        self.assertEqual(answer.status, 200)
        self.assertTrue(answer.headers["Content-Disposition"].startswith("attachment"))
        path = os.path.join(self.folder, "reproduce.sh")
        pathlib.Path(path).write_bytes(answer.body)
        return path

    def test_it_builds_and_runs_the_commit(self):
        done = subprocess.run(["sh", self.script(), "--as-root"], capture_output=True, text=True, check=False,
                              env={**os.environ, "TMPDIR": self.folder})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "set up\nit's built\na 'b' $c|1 2|1\n" * 2)
        self.assertFalse(os.path.exists("/tmp/no"))

    @unittest.skipUnless(os.geteuid() == 0, "only root can be refused")
    def test_it_refuses_to_run_as_root(self):
        done = subprocess.run(["sh", self.script()], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("as root", done.stderr)


PAYLOADS = (
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'onmouseover='alert(1)",
    "</title><svg onload=alert(1)>", "</pre><iframe src=//x.example>", "<!--", "]]>", "javascript:alert(1)",
    "&lt;script&gt;", "{{title}}", "{{{title}}}", "{{> head}}", "${7*7}", "<a href=javascript:alert(1)>x</a>",
    "\\u003cscript\\u003e", "<style>*{display:none}</style>", "<base href=//x.example>",
    "<meta http-equiv=refresh content=0>", "`onfocus=alert(1) autofocus`", "</textarea><script>",
    "\u202egnp.exe", "\u2066\u2069", "\u0085\u2028\u2029", "a\u0000b".replace("\u0000", "\u0001"),
    "\x1b[31mred", "\x7f\x9b31m", "=cmd|' /C calc'!A0", "../../etc/passwd", "%3Cscript%3E", "<\u017fcript>",
    "<ScRiPt>", "onerror=alert`1`",
)
TAGS = set("""html head meta title link body a header nav main h1 h2 h3 p div section ul li ol br progress small
    dl dt dd strong table thead tbody tr th td code span time b pre details summary svg line circle path text form
    label select option button input footer""".split())
ATTRIBUTES = set("""lang charset name content href rel type class id aria-label role tabindex scope datetime max
    value open method action for viewbox x1 x2 y1 y2 cx cy r d x y text-anchor""".split())


class Hostile(Test):
    FIELDS = ("metric", "fingerprint", "reason", "author", "message_id", "detail", "log", "tree", "subject", "email",
              "machine", "ref", "benchmark", "param", "phase", "body")

    def test_nothing_that_comes_from_outside_becomes_part_of_a_page(self):
        for start in range(0, len(PAYLOADS), 4):
            text = " ".join(PAYLOADS[start:start + 4])
            with self.subTest(text=text):
                self.check(text, f"belt_x{start}")

    def check(self, text, name):
        db = self.cluster.database(name)
        server = Server(db)
        try:
            texts = {field: f"{text} {field}" for field in self.FIELDS}
            texts["machine"] = "box-a"
            world = lab.Lab(db, server, texts).fill()
            for path in world.pages():
                answer = server.call("GET", path)
                self.assertEqual(answer.status, 200, path)
                page = Reader(answer.body.decode())
                self.assertLessEqual(page.tags, TAGS, path)
                self.assertLessEqual(page.attributes, ATTRIBUTES, path)
                self.assertEqual([link for link in page.links if not link.startswith(("/", "#"))], [], path)
                self.assertNotRegex(page.words, "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", path)
                joint = "&" if "?" in path else "?"
                server.call("GET", path + joint + "format=json").json
        finally:
            self.assertEqual(server.close(), 0)


if __name__ == "__main__":
    main()
