#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The verbs that ask a daemon, against a server that says what the test tells it to.

online.py PATCHMETER

tests/db/test_cli.py asks a real daemon; here it is about exit codes, hostile words, cuts, colours.
"""
import http.server
import json
import os
import pty
import pwd
import subprocess
import sys
import tempfile
import threading

PROGRAM = os.path.abspath(sys.argv[1])
HOSTILE = "\x1b]52;c;cm0gLXJm\x07 \x1b[2J\u202egpj.exe\x9b31m"
RUN = {"run": 7, "kind": "measure", "state": "done", "benchmark": "probe", "commit": "0123456789",
       "subject": HOSTILE, "params": {"groups": "4", "mode": "a"}, "attempt": 1, "reason": None,
       "log": {"name": "stdout", "text": "x"}, "failure": None,
       "metrics": [{"metric": "probe.time", "value": 12.5, "unit": "s"},
                   {"metric": "probe.faults", "value": 1200, "unit": "1"}],
       "files": [{"name": "stdout", "size_bytes": 3000000, "hash": "ab"},
                 {"name": "stderr", "size_bytes": 6, "hash": "cd"},
                 {"name": "setup/log 1", "size_bytes": 2, "hash": "ef"}]}
LOG = (b"line of a log\x1b[31m red \xff\n" * 120000)[:3000000]


class Server(http.server.ThreadingHTTPServer):
    """Answers by path from `pages`: (status, document or bytes); a list gives one answer after the
    other.  `heard` are the paths, with the Range behind them."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages = {}
        self.heard = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}).start()

    def answer(self, path):
        page = self.pages.get(path, (404, {"detail": f"there is no page '{path}'"}))
        if isinstance(page, list):
            page = page.pop(0) if len(page) > 1 else page[0]
        return page


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked = self.headers.get("Range")
        self.server.heard.append(self.path + (f" {asked}" if asked else ""))
        status, body = self.server.answer(self.path)
        if status is None:  # a cut
            self.connection.close()
            return
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if asked and status == 200:
            first, last = asked.removeprefix("bytes=").split("-")
            body = body[int(first):int(last) + 1]
            status = 206
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.heard.append((self.path, self.headers["Authorization"], body))
        status, answer = self.server.answer(self.path)
        answer = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Place:
    def __init__(self, folder):
        self.folder = folder
        self.server = Server()
        self.pages = self.server.pages

    def run(self, *args, text=True, **env):
        return subprocess.run([PROGRAM, *args], capture_output=True, check=False, timeout=60,
                              encoding="utf-8" if text else None, cwd=self.folder,
                              env={**os.environ, "PATCHMETER_SERVER": self.server.url, **env})

    def on_terminal(self, *args, **env):
        """What a terminal gets to see."""
        leader, follower = pty.openpty()
        env = {**os.environ, "PATCHMETER_SERVER": self.server.url, "TERM": "xterm", **env}
        with subprocess.Popen([PROGRAM, *args], stdout=follower, stderr=subprocess.DEVNULL,
                              env=env):
            os.close(follower)
            seen = b""
            while True:
                try:
                    piece = os.read(leader, 65536)
                except OSError:
                    piece = b""
                if not piece:
                    break
                seen += piece
        os.close(leader)
        return seen.decode().replace("\r\n", "\n")

    def prints(self, expected, *args, **env):
        done = self.run(*args, **env)
        assert done.returncode == 0 and done.stderr == "", done
        assert done.stdout == expected, done.stdout

    def fails(self, code, part, *args, **env):
        done = self.run(*args, **env)
        assert done.returncode == code, (args, done)
        assert done.stdout == "" and part in done.stderr, (args, done)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def a_document_becomes_lines_and_tables_without_what_is_empty(place):
    place.pages["/api/v1/runs/7"] = (200, dict(RUN, subject="lz4: faster"))
    place.prints("""\
run         7
kind        measure
state       done
benchmark   probe
parameters  groups=4 mode=a
commit      0123456789
            lz4: faster
attempt     1

metrics
metric        value  unit
probe.time    12.50  s
probe.faults   1200  1

files
file            size  sha256
stdout       2.9 MiB  ab
stderr           6 B  cd
setup/log 1      2 B  ef
""", "show", "run:7")
    assert place.run("show", "run", "7").stdout == place.run("show", "run:7").stdout


