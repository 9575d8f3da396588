#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every table of two public mails, made by `patchmeter compare` from raw samples.

seeds.py PATCHMETER SOURCE

The mails (seeds/ beside the checkout, or where PATCHMETER_SHARED is) hold ratios, improvements and
variations.  From those this script makes samples that have them, lets the program read, judge and
print them, and compares whole tables byte by byte.  What the author laid out by hand, table by
table, is laid out by one rule first: labels stand right in a column as wide as the widest, heads two
cells right of their columns.  Then the first mail is judged from such samples at 5 and 10 runs a
side, and each row on which the verdict differs from its author's "no regressions" is printed with
the reason; docs/decisions/0013 has the list.
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

PROGRAM = os.path.abspath(sys.argv[1])
SHARED = os.environ.get("PATCHMETER_SHARED") or os.path.join(sys.argv[2], "..", "shared")
FIRST = "000_3aaf88c31caff870.txt"
SECOND = "001_abf17ad6de44b891.txt"
RULE = "=" * 66
CELL = r"(\d\.\d\d) \[ *(-?[\d.]+)\]\( *([\d.]+)\)"
ROW = re.compile(rf"^ *(\S+) +{CELL} +{CELL}$")
PERCENT = re.compile(r"^(Hmean|Amean) +(\S+) +0\.00% +(-?[\d.]+)%$")
BASE = 1000.0



def read_tables(name):
    """[{Test, Units, Interpretation, Statistic, names, rows}] of a mail."""
    path = os.path.join(SHARED, "seeds", name)
    if not os.path.exists(path):
        raise tap.Skip(f"no seeds/{name} beside the checkout")
    tables = []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            title = re.match(r"^(Test|Units|Interpretation|Statistic) *: (.*)$", line)
            if "[pct imp]" in line:
                tables[-1]["names"] = re.findall(r"(\S+)\[pct imp\]", line)
            elif title and title[1] == "Test":
                tables.append({"Test": title[2], "rows": []})
            elif title:
                tables[-1][title[1]] = title[2]
            elif ROW.match(line):
                cells = ROW.match(line).groups()
                tables[-1]["rows"].append((cells[0], *map(float, cells[1:])))
            elif PERCENT.match(line):
                tables[-1]["rows"].append(PERCENT.match(line).groups())
    return tables


