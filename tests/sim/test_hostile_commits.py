#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Commits and branches made to break what shows them: rows, mails and pages stay whole.

Every hostile commit is slow, so that a mail tells it.
"""
import email
import email.policy
import html.parser
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap

AUTHOR = b"A U Thor <author@example.org> 1700000000 +0000"
HEADERS = ["auto-submitted", "content-transfer-encoding", "content-type", "date", "from", "message-id",
           "mime-version", "precedence", "subject", "to", "x-mailer", "x-patchmeter-dry-run"]

# name: (author line, message, recipient of the mail or None)
COMMITS = {
    "markup": (b'<script>alert(1)</script> <author@example.org> 1 +0000',
               b'</td><img src=x onerror=alert(1)> "\'&amp;\n\n<script>alert(2)</script>\n', None),
    "quotes": (b'"><b onclick=alert(1)>x</b><xss> <author@example.org> 1 +0000', b'" onmouseover="alert(1)\n', None),
    "newline": (b"A\r\nBcc: victim@example.org <author@example.org> 1 +0000", b"newline in the author\n", None),
    "return": (b"A\rBcc: victim@example.org\r <author@example.org> 1 +0000",
               b"subject\rBcc: victim@example.org\r\nBcc: victim@example.org\r\n", "author@example.org"),
    "encoded": (b"=?utf-8?q?A=0D=0ABcc:_victim@example.org?= <author@example.org> 1 +0000",
                b"=?utf-8?q?=0D=0ABcc:_victim@example.org?= =?utf-8?b?DQpCY2M6IHg=?=\n", "author@example.org"),
    "latin-1": (b"J\xf6rg M\xfcller <author@example.org> 1 +0000", b"gr\xfc\xdfe\n\n\xff\xfe\x80\n", "author@example.org"),
    "nul": (b"A U Thor <author@example.org> 1 +0000", b"before\0after\n\nbody\0\x1b[31mred\x07\n", "author@example.org"),
    "hidden": ("A \u202eU\u2066 Thor\u200b <author@example.org> 1 +0000".encode(),
               "\u202etxet\ufeff subject\n\n\u2028line\n".encode(), "author@example.org"),
    "large": (AUTHOR, b"x" * (1 << 20) + b"\n\n" + b"y" * (1 << 20) + b"\n", "author@example.org"),
    "smuggled": (AUTHOR, b"dots\n\n.\nMAIL FROM:<x@example.org>\n\r.\r\nFrom x\n-- \n", "author@example.org"),
    "far": (b"A <author@example.org> 9223372036854775807 +9999", b"the year 292 billion\n", "author@example.org"),
    "undated": (b"A <author@example.org>", b"no date\n", "author@example.org"),
    "two": (b"A <author@example.org,victim@example.org> 1 +0000", b"two addresses\n", None),
    "spaced": (b'A <"a\r RCPT TO:<x>"@example.org> 1 +0000', b"an address with a command\n", None),
    "dashed": (b"A <-oProxy@example.org> 1 +0000", b"an address like an option\n", "-oProxy@example.org"),
    "nobody": (b" <> 1 +0000", b"", None),
    "name": (b'"A", victim@example.org, (B; C) <author@example.org> <victim@example.org> 1 +0000', b"a name\n",
             "author@example.org"),
}

# bytes of the name below refs/heads: state of its head
BRANCHES = {
    b"--upload-pack=x": "refused",
    b"a..b": "refused",
    b"../../escape": "refused",
    b"caf\xe9": "refused",
    "bidi\u202e".encode(): "refused",
    b"x" * 251: "refused",
    b"a\x1b[31mb": "refused",
    b"<script>alert(1)</script>": "live",
    b"'\"&;$(id)`id`": "live",
}


def store(repo, kind, content):
    return repo.git("hash-object", "-w", "-t", kind, "--literally", "--stdin", input=content)


def write_commit(repo, parent, name, author, message):
    blob = store(repo, "blob", name.encode())
    tree = repo.git("mktree", input=f"100644 blob {blob}\tfile\n".encode())
    return store(repo, "commit", f"tree {tree}\nparent {parent}\n".encode() + b"author " + author +
                 b"\ncommitter " + AUTHOR + b"\n\n" + message)


def make_repo(folder):
    """The repository and its hostile commits by name, each on top of the one before."""
    repo = belt.Repo(folder)
    base = parent = repo.commit("base")
    commits = {}
    for name, (author, message, _) in COMMITS.items():
        commits[name] = parent = write_commit(repo, parent, name, author, message)
    repo.git("update-ref", "refs/heads/topic/hostile", parent)
    # git's own commands refuse most of these names; whoever serves a repository need not.
    first = commits["markup"]
    lines = sorted(first.encode() + b" refs/heads/" + branch for branch in BRANCHES)
    lines += [base.encode() + b" refs/heads/main"]
    return repo, commits, lines


def break_refs(repo, lines):
    (repo.path / ".git" / "packed-refs").write_bytes(b"# pack-refs with: peeled fully-peeled \n" +
                                                     b"\n".join(lines) + b"\n")


class Model(belt.Model):
    """Slower with every commit, and what the benchmarks print is no better than their commits."""

    def __init__(self, commits):
        super().__init__({oid: (1.2 ** number, 1.2 ** number) for number, oid in enumerate(commits.values(), 1)})

    def __call__(self, lease):
        result = super().__call__(lease)
        result["files"]["stderr"] = b"<img src=x onerror=alert(3)>\x1b[31m\xff\0</pre><xss>\n"
        return result


def check_mail(t, name, raw, recipient):
    parsed = email.message_from_bytes(raw, policy=email.policy.SMTP.clone(linesep="\n"))
    t.equal(sorted(key.lower() for key in parsed.keys()), HEADERS, f"{name}: its mail has our headers and no other")
    t.equal([address.addr_spec for address in parsed["to"].addresses], [recipient],
            f"{name}: and one recipient")
    t.equal(parsed.defects + [defect for key in parsed.keys() for defect in parsed[key].defects], [],
            f"{name}: and nothing in it is malformed")
    body = parsed.get_payload(decode=True).decode("utf-8")
    shown = body.replace("\n", "") + parsed["subject"] + parsed["to"].addresses[0].display_name
    t.check(shown.isprintable(), f"{name}: and nothing hidden",
            [character for character in shown if not character.isprintable()])
    t.check(max(map(len, raw.split(b"\n"))) <= 998 and b"\r" not in raw, f"{name}: and no line that a server splits")


def check_mails(t, daemon, commits):
    database = daemon.database
    rows = {row[0]: row[1:] for row in database.sql("""SELECT c.oid, m.state, COALESCE(m.file, ''), m.reason
        FROM mail m JOIN finding f ON f.id = m.finding_id JOIN commit c ON c.id = f.commit_id
        WHERE f.role = 'parent'""")}
    for name, oid in commits.items():
        recipient = COMMITS[name][2]
        if not t.check(oid in rows, f"{name}: the commit is found to be slow"):
            continue
        state, file, reason = rows[oid]
        if recipient:
            t.equal(state, "written", f"{name}: a mail tells it")
            check_mail(t, name, (daemon.data / "outbox" / file).read_bytes(), recipient)
        else:
            t.check(state == "suppressed" and "no address" in reason,
                    f"{name}: nobody can be told, and the row says so", (state, reason))
    t.equal(database.one("SELECT count(*) FROM mail WHERE recipients::text LIKE '%\"address\": \"victim@%'"), "0",
            "nobody is told whom a commit wants to be told")


def check_rows(t, database):
    t.equal(database.one("""SELECT count(*) FROM commit WHERE author_name || author_email || subject ~ '[[:cntrl:]]'
            OR message ~ '[\\x01-\\x08\\x0b-\\x1f\\x7f]' OR octet_length(subject) > 1000
            OR octet_length(message) > 65536"""), "0", "no row holds a control character, or more than its share")
    t.equal(database.one("SELECT count(*) FROM commit WHERE author_time > '2200-01-01'"), "0",
            "an absurd date is no date")
    t.equal(database.one("SELECT count(*) FROM commit WHERE subject = 'two addresses' AND author_email = ''"), "1",
            "two addresses in one are none")


def check_branches(t, daemon, lines, repo):
    break_refs(repo, lines)
    live = [name for name, state in BRANCHES.items() if state == "live"]
    daemon.wait("the branches", lambda: daemon.database.one(
        f"SELECT count(*) FROM stack WHERE ref <> 'topic/hostile' AND state = 'done'") == str(len(live)))
    heads = daemon.database.sql("SELECT ref, state, reason FROM head WHERE ref NOT IN ('main', 'topic/hostile')")
    t.equal(sorted(row[0] for row in heads if row[1] == "live"), sorted(name.decode() for name in live),
            "branches with odd names that git allows are measured")
    t.equal(sum(row[1] == "refused" for row in heads), len(BRANCHES) - len(live),
            "branches with names that git forbids, or that look like options, are refused")
    t.check(all(row[2] for row in heads if row[1] == "refused"), "and the row says why", heads)
    t.check(all(row[0].isprintable() for row in heads), "and can be shown", heads)


class Page(html.parser.HTMLParser):
    """The elements of a page, and where it leads."""

    def __init__(self, text):
        super().__init__()
        self.tags = set()
        self.attributes = set()
        self.links = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value for name, value in attrs if name in ("href", "src", "action") and value]


def check_page(path, text):
    """What is wrong with it."""
    page = Page(text)
    wrong = sorted(page.tags & {"img", "xss", "iframe", "object", "embed", "base"})
    wrong += [name for name in sorted(page.attributes)
              if name.startswith("on") or not re.fullmatch("[a-zA-Z0-9-]+", name)]
    wrong += [link for link in page.links if not link.startswith(("/", "?", "#", "mailto:", "http://127.0.0.1:"))]
    wrong += ["inline script"] * len(re.findall(r"<script(?![^>]*\bsrc=)", text))
    wrong += [f"U+{ord(sign):04X}" for sign in set(text) - {"\n", "\t"} if not sign.isprintable() and sign != "\xa0"]
    return [f"{path}: {what}" for what in wrong], page.links


def crawl(t, daemon, commits):
    """Every page that can be reached from the first one."""
    todo = ["/"] + [f"/commit/{oid}" for oid in commits.values()]
    seen, wrong, missing = set(), [], []
    while todo and len(seen) < 300:
        path = todo.pop(0)
        if path in seen or re.search(r"/file/|reproduce|format=|\.(css|svg|js)$", path):
            continue
        seen.add(path)
        status, text = daemon.get(path)
        if status != 200:
            missing.append((path, status))
            continue
        found, links = check_page(path, text)
        wrong += found
        todo += [link.split("#")[0] for link in links if link.startswith("/")]
    t.equal(wrong[:20], [], "no page holds an element, an attribute or a sign that a commit brought")
    t.equal(missing, [], "no page leads to one that is not there")
    kinds = {path.split("/")[1].split("?")[0] for path in seen}
    t.check(kinds >= {"", "series", "commit", "compare", "run", "mail", "repositories", "machine"},
            "every kind of page was seen", sorted(kinds))


def main():
    t = tap.Tap()
    with pg.Cluster() as cluster, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        database = cluster.database("belt")
        repo, commits, lines = make_repo(pathlib.Path(folder) / "repo")
        with belt.Daemon(database, repo, more='[tree "test"]\n\tbranch = *\n') as daemon:
            with belt.FakeWorker(daemon, Model(commits)):
                daemon.wait_for_stack("topic/hostile", seconds=120)
                daemon.wait("the mails", daemon.is_told)
                check_mails(t, daemon, commits)
                check_rows(t, database)
                check_branches(t, daemon, lines, repo)
            crawl(t, daemon, commits)
            t.check(all(ord(character) >= 32 or character == "\n" for character in daemon.log()),
                    "the log can be read in a terminal")
    return t.end()


sys.exit(main())
