# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a bisection: what it says of each commit, what it folds, what it costs."""
import lab
from webtest import Test, main, oid, quote


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
        self.db.sql(f"UPDATE bisection SET suspects = '{{5,6,7}}' WHERE id = {self.lab.found}")
        self.assertIn("could not be told apart", self.document(self.lab.found)["meaning"])

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


if __name__ == "__main__":
    main()
