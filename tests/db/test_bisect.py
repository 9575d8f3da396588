#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What an operator may do to a bisection, and what is taken back with it."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import moves
import pg
import statements
import tap
import webtest

NR = 5


class Bisected(webtest.World):
    """A stack of five commits that differ at their ends, and a bisection of it."""

    def __init__(self, db):
        super().__init__(db)
        self.cell_id = self.cell()
        db.sql("""INSERT INTO metric SELECT id, 1, 'time', 's', 'lower', 'mean', true, false, 0 FROM benchmark""")
        self.repository_id = self.repository()
        self.nr_bisections = 0
        self.token()
        db.sql("""INSERT INTO machine (name, machine_group, token_id, joined, seen)
            SELECT 'box-a', 'box', id, belt_now(), belt_now() FROM token""")

    def bisection(self, state="open"):
        """Its id; its commits are called c0 to c5 behind its number."""
        self.nr_bisections += 1
        commits = [self.commit(f"{self.nr_bisections} c{number}") for number in range(NR + 1)]
        stack = self.stack(self.repository_id, commits, ref=f"topic/{self.nr_bisections}")
        comparison = self.comparison(self.cell_id, commits[0], commits[-1], "done")
        return int(self.db.one(f"""INSERT INTO bisection (stack_id, cell_id, state, created, changed, comparison_id,
            slot, is_log, sd, sd_df, smallest, build_cost, budget, nr_given, nr_runs)
            VALUES ({stack}, {self.cell_id}, '{state}', belt_now(), belt_now(), {comparison}, 1, true, 0.01, 12,
            0.5, 1, 48, 16, 20) RETURNING id"""))

    def run_of(self, bisection, position):
        """A queued run of one of its commits."""
        commit = self.db.one(f"""SELECT commit_id FROM stack_commit sc JOIN bisection z ON z.stack_id = sc.stack_id
            WHERE z.id = {bisection} AND sc.position = {position}""")
        block = self.db.one(f"""INSERT INTO block (cell_id, bisection_id, seed, machine_id)
            SELECT {self.cell_id}, {bisection}, 0, id FROM machine LIMIT 1 RETURNING id""")
        return self.db.one(f"""INSERT INTO run (cell_id, kind, machine_group, priority, job_id, commit_id, build_id,
            block_id, created) VALUES ({self.cell_id}, 'measure', 'box', 20, {self.job(self.cell_id, commit)},
            {commit}, {self.build(self.cell_id, commit, 'done')}, {block}, belt_now()) RETURNING id""")

    def finding_of(self, bisection):
        return self.db.one(f"""INSERT INTO finding (stack_id, commit_id, role, cell_id, comparison_id, kind, state,
            created, bisection_id) SELECT z.stack_id, s.tip_id, 'parent', z.cell_id, z.comparison_id, 'regression',
            'unconfirmed', belt_now(), z.id FROM bisection z JOIN stack s ON s.id = z.stack_id
            WHERE z.id = {bisection} RETURNING id""")

    def state(self, bisection):
        return self.db.sql(f"SELECT state, changed_by FROM bisection WHERE id = {bisection}")[0]

    def told(self, bisection):
        return self.db.one(f"SELECT detail FROM event WHERE bisection_id = {bisection} ORDER BY id DESC LIMIT 1")


def oid(world, position):
    return webtest.oid(f"{world.nr_bisections} c{position}")


def found(db, world, number, position):
    """The search of an open one ends at a commit; its finding."""
    commit = db.one(f"SELECT id FROM commit WHERE oid = '{oid(world, position)}'")
    parent = db.one(f"SELECT id FROM commit WHERE oid = '{oid(world, position - 1)}'")
    comparison = db.run("comparison_ensure", world.cell_id, int(parent), int(commit), 20)[0][0]
    db.run("bisect_move", number, "open", "confirming", "found", [position], int(commit), int(parent))
    db.run("bisect_finding", number, int(comparison), "regression")
    return int(db.one(f"""SELECT f.id FROM finding f JOIN bisection z ON z.stack_id = f.stack_id
        WHERE z.id = {number} AND f.commit_id = {commit}"""))


