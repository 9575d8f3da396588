#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a series may risk depends on what its repository has risked, and how well."""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap


def push(daemon, repo, model, name, factor):
    """A branch of one commit; its stack, once it is done and told."""
    repo.git("checkout", "-q", "main")
    repo.branch(f"topic/{name}")
    model.factors[repo.commit(name)] = (factor, 1.0)
    daemon.wait_for_stack(f"topic/{name}", seconds=120)
    daemon.wait("it to be told", daemon.is_told)
    return daemon.database.sql(f"""SELECT s.test, s.level::numeric(12, 10), s.is_discovery,
        (SELECT f.state FROM finding f WHERE f.stack_id = s.id) FROM stack s WHERE s.ref = 'topic/{name}'""")[0]


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        repo = belt.Repo(pathlib.Path(folder) / "repo")
        repo.commit("base")
        model = belt.Model({}, cv=0.01)
        with belt.Daemon(cluster.database("belt"), repo, job=("timed",)) as daemon, belt.FakeWorker(daemon, model):
            t.equal(push(daemon, repo, model, "neutral", 1), ["", "", "", ""], "where nothing was found nothing is risked")
            t.equal(push(daemon, repo, model, "slow", 1.2), ["1", "0.0043749017", "t", "reported"],
                    "the first series with a finding may risk 0.44 per cent")
            t.equal(push(daemon, repo, model, "slower", 1.3), ["2", "0.0058180810", "t", "reported"],
                    "a discovery lets the next one risk more")
            daemon.database.sql("UPDATE stack SET test = 1000000 * test, is_discovery = false WHERE test IS NOT NULL")
            state = push(daemon, repo, model, "late", 1.07)
            t.equal([state[0], *state[2:]], ["2000001", "f", "suppressed"],
                    "after a million series without a discovery hardly anything is believed")
            t.check(float(state[1]) < 1e-9 and len(daemon.mails()) == 2, "and nobody is told", daemon.mails().keys())
            reason = daemon.database.one("SELECT reason FROM finding WHERE state = 'suppressed'")
            t.check("above the" in reason and "that its series may risk" in reason, "the finding says why", reason)
            tree = json.loads(daemon.get("/api/v1/repositories")[1])["repositories"][0]
            t.equal((tree["nr_tests"], tree["nr_discoveries"]), (3, 0), "the repository's page counts them")
    return t.end()


sys.exit(main())
