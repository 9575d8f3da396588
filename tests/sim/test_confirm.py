#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Nobody is told of what fresh builds do not bear out."""
import json
import pathlib
import re
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import tap
import watched


def findings(daemon, ref):
    return daemon.database.sql(f"""SELECT c.subject, f.kind, f.state, COALESCE(f.reason, '')
        FROM finding f JOIN commit c ON c.id = f.commit_id JOIN stack s ON s.id = f.stack_id
        WHERE s.ref = '{ref}' ORDER BY f.id""")


def measure(daemon, repo, model, name, factors=None, broken=()):
    """One commit on main, as the model says of its builds; the commit."""
    repo.git("checkout", "-q", "main")
    repo.branch(f"topic/{name}")
    commit = repo.commit(name)
    for layout, factor in (factors or {}).items():
        model.factors[(commit, layout)] = factor
    model.broken |= {(commit, layout) for layout in broken}
    return commit


def blocks(daemon, commit, purpose):
    """[layout of base, layout of head, blocks that count, runs of each side] of a comparison."""
    return daemon.database.sql(f"""SELECT bb.layout, hb.layout, count(DISTINCT b.id), count(*) / 2 FROM comparison x
        JOIN commit c ON c.id = x.head_id JOIN block b ON b.comparison_id = x.id AND b.state = 'done'
        JOIN run r ON r.block_id = b.id AND NOT r.is_head JOIN build bb ON bb.id = r.build_id
        JOIN run h ON h.block_id = b.id AND h.is_head JOIN build hb ON hb.id = h.build_id
        WHERE c.oid = '{commit}' AND x.purpose = '{purpose}' GROUP BY 1, 2 ORDER BY 1, 2""")


