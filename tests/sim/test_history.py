#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Weeks of a lab's life in seconds: what it learns of its noise, and how it checks itself."""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap

CV = 0.01


def days_pass(daemon, days):
    daemon.database.sql(f"UPDATE belt_clock SET skew = skew + interval '{days} days'")


def measure(daemon, repo, name, nr=3):
    repo.git("checkout", "-q", "main")
    repo.branch(f"topic/{name}")
    for i in range(nr):
        repo.commit(f"{name} {i}")
    daemon.wait_for_stack(f"topic/{name}")


def learns_its_noise(t, daemon):
    noise = dict(daemon.database.sql("""SELECT m.name, sum(squares) / sum(df) FROM metric_noise n
        JOIN cell c ON c.id = n.cell_id JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = n.slot
        GROUP BY m.name"""))
    t.check(0.5 * CV ** 2 < float(noise["work_time"]) < 2 * CV ** 2,
            "what a stack leaves is the noise of its runs", noise)
    t.check("work_instructions" not in noise, "an exact metric's lack of noise is not learnt", noise)
    df = daemon.database.one("""SELECT sum(df) FROM metric_noise n JOIN metric m ON m.slot = n.slot
        WHERE m.name = 'work_time'""")
    blocks = daemon.database.one("SELECT count(*) FROM block WHERE state = 'done'")
    t.equal(int(df), 2 * int(blocks), "two runs a side are one degree of freedom, each block counts once")


def calibrations(daemon, purpose="calibrate"):
    return int(daemon.database.one(f"""SELECT count(*) FROM calibration k JOIN comparison x
        ON x.cell_id = k.cell_id AND x.id = k.comparison_id WHERE x.purpose = '{purpose}' AND k.ended IS NOT NULL"""))


def nr_planned(daemon):
    return int(daemon.database.one("SELECT count(*) FROM comparison WHERE purpose = 'calibrate'"))


def dies_at(daemon, point, days):
    """The daemon dies where it plans what is due in so many days, and comes back."""
    daemon.stop()
    daemon.start(point)
    days_pass(daemon, days)
    daemon.wait(f"its death at {point}", lambda: not daemon.is_alive())
    daemon.start()


def checks_itself_weekly(t, daemon, repo):
    t.equal(calibrations(daemon), 0, "the first week there is nothing to check")
    dies_at(daemon, "calibrate.before-commit:1", 7)
    daemon.wait("the first calibration", lambda: calibrations(daemon) == 1)
    t.equal(daemon.database.sql("""SELECT c.subject, x.base_id = x.head_id, count(DISTINCT r.build_id),
        count(*) FILTER (WHERE r.is_head) * 2 = count(*) FROM calibration k
        JOIN comparison x ON x.cell_id = k.cell_id AND x.id = k.comparison_id AND x.purpose = 'calibrate'
        JOIN commit c ON c.id = x.base_id JOIN block b ON b.comparison_id = x.id
        JOIN run r ON r.block_id = b.id GROUP BY 1, 2"""), [["base", "t", "1", "t"]],
            "after a week the base is compared with itself, on one build, half of the runs on each side")
    daemon.wait("the first neutral rebuild", lambda: calibrations(daemon, "rebuild") == 1)
    t.equal(daemon.database.sql("""SELECT DISTINCT r.is_head, d.layout FROM comparison x
        JOIN block b ON b.comparison_id = x.id JOIN run r ON r.block_id = b.id JOIN build d ON d.id = r.build_id
        WHERE x.purpose = 'rebuild' ORDER BY 1"""), [["f", "1"], ["t", "2"]],
            "and with itself, each side on a fresh build of its own")
    t.equal(daemon.database.sql("""SELECT m.name, n.df FROM build_noise n JOIN metric m ON m.slot = n.slot
        WHERE m.name LIKE 'work%' ORDER BY 1"""), [["work_instructions", "1"], ["work_time", "1"]],
            "which teaches how builds differ, once")
    t.equal(daemon.database.one("SELECT count(*) FROM finding"), "0", "nobody is told of it")
    document = json.loads(daemon.get("/api/v1/calibration")[1])
    overall = [rate for rate in document["rates"] if rate["benchmark"] is None and rate["what"] == "same image"]
    t.equal([rate["jobs"]["nr"] for rate in overall], [1], "its rate is published, with how many it is of")
    t.check("%" in daemon.get("/calibration")[1] and "same image" in daemon.get("/")[1], "on the pages, too")
    t.equal(daemon.database.one("SELECT count(*) FROM calibration_factor"), "0", "one comparison corrects nothing")
    daemon.database.sql("UPDATE calibration SET ratios = array_fill(1.5, ARRAY[300]) WHERE ended IS NOT NULL")
    days_pass(daemon, 6)
    measure(daemon, repo, "second")
    t.equal(calibrations(daemon), 1, "not more than once a week")
    dies_at(daemon, "calibrate.after-commit:1", 1)
    daemon.wait("the second calibration", lambda: calibrations(daemon) == 2)
    t.equal(nr_planned(daemon), 2, "again a week later on the same commit, once, however the daemon dies")
    t.equal(daemon.database.sql("SELECT DISTINCT factor FROM calibration_factor WHERE nr >= 300"), [["1.5"]],
            "three hundred ratios of 1.5 widen the standard errors by that")
    days_pass(daemon, 30)
    measure(daemon, repo, "third", 1)


