#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeter tree`: the file is right afterwards, or as it was.

tree.py PATCHMETER
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
FILE = """# mine
[daemon]
	listen = 127.0.0.1:0	; any
	jobs = jobs

[tree "old"]
	url = /srv/old
	branch = v6.*
	job = probe
"""
NEW = ("add", "new", "--url", "repo", "--branch", "topic/*", "--branch", "fix-*", "--job", "probe")


class Place:
    """A folder with a configuration, a repository and a job."""

    def __init__(self, folder):
        self.folder = folder
        self.path = os.path.join(folder, "x.conf")
        os.makedirs(os.path.join(folder, "repo"))
        os.makedirs(os.path.join(folder, "jobs", "probe"))
        with open(os.path.join(folder, "jobs", "probe", "job.yaml"), "w", encoding="utf-8"):
            pass
        self.write(FILE)

    def write(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def tree(self, *args, config="x.conf"):
        env = dict(os.environ, PATCHMETER_CONFIG=config)
        return subprocess.run([PROGRAM, "tree", *args], cwd=self.folder, capture_output=True,
                              text=True, check=False, env=env)

    def fails(self, code, part, *args):
        done = self.tree(*args)
        assert done.returncode == code, (args, done)
        assert done.stdout == "" and part in done.stderr, (args, done)
        assert self.read() == FILE, self.read()

    def list(self):
        return json.loads(self.tree("ls", "--json").stdout)["trees"]


def a_tree_is_added_behind_what_stands_there(place):
    done = place.tree(*NEW, "--budget", "30m", "--mail", "on")
    assert done.returncode == 0 and done.stdout == done.stderr == "", done
    assert place.read() == FILE + f"""
[tree "new"]
	url = {place.folder}/repo
	branch = topic/*
	branch = fix-*
	job = probe
	budget = 30m
	mail = on
""", place.read()


def git_reads_the_file_as_we_do(place):
    place.tree(*NEW)
    said = subprocess.run(["git", "config", "--file", place.path, "--get-all", "tree.new.branch"],
                          capture_output=True, text=True, check=True).stdout
    assert said.split() == ["topic/*", "fix-*"] == place.list()[1]["branch"], said


def a_removed_tree_leaves_the_rest_byte_by_byte(place):
    place.tree(*NEW)
    assert place.tree("rm", "new").returncode == 0
    assert place.read() == FILE, place.read()


def a_new_file_is_made_where_there_is_none(place):
    os.remove(place.path)
    assert place.tree(*NEW).returncode == 0
    assert [tree["name"] for tree in place.list()] == ["new"]


def ls_shows_defaults_too(place):
    (old,) = place.list()
    assert old == {"name": "old", "url": "/srv/old", "base": "main", "branch": ["v6.*"],
                   "job": ["probe"], "group": "default", "budget": "2h", "mail": "dry-run"}, old
    lines = place.tree("ls").stdout.splitlines()
    assert lines[0].split()[:3] == ["tree", "url", "base"], lines
    assert lines[-1].split() == ["old", "/srv/old", "main", "v6.*", "probe", "default", "2h",
                                 "dry-run"], lines


def an_option_beats_the_environment(place):
    done = place.tree("ls", "--config", place.path, config="gone.conf")
    assert done.returncode == 0 and "old" in done.stdout, done


def a_value_that_a_daemon_would_refuse_is_a_wrong_command_line(place):
    place.fails(2, "none of: dry-run on", *NEW, "--mail", "loud")
    place.fails(2, "tree.new.budget=1", *NEW, "--budget", "1")
    place.fails(2, "letters, digits", "add", "a/b", *NEW[2:])
    place.fails(2, "letters, digits", "add", "a=b", *NEW[2:])
    place.fails(2, "'branch' is not set", "add", "new", "--url", "repo", "--job", "probe")
    place.fails(2, "followed", "add", "new", "--url", "ext::sh -c id", *NEW[4:])
    place.fails(2, "No such file", "add", "new", "--url", "nowhere", *NEW[4:])
    place.fails(2, "name of a folder", *NEW, "--job", "../probe")
    place.fails(2, "name of a tree", "add")
    place.fails(2, "takes no keys", "rm", "old", "--mail", "on")
    place.fails(2, "expected add, ls or rm")


def what_is_there_already_is_6(place):
    place.fails(6, "already", "add", "old", *NEW[2:])


def what_is_not_there_is_3(place):
    place.fails(3, "no section", "rm", "new")
    place.write("")
    done = place.tree("ls")
    assert done.returncode == 3 and done.stdout == "" and "has no tree" in done.stderr, done


def a_bad_file_is_9_and_stays(place):
    bad = FILE + "[tree \"old\"]\n\tmial = on\n"
    place.write(bad)
    for args in (NEW, ("ls",)):
        done = place.tree(*args)
        assert done.returncode == 9 and "x.conf:11:2: unknown key 'mial'" in done.stderr, done
        assert place.read() == bad
    for args in (("ls",), ("rm", "old")):
        done = place.tree(*args, config="gone.conf")
        assert done.returncode == 9 and "gone.conf" in done.stderr, done
        assert not os.path.exists(os.path.join(place.folder, "gone.conf"))


def a_job_that_is_not_installed_is_a_warning(place):
    done = place.tree(*NEW, "--job", "gone")
    assert done.returncode == 0 and "there is no 'jobs/gone/job.yaml'" in done.stderr, done
    assert place.list()[1]["job"] == ["probe", "gone"]


def two_editors_lose_nothing(place):
    def edit(prefix):
        return [place.tree("add", f"{prefix}{number}", *NEW[2:]).returncode for number in range(15)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        codes = [code for result in pool.map(edit, "abcd") for code in result]
    assert codes == [0] * 60, codes
    names = {tree["name"] for tree in place.list()}
    assert names == {"old"} | {f"{prefix}{number}" for prefix in "abcd" for number in range(15)}, names


def main():
    checks = [check for name, check in globals().items()
              if callable(check) and name not in ("Place", "main")]
    print(f"1..{len(checks)}")
    for number, check in enumerate(checks, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(Place(os.path.realpath(folder)))
                print(f"ok {number} - {check.__name__.replace('_', ' ')}")
            except AssertionError as fault:
                print(f"# {fault}".replace("\n", "\n# "))
                print(f"not ok {number} - {check.__name__.replace('_', ' ')}")


main()
