#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks in which one commit is searched for: with few runs, by two machines, and with a mail that says how."""
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import bisected
import tap
import watched


def line_of(daemon, commit, what="by bisection: "):
    """What the mail about a commit says of its bisection."""
    mail = next(text for text in daemon.mails().values() if commit[:12] in text.split("\n\n", maxsplit=1)[0])
    return next((line for line in mail.splitlines() if what in line), None)


def finds_it(t, daemon, repo, model):
    stack = bisected.Stack(repo, model, "forty", 40, step=23, broken=(5, 17, 18, 22, 31))
    stack.push()
    with bisected.workers(daemon, model):
        bisected.wait_for(daemon, stack.ref, *bisected.ENDED)
        daemon.wait_for_stack(stack.ref)
        daemon.wait("its mail", lambda: len(daemon.mails()) == 1)
    t.equal([bisected.get(daemon, stack.ref, what) for what in ("z.state", "c.oid", "cardinality(z.suspects)")],
            ["concluded", stack.culprit, "2"],
            "the slow one of 40 commits is found, with the one before it, which does not build")
    t.equal(bisected.get(daemon, stack.ref, "z.revert"), "not-applied", "a set is not taken back")
    asked = bisected.runs(daemon, stack.ref)
    t.check(len(asked) == 2 and min(asked) >= 3 and sum(asked) < 60, "by two machines, with fewer than 60 runs", asked)
    t.equal(daemon.database.one("""SELECT count(*) FROM comparison WHERE purpose = 'discover' AND state = 'cancelled'
        AND reason = 'not measured: bisected instead'"""), "34", "and no other commit is compared with its parent")
    t.equal(daemon.database.sql("SELECT kind, state FROM finding"), [["regression", "reported"]],
            "it is a finding that fresh builds bore out")
    told = line_of(daemon, stack.culprit)
    t.check(re.fullmatch(r"the first commit that shows it, by bisection: posterior (over )?0\.9\d\d; \d+ runs on \d+ "
                         r"commits; [a-z_.]+: parent \d+ runs? \d+\.\d+, this commit \d+ runs? \d+\.\d+; with the commit "
                         r"reverted: not applied, a set of commits was found", told),
            "and the mail says how, and does not call it the cause", told)
    nr = 41 - int(re.search(r"runs on (\d+) commits", told)[1])
    t.check(line_of(daemon, stack.culprit, f"Note: {nr} inner commits not measured"), "and what was not measured")


def finds_the_cause(t, daemon, repo, model):
    stack = bisected.Stack(repo, model, "long", 135, step=77)
    stack.push()
    with bisected.workers(daemon, model):
        bisected.wait_for(daemon, stack.ref, *bisected.ENDED)
        daemon.wait("its mail", lambda: len(daemon.mails()) == 2)
    t.equal([bisected.get(daemon, stack.ref, what) for what in ("z.state", "c.oid", "z.revert")],
            ["concluded", stack.culprit, "recovered"],
            "of 135 commits, which are too many to plan, one is found, and with it taken back the tip is fast")
    built = int(daemon.database.one("""SELECT count(DISTINCT r.commit_id) FROM run r JOIN commit c ON c.id = r.commit_id
        WHERE c.subject LIKE 'long %' AND r.kind = 'build'"""))
    t.check(built < 25, "fewer than 25 of them were built", built)
    told = line_of(daemon, stack.culprit)
    t.check(told.startswith("the cause, by bisection: ") and told.endswith("; with the commit reverted: recovered"),
            "the mail calls it the cause", told)
    parent, this = (float(value) for value in re.findall(r"\d+ runs? (\d+\.\d+)", told))
    t.check(1.04 < this / parent < 1.12, "and its values are those of the parent and of the commit", told)


class Reverting(belt.Model):
    """What a commit does that is in the daemon's mirror alone: the tip with the culprit taken back."""

    def __init__(self, repo, **more):
        super().__init__({}, **more)
        self.repo, self.revert = repo, None

    def __call__(self, lease):
        commit = lease["commit"]
        if self.revert and self.repo.git("cat-file", "--batch-check", input=commit.encode()).endswith("missing"):
            if self.revert == "broken":
                self.broken.add(commit)
            else:
                self.factors[commit] = (bisected.SLOW, 1.0)
        return super().__call__(lease)


def is_no_cause(t, daemon, repo, model):
    for number, (revert, is_apart, came, why) in enumerate((
            (None, False, "not-applied", "it conflicts with later commits"), ("slow", True, "not-recovered", "-"),
            ("broken", True, "not-measured", "missing: a fresh build of"))):
        stack = bisected.Stack(repo, model, f"revert-{number}", 130, step=40 + number, is_apart=is_apart)
        model.revert = revert
        stack.push()
        with bisected.workers(daemon, model):
            daemon.wait_for_stack(stack.ref, seconds=180)
            daemon.wait("its mail", daemon.is_told)
        t.equal([bisected.get(daemon, stack.ref, what) for what in ("z.state", "c.oid", "z.revert")],
                ["concluded", stack.culprit, came], f"a tip without it that is {revert or 'in conflict'}: {came}")
        reason = bisected.get(daemon, stack.ref, "COALESCE(z.revert_reason, '-')")
        t.check(why in reason, "with the reason", reason)
        told = line_of(daemon, stack.culprit)
        t.check(told.startswith("the first commit that shows it, by bisection: ")
                and came.replace("-", " ") in told.rsplit("; ", maxsplit=1)[1], "which is not called the cause", told)