def stop(t, db, world):
    number = world.bisection()
    run, finding = world.run_of(number, 2), world.finding_of(number)
    t.equal(db.run("bisection_stop", number, "ada", "enough"), [[str(number)]], "an open bisection is stopped")
    db.run("stack_cancel_runs")
    t.equal(world.state(number), ["stopped", "ada"], "its row says by whom")
    t.equal(world.told(number), "stopped by ada: enough", "and an event says why")
    t.equal(db.sql(f"SELECT r.state, b.state FROM run r JOIN block b ON b.id = r.block_id WHERE r.id = {run}"),
            [["cancelled", "void"]], "what it had queued is taken back")
    t.equal(db.one(f"SELECT state FROM finding WHERE id = {finding}"), "suppressed", "and nobody is told")
    t.equal(db.run("bisection_stop", number, "bob", "me too"), [], "it is stopped once")
    t.equal(db.run("bisection_narrow", number, "ada", "again", 30, None, None), [[str(number)]], "it may be asked for again")
    t.equal(db.sql(f"SELECT state, budget FROM bisection WHERE id = {number}"), [["open", "78"]], "with more runs")
    t.equal(db.run("bisection_narrow", number, "ada", "again", 30, None, None), [], "not while it is under way")


def skip(t, db, world):
    number = world.bisection()
    run, other = world.run_of(number, 2), world.run_of(number, 3)
    t.equal(db.run("bisection_skip_commit", number, "ada", "breaks the box", oid(world, 2)), [[str(number)]],
            "an inner commit is skipped")
    t.equal(db.sql("SELECT reason, by_whom FROM bisection_skip"), [["breaks the box", "ada"]], "which is kept")
    t.equal(db.sql(f"SELECT state FROM run WHERE id IN ({run}, {other}) ORDER BY id"), [["cancelled"], ["queued"]],
            "its run is taken back, others are not")
    for position in (0, NR):
        t.equal(db.run("bisection_skip_commit", number, "ada", "no", oid(world, position)), [],
                "the ends cannot be skipped")
    t.equal(db.run("bisection_skip_commit", number, "ada", "no", webtest.oid("1 c2")), [], "nor a commit of others")
    for state in ("confirming", "concluded", "invalidated"):
        ended = world.bisection(state)
        t.equal(db.run("bisection_skip_commit", ended, "ada", "no", oid(world, 2)), [],
                f"nor any where the bisection is {state}")


def culprit(t, db, world):
    number = world.bisection("inconclusive")
    t.equal(db.run("bisection_culprit", number, "ada", "read it", oid(world, 0)), [], "the base is no culprit")
    t.equal(db.run("bisection_culprit", number, "ada", "read it", oid(world, 3)), [[str(number)]], "a commit is named")
    t.equal(db.sql(f"""SELECT z.state, z.changed_by, z.suspects, c.subject, p.subject FROM bisection z
            JOIN commit c ON c.id = z.culprit_id JOIN commit p ON p.id = z.parent_id WHERE z.id = {number}"""),
            [["concluded", "ada", "{3}", f"{world.nr_bisections} c3", f"{world.nr_bisections} c2"]],
            "with its parent, and by whom")
    t.equal(db.sql("SELECT * FROM bisection_struck"), [], "nothing was said before that could be struck out")


def rejected(t, db, world):
    """Practice case C16: what a bisection said is struck out, and another commit is named."""
    number = world.bisection()
    finding = found(db, world, number, 2)
    db.run("finding_confirm", finding, "new", "regression", None)
    db.run("mail_draft", finding, 1, "dry-run", "id@example.org", "[]", "subject", "body", "{}")
    db.run("finding_reported", finding, None)
    db.run("bisect_move", number, "confirming", "concluded", "c2 is the cause", None, None, None)
    t.equal(db.run("bisection_invalidate", number, "bob", "wrong box"), [[str(number)]], "it may be invalidated")
    t.equal(db.sql(f"SELECT state, culprit_id, parent_id, suspects FROM bisection WHERE id = {number}"),
            [["invalidated", "", "", ""]], "then it names no commit")
    struck = f"""SELECT c.oid, u.said, u.by_whom, u.reason FROM bisection_struck u JOIN commit c ON c.id = u.commit_id
        WHERE u.bisection_id = {number} ORDER BY u.at"""
    t.equal(db.sql(struck), [[oid(world, 2), "c2 is the cause", "bob", "wrong box"]],
            "what it said is kept, with who took it back and why")
    t.equal(db.one("SELECT state FROM mail"), "suppressed", "a mail that is not out yet stays here")
    t.equal(db.run("bisection_culprit", number, "ada", "read it", oid(world, 4)), [[str(number)]],
            "an operator may name another commit")
    t.equal(db.sql(struck), [[oid(world, 2), "c2 is the cause", "bob", "wrong box"]], "which strikes nothing out again")
    db.run("bisection_culprit", number, "ada", "read it well", oid(world, 4))
    t.equal(len(db.sql(struck)), 1, "nor does the same commit a second time")
    db.run("bisection_culprit", number, "bob", "no, this", oid(world, 3))
    t.equal(db.sql(struck)[1:], [[oid(world, 4), "read it well", "bob", "no, this"]], "another one does")


