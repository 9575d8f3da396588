#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What comparisons that are done leave for those to come."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import pg
import statements
import tap
import webtest


def begin(world, cell, name):
    """A comparison whose runs were planned now."""
    base, head = world.commit("base"), world.commit(name)
    comparison = world.comparison(cell, base, head)
    world.block(cell, comparison, base, head)
    return comparison


def days_pass(db, days):
    db.sql(f"UPDATE belt_clock SET skew = skew + interval '{days} days'")


def adds_up_by_day(t, db, cell):
    db.run("noise_add", cell, [1, 3], [0.5, 0.25], [4, 4])
    db.run("noise_add", cell, [1, 2], [0.25, 8], [2, 4])
    t.equal(db.sql("SELECT slot, squares, df FROM metric_noise ORDER BY slot"),
            [["1", "0.75", "6"], ["2", "8", "4"], ["3", "0.25", "4"]], "comparisons of one day add up, by metric")


def tells_the_days_before(t, db, world, cell, early):
    t.equal(db.run("noise_days", cell, early), [], "a comparison is not told of its own day")
    days_pass(db, 1)
    late = begin(world, cell, "late")
    db.run("noise_add", cell, [1], [2], [4])
    t.equal(db.run("noise_days", cell, late), [["1", "{0.75}", "{6}"], ["2", "{8}", "{4}"], ["3", "{0.25}", "{4}"]],
            "it is told the days before")
    days_pass(db, 5)
    t.equal(db.run("noise_days", cell, late)[0], ["1", "{0.75}", "{6}"], "and the same whenever it is looked at")
    later = begin(world, cell, "later")
    t.equal(db.run("noise_days", cell, later)[0], ["1", "{0.75,2}", "{6,4}"], "each day for itself, in order")
    t.equal(db.run("noise_days", world.cell("other"), later), [], "another cell's noise is its own")
    days_pass(db, 90)
    last = begin(world, cell, "last")
    t.equal(db.run("noise_days", cell, last), [], "what is three months old is forgotten")


def knows_how_builds_differ(t, db, world):
    """Metrics 1 and 2 are noisy, metric 3 is exact; two cells of one benchmark, and one of another."""
    cell, twin, other = world.cell("built"), world.cell("built", params={"n": "2"}), world.cell("foreign")
    db.sql("""INSERT INTO metric SELECT id, slot, 'm' || slot, 's', 'lower', 'mean', true, slot = 3, 0
        FROM benchmark, generate_series(1, 3) slot WHERE name IN ('built', 'foreign')""")
    today = begin(world, cell, "built today")
    for place, squares in ((cell, 0.25), (twin, 0.5), (other, 64)):
        db.run("build_noise_add", place, [1, 3], [squares, 2 * squares], [1, 1])
    t.equal(sorted(row[2] for row in db.run("build_noise", cell, today)), ["0", "0", "0"],
            "of today's rebuilds a comparison is not told")
    days_pass(db, 1)
    told = sorted(db.run("build_noise", cell, begin(world, cell, "built tomorrow")))
    t.equal(told, [["1", "0.75", "2", "0.75", "2"], ["2", "0", "0", "0.75", "2"], ["3", "1.5", "2", "0", "0"]],
            "the next day it is: of each metric on all cells of its benchmark, and of all that are not exact together")


def keeps_the_factor_of_its_beginning(t, db, world, cell):
    early = begin(world, cell, "early factor")
    days_pass(db, 1)
    db.run("calibration_factor_add", cell, 240, 1.25)
    days_pass(db, 1)
    late = begin(world, cell, "late factor")
    days_pass(db, 1)
    db.run("calibration_factor_add", cell, 250, 1.5)
    told = [db.run("calibration_factor", cell, comparison) for comparison in (early, late)]
    t.equal(told, [[], [["1.25"]]], "a comparison keeps the factor that stood when it began")


def level(db, cell, comparison, value):
    db.sql(f"""INSERT INTO verdict (cell_id, comparison_id, look, slot, kind, nr_base, nr_head, base, is_ratio, at)
        VALUES ({cell}, {comparison}, 1, 1, 'no-change', 4, 4, {value}, true, belt_now())""")
    db.sql(f"UPDATE comparison SET state = 'done', look = 1 WHERE id = {comparison}")


def knows_where_main_was(t, db, world):
    cell, tree, other = world.cell("levels"), world.repository("levels"), world.repository("other")
    db.sql(f"""INSERT INTO metric SELECT id, 1, 'time', 's', 'lower', 'mean', true, false, 0 FROM benchmark
        WHERE name = 'levels'""")
    for i, value in enumerate((1, 1, 7.389056)):
        base, head = world.commit(f"main {i}"), world.commit(f"patch {i}")
        world.stack(other if i == 1 else tree, [base, head], ref=f"topic/{i}")
        level(db, cell, world.comparison(cell, base, head), value)
    base, middle, head = (world.commit(name) for name in ("main now", "patch a", "patch b"))
    world.stack(tree, [base, middle, head])
    first, inner = world.comparison(cell, base, middle), world.comparison(cell, middle, head)
    rounded = lambda rows: [[slot, [round(float(part)) for part in levels.strip("{}").split(",")], own]
                            for slot, levels, own in rows]
    t.equal(rounded(db.run("base_levels", cell, first)), [["1", [2, 0], ""]],
            "the levels of earlier bases of the same repository, the newest first")
    level(db, cell, first, 1)
    last = world.comparison(cell, base, head)
    t.equal(rounded(db.run("base_levels", cell, last)), [["1", [2, 0], "0"]], "and of the base itself where it was measured")
    t.equal(db.run("base_levels", cell, inner), [], "a patch is no base of main")
    t.equal(db.run("main_history", cell, last), [["1", "{1,7.389056,1}", "{%s}" % ",".join(
        webtest.oid(name) for name in ("main 0", "main 2", "main now")), "2"]], "main by itself, oldest first, this base among it")
    t.equal(db.run("main_history", cell, inner), [], "and a patch has no place there")


def stays_as_it_was_found(t, db, world):
    """What a confirmation confirms, and what a mail tells, are the verdicts that were there before."""
    cell, tree, base = world.cell("again"), world.repository("again"), world.commit("again base")
    for state in (None, "unconfirmed", "new", "reported", "suppressed"):
        head = world.commit(f"again {state}")
        comparison = world.comparison(cell, base, head, "done")
        db.sql(f"UPDATE comparison SET look = 1 WHERE id = {comparison}")
        if state:
            db.sql(f"""INSERT INTO finding (stack_id, commit_id, role, cell_id, comparison_id, kind, state, created)
                VALUES ({world.stack(tree, [base, head], ref=state)}, {head}, 'parent', {cell}, {comparison},
                'regression', '{state}', belt_now())""")
        t.equal(db.run("comparison_again", cell, comparison, 3, "fresh runs"), [] if state else [["1"]],
                f"what is {state} is not measured again" if state else "where nothing was found yet, runs are asked again")


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster:
        db = statements.Migrated(cluster, "history")
        world = webtest.World(db)
        cell = world.cell()
        early = begin(world, cell, "early")
        adds_up_by_day(t, db, cell)
        tells_the_days_before(t, db, world, cell, early)
        keeps_the_factor_of_its_beginning(t, db, world, cell)
        knows_how_builds_differ(t, db, world)
        knows_where_main_was(t, db, world)
        stays_as_it_was_found(t, db, world)
    return t.end()


sys.exit(main())
