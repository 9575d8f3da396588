# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a bisection: what it says of each commit, what it folds, what it costs."""
import os
import pathlib
import pwd
import subprocess

import lab
from webtest import HOST, Test, main, oid, quote

PATCHMETER = pathlib.Path(HOST).resolve().parent.parent.parent / "cli" / "patchmeter"


class Page(Test):
    def setUp(self):
        super().setUp()
        self.lab = lab.Lab(self.db, self.server).fill()

    def document(self, number):
        return self.server.call("GET", f"/api/v1/bisections/{number}").json

    def test_what_was_asked_for_is_a_row_and_what_lies_between_is_folded(self):
        document = self.document(self.lab.searching)
        rows = document["rows"]
        asked = [0, 75, 138, 139, 140, 141, 142, 143, 150, 225, 300]
        self.assertEqual([row["position"] for row in rows if "is_fold" not in row], asked)
        self.assertEqual([(row["position"], row["last"], row["nr_commits"]) for row in rows if "is_fold" in row],
                         [(1, 74, 74), (76, 137, 62), (144, 149, 6), (151, 224, 74), (226, 299, 74)])
        self.assertEqual(document["nr_between"], 300)
        self.assertAlmostEqual(sum(row["p"] or 0 for row in rows) + document["p_none"],
                               float(self.db.one(f"""SELECT sum(share) FROM bisection z, unnest(z.posterior) share
                                   WHERE z.id = {document['id']}""")))
        by = {row["position"]: row for row in rows}
        self.assertEqual((by[140]["p"], by[140]["nr"], by[140]["commit"]), (0.9642, 3, oid("long 140")[:10]))
        self.assertIsNone(by[0]["p"])
        self.assertEqual(by[142]["why"], "build-failed: make: exit status 2")
        self.assertEqual(by[143]["why"], "skipped by ada: breaks the box")
        self.assertEqual((by[142]["nr"], by[142]["runs"]), (0, []))

    def test_values_are_those_of_the_runs_and_tell_machines_apart(self):
        rows = self.document(self.lab.searching)["rows"]
        runs = next(row for row in rows if row["position"] == 75)["runs"]
        self.assertEqual([run["machine"] for run in runs], [0, 1, 0])
        for run in runs:
            shown = self.server.call("GET", f"/api/v1/runs/{run['run']}").json
            self.assertAlmostEqual(shown["metrics"][0]["value"], run["value"])

    def test_its_cost_is_what_it_asked_for_itself(self):
        self.assertEqual(self.document(self.lab.searching)["cost"],
                         {"nr_runs": 27, "nr_builds": 0, "nr_failed": 0, "machine_s": 27 * 90})
        cell, commit = self.lab.cells[0], self.db.one(f"SELECT id FROM commit WHERE oid = '{oid('long 75')}'")
        run = self.lab.build_run(cell, commit)
        self.db.sql(f"""UPDATE run SET state = 'done', started = belt_now() - interval '30 seconds',
            finished = belt_now() WHERE id = {run}""")
        cost = self.document(self.lab.searching)["cost"]
        self.assertEqual((cost["nr_runs"], cost["nr_builds"]), (27, 1))
        self.assertAlmostEqual(cost["machine_s"], 27 * 90 + 30, delta=1)

    def test_what_is_under_way_is_said_of_its_commit(self):
        cell, commit = self.lab.cells[0], self.db.one(f"SELECT id FROM commit WHERE oid = '{oid('long 200')}'")
        self.lab.build_run(cell, commit)
        row = next(row for row in self.document(self.lab.searching)["rows"] if row["position"] == 200)
        self.assertEqual((row["why"], row["nr"]), ("being built", 0))

    def test_an_end_has_culprit_parent_finding_and_the_revert(self):
        document = self.document(self.lab.found)
        self.assertEqual((document["culprit"]["commit"], document["culprit"]["against"]),
                         (oid("short 7")[:10], oid("short 6")[:10]))
        self.assertEqual([row["position"] for row in document["rows"] if row["is_suspect"]], [7])
        self.assertIn("It is the cause", document["meaning"])
        self.assertEqual((document["change"], document["is_worse"]), ("+6.9%", True))
        self.assertEqual((document["finding"]["word"], document["finding"]["mail"]), ("regression", None))
        self.assertEqual([event["detail"] for event in document["events"]],
                         ["concluded: recovered", "confirming: posterior 0.964", "opened: the ends differ in fio.time"])
        self.assertEqual(document["nr_unmeasured"], 17 - document["nr_commits"])
        self.assertIn(f"; {17 - document['nr_commits']} inner commits not measured",
                      self.server.call("GET", f"/bisect/{self.lab.found}").body.decode())
        self.db.sql(f"UPDATE bisection SET suspects = '{{5,6,7}}' WHERE id = {self.lab.found}")
        self.assertIn("could not be told apart", self.document(self.lab.found)["meaning"])

    def test_a_commit_that_failed_leads_to_its_log(self):
        cell, commit = self.lab.cells[0], self.db.one(f"SELECT id FROM commit WHERE oid = '{oid('long 142')}'")
        run = self.lab.build_run(cell, commit)
        self.db.sql(f"""UPDATE run SET state = 'failed', reason = 'build-failed' WHERE id = {run};
            UPDATE build SET state = 'failed', run_id = {run} WHERE id = (SELECT build_id FROM run WHERE id = {run})""")
        by = {row["position"]: row for row in self.document(self.lab.searching)["rows"]}
        self.assertEqual((by[142]["failed_url"], by[143]["failed_url"]), (f"/run/{run}", None))
        page = self.server.call("GET", f"/bisect/{self.lab.searching}").body.decode()
        self.assertRegex(page, f'href="/run/{run}">[^<]*build-failed: make: exit status 2</a>')

    def test_a_series_says_that_inner_commits_were_not_measured(self):
        series = f"/api/v1/series/{self.lab.series}"
        self.assertIsNone(self.server.call("GET", series).json["inner"])
        self.db.sql(f"""UPDATE comparison SET state = 'cancelled', reason = 'inner commits not measured: over the budget'
            WHERE id = (SELECT max(comparison_id) FROM stack_comparison WHERE stack_id = {self.lab.series})""")
        self.assertEqual(self.server.call("GET", series).json["inner"], "not measured")
        page = self.server.call("GET", f"/series/{self.lab.series}").body.decode()
        self.assertIn("; inner commits not measured", page)

    def test_runs_after_its_end_are_none_of_its_evidence(self):
        def base():
            return self.document(self.lab.found)["rows"][0]["nr"]

        nr, cell, commit = base(), self.lab.cells[0], self.lab.commits[0]
        self.lab.measured_run(self.lab.searching, cell, commit, self.lab.box, 10.0)
        self.db.sql("UPDATE run SET started = belt_now() + interval '1 hour' WHERE id = (SELECT max(id) FROM run)")
        self.assertEqual(base(), nr)
        self.db.sql(f"UPDATE bisection SET state = 'open' WHERE id = {self.lab.found}")
        self.assertEqual(base(), nr + 1)

    def test_series_and_list_lead_to_it(self):
        series = self.document(self.lab.found)["series"]
        listed = self.server.call("GET", f"/api/v1/series/{series}").json["bisections"]
        self.assertEqual([(row["url"], row["metric"], row["state"]) for row in listed],
                         [(f"/bisect/{self.lab.found}", "fio.time", "concluded")])
        rows = self.server.call("GET", "/api/v1/bisections").json["bisections"]
        self.assertEqual([row["id"] for row in rows], [self.lab.found, self.lab.searching])
        self.assertEqual([row["expected_text"] if row["is_busy"] else None for row in rows], [None, "3"])
        rows = self.server.call("GET", "/api/v1/bisections?state=open").json["bisections"]
        self.assertEqual([row["id"] for row in rows], [self.lab.searching])
        rows = self.server.call("GET", f"/api/v1/bisections?before={self.lab.found}").json["bisections"]
        self.assertEqual([row["id"] for row in rows], [self.lab.searching])

    def test_a_page_is_bounded_however_much_was_asked_for(self):
        commits = [self.lab.commits[0]] + [self.lab.commit(f"many {i}", "x" * 300) for i in range(1, 1001)]
        many = self.lab.bisection(commits, 500, "open")
        self.db.sql(f"""INSERT INTO bisection_skip SELECT {many}, commit_id, 'build-failed: x', NULL, belt_now()
            FROM stack_commit sc JOIN bisection z ON z.stack_id = sc.stack_id
            WHERE z.id = {many} AND sc.position BETWEEN 1 AND 999 AND sc.position <> 502 AND sc.position <> 503""")
        rows = self.document(many)["rows"]
        shown = [row["position"] for row in rows if "is_fold" not in row]
        self.assertEqual(len(shown), 300)
        self.assertTrue({0, 499, 500, 1000} <= set(shown))
        self.assertEqual(sum(row.get("nr_commits", 1) for row in rows), 1001)
        page = self.server.call("GET", f"/bisect/{many}")
        self.assertEqual(page.status, 200)
        self.assertLess(len(page.body), 400_000)

    def test_without_a_look_yet_there_is_a_page(self):
        self.db.sql(f"""UPDATE bisection SET posterior = NULL, p = NULL, before = NULL, after = NULL, expected = NULL,
            nr_runs = 0, nr_commits = 0 WHERE id = {self.lab.searching};
            UPDATE run SET value = NULL WHERE cell_id = {self.lab.cells[0]}""")
        document = self.document(self.lab.searching)
        self.assertEqual([row["p"] for row in document["rows"]], [None] * len(document["rows"]))
        self.assertEqual(document["plot"]["dots"], [])
        page = self.server.call("GET", f"/bisect/{self.lab.searching}")
        self.assertEqual(page.status, 200)
        self.assertNotIn(b"Levels", page.body)

    def test_wrong_addresses(self):
        for path, status in (("/bisect/99", 404), ("/bisect/0", 404), ("/bisect/1x", 404), ("/bisect?state=done", 400),
                             ("/bisect?before=0", 400), ("/bisect?tree=1", 400), ("/bisect/1?x=1", 400),
                             ("/bisect?state=open'%20OR%20'1", 400), ("/api/v1/bisections/" + quote("1"), 404)):
            with self.subTest(path=path):
                self.assertEqual(self.server.call("GET", path).status, status)