def newer_version(t, db, world):
    number = world.bisection()
    run, finding = world.run_of(number, 2), world.finding_of(number)
    db.run("stack_supersede", world.repository_id, f"topic/{world.nr_bisections}")
    db.run("stack_cancel_runs")
    t.equal(world.state(number), ["invalidated", ""], "a newer version of the branch ends it")
    t.check("a newer version of the branch" in world.told(number), "and an event says so", world.told(number))
    t.equal(db.one(f"SELECT state FROM run WHERE id = {run}"), "cancelled", "what it had queued is taken back")
    t.equal(db.one(f"SELECT state FROM finding WHERE id = {finding}"), "suppressed", "and nobody is told")


def found_again(t, db, world):
    """What an earlier search found is no answer to a later one."""
    number = world.bisection()
    first = found(db, world, number, 2)
    db.run("finding_confirm", first, "suppressed", None, "not confirmed on fresh builds")
    t.equal([row[:2] for row in db.run("bisect_confirmed")], [[str(number), db.one(
        f"SELECT stack_id FROM bisection WHERE id = {number}")]], "what was not found again ends its search")
    db.run("bisect_move", number, "confirming", "inconclusive", "not confirmed on fresh builds", None, None, None)
    db.run("bisection_narrow", number, "ada", "look further on", 30, None, None)
    second = found(db, world, number, 4)
    t.equal(db.run("bisect_confirmed"), [], "another commit that is found waits for its own confirmation")
    db.run("bisection_stop", number, "ada", "enough")
    t.equal(db.one(f"SELECT state FROM finding WHERE id = {second}"), "suppressed", "and is taken back with its search")
    db.run("bisection_narrow", number, "ada", "after all", 30, None, None)
    t.equal(found(db, world, number, 4), second, "the same commit is one finding")
    t.equal(db.sql(f"SELECT state, reason, confirmation_id FROM finding WHERE id = {second}"), [["unconfirmed", "", ""]],
            "and found once more, it is confirmed")
    db.sql(f"UPDATE bisection SET revert = 'not-measured', revert_comparison_id = 1 WHERE id = {number}")
    db.run("bisection_stop", number, "ada", "enough")
    db.run("bisection_narrow", number, "ada", "after all", 30, None, None)
    t.equal(db.sql(f"SELECT revert, revert_id, revert_comparison_id, suspects FROM bisection WHERE id = {number}"),
            [["", "", "", ""]], "of the earlier search no revert is left either")
    db.run("bisection_stop", number, "ada", "enough")
    db.sql(f"UPDATE stack SET state = 'superseded' WHERE id = (SELECT stack_id FROM bisection WHERE id = {number})")
    t.equal(db.run("bisection_narrow", number, "ada", "after all", 30, None, None), [],
            "of a branch that has a newer version nothing is searched any more")


def two_cells(t, db, world):
    """Of two bisections of a stack one has found its commit, the other goes on."""
    number = world.bisection()
    finding = found(db, world, number, 3)
    db.run("confirm_comparison", finding, 4)
    db.run("stack_cancel_runs")
    t.equal(db.one(f"SELECT x.state FROM comparison x JOIN finding f ON f.confirmation_id = x.id WHERE f.id = {finding}"),
            "waiting", "what confirms a finding is wanted while its stack is measured")
    db.run("bisection_stop", number, "ada", "enough")
    db.run("stack_cancel_runs")
    t.equal(db.one(f"SELECT x.state FROM comparison x JOIN finding f ON f.confirmation_id = x.id WHERE f.id = {finding}"),
            "cancelled", "and no more once nobody is to be told")


