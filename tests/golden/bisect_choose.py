#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`patchmeter bisect choose`: what it asks for, and what it says to whom does not keep to the protocol.

bisect_choose.py PATCHMETER
"""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap

PROGRAM = [os.path.abspath(sys.argv[1]), "bisect", "choose"]


class Talk:
    """A chooser, and a machine that answers it: value(commit) gives a value or None."""

    def __init__(self):
        self.process = subprocess.Popen(PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.asked = []

    def play(self, start, value, machines=1):
        """The words of its DONE line; self.asked has the commits, self.rounds their number."""
        self.asked = []
        self.say(start)
        words = self.hear()
        while words[0] != "DONE":
            assert len(self.asked) < 1000, self.asked[:20]
            asked = [words] + [self.hear() for _ in range(machines - 1)]
            assert all(verb in ("RUN", "BOOT") for verb, _ in asked), asked
            self.asked += [int(commit) for _, commit in asked]
            values = [value(int(commit)) for _, commit in asked]
            self.say("\n".join("SKIP" if y is None else f"OBS {y}" for y in values))
            words = self.hear()
        return words

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def hear(self):
        return self.process.stdout.readline().split()

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait() == 0


def stepped(culprit, height, seed=1, unbuildable=()):
    rng = random.Random(seed)
    return lambda t: None if t in unbuildable else 100 + height * (t >= culprit) + rng.gauss(0, 1)


def play(start, value, machines=1):
    talk = Talk()
    words = talk.play(start, value, machines)
    talk.end()
    return words, talk.asked


def fails(said, part):
    done = subprocess.run(PROGRAM, input=said, capture_output=True, check=False)
    message = done.stderr.decode()
    assert done.returncode == 9 and part in message, (said[:80], done.returncode, message)
    assert message.count("\n") == 1, message


# promises

def the_culprit_is_named(_):
    for culprit in range(1, 9):
        words, _ = play("START n=8 sigma=1 nu=12", stepped(culprit, 8))
        assert words[:2] == ["DONE", str(culprit)] and float(words[2]) >= 0.99, words


def one_process_serves_many(_):
    talk = Talk()
    for culprit in (3, 7, 1):
        assert talk.play("START n=8 sigma=1", stepped(culprit, 8))[1] == str(culprit)
    talk.end()


def the_same_values_ask_the_same(_):
    first = play("START n=40 sigma=1", stepped(17, 2))
    assert first == play("START n=40 sigma=1", stepped(17, 2)), first


def nothing_is_found_where_nothing_is(_):
    words, _ = play("START n=8 sigma=1 dmin=1", stepped(9, 0))
    assert words[:2] == ["DONE", "none"] and float(words[2]) >= 0.99, words


def what_does_not_build_is_asked_once(_):
    words, asked = play("START n=8 sigma=1", stepped(4, 8, unbuildable=(4, 5)))
    assert words[1] == "6" and float(words[2]) >= 0.99, words
    assert asked.count(4) <= 1 and asked.count(5) <= 1, asked


def given_runs_spare_new_ones(_):
    given = [f"GIVEN {t} {100 + 8 * (t == 8) + 0.1 * i}" for t in (0, 8) for i in range(6)]
    start = "\n".join(["START n=8 sigma=1 more=1", *given, "GO"])
    words, asked = play(start, stepped(5, 8))
    _, without = play("START n=8 sigma=1", stepped(5, 8))
    assert words[1] == "5" and len(asked) < len(without), (asked, without)


def each_machine_has_its_line(_):
    words, asked = play("START n=64 sigma=1 machines=4", stepped(40, 4), machines=4)
    assert words[1] == "40" and len(asked) % 4 == 0, (words, asked)


def the_budget_is_kept(_):
    words, asked = play("START n=64 sigma=1 budget=7", stepped(40, 1))
    assert words[:2] == ["DONE", "unsure"] and len(asked) == 7, (words, asked)


def a_weight_of_0_is_never_the_culprit(_):
    words, _ = play("START n=8 sigma=1 more=1\nWEIGHT 4 0\nGO", stepped(5, 8, unbuildable=(4,)))
    assert words[1] == "5", words


def a_flaky_test_is_bisected(_):
    rng = random.Random(3)
    words, _ = play("START n=16 passfail=1", lambda t: int(t >= 6 and rng.random() < 0.7))
    assert words[:2] == ["DONE", "6"], words


def both_steps_are_named(_):
    noise = random.Random(5)
    words, _ = play("START n=8 sigma=1 every=1", lambda t: 100 - 8 * (3 <= t < 6) + noise.gauss(0, 1))
    assert words[1::2] == ["3", "6"] and min(map(float, words[2::2])) >= 0.99, words


def a_merged_side_is_searched(_):
    """0 - 1 - 2 - 5 - 6, and 3 - 4 from 0 into 5; 4 is the culprit."""
    noise = random.Random(5)
    start = "START n=6 sigma=1 more=1\nPARENTS 3 0\nPARENTS 5 2 4\nGO"
    words, _ = play(start, lambda t: 100 + 8 * (t >= 4) + noise.gauss(0, 1))
    assert words[1] == "4", words


def mistakes_are_told_with_their_line(_):
    start = b"START n=4 sigma=1\n"
    more = b"START n=4 more=1\n"
    for said, part in (
            (b"GO\n", "line 1: expected START, not 'GO'"),
            (b"START\n", "line 1: START without 'n'"),
            (b"START n=0\n", "line 1: 'n=0': expected a whole number from 1 to"),
            (b"START n=1.5\n", "line 1: 'n=1.5': expected a whole number"),
            (b"START n=nan\n", "'n=nan'"),
            (b"START n=4 sgima=2\n", "did you mean 'sigma'?"),
            (b"START n=4 quux=2\n", "unknown key 'quux'"),
            (b"START n=4 n=5\n", "'n' is said twice"),
            (b"START n=4 sigma\n", "'sigma': expected KEY=NUMBER"),
            (b"START n=4 stop=1\n", "'stop=1': expected a number from"),
            (b"START n=4 sigma=0\n", "'sigma=0'"),
            (start, "line 2: the input ended; expected OBS or SKIP"),
            (start + b"OBS\n", "line 2: expected OBS VALUE or SKIP, not 'OBS'"),
            (start + b"OBS 1 2\n", "line 2: expected OBS VALUE"),
            (start + b"\n\nOBS x\n", "line 4: 'x': expected a number"),
            (start + b"OBS inf\n", "line 2: 'inf'"),
            (start + b"OBS 1e200\n", "line 2: '1e200'"),
            (start + b"OBS 1\0\n", "line 2: a byte of value 0"),
            (start + b"OBS " + b"1" * 5000, "line 2: longer than 4096 bytes"),
            (start + b"x " * 100 + b"\n", "line 2: more than 64 words"),
            (b"START n=4 passfail=1\nOBS 0.5\n", "line 2: '0.5': expected a whole number from 0 to 1"),
            (more, "line 2: the input ended; expected GO"),
            (more + b"GO 1\n", "line 2: GO with 1 words"),
            (more + b"WEIHGT 1 1\n", "line 2: expected PARENTS, WEIGHT, GIVEN or GO, not 'WEIHGT'"),
            (more + b"PARENTS 3 3\n", "line 2: '3': expected a whole number from 0 to 2"),
            (more + b"PARENTS 0 0\n", "line 2: commit 0"),
            (more + b"PARENTS 2 0\nPARENTS 2 1\n", "line 3: PARENTS 2 is said twice"),
            (more + b"GIVEN 5 1\n", "line 2: '5': expected a whole number from 0 to 4"),
            (more + b"GIVEN 4 1 1\n", "line 2: '1': expected a whole number from 0 to 0"),
            (more + b"WEIGHT 1 -1\n", "line 2: '-1'"),
            (b"START n=1 more=1\nWEIGHT 1 0\nGO\n", "no commit has a weight over 0"),
            (b"START n=4 budget=1 more=1\nGIVEN 0 1\nGIVEN 0 1\n", "line 3: more runs than the budget of 1")):
        fails(said, part)


ROWS = (
    ("a step of 8 sd is named wherever it is", the_culprit_is_named),
    ("one process serves one bisection after the other", one_process_serves_many),
    ("the same values get the same questions", the_same_values_ask_the_same),
    ("where nothing changed, it says so", nothing_is_found_where_nothing_is),
    ("what does not build is asked for once, and the set ends with what does",
     what_does_not_build_is_asked_once),
    ("runs that exist spare new ones", given_runs_spare_new_ones),
    ("each machine has its line in a round", each_machine_has_its_line),
    ("a budget is kept, and its end is no answer", the_budget_is_kept),
    ("a commit of weight 0 is no culprit, also where it does not build", a_weight_of_0_is_never_the_culprit),
    ("a flaky test is bisected by its share of failures", a_flaky_test_is_bisected),
    ("two steps that cancel are both named", both_steps_are_named),
    ("a commit that came in with a merge is named", a_merged_side_is_searched),
    ("what is not the protocol is told with its line", mistakes_are_told_with_their_line),
)

sys.exit(tap.promises(ROWS))
