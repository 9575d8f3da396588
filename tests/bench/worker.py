#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a worker takes from the benchmark that it measures.

For the middle of a quiet run (sleep), with beats every 10 s as the daemon asks for, it reads from
/proc the processor time and the context switches of every process of the worker but the job itself:
agent, heart, keeper.  Goal: below 0.2 % of one processor, no wake-up but the heart's.
"""
import argparse
import json
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "fault")]
from test_worker import Lab, descendants

TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def look(pid):
    """Name, nanoseconds on a processor, voluntary and involuntary switches."""
    folder = pathlib.Path("/proc") / str(pid)
    name = (folder / "comm").read_text(encoding="utf-8").strip()
    spent_ns = int((folder / "schedstat").read_text(encoding="utf-8").split()[0])
    status = dict(line.split(":", 1) for line in
                  (folder / "status").read_text(encoding="utf-8").splitlines())
    return (name, spent_ns, int(status["voluntary_ctxt_switches"]),
            int(status["nonvoluntary_ctxt_switches"]))


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--seconds", type=float, default=20)
    options.add_argument("--beat", type=int, default=10, help="seconds between beats")
    seconds, beat_s = vars(options.parse_args()).values()
    with Lab() as lab:
        lab.daemon.beat_s = beat_s
        lease = lab.daemon.offer(lab.commit, f"sleep {seconds + 15}; echo \"speed: 1\"")
        lab.worker.start()
        started = time.monotonic()
        family = []
        while "sleep" not in [look(pid)[0] for pid in family]:
            time.sleep(0.2)
            family = lab.worker.family()
            if time.monotonic() - started > 30:
                sys.exit("the job does not start")
        time.sleep(2)
        lab.worker.process.poll()
        family = [pid for pid in lab.worker.family() if look(pid)[0] not in ("sleep", "sh")]
        before = {pid: look(pid) for pid in family}
        time.sleep(seconds)
        after = {pid: look(pid) for pid in family}
        rows = []
        for pid in family:
            rows.append({"process": after[pid][0],
                         "busy_pct": (after[pid][1] - before[pid][1]) / 1e7 / seconds,
                         "wakeups": after[pid][2] - before[pid][2],
                         "preempted": after[pid][3] - before[pid][3]})
        for pid in descendants(lab.worker.process.pid):
            if look(pid)[0] == "sleep":
                os.kill(pid, 9)
        lab.daemon.wait_finished(lease)
        beats = len(lab.daemon.runs[lease].beats)
    total = {"busy_pct": sum(row["busy_pct"] for row in rows), "wakeups": sum(row["wakeups"] for row in rows)}
    print(json.dumps({"seconds": seconds, "beat_s": beat_s, "beats": beats, "processes": rows,
                      "total": total, "goal_busy_pct": 0.2, "is_kept": total["busy_pct"] < 0.2}, indent=2))
    return 0 if total["busy_pct"] < 0.2 else 1


if __name__ == "__main__":
    sys.exit(main())
