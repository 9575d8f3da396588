# SPDX-License-Identifier: GPL-2.0-or-later
"""Make-believe histories in which a commit changed a metric, and a chooser that is asked to find it.

A World is a base (0), commits 1 to n and machines; run() is a noisy run of a commit.  The unit is
the sd of a run.  A Chooser is a program that speaks docs/bisecting-protocol.md; play() lets it ask
until it names something, and gives what that cost and whether it was right.  Everything follows from
the seed.
"""
import csv
import math
import random
import statistics
import subprocess
from dataclasses import dataclass, field

LEVEL = 100.0
DF = 12  # of what is known of the sd
MOST_RUNS = 20_000


@dataclass(frozen=True)
class Cell:
    """What a world is made of, and what the chooser is told of it."""

    n: int = 16
    d: float = 2
    build_cost: float = 0          # in runs; a boot costs a fifth of it
    boot_sd: float = 0
    unbuildable: float = 0         # share of the commits between base and tip
    offset_sd: float = 0           # between machines
    jump: float = 0                # of the machine, for JUMP_RUNS runs, once in MOST_JUMP_START
    slow: tuple = ()               # share of slow boots before and after: no level moves
    fails: tuple = ()              # share of failing runs before and after: a pass/fail metric
    steps: int = 1
    opposed: bool = False          # two steps that cancel: the first goes down
    scale: float = 1               # values are LEVEL + scale * unit
    side_branches: tuple = ()      # at least and at most: merged into a chain of n
    noise: str = "gauss"           # or "real"
    given: tuple = (0, 0)          # runs of base and tip that exist
    is_sd_a_guess: bool = False    # the sd that is told is off by a factor, and no df are claimed
    is_share_told: bool = True     # of boots
    told: dict = field(default_factory=dict)  # further keys of START

    def machines(self):
        return self.told.get("machines", 1)


JUMP_RUNS = 15
MOST_JUMP_START = 60


