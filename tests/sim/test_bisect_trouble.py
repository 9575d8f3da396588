#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Bisections that are disturbed: by a newer version of the branch, by operators, by the end of the daemon."""
import http.client
import json
import pathlib
import re
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import bisected
import tap
import watched

NR = 130  # too many to be planned each, whatever the budget


def operator(daemon, verb, number, why, **more):
    """One that the API does."""
    where = urllib.parse.urlsplit(daemon.url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=30)
    connection.request("POST", f"/api/v1/bisections/{number}/{verb}", json.dumps({"who": "ada", "why": why, **more}), {
        "Authorization": "Bearer " + (daemon.data / "admin.token").read_text(encoding="ascii").strip(),
        "Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    if answer.status != 200:
        raise RuntimeError(f"{verb}: {answer.status} {text!r}")


def moved_branch(t, daemon, repo, model):
    old = bisected.Stack(repo, model, "moved", NR, step=60)
    old.push()
    bisected.until_under_way(daemon, model, old.ref)
    new = bisected.Stack(repo, model, "moved-again", NR - 100, start=old.commits[100])
    model.factors.update({commit: (bisected.SLOW, 1.0) for commit in new.commits[101:]})
    new.push(old.ref)
    t.equal(daemon.wait("the older bisection to end", lambda: daemon.database.sql(
        "SELECT state, reason FROM bisection WHERE state <> 'open' AND stack_id = (SELECT min(id) FROM stack)")),
        [["invalidated", "a newer version of the branch"]],
        "a force-push invalidates the bisection of the older version, with the reason")
    with bisected.workers(daemon, model):
        daemon.wait("the newer bisection", lambda: bisected.get(daemon, old.ref) != "invalidated", 120)
        t.equal(bisected.wait_for(daemon, old.ref, *bisected.ENDED), "concluded", "that of the newer version ends")
        daemon.wait_for_stack(old.ref)
    t.equal(bisected.get(daemon, old.ref, "c.oid"), old.culprit, "with the commit that both have")
    t.check(int(daemon.database.one("""SELECT count(*) FROM bisection_run e JOIN bisection z ON z.id = e.bisection_id
        WHERE z.id = 2 AND e.position BETWEEN 1 AND 100 AND e.started < z.created""")) > 0,
            "and begins with the runs of the older one")


def stopped(t, daemon, repo, model):
    stack = bisected.Stack(repo, model, "stopped", NR, step=50)
    stack.push()
    bisected.until_under_way(daemon, model, stack.ref)
    number = bisected.get(daemon, stack.ref, "z.id")
    operator(daemon, "stop", number, "known")
    t.equal(daemon.database.one(f"""SELECT count(*) FROM block k JOIN run r ON r.block_id = k.id
        WHERE k.bisection_id = {number} AND r.state IN ('queued', 'leased')"""), "0",
            "nothing of a stopped one is left")
    start = time.monotonic()
    with bisected.workers(daemon, model):
        daemon.wait_for_stack(stack.ref)
        spent_s = time.monotonic() - start
        t.check(spent_s < 8, "its stack ends soon, not at the next look around", spent_s)
        t.equal(daemon.database.sql("""SELECT f.role FROM finding f JOIN stack s ON s.id = f.stack_id
            WHERE s.ref = 'topic/stopped' AND f.state <> 'suppressed'"""), [["tip"]],
                "the ends still differ, which is told")
        operator(daemon, "narrow", number, "not known after all", runs=40,
                 **{"from": stack.commits[40], "to": stack.commits[60]})
        t.equal(bisected.wait_for(daemon, stack.ref, "concluded", "inconclusive", "unchanged", "unmeasurable"),
                "concluded", "it goes on where an operator asks for it")
        daemon.wait_for_stack(stack.ref)
    t.equal(bisected.get(daemon, stack.ref, "c.oid"), stack.culprit, "and finds the commit")
    t.equal(daemon.database.sql(f"""SELECT min(place) - 1 > 40, max(place) - 1 <= 60 FROM bisection z,
        unnest(z.posterior) WITH ORDINALITY AS of (share, place) WHERE z.id = {number} AND place > 1 AND share > 0"""),
            [["t", "t"]], "of those that it was asked about; no other is suspected")


def skipped(t, daemon, repo, model):
    stack = bisected.Stack(repo, model, "skipped", NR, step=50)
    stack.push()
    bisected.until_under_way(daemon, model, stack.ref)
    number = bisected.get(daemon, stack.ref, "z.id")
    operator(daemon, "skip", number, "hangs the box", commit=stack.culprit)
    nr = daemon.database.one("SELECT max(id) FROM block")
    with bisected.workers(daemon, model):
        bisected.wait_for(daemon, stack.ref, *bisected.ENDED)
        daemon.wait_for_stack(stack.ref)
    t.equal([bisected.get(daemon, stack.ref, what) for what in ("z.state", "z.suspects")], ["concluded", "{50,51}"],
            "where the culprit is skipped, it and the next one are the set")
    t.equal(daemon.database.one(f"""SELECT count(*) FROM block k JOIN run r ON r.block_id = k.id
        JOIN commit c ON c.id = r.commit_id WHERE k.bisection_id = {number} AND c.oid = '{stack.culprit}'
        AND k.id > {nr}"""), "0", "and it is not asked for again")


def spent(t, daemon, repo, model):
    stack = bisected.Stack(repo, model, "spent", NR, step=90)
    stack.push()
    bisected.until_under_way(daemon, model, stack.ref)
    number = bisected.get(daemon, stack.ref, "z.id")
    daemon.database.sql(f"UPDATE bisection SET budget = nr_runs WHERE id = {number}; NOTIFY belt, 'bisect'")
    with bisected.workers(daemon, model):
        t.equal(bisected.wait_for(daemon, stack.ref, *bisected.ENDED), "inconclusive", "a spent budget ends it")
    t.check(int(bisected.get(daemon, stack.ref, "cardinality(z.suspects)")) > 1
            and bisected.get(daemon, stack.ref, "z.culprit_id IS NULL") == "t", "with a set of commits, and no guess",
            bisected.get(daemon, stack.ref, "z.suspects"))


class Failing(belt.Model):
    """Benchmarks that exit with 1: at each commit of `inner`, and everywhere once `is_broken`."""
    inner, is_broken = (), False

    def __call__(self, lease):
        if lease["kind"] == "measure" and (self.is_broken or lease["commit"] in self.inner):
            return {"outcome": "failed", "reason": "exit-status", "detail": "1", "exit_code": 1,
                    "files": {"stdout": b"", "stderr": b"no such data file\n"}}
        return super().__call__(lease)


def fails_everywhere(t, daemon, repo, model):
    """Practice case C13: twelve commits, and the benchmark exits with 1 at every step."""
    stack = bisected.Stack(repo, model, "fails", 12, step=7)
    model.inner = stack.commits[1:12]
    nr_mails = len(daemon.mails())
    stack.push()
    with bisected.workers(daemon, model):
        daemon.wait("the bisection", lambda: bisected.get(daemon, stack.ref), 120)
        model.is_broken = True
        t.equal(bisected.wait_for(daemon, stack.ref, *bisected.ENDED), "unmeasurable",
                "where every attempt failed it is unmeasurable, which is not the same as no difference")
        daemon.wait_for_stack(stack.ref)
        daemon.wait("what is told", daemon.is_told)
    number = bisected.get(daemon, stack.ref, "z.id")
    page = json.loads(daemon.get(f"/api/v1/bisections/{number}")[1])
    failed = [row for row in page["rows"] if row.get("skipped")]
    t.check(failed and all("exit-status" in row["why"] and row["failed_url"] for row in failed),
            "each step says why, and leads to its log", failed)
    t.check("no such data file" in daemon.get(failed[0]["failed_url"] + "/file/stderr")[1], "which is there")
    t.equal(len(daemon.mails()), nr_mails, "nobody is mailed")
    series = json.loads(daemon.get(page["series_url"].replace("/series", "/api/v1/series"))[1])
    t.check(series["failures"], "the series counts the failures", series["failures"])
    model.inner, model.is_broken = (), False
    operator(daemon, "narrow", number, "the file is back", runs=40)
    with bisected.workers(daemon, model):
        t.equal(bisected.wait_for(daemon, stack.ref, *bisected.ENDED), "concluded", "asked for again, it goes on")
    t.equal(bisected.get(daemon, stack.ref, "c.oid"), stack.culprit, "with what had failed, and finds the commit")


def too_small(t, daemon, repo, model):
    stack = bisected.Stack(repo, model, "small", NR, step=70)
    model.factors.update({commit: (1.03, 1.0) for commit in stack.commits[70:]})
    stack.push()
    bisected.until_under_way(daemon, model, stack.ref)
    number = bisected.get(daemon, stack.ref, "z.id")
    daemon.database.sql(f"UPDATE bisection SET smallest = 30 WHERE id = {number}; NOTIFY belt, 'bisect'")
    with bisected.workers(daemon, model):
        t.equal(bisected.wait_for(daemon, stack.ref, *bisected.ENDED), "unchanged",
                "a step below the least that counts is no change")
    t.check(re.fullmatch(r"no change, posterior (over )?0\.9\d\d after \d+ runs on \d+ commits; inner commits not measured",
                         bisected.get(daemon, stack.ref, "z.reason")), "and what that rests on is said",
            bisected.get(daemon, stack.ref, "z.reason"))


def not_found_again(t, daemon, repo, model):
    """It was not the commit but how its code happened to lie: fresh builds do not differ."""
    stack = bisected.Stack(repo, model, "fresh", NR, step=60)
    for layout in (1, 2):
        model.factors[(stack.culprit, layout)] = (1.0, 1.0)
    stack.push()
    with bisected.workers(daemon, model):
        t.equal(bisected.wait_for(daemon, stack.ref, *bisected.ENDED), "inconclusive",
                "what fresh builds do not bear out is no conclusion")
        daemon.wait_for_stack(stack.ref)
    reason = bisected.get(daemon, stack.ref, "z.reason")
    t.check(reason.startswith("not confirmed on fresh builds: work_time "), "which says what they measured", reason)
    t.equal(daemon.database.sql(f"""SELECT f.role FROM finding f JOIN stack s ON s.id = f.stack_id
        WHERE s.ref = '{stack.ref}' AND f.state <> 'suppressed'"""), [["tip"]], "and only the ends are told of")


def killed(t, daemon, repo, model):
    """At each of its transactions: right after each, and right before the second of each life."""
    twin = None
    for number, crash in enumerate((None, "bisect.after-commit:1", "bisect.before-commit:2")):
        stack = bisected.Stack(repo, model, f"killed-{number}", NR, step=80, broken=(65,))
        nr_deaths = 0
        stack.push()
        with bisected.workers(daemon, model):
            while bisected.get(daemon, stack.ref) not in bisected.ENDED:
                if crash or not daemon.is_alive():
                    daemon.stop()
                    daemon.start(crash)
                    daemon.wait("its end", lambda: not daemon.is_alive()
                                or bisected.get(daemon, stack.ref) in bisected.ENDED, 120)
                    nr_deaths += not daemon.is_alive()
            if not daemon.is_alive():
                daemon.start()
            daemon.wait_for_stack(stack.ref)
            daemon.wait("its mail", daemon.is_told)
        ended = [bisected.get(daemon, stack.ref, "z.state"), bisected.get(daemon, stack.ref, "c.oid") == stack.culprit,
                 bisected.get(daemon, stack.ref, "z.revert"), daemon.database.sql(f"""SELECT f.role, f.state, l.state
                    FROM finding f JOIN mail l ON l.finding_id = f.id JOIN stack s ON s.id = f.stack_id
                    WHERE s.ref = '{stack.ref}'""")]
        twin = twin or ended
        if crash:
            t.check(nr_deaths > 10, f"a daemon that dies at {crash} does so at each step of a bisection", nr_deaths)
            t.equal(ended, twin, "and it ends as its undisturbed twin")
    t.equal(twin, ["concluded", True, "recovered", [["parent", "reported", "written"]]], "which finds the cause and tells it")
    t.equal(daemon.database.sql("""SELECT b.commit_id FROM build b JOIN run r ON r.build_id = b.id AND r.kind = 'build'
        WHERE r.state = 'done' GROUP BY b.id HAVING count(*) > 1"""), [], "no build was made twice")
    t.equal(daemon.database.sql("""SELECT k.id FROM block k JOIN run r ON r.block_id = k.id
        WHERE k.bisection_id IS NOT NULL GROUP BY k.id HAVING count(*) <> 1"""), [], "and each block had one run")


def main():
    t = tap.Tap()
    for steps in (moved_branch, stopped, skipped, spent, too_small, not_found_again, killed), (fails_everywhere,):
        with watched.belt_of(t, job=("timed",), more=bisected.BUDGET) as (daemon, repo):
            model = Failing({}, cv=bisected.CV)
            for step in steps:
                step(t, daemon, repo, model)
    return t.end()


sys.exit(main())