def the_grid_of_a_series_has_a_line_a_cell(place):
    place.pages["/api/v1/series/3"] = (200, {
        "id": 3, "tree": "lz4", "ref": "topic/x", "version": 2, "state": "done",
        "base": {"commit": "aaaaaaaaaa", "subject": "base"},
        "columns": [{"benchmark": "lz4", "group": "lab", "params": {"level": "1"}},
                    {"benchmark": "lz4", "group": "lab", "params": {"level": "9"}}],
        "rows": [{"commit": "bbbbbbbbbb", "subject": "slow", "cells": [
            {"mark": "\u25b2", "word": "worse", "text": "+7.4%", "metric": "lz4.time",
             "is_worse": True, "why": None},
            {"mark": "\u25cb", "word": "missing", "text": None, "metric": None,
             "is_missing": True, "why": "no budget"}]}],
        "ends": [{"mark": "\u25cf", "word": "within noise"}, {"mark": "\u25cf", "word": "same"}]})
    done = place.run("show", "series:3")
    assert done.stdout == """\
series   3
tree     lz4
branch   topic/x
version  2
state    done
base     aaaaaaaaaa
         base

commit      benchmark  group  parameters  subject  verdict         metric    because
bbbbbbbbbb  lz4        lab    level=1     slow     \u25b2 worse +7.4%   lz4.time
            lz4        lab    level=9              \u25cb missing                 no budget
base..tip   lz4        lab    level=1              \u25cf within noise
            lz4        lab    level=9              \u25cf same
""", done.stdout


def change(verdict, percent, reason=None, **more):
    return {"percent": percent, "absolute": percent and percent / 10,
            "low": percent and percent - 1, "high": percent and percent + 1,
            "is_ratio": True, "p": 0.001, "q": 0.002, "verdict": verdict, "reason": reason, **more}


def cell(value, n=8):
    return {"value": value, "stddev": value and 0.1, "n": n, "reason": None if n else "not built"}


CUMULATIVE = {
    "id": 3, "tree": "lz4", "ref": "topic/x", "version": 2, "state": "done", "cells": [{
        "cell": 1, "benchmark": "lz4", "group": "lab", "params": {"level": "1"}, "view": {
            "schema": 1, "columns": [{"name": name, "commit": name * 4, "subject": subject}
                                     for name, subject in (("aaaaaaaaaa", "base"), ("bbbbbbbbbb", "one"),
                                                           ("cccccccccc", "two"), ("dddddddddd", "three"))],
            "groups": [{"axes": [], "failures": [], "rows": [{
                "metric": "lz4.time", "unit": "s", "better": "lower", "class": "headline",
                "is_exact": False, "estimator": None, "note": None,
                "cells": [cell(10), cell(10.5), cell(None, 0), cell(10.5)],
                "changes": [change("regression", 5), change("missing", None, "no value in head"),
                            change("regression", 5.2)],
                "steps": [change("regression", 5, against=0),
                          change("missing", None, "no value in head", against=1),
                          change("no-change", 0.2, against=1)]}]}]}}]}


def a_stack_is_shown_patch_by_patch(place):
    place.pages["/api/v1/series/3/cumulative"] = (200, CUMULATIVE)
    done = place.run("show", "series:3", "--cumulative")
    assert done.stdout == """\
series   3
tree     lz4
branch   topic/x
version  2
state    done

metric    commit      value  n  against base                  against parent                              group  parameters  subject  because
lz4.time  aaaaaaaaaa  10.00  8                                                                            lab    level=1     base
          bbbbbbbbbb  10.50  8  \u25b2 +5.0%       +4.0% to +6.0%  \u25b2 +5.0%         +4.0% to +6.0%                                 one
          cccccccccc  n/a    0  \u25cb n/a                         \u25cb n/a                                                          two      not built
          dddddddddd  10.50  8  \u25b2 +5.2%       +4.2% to +6.2%  \u25cf +0.2%         -0.8% to +1.2%  bbbbbbbbbb                     three
""", done.stdout


