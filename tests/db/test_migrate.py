#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows that an older schema left say the same in a newer one."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import pg
import statements
import tap
import webtest


class Belt0009(webtest.World):
    """A stack as it was before findings said what they are about."""

    def __init__(self, db):
        super().__init__(db)
        self.base = self.commit("base")
        self.series = self.stack(self.repository(), [self.base, self.commit("tip")])
        self.bench = self.cell()
        db.sql("""INSERT INTO metric SELECT id, slot, 'm' || slot, 's', 'lower', 'mean', slot = 1, false, 0
            FROM benchmark, generate_series(1, 2) slot""")

    def found(self, name, is_failing, headline, other):
        """A commit with what the last look said of its headline and of another metric."""
        commit = self.commit(name)
        comparison = self.comparison(self.bench, self.base, commit, "done")
        self.db.sql(f"UPDATE comparison SET look = 2 WHERE id = {comparison}")
        for look, slot, kind in ((1, 1, "regression"), (2, 1, headline), (2, 2, other)):
            self.db.sql(f"""INSERT INTO verdict
                (cell_id, comparison_id, look, slot, kind, nr_base, nr_head, is_ratio, at)
                VALUES ({self.bench}, {comparison}, {look}, {slot}, '{kind}', 4, 4, true, belt_now())""")
        if is_failing:
            self.db.sql(f"""INSERT INTO failure_verdict (cell_id, comparison_id, reason, base_fails, base_runs,
                head_fails, head_runs, belief, at)
                VALUES ({self.bench}, {comparison}, 'signal', 0, 8, 8, 8, 1, belt_now())""")
        self.db.sql(f"""INSERT INTO finding (stack_id, commit_id, role, cell_id, comparison_id, kind, created)
            VALUES ({self.series}, {commit}, 'parent', {self.bench}, {comparison}, 'regression', belt_now())""")


def findings_say_what_they_are_about(t, cluster):
    db = statements.Migrated(cluster, "findings", until="0009")
    world = Belt0009(db)
    world.found("slow", False, "regression", "no-change")
    world.found("slow and flaky", True, "improvement", "no-change")
    world.found("flaky", True, "no-change", "regression")
    db.migrate()
    t.equal(db.sql("SELECT c.subject, f.about FROM finding f JOIN commit c ON c.id = f.commit_id ORDER BY f.id"),
            [["slow", "metric"], ["slow and flaky", "metric"], ["flaky", "failure"]],
            "a finding was of a failure where there was one and no headline metric had moved")


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster:
        findings_say_what_they_are_about(t, cluster)
    return t.end()


sys.exit(main())
