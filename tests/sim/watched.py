# SPDX-License-Identifier: GPL-2.0-or-later
"""A belt of which every move of a row is watched.

    with watched.belt_of(t) as (daemon, repo):
        step(t, daemon, repo)
"""
import contextlib
import pathlib
import tempfile

import belt
import moves
import pg


@contextlib.contextmanager
def belt_of(t, **more):
    """A daemon over a repository with one commit; at the end a promise that no row moved wrongly."""
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        database = cluster.database("belt")
        repo = belt.Repo(pathlib.Path(folder) / "repo")
        repo.commit("base")
        daemon = belt.Daemon(database, repo, **more)
        daemon.write_config()
        daemon.migrate()
        moves.watch(database)
        with daemon:
            yield daemon, repo
        t.equal(moves.illegal(database), [], "every row moved as its table of states allows")
