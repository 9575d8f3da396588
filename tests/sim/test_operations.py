#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/operations.md: a database of one's own, a backup under way, and a restore elsewhere."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap

GUIDE = (belt.ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def blocks(heading):
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", GUIDE, re.MULTILINE | re.DOTALL).group(1)
    return re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def shell(text, folder, **env):
    path = os.pathsep.join([str(belt.BUILD / "daemon"), pg.programs(), os.environ["PATH"]])
    done = subprocess.run(["bash", "-euxc", text], cwd=folder, env={**os.environ, "PATH": path, **env}, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}:\n{done.stdout}")


class Embedded(belt.Daemon):
    """A daemon that owns its database."""

    def __init__(self, repo, folder):
        data = folder / "data"
        super().__init__(pg.Database(data / "postgresql" / "socket", "postgres"), repo, folder,
                         args=["--embedded", str(data)])


class Ours(belt.Daemon):
    """A daemon on a database that the operator made."""

    def __init__(self, cluster, repo, folder):
        database = pg.Database(cluster.folder, "patchmeter")
        super().__init__(database, repo, folder)

    def migrate(self):
        pass


def measure(daemon, repo, name):
    repo.git("checkout", "-q", "main")
    repo.branch("work")
    commits = [repo.commit(f"{name} {i}") for i in range(2)]
    repo.git("branch", f"topic/{name}")
    slow = (1.1, 1.1)
    with belt.FakeWorker(daemon, belt.Model(dict.fromkeys(commits, slow))):
        daemon.wait_for_stack(f"topic/{name}")
    return commits


def open_folder(path):
    """The server of an embedded database may run as another user."""
    path.mkdir()
    path.chmod(0o755)
    return path


def makes_a_database(t, cluster, repo, folder):
    admin = {"PGHOST": cluster.folder, "PGUSER": cluster.superuser}
    create, migrate = blocks("The database")
    shell(create, folder, **admin)
    daemon = Ours(cluster, repo, folder)
    daemon.write_config()
    refused = subprocess.run(daemon.command(), capture_output=True, text=True, check=False)
    t.check(refused.returncode == 6 and "admin migrate" in refused.stderr,
            "a daemon refuses a database without its schema, and says what to do", refused)
    shell(migrate, folder, **admin)
    with daemon:
        measure(daemon, repo, "own")
        t.check(True, "a role without further rights is enough")
    cluster.database("spare").sql("DROP DATABASE patchmeter")


def backs_up(t, cluster, repo, folder):
    """A backup while the daemon works, restored into another database with other folders."""
    save, restore = blocks("Backup")
    with Embedded(repo, folder / "old") as old:
        measure(old, repo, "saved")
        old.wait("the mail", old.mails)
        run = old.database.one("SELECT max(id) FROM run WHERE kind = 'measure' AND state = 'done'")
        log = old.get(f"/run/{run}/file/stdout")
        shell(save, folder, DATA=str(old.data))
        token, mails = old.token, old.mails()
    new = open_folder(folder / "new")
    for name in ("patchmeter.dump", "patchmeter-files.tar"):
        shutil.move(folder / name, new / name)
    daemon = Ours(cluster, repo, new)
    daemon.write_config()
    shell(restore, new, PGHOST=cluster.folder, PGUSER=cluster.superuser)
    with daemon:
        t.equal(daemon.get(f"/run/{run}/file/stdout"), log, "files of runs are restored")
        t.equal(daemon.token, token, "workers need no new token")
        before = daemon.database.one("SELECT count(*) FROM run")
        repo.git("branch", "topic/again", "topic/saved")
        daemon.wait_for_stack("topic/again")
        t.equal(daemon.database.one("SELECT count(*) FROM run"), before, "what was measured is known")
        measure(daemon, repo, "after")
        t.equal({name: daemon.mails().get(name) for name in mails}, mails, "mails are there as they were")
        t.equal(daemon.database.one("SELECT count(*) FROM mail"),
                str(len(daemon.mails())), "and none was written twice")


def copies(t, repo, folder):
    """An embedded database, stopped and copied as it is."""
    source, copy = folder / "old", folder / "copy"
    shutil.copytree(source, open_folder(copy), dirs_exist_ok=True, symlinks=True)
    for path in (source, *source.rglob("*")):  # copytree does not keep owners
        owner = path.lstat()
        os.chown(copy / path.relative_to(source), owner.st_uid, owner.st_gid, follow_symlinks=False)
    with Embedded(repo, copy) as daemon:
        t.equal(daemon.database.one("SELECT count(*) FROM mail"), "1", "a copied folder is a daemon of its own")


def main():
    t = tap.Tap()
    with pg.Cluster(superuser="admin") as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        repo = belt.Repo(folder / "repo")
        repo.commit("base")
        makes_a_database(t, cluster, repo, open_folder(folder / "first"))
        open_folder(folder / "old")
        backs_up(t, cluster, repo, folder)
        copies(t, repo, folder)
    return t.end()


sys.exit(main())