def spread(nr):
    """A symmetric shape of mean and median 0 and deviation 1."""
    half = [(i + 1) ** 1.2 for i in range(nr // 2)]
    shape = [-value for value in reversed(half)] + [0.0] * (nr % 2) + half
    return [value / statistics.pstdev(shape) for value in shape]


def samples(level, variation, statistic, nr):
    """`nr` samples whose statistic is `level` and whose deviation is `variation` % of it."""
    wanted = variation / 100 * level
    if statistic != "HMean":
        return [level + wanted * step for step in spread(nr)]
    centre, width = level, wanted
    for _ in range(40):
        values = [centre + width * step for step in spread(nr)]
        centre *= level / statistics.harmonic_mean(values)
        width *= wanted / statistics.pstdev(values) if wanted else 1
    return values


def head_level(table, improvement):
    sign = -1 if table["Interpretation"].startswith("Lower") else 1
    return BASE * (1 + sign * improvement / 100)


def put_sides(folder, table, columns, nr):
    """Two result folders and a job for them; `columns` gives the samples of a row's two sides."""
    values = {row[0]: columns(row) for row in table["rows"]}
    for side, name in enumerate(table["names"]):
        os.makedirs(os.path.join(folder, name))
        with open(os.path.join(folder, name, "result.json"), "w", encoding="utf-8") as file:
            json.dump({"schema": 1, "benchmark": table["Test"]}, file)
        with open(os.path.join(folder, name, "runs.jsonl"), "w", encoding="utf-8") as file:
            for run in range(nr):
                # A round trip of a run's place: samples in order would look like a drift.
                place = (run * 7 + 3 * side) % nr
                metrics = {metric: sides[side][place] for metric, sides in values.items()}
                file.write(json.dumps({"run": run, "boot": f"{name}-{run}",
                                       "metrics": metrics}) + "\n")


def put_job(folder, table, estimator, better, unit):
    metrics = [{"name": row[0], "unit": unit, "better": better, "headline": True,
                "estimator": estimator(row), "lines": f"{row[0]} ([0-9.]+)"}
               for row in table["rows"]]
    os.makedirs(os.path.join(folder, "jobs", table["Test"]))
    with open(os.path.join(folder, "jobs", table["Test"], "job.yaml"), "w",
              encoding="utf-8") as file:
        json.dump({"name": table["Test"], "summary": "s", "run": "true", "metrics": metrics}, file)


def compare(folder, table, form):
    done = subprocess.run([PROGRAM, "compare", "--jobs", "jobs", "--format", form, "--",
                           *table["names"]],
                          cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    return done.stdout


def expected_pct(table):
    """The mail's own cells, laid out by rule."""
    width = max(len(row[0]) for row in table["rows"])
    first, second = (name + "[pct imp](CV)" for name in table["names"])
    lines = [RULE]
    lines += [f"{key:14}: {table[key]}" for key in ("Test", "Units", "Interpretation", "Statistic")]
    lines += [RULE, f"{'Case:':{width + 7}}{first:24} {second}"]
    for label, *cells in table["rows"]:
        texts = [f"{cells[i]:4.2f} [{cells[i + 1]:6.2f}]({cells[i + 2]:5.2f})" for i in (0, 3)]
        lines.append(f"{label:>{width}}     " + "     ".join(texts))
    return "\n".join(lines) + "\n\n"


ESTIMATORS = {"AMean": "mean", "HMean": "hmean", "Median": "median"}


def better_of(table):
    return "lower" if table["Interpretation"].startswith("Lower") else "higher"


def put_table(folder, table, nr):
    def columns(row):
        return (samples(BASE, row[3], table["Statistic"], nr),
                samples(head_level(table, row[5]), row[6], table["Statistic"], nr))

    put_sides(folder, table, columns, nr)
    put_job(folder, table, lambda row: ESTIMATORS[table["Statistic"]], better_of(table),
            table["Units"].removeprefix("Normalized "))


def check_mail(folder, name):
    nr_cells = 0
    tables = read_tables(name)
    for table in tables[:-1]:
        place = os.path.join(folder, table["Test"])
        put_table(place, table, 5)
        ours = compare(place, table, "pct")
        expected = expected_pct(table)
        assert ours == expected, f"\n{ours}\n{expected}"
        nr_cells += 2 * len(table["rows"])
    assert nr_cells == 88, nr_cells
    check_percent(os.path.join(folder, "percent"), tables[-1], tables[0]["names"])


def check_percent(place, table, names):
    """The Unixbench block."""
    table = {**table, "names": names, "rows": [(name, how, float(value))
                                               for how, name, value in table["rows"]]}
    title = {"Hmean": "HMean", "Amean": "AMean"}

    def columns(row):
        return (samples(BASE, 0.5, title[row[1]], 5),
                samples(head_level(table, row[2]), 0.5, title[row[1]], 5))

    put_sides(place, table, columns, 5)
    put_job(place, table, lambda row: ESTIMATORS[title[row[1]]], better_of(table), "scores")
    width = max(len(row[0]) for row in table["rows"])
    expected = "".join(f"{how:10}{name:{width}}    0.00%{value:9.2f}%\n"
                       for name, how, value in table["rows"]) + "\n"
    ours = compare(place, table, "percent").split("\n", 2)
    assert ours[1] == f"{'Metric':10}{'Variant':{width}}{names[0]:>9} {names[1]:>9}", ours[1]
    assert ours[2] == expected, f"\n{ours[2]}\n{expected}"
    assert len(table["rows"]) == 10


def the_first_mail(folder):
    check_mail(folder, FIRST)
    path = os.path.join(SHARED, "seeds", FIRST)
    with open(path, encoding="utf-8") as file:
        mail = file.read()
    # That our layout is the mail's: its rows hold our cells with their blanks.
    for table in read_tables(FIRST)[:-1]:
        for line in expected_pct(table).splitlines()[7:-1]:
            assert re.sub(r"^ *\S+ +", "", line) + "\n" in mail, line


def the_second_mail(folder):
    check_mail(folder, SECOND)


def verdicts(folder, nr):
    """[(test, row, verdict, percent, low, high)] of the first mail, from `nr` runs a side."""
    rows = []
    for table in read_tables(FIRST)[:-1]:
        place = os.path.join(folder, str(nr), table["Test"])
        put_table(place, table, nr)
        view = json.loads(compare(place, table, "json"))
        for row in view["groups"][0]["rows"]:
            change = row["changes"][0]
            rows.append((row["metric"], change["verdict"], change["percent"], change["reason"],
                         change["low"], change["high"]))
    return rows


def the_author_is_judged(folder):
    """Structure alone: which verdicts they are is the judge's business."""
    for nr in (5, 10):
        rows = verdicts(folder, nr)
        assert len(rows) == 44
        worse = [row for row in rows if row[1] == "regression"]
        print(f"# {nr} runs a side: {len(worse)} of 44 rows differ from \"no regressions\"")
        for metric, _, percent, reason, low, high in worse:
            assert percent is not None and reason, metric
            assert low <= percent <= high, (metric, low, percent, high)
            print(f"#   {metric}: {percent:+.2f} % ({low:+.2f} to {high:+.2f}): {reason}")


PROMISES = [
    ("all cells of the first mail come from raw samples, byte by byte", the_first_mail),
    ("all cells of the second mail do, too", the_second_mail),
    ("the first mail is judged, and what differs from its author is told", the_author_is_judged),
]

sys.exit(tap.promises(PROMISES))