class Operator(Test):
    def setUp(self):
        super().setUp()
        self.lab = lab.Lab(self.db, self.server).fill()
        self.token = self.world.token("admin")

    def post(self, verb, number=None, token=None, **body):
        body = {"who": "ada", "why": "a test", **body}
        return self.server.call("POST", f"/api/v1/bisections/{number or self.lab.searching}/{verb}",
                                {name: value for name, value in body.items() if value is not None},
                                token=token or self.token)

    def state(self, number=None):
        return self.db.one(f"SELECT state FROM bisection WHERE id = {number or self.lab.searching}")

    def test_each_verb_moves_it_and_is_kept_with_who_and_why(self):
        searching, found = self.lab.searching, self.lab.found
        for verb, number, body, state, event in (
                ("skip", searching, {"commit": oid("long 139")[:12]}, "open",
                 f"{oid('long 139')[:12]} skipped by ada (test): a test"),
                ("stop", searching, {}, "stopped", "stopped by ada (test): a test"),
                ("narrow", searching, {"runs": 30}, "open", "opened again by ada (test) for 30 runs: a test"),
                ("culprit", searching, {"commit": oid("long 139")}, "concluded",
                 f"concluded by ada (test) on {oid('long 139')[:12]}: a test"),
                ("invalidate", found, {}, "invalidated", "invalidated by ada (test): a test")):
            with self.subTest(verb=verb):
                answer = self.post(verb, number, **body)
                self.assertEqual(answer.status, 200, answer)
                self.assertEqual((answer.json["id"], answer.json["state"]), (number, state))
                self.assertEqual(answer.json["events"][0]["detail"], event)
                self.assertEqual(self.state(number), state)
        self.assertEqual(self.db.one(f"SELECT budget FROM bisection WHERE id = {searching}"), "90")
        self.assertIn("An operator named the commit", self.server.call("GET", f"/bisect/{searching}").body.decode())

    def test_the_stage_is_told_and_what_was_queued_is_taken_back(self):
        cell, commit = self.lab.cells[0], self.db.one(f"SELECT id FROM commit WHERE oid = '{oid('long 75')}'")
        block = self.db.one(f"""INSERT INTO block (cell_id, bisection_id, seed) VALUES ({cell}, {self.lab.searching}, 0)
            RETURNING id""")
        run = self.db.one(f"""INSERT INTO run (cell_id, kind, machine_group, priority, job_id, commit_id, build_id,
            block_id, created) VALUES ({cell}, 'measure', 'box', 20, {self.lab.job(cell, commit)}, {commit},
            {self.lab.build(cell, commit, 'done')}, {block}, belt_now()) RETURNING id""")
        self.assertEqual(self.post("stop").status, 200)
        self.assertEqual(self.db.one(f"SELECT state FROM run WHERE id = {run}"), "cancelled")

    def test_what_was_said_is_struck_out_and_another_commit_named(self):
        """Practice case C16."""
        found = self.lab.found
        self.db.sql(f"UPDATE mail SET finding_id = (SELECT id FROM finding WHERE bisection_id = {found})")
        answer = self.post("invalidate", found, why="the fan was broken")
        self.assertEqual((answer.json["state"], answer.json["culprit"], answer.json["nr_suspects"]),
                         ("invalidated", None, None))
        answer = self.post("culprit", found, commit=oid("short 4"), why="read the code")
        self.assertEqual((answer.json["state"], answer.json["culprit"]["commit"]), ("concluded", oid("short 4")[:10]))
        self.assertEqual([(row["commit"], row["by"], row["reason"], row["mail"]) for row in answer.json["struck"]],
                         [(oid("short 7")[:10], "ada (test)", "the fan was broken", self.lab.the_mail)])
        self.assertIn("is the cause", answer.json["struck"][0]["said"])
        page = self.server.call("GET", f"/bisect/{found}").body.decode()
        struck = page[page.index("<s>"):page.index("</s>")]
        self.assertIn(oid("short 7")[:10], struck)
        self.assertNotIn(oid("short 4")[:10], struck)
        self.assertRegex(page, r"</s> by ada \(test\), <time [^>]*>[^<]+</time>: the fan was broken; <a [^>]*>mail \d+</a> had told it")
        self.assertEqual(self.db.one("SELECT count(*) FROM mail"), "1")

    def test_what_its_state_does_not_allow_is_a_conflict_and_changes_nothing(self):
        before = self.db.sql("SELECT * FROM bisection ORDER BY id")
        for verb, number, body, part in (("narrow", self.lab.searching, {"runs": 5}, "is open"),
                                         ("stop", self.lab.found, {}, "is concluded"),
                                         ("narrow", self.lab.found, {"runs": 5}, "is concluded"),
                                         ("skip", self.lab.found, {"commit": oid("short 3")}, "is concluded")):
            with self.subTest(verb=verb):
                answer = self.post(verb, number, **body)
                self.assertEqual(answer.status, 409)
                self.assertIn(part, answer.json["detail"])
        self.assertEqual(self.db.sql("SELECT * FROM bisection ORDER BY id"), before)
        self.post("invalidate")
        for verb, body in (("skip", {"commit": oid("long 75")}), ("stop", {}), ("invalidate", {})):
            self.assertEqual(self.post(verb, **body).status, 409, verb)
        self.assertEqual(self.post("culprit", commit=oid("short 3")).status, 400)

    def test_an_older_version_of_a_branch_is_not_searched_again(self):
        self.post("stop")
        self.db.sql(f"""UPDATE stack SET state = 'superseded' WHERE id =
            (SELECT stack_id FROM bisection WHERE id = {self.lab.searching})""")
        answer = self.post("narrow", runs=5)
        self.assertEqual(answer.status, 409)
        self.assertIn("newer version", answer.json["detail"])

    def test_only_commits_of_the_search_can_be_named(self):
        for verb, commit, status in (("skip", oid("c0"), 400), ("skip", oid("long 300"), 400),
                                     ("culprit", oid("c0"), 400), ("culprit", oid("c2"), 400),
                                     ("skip", oid("short 3"), 400), ("skip", "0" * 40, 404), ("skip", "abc", 400),
                                     ("skip", "HEAD", 400), ("skip", "x' OR '1", 400), ("skip", "", 400),
                                     ("skip", None, 400), ("skip", 7, 400), ("culprit", ["a"], 400)):
            with self.subTest(verb=verb, commit=commit):
                self.assertEqual(self.post(verb, commit=commit).status, status)
        self.assertEqual(self.state(), "open")

    def test_a_repeat_may_be_narrower(self):
        def narrowed():
            return self.db.sql(f"SELECT narrow_from, narrow_to, state FROM bisection WHERE id = {self.lab.searching}")[0]

        ends = {"from": oid("long 100"), "to": oid("long 150")[:10]}
        self.assertEqual(self.post("narrow", runs=5, **ends).status, 409)
        self.post("stop")
        for wrong, status in (({"from": oid("long 150"), "to": oid("long 100")}, 400), ({"from": oid("long 100")}, 400),
                              ({"from": oid("long 100"), "to": oid("long 100")}, 400), ({"to": oid("long 100")}, 400),
                              ({"from": oid("short 1"), "to": oid("short 2")}, 400), ({"from": 7, "to": 8}, 400),
                              ({"from": "0" * 40, "to": oid("long 100")}, 404)):
            with self.subTest(wrong=wrong):
                self.assertEqual(self.post("narrow", runs=5, **wrong).status, status)
        self.assertEqual(narrowed(), ["", "", "stopped"])
        answer = self.post("narrow", runs=5, **ends)
        self.assertEqual(answer.json["events"][0]["detail"], "opened again by ada (test) for 5 runs between "
                         f"{oid('long 100')[:12]} and {oid('long 150')[:12]}: a test")
        self.assertEqual(narrowed(), ["100", "150", "open"])
        self.assertIn("after commit 100 and not after 150",
                      self.server.call("GET", f"/bisect/{self.lab.searching}").body.decode())
        self.post("stop")
        self.post("narrow", runs=5)
        self.assertEqual(narrowed(), ["100", "150", "open"])

    def test_nonsense_is_refused_with_its_name(self):
        for body, part in (({"who": None}, "'who'"), ({"why": None}, "'why'"), ({"who": ""}, "'who'"),
                           ({"why": 7}, "'why'"), ({"who": "x" * 101}, "'who'"), ({"why": "x" * 501}, "'why'"),
                           ({"who": {}}, "'who'")):
            with self.subTest(body=body):
                answer = self.post("stop", **body)
                self.assertEqual(answer.status, 400)
                self.assertIn(part, answer.json["detail"])
        for runs in (None, 0, -1, 10001, 1.5, "5", 1e300, [], True):
            with self.subTest(runs=runs):
                self.assertEqual(self.post("narrow", runs=runs).status, 400)
        for body in ("[]", "null", "7", "{", "", '"x"', "\x00"):
            with self.subTest(body=body):
                self.assertEqual(self.server.call("POST", f"/api/v1/bisections/{self.lab.searching}/stop", body,
                                                  token=self.token).status, 400)
        for number in ("0", "99", "1x", "-1", "9" * 30):
            with self.subTest(number=number):
                self.assertEqual(self.post("stop", number).status, 404)
        self.assertEqual(self.post("explode").status, 404)
        self.assertEqual(self.state(), "open")

    def test_hostile_words_reach_no_page_as_more_than_words(self):
        words = "<script>alert(1)</script> {{title}} \x1b[31m \u202e' ; DROP TABLE bisection --"
        answer = self.post("stop", who=words, why=words)
        self.assertEqual(answer.status, 200)
        self.assertNotRegex(answer.json["events"][0]["detail"], "[\x1b\u202e]")
        page = self.server.call("GET", f"/bisect/{self.lab.searching}").body.decode()
        self.assertNotIn("<script", page)
        self.assertIn("&lt;script&gt;", page)

    def test_the_command_line_gives_the_same_orders(self):
        path = pathlib.Path(self.server.data, "token")
        path.write_text(self.token, encoding="ascii")
        path.chmod(0o600)

        def run(*words):
            return subprocess.run([PATCHMETER, "bisect", *words, "--server", f"http://127.0.0.1:{self.server.port}"],
                                  capture_output=True, text=True, timeout=60, check=False)

        number = str(self.lab.searching)
        self.assertIn("fio.time", run("ls").stdout)
        self.assertIn("76 to 137", run("show", number).stdout)
        who = pwd.getpwuid(os.getuid()).pw_name
        for words, said, code in ((("skip", number, oid("long 75")[:10]), f"bisection {number} is open", 0),
                                  (("narrow", number, "--runs", "5"), f"bisection {number} is open: no 'narrow' from there", 6),
                                  (("stop", number, "--why", "a test"), f"bisection {number} is stopped", 0),
                                  (("narrow", number, "--runs", "5"), f"bisection {number} is open", 0),
                                  (("culprit", number, oid("c0")), "is not between the ends", 2),
                                  (("invalidate", number), f"bisection {number} is invalidated", 0),
                                  (("stop", "99"), "there is no bisection 99", 3)):
            with self.subTest(words=words):
                done = run(*words, "--token-file", path)
                self.assertEqual(done.returncode, code, done)
                self.assertIn(said, done.stdout + done.stderr)
        details = [row[0] for row in self.db.sql(f"SELECT detail FROM event WHERE bisection_id = {number} ORDER BY id")]
        self.assertIn(f"stopped by {who} (test): a test", details)
        self.assertIn(f"invalidated by {who} (test): no reason given", details)

    def test_nobody_but_an_operator_may(self):
        for token, status in ((self.world.token("worker"), 403), ("pm_" + "0" * 64, 401)):
            for verb in ("stop", "invalidate", "skip", "culprit", "narrow"):
                with self.subTest(verb=verb, status=status):
                    self.assertEqual(self.post(verb, token=token).status, status)
        answer = self.server.call("POST", f"/api/v1/bisections/{self.lab.searching}/stop", {"who": "eve", "why": "x"})
        self.assertEqual((answer.status, answer.headers["WWW-Authenticate"]), (401, "Bearer"))
        self.assertEqual(self.server.call("GET", f"/api/v1/bisections/{self.lab.searching}/stop").status, 405)
        self.assertEqual(self.state(), "open")


if __name__ == "__main__":
    main()