def real_noise(path):
    """Residuals of benchmark series in units of their sd: log, running median taken away."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    series = []
    for column in list(zip(*rows))[2:]:
        y = [math.log(float(text)) for text in column if text not in ("", "nan")]
        left = [value - statistics.median(y[max(0, t - 15):t + 16]) for t, value in enumerate(y)]
        sd = 1.4826 * statistics.median(map(abs, left)) if left else 0
        if sd > 1e-4:
            series.append([min(25.0, max(-25.0, value / sd)) for value in left])
    return series


class History:
    """Who holds whom: a line, or a chain of first parents into which side branches are merged."""

    def __init__(self, cell, rng):
        self.parents = {}  # of those whose only parent is not the one before
        self.n = cell.n
        if cell.side_branches:
            self.merge(cell.n, rng.randint(*cell.side_branches), rng)
        self.held = [{0}]
        for t in range(1, self.n + 1):
            self.held.append({t}.union(*(self.held[p] for p in self.parents.get(t, (t - 1,)))))

    def merge(self, length, nr_branches, rng):
        merges = sorted(rng.sample(range(2, length + 1), nr_branches))
        chain = [0]
        last = 0
        for i in range(1, length + 1):
            if i in merges:
                fork = rng.choice(chain[:-1])
                first, last = last + 1, last + rng.randint(1, 4)
                self.parents[first] = (fork,)
                self.parents[last + 1] = (chain[-1], last)
            last += 1
            chain.append(last)
        self.n = last

    def lines(self):
        return [f"PARENTS {t} {' '.join(map(str, parents))}" for t, parents in self.parents.items()]


class World:
    def __init__(self, cell, seed, is_none, series=()):
        self.cell = cell
        self.rng = rng = random.Random(seed)
        self.history = History(cell, rng)
        self.n = self.history.n
        self.steps = {} if is_none else self.make_steps()
        self.unbuildable = {t for t in range(1, self.n) if rng.random() < cell.unbuildable}
        self.offsets = [rng.gauss(0, cell.offset_sd) for _ in range(cell.machines())]
        self.jump = (rng.randrange(MOST_JUMP_START), rng.choice((-1, 1)) * cell.jump)
        self.series = rng.choice(series) if cell.noise == "real" else None
        self.position = rng.randrange(len(self.series)) if self.series else 0
        self.sd_told = math.sqrt(rng.gammavariate(DF / 2, 2) / DF)
        if cell.is_sd_a_guess:
            self.sd_told = math.exp(rng.gauss(0, math.log(2)))
        self.running = {}  # machine: (commit, level of its boot)
        self.built = set()
        self.runs = 0
        self.cost = 0.0

    def make_steps(self):
        commits = sorted(self.rng.sample(range(1, self.n + 1), self.cell.steps))
        if self.cell.opposed:
            return {c: self.cell.d * (-1) ** (i + 1) for i, c in enumerate(commits)}
        return {c: self.cell.d * self.rng.choice((-1, 1)) for c in commits}

    def mean(self, t):
        return sum(step for c, step in self.steps.items() if c in self.history.held[t])

    def is_after(self, t):
        return any(c in self.history.held[t] for c in self.steps)

    def boot(self, t):
        if self.cell.slow:
            return 10.0 * (self.rng.random() < self.cell.slow[self.is_after(t)])
        return self.rng.gauss(0, self.cell.boot_sd) if self.cell.boot_sd else 0.0

    def jumped(self):
        start, height = self.jump
        return height if start <= self.runs - 1 < start + JUMP_RUNS else 0.0

    def drawn(self):
        if not self.series:
            return self.rng.gauss(0, 1)
        self.position = (self.position + 1) % len(self.series)
        return self.series[self.position]

    def value(self, t, machine, boot):
        if self.cell.fails:
            return int(self.rng.random() < self.cell.fails[self.is_after(t)])
        mean = 0 if self.cell.slow else self.mean(t)
        sum_ = mean + boot + self.offsets[machine] + self.jumped() + self.drawn()
        return LEVEL + self.cell.scale * sum_

    def run(self, t, is_fresh, machine):
        """A value, or None where the commit does not build."""
        if t in self.unbuildable:
            self.cost += self.cell.build_cost
            return None
        commit, boot = self.running.get(machine, (None, 0.0))
        if t != commit or is_fresh:
            self.cost += self.cell.build_cost / (5 if t in self.built else 1)
            self.built.add(t)
            boot = self.boot(t)
            self.running[machine] = (t, boot)
        self.runs += 1
        self.cost += 1
        return self.value(t, machine, boot)

    def given(self):
        """Runs from before, each on a boot of its own and free: (commit, value)."""
        return [(t, self.value(t, 0, self.boot(t)))
                for t, nr in zip((0, self.n), self.cell.given) for _ in range(nr)]

    def start(self):
        """The lines that begin a bisection of this world."""
        cell = self.cell
        more = self.history.lines() + [f"GIVEN {t} {y:.9g}" for t, y in self.given()]
        keys = {"n": self.n, "cb": cell.build_cost, "cr": cell.build_cost / 5,
                "sigma": f"{cell.scale * self.sd_told:.6g}", "nu": 0 if cell.is_sd_a_guess else DF,
                "bootratio": cell.boot_sd ** 2 if cell.is_share_told else -1,
                "dmin": 0.4, "pnone": 0.5, "stop": 0.99, **cell.told}
        if cell.fails:
            keys["passfail"] = 1
        if more:
            keys["more"] = 1
            more.append("GO")
        return "\n".join(["START " + " ".join(f"{key}={value}" for key, value in keys.items())] + more)

    def is_right(self, named):
        """Whether the named commits are the steps; of a set its last is named, and what does not
        build in between cannot be told apart."""
        return len(named) == len(self.steps) and not any(map(self.is_wrong, named))

    def is_wrong(self, commit):
        return not any(all(t in self.unbuildable for t in range(min(c, commit), max(c, commit)))
                       for c in self.steps)


class Chooser:
    """A program which is asked for one bisection after the other."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        bufsize=1 << 16)

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def hear(self):
        words = self.process.stdout.readline().split()
        if not words:
            raise RuntimeError(f"the chooser ended with {self.process.wait()}")
        return words

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


@dataclass
class Outcome:
    is_none: bool      # nothing changed, in truth
    is_right: bool
    named: tuple       # commits
    nr_wrong: int      # of them
    is_same_ends: bool
    stated: float      # the least posterior that was stated
    is_unsure: bool
    runs: int
    cost: float
    rounds: int


def read_done(words):
    """(commits, least posterior, whether the budget ended) of a DONE line."""
    pairs = list(zip(words[1::2], map(float, words[2::2])))
    named = tuple(int(word) for word, _ in pairs if word.isdigit())
    return named, min(p for _, p in pairs), any(word == "unsure" for word, _ in pairs)


def play(chooser, world):
    nr_machines = world.cell.machines()
    rounds = 0
    chooser.say(world.start())
    words = chooser.hear()
    while words[0] != "DONE":
        asked = [words] + [chooser.hear() for _ in range(nr_machines - 1)]
        values = [world.run(int(t), verb == "BOOT", machine) for machine, (verb, t) in enumerate(asked)]
        if world.runs > MOST_RUNS:
            raise RuntimeError("no end in sight")
        chooser.say("\n".join("SKIP" if y is None else f"OBS {y:.9g}" for y in values))
        rounds += 1
        words = chooser.hear()
    named, stated, is_unsure = read_done(words)
    return Outcome(not world.steps, world.is_right(named) and not is_unsure, named,
                   sum(map(world.is_wrong, named)), abs(world.mean(world.n)) < 1e-9, stated, is_unsure,
                   world.runs, world.cost, rounds)