def a_step_against_a_later_commit_is_not_shown(place):
    document = json.loads(json.dumps(CUMULATIVE))
    document["cells"][0]["view"]["groups"][0]["rows"][0]["steps"][0]["against"] = 1
    place.pages["/api/v1/series/3/cumulative"] = (200, document)
    done = place.run("show", "series:3", "--cumulative")
    assert done.returncode == 0 and "lz4.time" not in done.stdout, done


def only_a_stack_has_patches(place):
    for args in (("run:3", "--cumulative"), ("0123abcd", "--versions"), ("series:3", "--cumulative", "--versions")):
        place.fails(2, "--cumulative or --versions needs series:N", "show", *args)


def versions_stand_side_by_side(place):
    view = {"schema": 1, "columns": [{"name": name, "commit": None, "subject": None} for name in ("v1", "v2")],
            "groups": [{"axes": [], "failures": [], "rows": [
                {"metric": "lz4.time: one", "unit": "%", "better": "lower", "class": "headline",
                 "is_exact": False, "estimator": None, "note": None, "cells": [cell(7.4), cell(1.9)],
                 "changes": [change("improvement", -5)]}]}]}
    place.pages["/api/v1/series/4/versions"] = (200, {
        "id": 4, "tree": "lz4", "ref": "topic/x", "name": "v2", "old": {"name": "v1"}, "state": "done",
        "cells": [{"group": "lab", "params": {"level": "1"}, "view": view}]})
    done = place.run("show", "series:4", "--versions")
    assert done.stdout == """\
series   4
tree     lz4
branch   topic/x
version  v2
against  v1
state    done

metric and patch  before  now      change                          group  parameters
lz4.time: one     7.40    1.90  %  \u25bc -0.50 points  -6.0% to -4.0%  lab    level=1
""", done.stdout


def json_is_the_document_as_it_came(place):
    body = b'{"runs":[{"run":1,"new member":[1.50]}],  "x":"\\u001b"}'
    place.pages["/api/v1/runs"] = (200, body)
    done = place.run("ls", "runs", "--json", text=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, body + b"\n", b""), done


def filters_go_to_the_server_and_trees_have_names(place):
    place.pages["/api/v1/repositories"] = (200, {"repositories": [{"id": 4, "name": "a b"}]})
    place.pages["/api/v1/series?tree=4&state=done&before=9"] = (
        200, {"series": [{"id": 8, "tree": "a b", "state": "done"}], "before": 8})
    done = place.run("ls", "series", "--tree", "a b", "--state", "done", "--before", "9")
    assert done.returncode == 0 and done.stdout.split() == [
        "series", "tree", "state", "8", "a", "b", "done"], done
    assert "--before 8" in done.stderr, done
    place.fails(3, "no tree 'c'", "ls", "series", "--tree", "c")
    place.pages["/api/v1/runs?state=x%26y"] = (400, {"detail": "no state of a run is 'x&y'"})
    place.fails(2, "no state of a run is 'x&y'", "ls", "runs", "--state", "x&y")


def names_are_escaped(place):
    place.pages["/api/v1/machines/lab%2Fbox%3F"] = (200, {"name": "lab/box?"})
    assert "lab/box?" in place.run("show", "machine:lab/box?").stdout
    assert "lab/box?" in place.run("show", "lab/box?").stdout


def exit_codes_tell_failures_apart(place):
    place.fails(2, "no server", "status", PATCHMETER_SERVER="")
    place.fails(2, "expected an address", "status", "--server", "localhost")
    place.fails(4, "Couldn't connect", "status", "--server", "http://127.0.0.1:1")
    place.fails(4, "no daemon serves", "status", "--data", place.folder)
    place.fails(3, "there is no run 99", "show", "run:99")
    place.fails(3, "there is no run 99", "log", "99")
    place.fails(3, "there is no run 99", "reproduce", "run:99")
    place.fails(2, "expected run:N", "show", "run:x")
    place.fails(2, "expected series:N", "show", "ran:7")
    place.fails(2, "expected series:N", "show")
    place.fails(2, "number of a run", "log", "0")
    place.fails(2, "--color", "status", "--color", "red")
    for status, code in ((403, 5), (409, 6), (500, 4), (503, 4)):
        place.pages["/api/v1/status"] = (status, {"detail": "words of the daemon"})
        place.fails(code, "words of the daemon", "status")
    for body in (b"", b"<html>", b"{", b"[]", b"1"):
        place.pages["/api/v1/status"] = (200, body)
        place.fails(4, "answer", "status")


