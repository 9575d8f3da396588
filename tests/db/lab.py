# SPDX-License-Identifier: GPL-2.0-or-later
"""A lab with something of everything: what pages are tested and photographed with.

One tree, two versions of a branch of four patches, three benchmarks; patch 2 made the first one slower
and the third one faster, patch 3 does not build on ..., patch 4 is still being measured, and so on.
The rows are what the stages would have written; the numbers are made up, with a fixed seed.
"""
import json
import os
import random

from webtest import Session, World, oid, quote, sha256


class Lab(World):
    METRICS = (("time", "s", "lower", True), ("rate", "ops/s", "higher", False),
               ("time.maxrss", "KiB", "lower", False))

    def __init__(self, db, server=None, texts=None):
        super().__init__(Session(db))
        self.plain = db
        self.server = server
        self.texts = texts or {}
        self.random = random.Random(7)

    def text(self, name, otherwise):
        """What a test wants to stand somewhere, such as something hostile."""
        return self.texts.get(name, otherwise)

    def metrics(self, benchmark):
        for slot, (name, unit, better, is_headline) in enumerate(self.METRICS, 1):
            self.db.sql(f"""INSERT INTO metric (benchmark_id, slot, name, unit, better, estimator, is_headline,
                is_exact, floor) SELECT id, {slot}, {quote(self.text('metric', '') + name)}, {quote(unit)}, '{better}', 'mean',
                {is_headline}, false, 0 FROM benchmark WHERE name = {quote(benchmark)}""")

    def machine(self, name, seen="0 s", group="box", processor="Example CPU at 3 GHz"):
        token = self.db.one("SELECT id FROM token LIMIT 1") or self.token() and self.db.one("SELECT id FROM token")
        number = int(self.db.one(f"""INSERT INTO machine (name, machine_group, token_id, boot_id, joined, seen)
            VALUES ({quote(name)}, '{group}', {token}, 'boot-{name}', belt_now() - interval '9 days',
            belt_now() - interval '{seen}') RETURNING id"""))
        for kernel in ("6.1.0-18", "6.1.0-21"):
            lasting = {"processor": self.text("fingerprint", processor), "processors": 8, "kernel": kernel,
                       "microcode": "0x2f", "mitigations": {"meltdown": "Not affected", "mds": kernel}}
            self.db.sql(f"""WITH fresh AS (INSERT INTO machine_epoch (machine_id, hash, fingerprint, since)
                VALUES ({number}, '{sha256((name + kernel).encode())}',
                {quote(json.dumps({'lasting': lasting, 'passing': {'load': '0.1'}}))}, belt_now()) RETURNING id)
                UPDATE machine SET epoch_id = fresh.id FROM fresh WHERE machine.id = {number}""")
        return number

    def measured_block(self, cell, comparison, base, head, machine, factor):
        """A block whose four runs are done, with values around 10 s and 1000 ops/s."""
        block, runs = self.block(cell, comparison, base, head)
        self.db.sql(f"""UPDATE block SET state = 'done', machine_id = {machine},
            epoch_id = (SELECT epoch_id FROM machine WHERE id = {machine}) WHERE id = {block}""")
        for run, side in zip(runs, (1, factor, factor, 1)):
            value = 10 * side * (1 + self.random.gauss(0, 0.006))
            self.db.sql(f"""UPDATE run SET state = 'done', machine_id = {machine}, boot_id = 'boot-{run}',
                epoch_id = (SELECT epoch_id FROM machine WHERE id = {machine}),
                value = '{{{value:.4f},{10000 / value:.3f},{51200 + self.random.randrange(64)}}}',
                started = belt_now() - interval '2 hours', finished = belt_now() - interval '1 hour 58 minutes'
                WHERE id = {run}""")
        return runs

    def verdicts(self, cell, comparison, kind, effect, reason=None, nr=6):
        """The last look, one a metric; the headline's kind is `kind`."""
        low, high = effect - 0.012, effect + 0.012
        for slot, (name, _, better, is_headline) in enumerate(self.METRICS, 1):
            shown = kind if is_headline else "no-change"
            value = effect if is_headline else 0.0004
            scale = (10, 1000, 51230)[slot - 1]
            self.db.sql(f"""INSERT INTO verdict (cell_id, comparison_id, look, slot, kind, reason, nr_base, nr_head,
                base, head, base_sd, head_sd, is_ratio, effect, low, high, p, q, at)
                VALUES ({cell}, {comparison}, 1, {slot}, '{shown}',
                {quote(self.text('reason', reason)) if reason and is_headline else 'NULL'}, {nr}, {nr},
                {scale}, {scale * (1 + value)}, {scale / 200}, {scale / 170},
                true, {value}, {low if is_headline else -0.01}, {high if is_headline else 0.01},
                {0.0004 if is_headline else 0.6}, {0.002 if is_headline else 0.8}, belt_now())""")
        self.db.sql(f"UPDATE comparison SET state = 'done', look = 1 WHERE id = {comparison}")

    def link(self, stack, cell, comparison, position, role="parent"):
        self.db.sql(f"INSERT INTO stack_comparison VALUES ({stack}, '{role}', {position}, {cell}, {comparison}, 0)")

    def judged(self, stack, cell, commits, head, kind, effect, **more):
        base = 0 if more.get("role") == "tip" else head - 1
        comparison = self.comparison(cell, commits[base], commits[head])
        self.link(stack, cell, comparison, head, more.pop("role", "parent"))
        for _ in range(3):
            self.measured_block(cell, comparison, commits[base], commits[head], self.box, 1 + effect)
        self.verdicts(cell, comparison, kind, effect, **more)
        return comparison

    def finding(self, stack, commit, cell, comparison, kind, role="parent"):
        return int(self.db.one(f"""INSERT INTO finding
            (stack_id, commit_id, role, cell_id, comparison_id, kind, created)
            VALUES ({stack}, {commit}, '{role}', {cell}, {comparison}, '{kind}', belt_now()) RETURNING id"""))

    def mail(self, finding, stack, subject, body):
        recipients = [{"address": "author@example.org", "name": self.text("author", "A U Thor"),
                       "why": "wrote the commit"}]
        return int(self.db.one(f"""INSERT INTO mail (finding_id, stack_id, state, mode, message_id, recipients, subject,
            body, document, file, created, written) VALUES ({finding}, {stack}, 'written', 'dry-run',
            {quote(self.text('message_id', 'patchmeter-1@robot.example.org'))}, {quote(json.dumps(recipients))},
            {quote(subject)}, {quote(body)}, '{{}}', '1.eml', belt_now(), belt_now()) RETURNING id"""))

    def build_all(self, cells, commits):
        """Builds and their runs; the last commit does not build for the last benchmark."""
        for cell in cells:
            for commit in commits:
                run = self.build_run(cell, commit)
                is_bad = cell == cells[-1] and commit == commits[3]
                self.db.sql(f"""UPDATE run SET state = '{'failed' if is_bad else 'done'}', machine_id = {self.box},
                    reason = {quote(self.text('reason', 'build-failed: make: exit status 2')) if is_bad else 'NULL'},
                    started = belt_now() - interval '3 hours', finished = belt_now() - interval '2 hours 50 minutes'
                    WHERE id = {run}""")
                self.db.sql(f"""UPDATE build SET state = '{'failed' if is_bad else 'done'}', run_id = {run},
                    wall_s = 93.4, artefact = '{oid(str(run)) + oid('x')[:24]}', toolchain = 'gcc 12.2.0; ld 2.40',
                    reason = {quote(self.text('reason', 'build-failed: make: exit status 2')) if is_bad else 'NULL'}
                    WHERE id = (SELECT build_id FROM run WHERE id = {run})""")
                if is_bad:
                    self.db.sql(f"""INSERT INTO failure
                        (cell_id, run_id, reason, detail, is_infrastructure, excerpt, at)
                        VALUES ({cell}, {run}, 'build-failed',
                        {quote(self.text('detail', 'make: exit status 2'))}, false,
                        {quote(self.text('log', "mm/frob.c:12: error: expected ';' before 'return'"))}, belt_now())""")
                    self.store(cell, run, "build.log", self.text("log", LOG).encode())
                    self.bad_run = run

    def store(self, cell, run, name, data):
        digest = sha256(data)
        if self.server:
            path = self.server.data + f"/store/{digest[:2]}/{digest[2:4]}"
            os.makedirs(path, exist_ok=True)
            with open(f"{path}/{digest}", "wb") as file:
                file.write(data)
        self.db.sql(f"""INSERT INTO artefact (cell_id, run_id, name, hash, size_bytes)
            VALUES ({cell}, {run}, '{name}', '{digest}', {len(data)})""")

    def measured_run(self, bisection, cell, commit, machine, value):
        """One run of a bisection's own, done."""
        block = int(self.db.one(f"""INSERT INTO block (cell_id, bisection_id, seed, state, machine_id, epoch_id)
            SELECT {cell}, {bisection}, 0, 'done', id, epoch_id FROM machine WHERE id = {machine} RETURNING id"""))
        self.db.sql(f"""INSERT INTO run (cell_id, kind, machine_group, priority, job_id, commit_id, build_id, block_id,
            state, machine_id, epoch_id, boot_id, value, created, started, finished)
            SELECT {cell}, 'measure', 'box', 20, {self.job(cell, commit)}, {commit}, {self.build(cell, commit, 'done')},
            {block}, 'done', id, epoch_id, 'boot', '{{{value:.4f},{10000 / value:.3f},51200}}', belt_now(),
            belt_now() - interval '90 seconds', belt_now() FROM machine WHERE id = {machine}""")

    def bisection(self, commits, culprit, state, **more):
        """A search in a stack of its own; the runs and the posterior are such as one ends with."""
        cell, nr = self.cells[0], len(commits) - 1
        stack = self.stack(self.tree, commits, self.text("ref", "") + f"topic/long-{nr}")
        ends = self.comparison(cell, commits[0], commits[-1], "done")
        posterior = [0.0001] + [0.004 / nr] * nr
        posterior[culprit - 1], posterior[culprit] = 0.0316, 0.9642
        bisection = int(self.db.one(f"""INSERT INTO bisection (stack_id, cell_id, comparison_id, slot, is_log, sd,
            sd_df, smallest, build_cost, budget, nr_given, nr_runs, nr_commits, expected, posterior, p, before, after,
            state, created, changed) VALUES ({stack}, {cell}, {ends}, 1, true, 0.006, 12, 0.5, 1, 60, 4, 24, 9, 2.3,
            '{{{','.join(map(str, posterior))}}}', 0.9642, 10.02, 10.71, '{state}', belt_now(), belt_now())
            RETURNING id"""))
        asked = sorted({0, nr // 2, nr // 4, culprit - 2, culprit - 1, culprit, culprit + 1, nr * 3 // 4, nr})
        for position in asked:
            for turn in range(3):
                value = (10.71 if position >= culprit else 10.02) * (1 + self.random.gauss(0, 0.006))
                self.measured_run(bisection, cell, commits[position], (self.box, self.other)[turn % 2], value)
        for position, by in ((culprit + 2, None), (culprit + 3, self.text("author", "ada"))):
            reason = self.text("reason", "build-failed: make: exit status 2" if not by else "breaks the box")
            self.db.sql(f"""INSERT INTO bisection_skip VALUES ({bisection}, {commits[position]}, {quote(reason)},
                {quote(by) if by else 'NULL'}, belt_now())""")
        for detail in ("opened: the ends differ in fio.time", *more.pop("events", ())):
            self.db.sql(f"""INSERT INTO event (at, kind, stack_id, bisection_id, detail)
                VALUES (belt_now(), 'bisection', {stack}, {bisection}, {quote(self.text('detail', detail))})""")
        for column, value in more.items():
            self.db.sql(f"UPDATE bisection SET {column} = {value} WHERE id = {bisection}")
        return bisection

    def fill_bisections(self):
        """A long one under way, and one that ended at patch 7 of 16."""
        long = [self.commits[0]] + [self.commit(f"long {i}", self.text("subject", f"mm: step {i} of a long way"))
                                    for i in range(1, 301)]
        self.searching = self.bisection(long, 140, "open")
        cell = self.cells[0]
        short = [self.commits[0]] + [self.commit(f"short {i}", self.text("subject", f"mm: part {i} of a rewrite"))
                                     for i in range(1, 17)]
        self.found = self.bisection(
            short, 7, "concluded", suspects="'{7}'", culprit_id=short[7], parent_id=short[6], revert="'recovered'",
            expected="NULL", reason=quote(self.text("reason", "9a8b7c6d is the cause; on the tip: recovered")),
            revert_id=self.commits[3], revert_comparison_id=self.comparison(cell, short[16], self.commits[3], "done"),
            events=("confirming: posterior 0.964", "concluded: recovered"))
        stack = int(self.db.one(f"SELECT stack_id FROM bisection WHERE id = {self.found}"))
        comparison = self.comparison(cell, short[6], short[7], "done")
        finding = self.finding(stack, short[7], cell, comparison, "regression")
        self.db.sql(f"UPDATE finding SET bisection_id = {self.found} WHERE id = {finding}")

    def fill(self):
        self.token()
        subjects = ("mm: something earlier", "mm: prepare the frobnicator for batches",
                    "mm: batch the frobnication", "mm: drop the lock around the frobnicator",
                    "mm: frobnicate in the background when the box is idle and nobody waits for it")
        self.tree = self.repository(self.text("tree", "linux-mm"))
        self.commits = [self.commit(f"c{i}", self.text("subject", subject), self.text("author", "A U Thor"),
                                    self.text("email", "author@example.org"))
                        for i, subject in enumerate(subjects)]
        self.box = self.machine(self.text("machine", "box-a"))
        self.other = self.machine("box-b")
        self.away = self.machine("box-c", seen="3 hours", group="arm")
        old = self.stack(self.tree, self.commits[:4], self.text("ref", "topic/batch"), 1, "superseded")
        self.db.sql(f"UPDATE stack SET reason = {quote(self.text('reason', 'a new version was pushed'))} WHERE id = {old}")
        self.series = self.stack(self.tree, self.commits, self.text("ref", "topic/batch"), 2)
        self.fill_runs()
        self.db.sql(f"INSERT INTO stack_cell VALUES ({old}, {self.cells[0]})")
        self.db.sql(f"""INSERT INTO stack_comparison SELECT {old}, role, position, cell_id, comparison_id, 0
            FROM stack_comparison WHERE stack_id = {self.series} AND cell_id = {self.cells[0]} AND role = 'parent'
            AND position < 4""")
        self.fill_rest()
        self.fill_bisections()
        self.db.close()
        self.db = self.plain
        return self

    def fill_runs(self):
        commits, series = self.commits, self.series
        names = ("fio", "hackbench", "kbuild")
        self.cells = [self.cell(self.text("benchmark", "") + name, params={"jobs": "8", "mode": self.text("param", "randrw")})
                      for name in names]
        for cell, name in zip(self.cells, names):
            self.metrics(self.text("benchmark", "") + name)
            self.db.sql(f"INSERT INTO stack_cell VALUES ({series}, {cell})")
        self.build_all(self.cells, commits)
        fio, hack, build = self.cells
        self.judged(series, fio, commits, 1, "no-change", 0.002)
        worse = self.judged(series, fio, commits, 2, "regression", 0.074, reason="slower in 6 of 6 boots")
        self.judged(series, fio, commits, 3, "cannot-resolve", 0.004, reason="excluded above 2.1 %, needs about 40 runs")
        self.judged(series, fio, commits, 4, "regression", 0.071, role="tip")
        self.judged(series, hack, commits, 1, "no-change", -0.001)
        same = self.comparison(hack, commits[1], commits[2], "done")
        self.db.sql(f"UPDATE comparison SET reason = 'same binary' WHERE id = {same}")
        self.link(series, hack, same, 2)
        better = self.judged(series, hack, commits, 3, "improvement", -0.031)
        self.fill_open(hack)
        self.fill_calibrations(fio)
        lost = self.comparison(build, commits[0], commits[1], "done")
        self.db.sql(f"UPDATE comparison SET reason = {quote(self.text('reason', 'missing: its blocks were lost'))} WHERE id = {lost}")
        self.link(series, build, lost, 1)
        first = self.comparison(build, commits[1], commits[2], "waiting")
        self.link(series, build, first, 2)
        finding = self.finding(series, commits[2], fio, worse, "regression")
        self.finding(series, commits[3], hack, better, "improvement")
        self.the_mail = self.mail(finding, series, self.text("subject", "[linux-mm:topic/batch] 9a8b7c6d: fio.time +7.4% regression"),
                                  self.text("body", "Hello,\n\nfio.time became 7.4 % slower.\n"))

    def fill_calibrations(self, cell):
        """A commit against itself, twice: one of six metrics was named; and the factor that follows."""
        for purpose, kind in (("calibrate", "no-change"), ("rebuild", "regression")):
            itself = self.comparison(cell, self.commits[0], self.commits[0])
            self.db.sql(f"UPDATE comparison SET purpose = '{purpose}' WHERE id = {itself}")
            self.verdicts(cell, itself, kind, 0.001)
            self.db.sql(f"""INSERT INTO calibration (cell_id, comparison_id, planned, ended)
                VALUES ({cell}, {itself}, belt_now() - interval '1 day', belt_now() - interval '1 hour')""")
        self.db.sql(f"""INSERT INTO calibration_factor SELECT benchmark_id, machine_group, belt_now(), 240, 1.07
            FROM cell WHERE id = {cell}""")

    def fill_open(self, cell):
        """A comparison under way: one run done, one running on box-a, two queued; and one not begun."""
        open_one = self.comparison(cell, self.commits[3], self.commits[4])
        self.link(self.series, cell, open_one, 4)
        block, runs = self.block(cell, open_one, self.commits[3], self.commits[4])
        self.db.sql(f"""UPDATE block SET machine_id = {self.box},
            epoch_id = (SELECT epoch_id FROM machine WHERE id = {self.box}) WHERE id = {block}""")
        self.db.sql(f"""UPDATE run SET state = 'done', machine_id = {self.box}, value = '{{10,1000,1}}',
            started = belt_now(), finished = belt_now() WHERE id = {runs[0]}""")
        self.db.sql(f"""UPDATE run SET state = 'leased', machine_id = {self.box}, started = belt_now() - interval '61 seconds',
            created = belt_now() - interval '2 hours' WHERE id = {runs[1]}""")
        self.db.sql(f"""UPDATE run SET created = belt_now() - interval '50 minutes' WHERE id IN ({runs[2]}, {runs[3]})""")
        self.db.sql(f"""INSERT INTO lease (cell_id, run_id, machine_id, secret, phase, taken, until)
            VALUES ({cell}, {runs[1]}, {self.box}, '\\x00', {quote(self.text('phase', 'running'))},
            belt_now() - interval '61 seconds', belt_now() + interval '1 hour')""")
        self.live_run = runs[1]

    def fill_rest(self):
        self.good_run = int(self.db.one("SELECT min(id) FROM run WHERE state = 'done' AND kind = 'measure'"))
        cell = int(self.db.one(f"SELECT cell_id FROM run WHERE id = {self.good_run}"))
        self.store(cell, self.good_run, "stdout", self.text("log", "time: 10.01\nrate: 999.2\n").encode())
        self.store(cell, self.good_run, "stderr", b"")
        self.store(cell, self.good_run, "perf/data.bin", bytes(range(256)) * 40)
        self.db.sql(f"""INSERT INTO head (repository_id, ref, oid, state, reason, seen, moved) VALUES
            ({self.tree}, {quote(self.text('ref', 'topic/batch'))}, '{oid('c4')}', 'live', NULL,
             belt_now(), belt_now()),
            ({self.tree}, {quote(self.text('ref', '') + 'topic/bad')}, '{oid('c1')}', 'refused', 'the name begins with a dash', belt_now(), belt_now())""")
        self.db.sql(f"""INSERT INTO event (at, kind, repository_id, stack_id, detail) VALUES
            (belt_now(), 'stack', {self.tree}, {self.series}, {quote(self.text('detail', 'version 2 of topic/batch'))})""")
        broken = self.repository(self.text("tree", "") + "gone")
        self.db.sql(f"""UPDATE repository SET state = 'unreachable', last_poll = belt_now() - interval '1 day',
            reason = {quote(self.text('reason', 'connection refused'))} WHERE id = {broken}""")
        self.db.sql(f"UPDATE repository SET last_poll = belt_now(), next_poll = belt_now() WHERE id = {self.tree}")

    def pages(self):
        """Every page that has something to show."""
        commits = [oid(f"c{i}") for i in range(5)]
        return ["/", "/series", f"/series?tree={self.tree}&state=measuring", f"/series/{self.series}",
                f"/series/{self.series}/cumulative", f"/series/{self.series}/cumulative?show=all",
                f"/series/{self.series}/versions",
                "/bisect", "/bisect?state=open", f"/bisect/{self.searching}", f"/bisect/{self.found}",
                f"/commit/{commits[2]}", f"/compare?base={commits[1]}&head={commits[2]}",
                f"/compare?base={commits[1][:8]}&head={commits[2][:9]}&cell={self.cells[0]}&show=all",
                f"/run/{self.good_run}", f"/run/{self.bad_run}", f"/run/{self.live_run}", "/machines", "/runs", "/runs?state=failed",
                "/machine/" + self.text("machine", "box-a").replace("%", "%25").replace(" ", "%20"),
                "/mail", f"/mail/{self.the_mail}", "/repositories", "/calibration"]


LOG = "\x1b[1mcc -O2 -c mm/frob.c\x1b[0m\r\n" + "mm/frob.c: In function 'frob':\n" \
    "mm/frob.c:12: \x1b[31merror:\x1b[0m expected ';' before 'return'\n" \
    "\x1b]0;title\x07make: *** [Makefile:12: mm/frob.o] Error 2\n"
