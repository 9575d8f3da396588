#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Bisections that are disturbed: by a newer version of the branch, by operators, by the end of the daemon."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "db"))
import belt
import bisected
import statements
import tap
import watched

NR = 130  # too many to be planned each, whatever the budget


def operator(daemon, query, *args):
    """A verb of schema/queries/bisect.sql, as the API does it."""
    values = ", ".join(statements.literal(arg) for arg in args)
    daemon.database.sql(f"""BEGIN; PREPARE verb AS {statements.text_of(query)};
        EXECUTE verb({values}); {statements.text_of("stack_cancel_runs")}; NOTIFY belt, 'bisect'; COMMIT""")


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
    operator(daemon, "bisection_stop", int(number), "ada", "known")
    t.equal(daemon.database.one(f"""SELECT count(*) FROM block k JOIN run r ON r.block_id = k.id
        WHERE k.bisection_id = {number} AND r.state IN ('queued', 'leased')"""), "0",
            "nothing of a stopped one is left")
    with bisected.workers(daemon, model):
        daemon.wait_for_stack(stack.ref)
        t.equal(daemon.database.sql("""SELECT f.role FROM finding f JOIN stack s ON s.id = f.stack_id
            WHERE s.ref = 'topic/stopped' AND f.state <> 'suppressed'"""), [["tip"]],
                "the ends still differ, which is told")
        operator(daemon, "bisection_narrow", int(number), "ada", "not known after all", 40,
                 *stack.commits[40:61:20])
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
    operator(daemon, "bisection_skip_commit", int(number), "ada", "hangs the box", stack.culprit)
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


def killed(t, daemon, repo, model):
    stack = bisected.Stack(repo, model, "killed", NR, step=80, broken=(65,))
    stack.push()
    with bisected.workers(daemon, model):
        for crash in ("bisect.before-commit:1", "bisect.after-commit:1", "bisect.before-commit:4", "bisect.after-commit:4"):
            daemon.wait("the bisection", lambda: bisected.get(daemon, stack.ref), 120)
            daemon.stop()
            daemon.start(crash)
            daemon.wait("the daemon's end", lambda: not daemon.is_alive(), 120)
            daemon.start()
        t.equal(bisected.wait_for(daemon, stack.ref, *bisected.ENDED), "concluded",
                "a bisection whose daemon was killed at its commits goes on")
        daemon.wait_for_stack(stack.ref)
    t.equal(bisected.get(daemon, stack.ref, "c.oid"), stack.culprit, "and finds the commit")
    t.equal(daemon.database.sql("""SELECT b.commit_id FROM build b JOIN run r ON r.build_id = b.id AND r.kind = 'build'
        WHERE r.state = 'done' GROUP BY b.id HAVING count(*) > 1"""), [], "with no build made twice")
    t.equal(daemon.database.sql("""SELECT k.id FROM block k JOIN run r ON r.block_id = k.id
        WHERE k.bisection_id IS NOT NULL GROUP BY k.id HAVING count(*) <> 1"""), [], "and one run in each block")


def main():
    t = tap.Tap()
    with watched.belt_of(t, job=("timed",), more=bisected.BUDGET) as (daemon, repo):
        model = belt.Model({}, cv=bisected.CV)
        for step in (moved_branch, stopped, skipped, spent, killed):
            step(t, daemon, repo, model)
    return t.end()


sys.exit(main())