def at_once(t, daemon, repo, model):
    model.revert = None
    stacks = [bisected.Stack(repo, model, f"at-once-{step}", 140, step=step) for step in (33, 111)]
    for stack in stacks:
        stack.push()
    with bisected.workers(daemon, model):
        for stack in stacks:
            daemon.wait_for_stack(stack.ref, seconds=180)
    t.equal([bisected.get(daemon, stack.ref, "c.oid") for stack in stacks], [stack.culprit for stack in stacks],
            "two bisections at once find each its own")
    begun, ended = ([bisected.get(daemon, stack.ref, what) for stack in stacks] for what in ("z.created", "z.changed"))
    t.check(max(begun) < min(ended), "and they were under way at once", (begun, ended))
    t.check(all(len(bisected.runs(daemon, stack.ref)) == 2 for stack in stacks), "with both machines for each",
            [bisected.runs(daemon, stack.ref) for stack in stacks])


class Twice(belt.Model):
    """Both times of tests/fixtures/jobs/twice, each with a factor and a noise of its own."""

    def __call__(self, lease):
        result = super().__call__(lease)
        if lease["kind"] == "measure":
            noise = random.Random(f"{self.seed} {self.noise_key(lease)}")
            values = (10 * factor * (1 + noise.gauss(0, self.cv))
                      for factor in self.factors.get(lease["commit"], (1.0, 1.0)))
            result["files"]["stdout"] = "pack_time: {:.6f}\nunpack_time: {:.6f}\n".format(*values).encode()
        return result


def of_two_metrics(t, daemon, repo, model):
    stack = bisected.Stack(repo, model, "two", 132, step=30)
    model.factors.update({commit: (bisected.SLOW, 1.1) for commit in stack.commits[90:]})
    stack.push()
    with bisected.workers(daemon, model):
        daemon.wait_for_stack(stack.ref, seconds=240)
        daemon.wait("their mails", daemon.is_told)
    t.equal(daemon.database.sql("""SELECT m.name, c.oid, z.state, z.revert FROM bisection z
        JOIN commit c ON c.id = z.culprit_id JOIN cell k ON k.id = z.cell_id
        JOIN metric m ON m.benchmark_id = k.benchmark_id AND m.slot = z.slot ORDER BY m.slot"""),
            [["pack_time", stack.commits[30], "concluded", "recovered"],
             ["unpack_time", stack.commits[90], "concluded", "recovered"]],
            "where two metrics changed at different commits, each has its bisection and its commit")
    t.equal(daemon.database.sql("""SELECT c.oid, f.role, f.state FROM finding f JOIN commit c ON c.id = f.commit_id
        ORDER BY c.subject DESC"""), [[stack.commits[position], "parent", "reported"] for position in (90, 30)],
            "and both are told, not their sum")
    both = bisected.Stack(repo, model, "both", 132, step=71)
    model.factors.update({commit: (bisected.SLOW, 1.1) for commit in both.commits[71:]})
    both.push()
    with bisected.workers(daemon, model):
        daemon.wait_for_stack(both.ref, seconds=240)
        daemon.wait("its mail", daemon.is_told)
    t.equal(daemon.database.sql(f"""SELECT c.oid, z.state, z.revert FROM bisection z
        JOIN commit c ON c.id = z.culprit_id JOIN stack s ON s.id = z.stack_id WHERE s.ref = '{both.ref}'"""),
            [[both.commits[71], "concluded", "recovered"]] * 2, "where one commit changed both, both find it")
    t.equal(daemon.database.sql(f"""SELECT count(DISTINCT f.id), count(DISTINCT z.revert_comparison_id),
        count(DISTINCT l.id) FROM bisection z JOIN stack s ON s.id = z.stack_id JOIN finding f ON f.stack_id = s.id
        JOIN mail l ON l.stack_id = s.id WHERE s.ref = '{both.ref}'"""), [["1", "1", "1"]],
            "and it is confirmed, taken back and told once")


def main():
    t = tap.Tap()
    with watched.belt_of(t, job=("timed",), more=bisected.BUDGET) as (daemon, repo):
        # a commit that nobody told of is the tip with the culprit taken back: it is fast
        model = belt.Model({}, cv=bisected.CV)
        for step in (finds_it, finds_the_cause):
            step(t, daemon, repo, model)
    with watched.belt_of(t, job=("timed",), more=bisected.BUDGET) as (daemon, repo):
        model = Reverting(repo, cv=bisected.CV)
        for step in (is_no_cause, at_once):
            step(t, daemon, repo, model)
    with watched.belt_of(t, job=("twice",), more=bisected.BUDGET) as (daemon, repo):
        of_two_metrics(t, daemon, repo, Twice({}, cv=bisected.CV))
    return t.end()


sys.exit(main())
