#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Long stacks, long histories and small budgets: how much is planned, and in which order."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap

NR_PAST = 3000


def write_jobs(folder):
    """A job of its own for each tree: what one has measured says how long it takes."""
    text = (belt.JOBS / "fake" / "job.yaml").read_text(encoding="utf-8")
    for name in ("fake", "tight-calm", "tight-slow"):
        (folder / "jobs" / name).mkdir(parents=True)
        (folder / "jobs" / name / "job.yaml").write_text(text.replace("name: fake", f"name: {name}"), encoding="utf-8")
    return folder / "jobs"


def trees(repo):
    return '[tree "test"]\n\tbudget = 100d\n' + "".join(
        f'[tree "{name}"]\n\turl = {repo.path}\n\tbranch = {name}/*\n\tjob = {name}\n\tbudget = 1m\n'
        for name in ("tight-calm", "tight-slow"))


def one(daemon, ref, what):
    return daemon.database.one(f"SELECT {what} FROM stack s WHERE ref = '{ref}' ORDER BY id DESC LIMIT 1")


def count(daemon, ref, table, where="true"):
    """Rows of a stack's comparisons and what hangs on them."""
    joins = {"comparison": "", "run": """JOIN block b ON b.comparison_id = x.id
        JOIN run r ON r.block_id = b.id""", "want": "JOIN want w ON w.comparison_id = x.id"}[table]
    return int(daemon.database.one(f"""SELECT count(*) FROM stack s JOIN stack_comparison l ON l.stack_id = s.id
        JOIN comparison x ON x.id = l.comparison_id {joins} WHERE s.ref = '{ref}' AND {where}"""))


def no_past(t, daemon):
    """The first sight of a repository with a long history."""
    daemon.wait_for_stack("topic/short", "building")
    for ref in ("topic/behind", "topic/equal"):
        daemon.wait(ref, lambda ref=ref: daemon.database.one(
            f"SELECT id FROM head WHERE ref = '{ref}' AND NOT is_new AND reason LIKE 'nothing on top%'"))
    t.equal(daemon.database.one("SELECT count(*) FROM commit"), "3",
            f"of {NR_PAST} commits only the base of the branch is known, and the branch")
    t.equal(daemon.database.one("SELECT count(*) FROM run"), "3", "and only they are built")
    t.equal(daemon.database.one("SELECT count(*) FROM stack"), "1", "a branch with nothing on top is no stack")


def hundred(t, daemon):
    daemon.repo.line("refs/heads/topic/hundred", "main", 100, "hundred")
    builder = belt.FakeWorker(daemon, belt.Model({}), "builder")
    builder.enrol()
    daemon.wait_for_stack("topic/hundred", "building")
    while one(daemon, "topic/hundred", "state") == "building":
        lease = builder.take(wait_s=1)
        if lease:
            builder.finish(lease, builder.model(lease))
    t.equal(one(daemon, "topic/hundred", "nr_commits"), "100", "a stack of a hundred commits")
    t.equal(daemon.database.one("""SELECT count(*) FROM run r JOIN commit c ON c.id = r.commit_id
            WHERE c.subject LIKE 'hundred %' AND r.kind = 'build'"""), "100", "is built commit by commit, each once")
    t.equal(count(daemon, "topic/hundred", "comparison"), 101, "each is compared with its parent, and the tip with the base")
    daemon.wait("the runs", lambda: count(daemon, "topic/hundred", "run") >= 101 * 8)
    t.equal(count(daemon, "topic/hundred", "run"), 101 * 8, "a first look is two blocks of four runs each")
    t.equal(daemon.database.one("""SELECT l.role FROM run r JOIN block b ON b.id = r.block_id
            JOIN stack_comparison l ON l.comparison_id = b.comparison_id WHERE r.state IN ('queued', 'leased')
            ORDER BY r.priority, r.id LIMIT 1"""), "tip", "and the ends come first")
    daemon.repo.git("update-ref", "refs/heads/topic/hundred", "topic/hundred~99")
    daemon.wait("the shorter version", lambda: one(daemon, "topic/hundred", "version") == "2")
    t.equal(count(daemon, "topic/hundred", "run", "s.version = 1 AND r.state = 'queued' AND x.state = 'cancelled'"), 0,
            "what a shorter version does not want is not queued any more")