def fails(t, db, world):
    """What the belt makes of runs that failed."""
    number = world.bisection()

    def void(position, reason):
        run = world.run_of(number, position)
        db.sql(f"UPDATE block SET state = 'void', reason = '{reason}' WHERE id = "
               f"(SELECT block_id FROM run WHERE id = {run})")

    def trouble():
        db.run("bisect_skip_failed", number)
        return db.run("bisect_head", number, 3)[0][-1]

    def budget():
        return db.run("bisect_head", number, 3)[0][9]

    void(2, "exit-status: 1")
    t.equal(trouble(), "", "an inner commit that does not run is no trouble")
    t.equal(db.sql(f"SELECT reason FROM bisection_skip WHERE bisection_id = {number}"), [["exit-status: 1"]],
            "it is skipped")
    t.equal(budget(), "47", "and has cost one of the 48 runs")
    for _ in range(3):
        void(0, "lost: the worker went away")
    t.equal(trouble(), "", "nor are a few runs that got lost")
    void(4, "lost: the worker went away")
    t.equal(trouble(), "its runs get lost: lost: the worker went away", "many are")
    void(NR, "timeout: after 60 s")
    t.equal(trouble(), "a run of an end failed: timeout: after 60 s", "and so is an end that does not run")
    t.equal(db.sql(f"SELECT count(*) FROM bisection_skip WHERE bisection_id = {number}"), [["1"]],
            "neither ends nor what was lost are skipped")
    db.run("bisect_move", number, "open", "unmeasurable", trouble(), None, None, None)
    db.run("bisection_narrow", number, "ada", "the box is mended", 30, None, None)
    t.equal((trouble(), budget()), ("", "78"), "where it is asked for again, what failed is tried again")
    t.equal(db.sql(f"SELECT 1 FROM bisection_skip WHERE bisection_id = {number}"), [], "the commits, too")


def likely(t, db, world):
    """A search is opened for what the ends cannot resolve, as long as it is likely to be a change that counts."""
    number = world.bisection()
    stack, comparison = db.sql(f"SELECT stack_id, comparison_id FROM bisection WHERE id = {number}")[0]
    db.sql(f"DELETE FROM bisection WHERE id = {number}")
    db.sql(f"UPDATE stack SET state = 'measuring' WHERE id = {stack}")
    db.sql(f"UPDATE comparison SET look = 1 WHERE id = {comparison}")
    db.sql(f"INSERT INTO stack_comparison VALUES ({stack}, 'tip', {NR}, {world.cell_id}, {comparison}, {NR})")
    db.sql(f"""INSERT INTO verdict (cell_id, comparison_id, look, slot, kind, nr_base, nr_head, is_ratio, effect, p, at)
        VALUES ({world.cell_id}, {comparison}, 1, 1, 'cannot-resolve', 12, 12, true, 0.07, 0.05, belt_now())""")
    db.sql(f"UPDATE stack SET is_ends_only = true WHERE id = {stack}")

    def is_due(kind, p):
        db.sql(f"UPDATE verdict SET kind = '{kind}', p = {p} WHERE comparison_id = {comparison}")
        return [row[0] for row in db.run("bisect_due", 7)] == [stack]

    t.check(is_due("cannot-resolve", 0.05), "what is likely a change is searched for")
    t.check(is_due("regression", 0.001), "so is what is one")
    t.check(not is_due("cannot-resolve", 0.2), "what may as well be none is not")
    t.check(not is_due("no-change", 0.05), "nor is what was shown to be none")


def evidence(t, db, world):
    """The runs of every bisection there ever was are read where a statement does not say which."""
    for path in sorted((statements.ROOT / "schema" / "queries").glob("*.sql")):
        for read in re.findall(r"(?:FROM|JOIN) bisection_run\b(.*?);", path.read_text(encoding="utf-8"), re.DOTALL):
            t.check(re.search(r"\bbisection_id = \$\d", read), f"{path.name} says of which bisection it reads the runs", read)


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster:
        db = statements.Migrated(cluster, "bisect")
        moves.watch(db.database)
        world = Bisected(db)
        for step in (stop, skip, culprit, rejected, newer_version, found_again, two_cells, fails, likely, evidence):
            step(t, db, world)
        t.equal(moves.illegal(db.database), [], "every row moved as its table of states allows")
    return t.end()


sys.exit(main())