def an_empty_list_is_3_and_says_so(place):
    place.pages["/api/v1/mails"] = (200, {"mails": [], "before": None})
    place.fails(3, "no mails", "ls", "mails")


def a_document_of_another_shape_does_no_harm(place):
    for document in ({"machines": 7}, {"machines": [1, None, "x", [], {"name": [{"a": 1}]}]},
                     {"rows": [[]], "columns": 3, "ends": [1]}, {"warnings": [1], "body": {}}):
        for path in ("status", "machines", "series/1", "runs/1", "mails/1", "commits/01234567"):
            place.pages["/api/v1/" + path] = (200, document)
        for args in (("status",), ("ls", "machines"), ("show", "series:1"), ("show", "run:1"),
                     ("show", "mail:1"), ("show", "01234567")):
            assert place.run(*args).returncode in (0, 3), (document, args)
        assert place.run("log", "1").returncode == 3, document


def a_comparison_that_has_nothing_yet_is_3(place):
    view = {"schema": 1, "columns": [{"name": name, "commit": None, "subject": None} for name in "ab"],
            "groups": [], "reason": "measuring", "summary": [None]}
    path = "/api/v1/compare?base=01234567&head=89abcdef&show=all"
    place.pages[path] = (200, {"comparisons": [{"view": view}]})
    done = place.run("compare", "01234567", "89abcdef")
    assert done.returncode == 3 and "nothing has been measured yet" in done.stderr, done
    place.pages[path] = (200, {"comparisons": [{"view": {"schema": 2}}]})
    place.fails(4, "comparison 1", "compare", "01234567", "89abcdef")
    place.fails(2, "expected two commits, or series:N", "compare", "01234567")
    place.fails(9, "nowhere", "compare", "nowhere", "89abcdef")


def a_data_folder_tells_the_address(place):
    with open(os.path.join(place.folder, "url"), "w", encoding="utf-8") as file:
        file.write(place.server.url + "\n")
    place.pages["/api/v1/status"] = (200, {"queue": {"nr": 0}})
    place.prints("waiting\nruns  0\n", "status", "--data", place.folder, PATCHMETER_SERVER="")


def status_tells_the_rates_of_false_alarms(place):
    rate = {"text": "0.40 % (0.11 to 1.02 %), 4 of 1000"}
    place.pages["/api/v1/status"] = (200, {"calibration": [{"what": "same image", "jobs": rate, "metrics": rate}]})
    told = place.run("status").stdout
    assert "false alarms\n" in told and told.count("0.40 % (0.11 to 1.02 %), 4 of 1000") == 2, told


def a_log_goes_out_byte_by_byte_in_pieces(place):
    place.pages["/api/v1/runs/7"] = (200, RUN)
    place.pages["/run/7/file/stdout"] = (200, LOG)
    place.pages["/run/7/file/setup/log%201"] = (200, b"\x00\n")
    done = place.run("log", "7", text=False)
    assert done.returncode == 0 and done.stdout == LOG, (done.returncode, len(done.stdout))
    ranges = [line.split()[1] for line in place.server.heard if " " in line]
    assert ranges == ["bytes=0-1048575", "bytes=1048576-2097151", "bytes=2097152-2999999"], ranges
    assert place.run("log", "--file", "setup/log 1", "7", text=False).stdout == b"\x00\n"
    place.fails(3, "run 7 is done and has no build.log", "log", "run:7", "--file", "build.log")


def a_cut_log_goes_on_where_it_was(place):
    place.pages["/api/v1/runs/7"] = (200, RUN)
    place.pages["/run/7/file/stdout"] = [(200, LOG), (None, b""), (503, b"{}"), (200, LOG)]
    done = place.run("log", "7", text=False)
    assert done.returncode == 0 and done.stdout == LOG, (done.returncode, len(done.stdout))
    assert place.server.heard.count("/run/7/file/stdout bytes=0-1048575") == 1, place.server.heard