def many(t, daemon):
    daemon.repo.line("refs/heads/topic/limit", "main", 128, "limit")
    daemon.repo.line("refs/heads/topic/many", "main", 130, "many")
    daemon.wait_for_stack("topic/many", "building")
    daemon.wait_for_stack("topic/limit", "building")
    t.equal((one(daemon, "topic/limit", "is_ends_only"), one(daemon, "topic/many", "is_ends_only")), ("f", "t"),
            "above 128 commits the ends are tested alone")
    daemon.repo.git("update-ref", "refs/heads/topic/limit", "main")
    daemon.wait("the branch to be empty", lambda: one(daemon, "topic/limit", "state") == "superseded")
    t.equal(daemon.database.one("""SELECT count(*) FROM run r JOIN commit c ON c.id = r.commit_id
            WHERE c.subject LIKE 'limit %' AND r.state IN ('queued', 'leased')"""), "0",
            "a branch that is reset to its base takes back what was queued for it")
    with belt.FakeWorker(daemon, belt.Model({}), "builder"):
        daemon.wait_for_stack("topic/many")
    t.equal(one(daemon, "topic/many", "(SELECT count(*) FROM stack_commit c WHERE c.stack_id = s.id)"), "2",
            "and only they are built")
    t.equal(count(daemon, "topic/many", "comparison"), 1, "and compared")
    t.equal(one(daemon, "topic/many", "(SELECT count(*) FROM bisection b WHERE b.stack_id = s.id)"), "0",
            "there is nothing to bisect where they are the same")


def budget(t, daemon):
    repo = daemon.repo
    commits = {}
    for name in ("calm", "slow"):
        repo.branch(f"tight-{name}/stack")
        for number in range(5):
            commits[f"{name} {number}"] = repo.commit(f"{name} {number}")
    factors = {commits[f"slow {number}"]: (1.2, 1.2) for number in (2, 3, 4)}
    with belt.FakeWorker(daemon, belt.Model(factors, cv=0.002), "builder"):
        daemon.wait_for_stack("tight-calm/stack")
        daemon.wait_for_stack("tight-slow/stack")
    t.equal(count(daemon, "tight-calm/stack", "run", "l.role = 'parent'"), 0,
            "over the budget the inner commits are not measured while the ends do not differ")
    t.equal(count(daemon, "tight-calm/stack", "comparison",
                  "x.state = 'cancelled' AND x.reason LIKE 'inner commits not measured: over the budget%'"), 5, "and their comparisons say why")
    t.check(count(daemon, "tight-slow/stack", "run", "l.role = 'parent' AND r.state = 'done'") >= 5 * 8,
            "where the ends differ they are measured")
    t.equal(daemon.database.sql("""SELECT c.subject, f.kind FROM finding f JOIN commit c ON c.id = f.commit_id
            JOIN stack s ON s.id = f.stack_id WHERE s.ref LIKE 'tight-%'"""), [["slow 2", "regression"]],
            "and the slow one is found")
    t.check("the ends first" in daemon.database.one("""SELECT detail FROM event e JOIN stack s ON s.id = e.stack_id
            WHERE e.kind = 'plan' AND s.ref = 'tight-slow/stack'"""), "which was told before the time was spent")


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        folder = pathlib.Path(folder)
        repo = belt.Repo(folder / "repo")
        repo.line("refs/heads/main", None, NR_PAST, "past")
        repo.line("refs/heads/topic/short", "main~1000", 2, "short")
        repo.git("branch", "topic/behind", "main~500")
        repo.git("branch", "topic/equal", "main")
        with belt.Daemon(cluster.database("belt"), repo, jobs=write_jobs(folder), more=trees(repo)) as daemon:
            for step in (no_past, hundred, many, budget):
                step(t, daemon)
    return t.end()


sys.exit(main())