def confirms_a_true_change(t, daemon, repo, model):
    slow = measure(daemon, repo, model, "slow", {0: (1.1, 1.1), 1: (1.08, 1.08), 2: (1.08, 1.08)})
    daemon.wait_for_stack("topic/slow")
    daemon.wait("its mail", lambda: len(daemon.mails()) == 1)
    t.equal([row[:3] for row in findings(daemon, "topic/slow")], [["slow", "regression", "reported"]],
            "a change that is in the commit is found, found again, and told")
    rows = blocks(daemon, slow, "confirm")
    fixed = int(daemon.database.one("SELECT nr_blocks FROM comparison WHERE purpose = 'confirm'"))
    t.equal([row[:2] for row in rows], [["1", "1"], ["2", "2"]],
            "it is confirmed on two fresh builds a side, equal layouts side by side")
    t.check(4 <= fixed <= 12 and [int(row[2]) for row in rows] == [(fixed + 1) // 2, fixed // 2],
            "half of a fixed number of blocks on each", (fixed, rows))
    mail = "".join(daemon.mails().values())
    effect, low, high = daemon.database.sql("""SELECT round(100 * v.effect::numeric, 1), round(100 * v.low::numeric, 1),
        round(100 * v.high::numeric, 1) FROM verdict v JOIN comparison x ON x.id = v.comparison_id
        WHERE x.purpose = 'confirm' AND v.slot = 1""")[0]
    t.check(f"work_time +{effect}%, 95% interval +{low}% to +{high}%, {2 * fixed}+{2 * fixed} boots" in mail,
            "effect and interval of the mail are the confirmation's", mail)
    t.check(6 < float(effect) < 9, "which a lucky first look cannot exaggerate", effect)
    found = daemon.database.one("""SELECT max(v.nr_head) FROM verdict v JOIN comparison x ON x.id = v.comparison_id
        WHERE x.purpose = 'discover' AND v.look = x.look""")
    t.check(f"found with {found}+{found} runs, confirmed with {2 * fixed}+{2 * fixed} fresh runs "
            "on 2 fresh builds a side\n" in mail, "the mail says how it was confirmed", mail)
    return slow


def drops_a_fluke(t, daemon, repo, model):
    fluke = measure(daemon, repo, model, "fluke", {0: (1.05, 1.05)})
    daemon.wait_for_stack("topic/fluke")
    daemon.wait("it to be told or not", daemon.is_told)
    rows = findings(daemon, "topic/fluke")
    t.equal([row[:3] for row in rows], [["fluke", "regression", "suppressed"]],
            "a change that only one build has is found, and not told")
    t.check(re.search(r"^not confirmed on fresh builds: .*work_time [+-]?[0-9.]+ % where it was \+[45]\.[0-9] %",
                      rows[0][3]), "the reason has both numbers", rows[0][3])
    t.equal(len(daemon.mails()), 1, "there is no mail of it")
    stack = daemon.database.one("SELECT id FROM stack WHERE ref = 'topic/fluke'")
    t.check(rows[0][3] in daemon.get(f"/series/{stack}")[1].replace("&#39;", "'"), "its page says why")
    status, text = daemon.get(f"/api/v1/compare?base={repo.git('rev-parse', 'main')}&head={fluke}")
    purposes = [comparison["purpose"] for comparison in json.loads(text)["comparisons"]]
    t.equal((status, sorted(purposes)), (200, ["confirm", "discover"]), "both comparisons are shown")
    page = daemon.get(f"/compare?base={repo.git('rev-parse', 'main')}&head={fluke}")[1]
    links = re.findall(r'href="#(comparison-\d+)"', page)
    t.check(len(links) == 2 and all(f'id="{link}"' in page for link in links), "and link to each other", links)


def tells_what_does_not_build(t, daemon, repo, model):
    measure(daemon, repo, model, "brittle", {layout: (1.1, 1.1) for layout in range(3)}, broken=[2])
    daemon.wait_for_stack("topic/brittle")
    rows = findings(daemon, "topic/brittle")
    t.equal(rows[0][2], "suppressed", "what cannot be built afresh is not told")
    t.check(re.search("^not confirmed on fresh builds: missing: a fresh build of [0-9a-f]{10}: build-failed",
                      rows[0][3]), "the reason names the build", rows[0][3])


def costs_nothing_twice(t, daemon, repo, slow):
    before = daemon.database.one("SELECT count(*) FROM run")
    repo.git("branch", "topic/again", slow)
    daemon.wait_for_stack("topic/again")
    daemon.wait("its mail", lambda: len(daemon.mails()) == 2)
    t.equal(daemon.database.one("SELECT count(*) FROM run"), before,
            "the same commits under another name are confirmed by the same runs")


def is_superseded(t, daemon, repo, model):
    """A new version comes while the old one is being confirmed; later the old commits come again."""
    commit = measure(daemon, repo, model, "moving", {layout: (1.1, 1.1) for layout in range(3)})
    stuck = StopsAtConfirmation(model)
    with belt.FakeWorker(daemon, stuck):
        daemon.wait("the confirmation", lambda: daemon.database.one(
            "SELECT 1 FROM stack WHERE ref = 'topic/moving' AND state = 'confirming'"))
        daemon.wait("a fresh build", lambda: daemon.database.one(f"""SELECT 1 FROM run r
            JOIN build b ON b.id = r.build_id JOIN commit c ON c.id = b.commit_id
            WHERE c.oid = '{commit}' AND b.layout > 0"""))
        repo.git("commit", "-q", "--amend", "-m", "moved")
        daemon.wait("version 2", lambda: daemon.database.one(
            "SELECT 1 FROM stack WHERE ref = 'topic/moving' AND version = 2"))
        stuck.is_over.set()
    t.equal(findings(daemon, "topic/moving")[0][2:], ["suppressed", "not confirmed: a newer version of the branch"],
            "what a superseded version was to confirm is not told")
    t.equal(daemon.database.one(f"""SELECT count(*) FROM run r JOIN commit c ON c.id = r.commit_id
        JOIN build b ON b.id = r.build_id WHERE c.oid = '{commit}' AND b.layout > 0 AND r.state = 'queued'"""), "0",
            "nor built or measured any more")
    repo.git("branch", "topic/back", commit)
    with belt.FakeWorker(daemon, model):
        daemon.wait_for_stack("topic/back")
        daemon.wait("its mail", lambda: findings(daemon, "topic/back")[0][2] == "reported")
    t.check(True, "where the same commits are wanted again the confirmation goes on")


class StopsAtConfirmation:
    """Does not answer for a fresh build until nobody wants it any more."""

    def __init__(self, model):
        self.model = model
        self.is_over = threading.Event()

    def __call__(self, lease):
        if lease["layout"] > 0:
            self.is_over.wait(60)
        return self.model(lease)


def main():
    t = tap.Tap()
    with watched.belt_of(t) as (daemon, repo):
        model = belt.Model({}, cv=0.005)
        with belt.FakeWorker(daemon, model):
            slow = confirms_a_true_change(t, daemon, repo, model)
            drops_a_fluke(t, daemon, repo, model)
            tells_what_does_not_build(t, daemon, repo, model)
            costs_nothing_twice(t, daemon, repo, slow)
        is_superseded(t, daemon, repo, model)
    return t.end()


sys.exit(main())
