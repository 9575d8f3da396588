#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""vcs.py BENCH_VCS - what looking at repositories costs, beside the same done with git.

Makes its repositories in a temporary folder.  Exits 1 where a stated limit is broken: CPU of polling
100 unchanged repositories, time and memory of a stack on a long history.
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile

GIT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
failures = 0


def git(*args, text=None, cwd="."):
    return subprocess.run(["git", *args], cwd=cwd, env=GIT, input=text, check=True,
                          stdout=subprocess.PIPE).stdout


def commits(ref, parent, first, nr):
    """fast-import's stream of nr commits that each edit one of a few files."""
    out = [f"reset {ref}\nfrom {parent}\n\n"] if parent else [f"reset {ref}\n"]
    for i in range(first, first + nr):
        data = f"change {i}\n"
        out.append(f"commit {ref}\nmark :{i}\n"
                   f"committer C O Mitter <c@example.org> {1500000000 + i} +0000\n"
                   f"data {len(data)}\n{data}M 644 inline d{i % 7}/f{i % 11}\n"
                   f"data {len(data)}\n{data}\n")
    return "".join(out)


def make_history(path, nr, nr_topic, nr_refs=0):
    git("init", "-q", "--bare", "-b", "main", path)
    stream = (commits("refs/heads/main", None, 1, nr) +
              commits("refs/heads/topic", f":{nr}", nr + 1, nr_topic))
    stream += "".join(f"reset refs/heads/other/{i}\nfrom :{i + 1}\n\n" for i in range(nr_refs))
    git("fast-import", "--quiet", text=stream.encode(), cwd=path)
    git("pack-refs", "--all", cwd=path)


def ours(bench, *args, nr=5):
    """The best of nr: count, CPU and wall milliseconds, resident KiB."""
    best = None
    for _ in range(nr):
        words = subprocess.run([bench, *args], check=True, stdout=subprocess.PIPE).stdout.split()
        now = (int(words[0]), float(words[1]), float(words[2]), int(words[3]))
        best = now if best is None or now[1] < best[1] else best
    return best


def gits(commands, text=None, nr=5):
    """CPU milliseconds of running them all, the best of nr."""
    best = None
    for _ in range(nr):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        for path, args in commands:
            git(*args, cwd=path, text=text)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        best = cpu if best is None or cpu < best else best
    return best


def show(what, cpu, git_cpu, limit=None):
    global failures
    is_over = limit is not None and cpu > limit
    failures += is_over
    ratio = f"{cpu / git_cpu:8.3f}" if git_cpu else "       -"
    git_text = f"{git_cpu:10.1f}" if git_cpu else "         -"
    print(f"{what:62} {cpu:10.1f} {git_text} {ratio}"
          f"{'' if limit is None else f'   limit {limit:g}'}{'  OVER' if is_over else ''}")


def main(bench):
    with tempfile.TemporaryDirectory(prefix="patchmeter-bench.") as folder:
        print(f"{'CPU milliseconds':62} {'ours':>10} {'git':>10}    ratio")
        for nr_refs in (10, 1000):
            path = os.path.join(folder, f"poll{nr_refs}")
            make_history(path, 3, 2)
            tip = git("rev-parse", "topic", cwd=path).decode()
            git("update-ref", "-d", "refs/heads/topic", cwd=path)
            git("update-ref", "--stdin", cwd=path, text="".join(
                f"create refs/heads/topic/{n} {tip}" for n in range(nr_refs)).encode())
            if nr_refs > 100:
                git("pack-refs", "--all", cwd=path)
            paths = [shutil.copytree(path, f"{path}.{i}") for i in range(100)]
            show(f"poll 100 unchanged repositories of {nr_refs} branches",
                 ours(bench, "poll", *paths)[1],
                 gits([(path, ("for-each-ref", "refs/heads/")) for path in paths]), 200)

        log = ("log", "--reverse", "--raw", "--format=raw", "main..topic")
        path = os.path.join(folder, "history")
        make_history(path, 10000, 100)
        show("read a stack of 100 on 10,000 commits",
             ours(bench, "stack", path, "main", "topic")[1], gits([(path, log)]))

        path = os.path.join(folder, "long")
        make_history(path, 200000, 10, 30000)
        count, cpu, wall, rss = ours(bench, "stack", path, "main", "topic")
        assert count == 10
        show("read a stack of 10 on 200,000 commits, 30,000 branches (C30)", cpu, gits([(path, log)]), 1000)
        show("  its resident MiB", rss / 1024, None, 512)
        git("update-ref", "refs/heads/old", "main~50000", cwd=path)
        tree = git("rev-parse", "topic^{tree}", cwd=path).decode().strip()
        side = git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit-tree", "-m", "x",
                   "-p", "old", tree, cwd=path).decode().strip()
        git("update-ref", "refs/heads/side", side, cwd=path)
        count, cpu, wall, rss = ours(bench, "stack", path, "main", "side")
        assert count == 1
        show("the same, the base 50,000 commits ahead of the fork", cpu,
             gits([(path, ("log", "--raw", "--format=raw", "main..side"))]), 1000)
        show("  its resident MiB", rss / 1024, None, 512)

        path = os.path.join(folder, "files")
        git("init", "-q", "-b", "main", path)
        subprocess.run(["cp", "-r", "/usr/include", path], check=True)
        git("add", "-A", cwd=path)
        git("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "gc.auto=0", "commit", "-qm",
            "x", cwd=path)
        git("gc", "-q", cwd=path)
        commit = git("rev-parse", "main", cwd=path).decode().strip()
        nr = len(git("ls-files", cwd=path).splitlines())
        mirror, pack, out = (os.path.join(folder, name) for name in ("mirror", "pack", "out"))
        os.mkdir(out)
        anew = ("pack-objects", "-q", "--stdout", "--revs", "--threads=1", "--window=0",
                "--no-reuse-object")
        cpu = gits([(path, anew)], text=b"main", nr=1)
        show(f"copy a commit of {nr} files into a mirror",
             ours(bench, "pin", path, commit, mirror, nr=1)[1], cpu)
        size = ours(bench, "pack", mirror, commit, pack, nr=1)
        show("pack it for a worker", size[1], cpu)
        show("  its MiB", size[0] / 2 ** 20, len(git(*anew, cwd=path, text=b"main")) / 2 ** 20)
        show("write its files", ours(bench, "export", mirror, commit, out, nr=1)[1],
             gits([(path, ("worktree", "add", "-q", "--detach", os.path.join(folder, "tree")))],
                  nr=1))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