def marks_a_shared_base(t, daemon):
    second = daemon.database.one("SELECT id FROM stack WHERE ref = 'topic/second'")
    base = json.loads(daemon.get(f"/api/v1/series/{second}")[1])["base"]
    t.equal(base["nr_sharing"], 2, "a series tells how many others stand on its base")


def measures_an_odd_base_again(t, daemon, repo, model):
    for i in range(6):
        repo.git("checkout", "-q", "main")
        repo.commit(f"main {i}")
        measure(daemon, repo, f"on{i}", 1)
    repo.git("checkout", "-q", "main")
    odd = repo.commit("odd")
    model.factors[odd] = (1.1, 1.1)
    measure(daemon, repo, "odd", 1)
    daemon.wait("the mail", lambda: len(daemon.mails()) == 1)
    looks = daemon.database.sql(f"""SELECT x.look, count(*) FILTER (WHERE w.reason LIKE 'the base is off its own history%')
        FROM comparison x JOIN commit b ON b.id = x.base_id JOIN want w ON w.comparison_id = x.id
        WHERE b.oid = '{odd}' AND x.purpose = 'discover' GROUP BY x.id, x.look""")
    t.equal(looks, [["3", "2"]], "a change against a base that is not where main was is looked at again, and again")
    t.check("Note: the base is off its own history: work_time is 1" in "".join(daemon.mails().values()),
            "the mail tells it", daemon.mails())
    t.equal(daemon.database.one(f"""SELECT count(*) FROM verdict v JOIN comparison x ON x.id = v.comparison_id
        JOIN commit b ON b.id = x.base_id WHERE b.oid = '{odd}' AND x.purpose = 'discover' AND v.reason LIKE '%the base is off its own history'"""),
            "3", "and so does the verdict of each look")


def learns_nothing_from_equal_bytes(t, daemon, repo, model):
    model.has_layouts = False
    repo.git("checkout", "-q", "main")
    repo.commit("never built before")
    measure(daemon, repo, "plain", 1)
    days_pass(daemon, 8)
    rebuild = daemon.wait("a rebuild of the same bytes", lambda: daemon.database.one(
        "SELECT id FROM comparison WHERE purpose = 'rebuild' AND state = 'done' AND reason = 'same binary'"))
    t.equal(daemon.database.one(f"SELECT count(*) FROM block WHERE comparison_id = {rebuild}"), "0",
            "a rebuild that gives the same bytes is no rebuild, and not measured")


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        repo = belt.Repo(pathlib.Path(folder) / "repo")
        repo.commit("base")
        with belt.Daemon(cluster.database("belt"), repo) as daemon:
            model = belt.Model({}, cv=CV)
            with belt.FakeWorker(daemon, model):
                measure(daemon, repo, "first")
                learns_its_noise(t, daemon)
                checks_itself_weekly(t, daemon, repo)
                marks_a_shared_base(t, daemon)
                measures_an_odd_base_again(t, daemon, repo, model)
                learns_nothing_from_equal_bytes(t, daemon, repo, model)
    return t.end()


sys.exit(main())
