# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks in which one commit is searched for, and what came of it."""
import contextlib

import belt

SLOW = 1.08
CV = 0.012
ENDED = ("concluded", "inconclusive", "unchanged", "unmeasurable", "stopped", "invalidated")

# So little that any stack of more than a few commits is bisected.
BUDGET = '[tree "test"]\n\tbudget = 1m\n'


class Stack:
    """Commits on a branch which is not looked at yet; those from `step` on are slow.  `start` is where
    they begin.  Unless they are `is_apart`, each changes what the next one changes."""

    def __init__(self, repo, model, name, nr, step=None, broken=(), start="main", is_apart=True):
        self.repo, self.name = repo, name
        self.ref = f"topic/{name}"
        repo.line(f"refs/heads/hidden/{name}", start, nr, name, is_apart)
        self.commits = [None, *repo.git("rev-list", "--reverse", f"main..hidden/{name}").split()]
        self.culprit = self.commits[step] if step else None
        for commit in self.commits[step:] if step else ():
            model.factors[commit] = (SLOW, 1.0)
        model.broken |= {self.commits[position] for position in broken}

    def push(self, ref=None):
        self.repo.git("branch", "-f", ref or self.ref, f"hidden/{self.name}")


def get(daemon, ref, what="z.state"):
    """Of the newest bisection of a branch; "" where there is none."""
    rows = daemon.database.sql(f"""SELECT {what} FROM bisection z JOIN stack s ON s.id = z.stack_id
        LEFT JOIN commit c ON c.id = z.culprit_id WHERE s.ref = '{ref}' ORDER BY z.id DESC LIMIT 1""")
    return rows[0][0] if rows else ""


def wait_for(daemon, ref, *states):
    """The state that it comes to."""
    return daemon.wait(f"the bisection of {ref} to be {states}",
                       lambda: get(daemon, ref) in states and get(daemon, ref), 180)


def runs(daemon, ref):
    """Runs that were asked for by the bisections of a branch, by machine."""
    return [int(row[0]) for row in daemon.database.sql(f"""SELECT count(*) FROM block k
        JOIN bisection z ON z.id = k.bisection_id JOIN stack s ON s.id = z.stack_id
        WHERE s.ref = '{ref}' AND k.state = 'done' GROUP BY k.machine_id ORDER BY k.machine_id""")]


@contextlib.contextmanager
def workers(daemon, model):
    with belt.FakeWorker(daemon, model, "one"), belt.FakeWorker(daemon, model, "two"):
        yield


def until_under_way(daemon, model, ref, nr=1):
    """Works until a bisection has had `nr` runs, and no further."""
    with workers(daemon, model):
        daemon.wait(f"{nr} runs of the bisection of {ref}", lambda: sum(runs(daemon, ref)) >= nr, 180)