def following_waits_for_the_end_and_tells_how_it_was(place):
    def at(state, size):
        return (200, {"run": 7, "state": state, "log": {"name": "stderr"} if size else {},
                      "files": [{"name": "stderr", "size_bytes": size}] if size else []})
    place.pages["/run/7/file/stderr"] = (200, b"abcdef")
    for end, code in (("done", 0), ("failed", 7), ("lost", 8), ("cancelled", 8)):
        place.pages["/api/v1/runs/7"] = [at("queued", 0), at("leased", 3), (503, b""),
                                         at("finished", 6), at(end, 6)]
        done = place.run("log", "-f", "7")
        assert done.returncode == code and done.stdout == "abcdef", (end, done)
        assert done.stderr.split("\n")[0] == "patchmeter log: run 7 is queued", done
    place.pages["/api/v1/runs/7"] = at("lost", 0)
    place.fails(3, "run 7 is lost and has no log", "log", "7")
    place.pages["/api/v1/runs/7"] = at("queued", 0)
    place.fails(3, "run 7 is queued and has no log", "log", "7")


def no_control_sequence_of_a_stranger_reaches_a_terminal(place):
    place.pages["/api/v1/runs/7"] = (200, RUN)
    place.pages["/run/7/file/stdout"] = (200, LOG)
    place.pages["/run/7/reproduce.sh"] = (200, f"#!/bin/sh\n# {HOSTILE}\n".encode())
    place.pages["/api/v1/mails"] = (200, {"mails": [{"id": 1, "subject": HOSTILE}]})
    place.pages["/api/v1/status"] = (500, {"detail": HOSTILE})
    for args in (("show", "run:7"), ("show", "run:7", "--json"), ("log", "7"), ("ls", "mails"),
                 ("reproduce", "7")):
        seen = place.on_terminal(*args, NO_COLOR="1")
        assert len(seen) > 10, (args, seen)
        for bad in "\x1b\x07\x9b\u202e":
            assert bad not in seen, (args, bad, seen[:2000])
    assert "\x1b" not in place.run("status").stderr


def colour_is_for_terminals_that_have_it(place):
    place.pages["/api/v1/machines"] = (200, {"machines": [
        {"name": "box", "state": "away", "is_away": True}]})
    assert "\x1b[2mbox" in place.on_terminal("ls", "machines")
    assert "\x1b" not in place.on_terminal("ls", "machines", NO_COLOR="1")
    assert "\x1b" not in place.on_terminal("ls", "machines", TERM="dumb")
    assert "\x1b" not in place.on_terminal("ls", "machines", "--color", "never")
    assert "\x1b" not in place.run("ls", "machines").stdout
    assert "\x1b[2mbox" in place.run("ls", "machines", "--color=always").stdout


BISECTION = {"id": 7, "state": "open", "metric": "fio.time", "p": 0.9, "p_text": "0.900", "nr_runs": 9, "rows": [
    {"position": 0, "commit": "0123456789", "p": None, "nr": 3, "mean_text": "10.0", "subject": "base"},
    {"position": 1, "last": 5, "is_fold": True, "nr_commits": 5, "p": 0.1, "p_text": "0.100", "range": "1 to 5"},
    {"position": 6, "commit": "6666666666", "p": 0.9, "p_text": "0.900", "nr": 2, "mean_text": "10.7",
     "why": "runs now", "subject": "slow"}],
    "events": [{"at": "2026-01-02T03:04:05Z", "detail": "opened"}]}


def a_bisection_shows_its_commits_and_what_was_not_asked_for(place):
    place.pages["/api/v1/bisections/7"] = (200, BISECTION)
    for words in (("bisect", "show", "7"), ("bisect", "show", "bisection:7"), ("show", "bisection:7")):
        place.prints("""\
bisection  7
state      open
metric     fio.time
posterior  0.900
runs       9

commits
        commit      posterior             mean  runs  state          subject
base    0123456789                        10.0     3                 base
1 to 5              0.100      #                      not asked for
6       6666666666  0.900      #########  10.7     2  runs now       slow

history
at                    event
2026-01-02T03:04:05Z  opened
""", *words)
    place.pages["/api/v1/bisections/7"] = (200, {**BISECTION, "reason": HOSTILE})
    assert "\x1b" not in place.on_terminal("bisect", "show", "7", NO_COLOR="1")
    place.fails(3, "there is no bisection 8", "bisect", "show", "8")
    for words in (("7x",), (), ("0",), ("run:7",), ("7", "8")):
        place.fails(2, "expected the number of a bisection", "bisect", "show", *words)


