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


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster:
        db = statements.Migrated(cluster, "history")
        world = webtest.World(db)
        cell = world.cell()
        early = begin(world, cell, "early")
        adds_up_by_day(t, db, cell)
        tells_the_days_before(t, db, world, cell, early)
    return t.end()


sys.exit(main())
