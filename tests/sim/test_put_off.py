#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What cannot be told for now is put off, and what stands behind it goes on."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap

SLOW = (1.1, 1.1)


def slow_branch(daemon, name):
    """A branch with a regression; its commit."""
    daemon.repo.branch(f"topic/{name}")
    return daemon.repo.commit(name)


def unwritable_mail(t, daemon):
    """One mail that cannot be made does not hold up those behind it, and is tried again by itself."""
    database, outbox = daemon.database, daemon.data / "outbox"
    commits = [slow_branch(daemon, name) for name in ("mute-1", "mute-2", "mute-3")]
    database.sql("""CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NEW.subject LIKE '%mute-3%' OR NEW.body LIKE '%mute-3%' THEN RAISE 'no ink'; END IF; RETURN NEW; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON mail FOR EACH ROW EXECUTE FUNCTION refuse()""")
    model = belt.Model({commit: SLOW for commit in commits})
    mail = """SELECT m.{} FROM mail m JOIN finding f ON f.id = m.finding_id
        JOIN commit c ON c.id = f.commit_id WHERE c.subject = '{}'"""
    with belt.FakeWorker(daemon, model, "slow"):
        for name in ("mute-1", "mute-2"):
            daemon.wait(f"the mail of {name}", lambda: database.one(mail.format("state", name)) == "written", 120)
        daemon.wait("the finding without a mail", lambda: database.one("SELECT 1 FROM finding WHERE reason LIKE '%no ink%'"))
        t.equal(database.one("SELECT count(*) FROM event WHERE kind = 'trouble' AND detail LIKE 'finding%no ink%'"), "1",
                "a finding that cannot be drafted says why")
        blocked, garbled = (outbox / database.one(mail.format("file", name)) for name in ("mute-1", "mute-2"))
        blocked.unlink()
        blocked.mkdir()
        garbled.unlink()
        database.sql("""UPDATE mail SET state = 'drafted', file = NULL, recipients = CASE id
            WHEN (SELECT max(id) FROM mail) THEN '[{"address": "not one"}]' ELSE recipients END""")
        commits.append(slow_branch(daemon, "mute-4"))
        model.factors[commits[-1]] = SLOW
        daemon.wait("the mail behind them", lambda: database.one(mail.format("state", "mute-4")) == "written", 120)
    for path, what in ((blocked, blocked.name), (garbled, "is not an address")):
        row = database.sql(f"""SELECT m.state, m.reason LIKE '%{what}%', (SELECT count(*) FROM event e
            WHERE e.stack_id = m.stack_id AND e.kind = 'trouble' AND e.detail LIKE '%{what}%')
            FROM mail m WHERE m.message_id || '.eml' = '{path.name}'""")
        t.equal(row, [["drafted", "t", "1"]], f"a mail that cannot be written ({what[:12]}) says why, once")
    blocked.rmdir()
    database.sql("""DROP TRIGGER refuse ON mail;
        UPDATE mail SET recipients = '[{"address": "author@example.org"}]' WHERE state = 'drafted';
        UPDATE belt_clock SET skew = skew + interval '1 h'; SELECT pg_notify('belt', 'report')""")
    daemon.wait("the mails that were put off", daemon.is_told)
    t.equal(database.one("SELECT count(*) FROM mail WHERE state = 'written' AND reason IS NULL"),
            database.one("SELECT count(*) FROM finding"), "each is written once it can be")


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        repo = belt.Repo(pathlib.Path(folder) / "repo")
        repo.commit("base")
        with belt.Daemon(cluster.database("belt"), repo) as daemon:
            unwritable_mail(t, daemon)
    return t.end()


sys.exit(main())