def bisections_are_listed_by_either_name(place):
    place.pages["/api/v1/bisections?state=open"] = (200, {"before": 3, "bisections": [
        {"id": 7, "state": "open", "metric": "m", "p_text": "0.900", "nr_runs": 3}]})
    for words in (("bisect", "ls"), ("ls", "bisections")):
        done = place.run(*words, "--state", "open")
        assert done.stdout == ("bisection  state  metric  posterior  runs\n"
                               "        7  open   m       0.900         3\n"), done
        assert "older ones by --before 3" in done.stderr, done
    place.pages["/api/v1/bisections"] = (200, {"bisections": []})
    place.fails(3, "no bisections", "bisect", "ls")
    place.fails(2, "expected no operand", "bisect", "ls", "7")


def token_file(place, mode=0o600):
    path = os.path.join(place.folder, "admin.token")
    with open(path, "w", encoding="ascii") as file:
        file.write("pm_secret\n")
    os.chmod(path, mode)
    return path


def an_order_says_who_and_why_and_carries_its_token(place):
    who = pwd.getpwuid(os.getuid()).pw_name
    token = token_file(place)
    for verb, operands, body in (("stop", [], {}), ("invalidate", [], {}), ("skip", ["0123abcd"], {"commit": "0123abcd"}),
                                 ("culprit", ["0123abcd"], {"commit": "0123abcd"}), ("narrow", ["0123abcd", "4567cdef"], {"runs": 40, "from": "0123abcd", "to": "4567cdef"})):
        place.server.heard.clear()
        place.pages[f"/api/v1/bisections/7/{verb}"] = (200, {"id": 7, "state": "moved"})
        place.prints("bisection 7 is moved\n", "bisect", verb, "7", *operands, "--why", HOSTILE, "--token-file", token)
        (path, authorization, sent), = place.server.heard
        assert (path, authorization) == (f"/api/v1/bisections/7/{verb}", "Bearer pm_secret"), place.server.heard
        assert sent == {"who": who, "why": HOSTILE, **body}, sent
        place.fails(2, "expected the number of a bisection", "bisect", verb, "x", *operands, "--token-file", token)
        place.fails(2, "expected the number of a bisection", "bisect", verb, "7", *operands, "9", "--token-file", token)
    place.server.heard.clear()
    place.prints("bisection 7 is moved\n", "bisect", "narrow", "7", "--runs", "30", "--token-file", token)
    assert place.server.heard[0][2] == {"who": who, "why": "no reason given", "runs": 30}, place.server.heard
    place.fails(2, "two commits or none", "bisect", "narrow", "7", "0123abcd", "--token-file", token)
    done = place.run("bisect", "stop", "7", "--json", "--token-file", token)
    assert json.loads(done.stdout) == {"id": 7, "state": "moved"}, done


def an_order_without_a_token_of_its_own_is_not_given(place):
    place.fails(2, "no token", "bisect", "stop", "7")
    place.fails(5, "others can read it", "bisect", "stop", "7", "--token-file", token_file(place, 0o644))
    place.fails(3, "admin.token", "bisect", "stop", "7", "--data", place.folder + "/none", "--server", place.server.url)
    assert place.server.heard == [], place.server.heard
    token_file(place)
    for status, code in ((401, 5), (403, 5), (404, 3), (409, 6), (400, 2), (503, 4)):
        place.pages["/api/v1/bisections/7/stop"] = (status, {"detail": "because"})
        place.fails(code, "because", "bisect", "stop", "7", "--data", place.folder, "--server", place.server.url)


def main():
    checks = [check for name, check in globals().items()
              if callable(check) and name not in ("Handler", "Place", "Server", "cell", "change", "main", "token_file")]
    print(f"1..{len(checks)}")
    for number, check in enumerate(checks, 1):
        with tempfile.TemporaryDirectory() as folder:
            place = Place(folder)
            try:
                check(place)
                print(f"ok {number} - {check.__name__.replace('_', ' ')}")
            except AssertionError as fault:
                print(f"# {fault}".replace("\n", "\n# "))
                print(f"not ok {number} - {check.__name__.replace('_', ' ')}")
            finally:
                place.close()


main()
