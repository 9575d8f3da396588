-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: plan_new_stack
-- The oldest stack that nobody planned yet, and what its tree says.
SELECT s.id, s.repository_id, s.ref, s.is_ends_only, s.nr_commits, r.jobs, r.machine_group
FROM stack s JOIN repository r ON r.id = s.repository_id
WHERE s.state = 'new' ORDER BY s.id LIMIT 1;

-- name: benchmark_ensure
-- $1 name; gives its id.
INSERT INTO benchmark AS b (name) VALUES ($1)
ON CONFLICT (name) DO UPDATE SET name = b.name RETURNING id;

-- name: metric_store
-- Appends a metric, or brings the describing columns of a known one up to date: $1 benchmark,
-- $2 name, $3 unit, $4 better, $5 estimator, $6 headline, $7 exact, $8 floor
INSERT INTO metric (benchmark_id, slot, name, unit, better, estimator, is_headline, is_exact, floor)
SELECT $1, COALESCE(max(slot), 0) + 1, $2, $3, $4, $5, $6, $7, $8 FROM metric WHERE benchmark_id = $1
ON CONFLICT (benchmark_id, name) DO UPDATE SET
	unit = EXCLUDED.unit, better = EXCLUDED.better, estimator = EXCLUDED.estimator,
	is_headline = EXCLUDED.is_headline, is_exact = EXCLUDED.is_exact, floor = EXCLUDED.floor;

-- name: cell_store
-- $1 hash, $2 benchmark, $3 group, $4 identity, $5 recipe, $6 hash of the build part; gives the id.
INSERT INTO cell (hash, benchmark_id, machine_group, identity, recipe, build_hash)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (hash) DO UPDATE SET recipe = EXCLUDED.recipe, build_hash = EXCLUDED.build_hash
RETURNING id;

-- name: stack_cell_add
-- $1 stack, $2 cell
INSERT INTO stack_cell (stack_id, cell_id) VALUES ($1, $2) ON CONFLICT DO NOTHING;

-- name: plan_jobs
-- The jobs of a stack on a cell: one a commit that is tested, $1 stack, $2 cell; $3 of this commit alone
-- (NULL: of all).
INSERT INTO job (cell_id, commit_id, hash)
SELECT $2, sc.commit_id,
	encode(sha256(convert_to(c.hash || ' ' || m.oid, 'UTF8')), 'hex')
FROM stack_commit sc JOIN commit m ON m.id = sc.commit_id JOIN cell c ON c.id = $2
WHERE sc.stack_id = $1 AND sc.commit_id = COALESCE($3, sc.commit_id)
ON CONFLICT (cell_id, commit_id) DO NOTHING;

-- name: plan_builds
-- The builds that these jobs need and nobody made yet, and again those that the lab spoilt: $1 stack,
-- $2 cell, $3 commit or NULL.
INSERT INTO build AS b (commit_id, build_hash)
SELECT sc.commit_id, c.build_hash FROM stack_commit sc JOIN cell c ON c.id = $2
WHERE sc.stack_id = $1 AND sc.commit_id = COALESCE($3, sc.commit_id)
ON CONFLICT (commit_id, build_hash, layout) DO UPDATE SET state = 'wanted', reason = NULL
WHERE b.state = 'failed' AND EXISTS (
	SELECT FROM run r JOIN failure f ON f.cell_id = r.cell_id AND f.run_id = r.id
	WHERE r.id = b.run_id AND f.is_infrastructure);

-- name: plan_build_runs
-- A run for each wanted build of a stack that no run is busy with: $1 stack, $2 cell, $3 commit or NULL,
-- $4 priority.
INSERT INTO run (cell_id, kind, machine_group, priority, job_id, commit_id, build_id, created)
SELECT c.id, 'build', c.machine_group, $4, j.id, b.commit_id, b.id, belt_now()
FROM stack_commit sc
JOIN cell c ON c.id = $2
JOIN build b ON b.commit_id = sc.commit_id AND b.build_hash = c.build_hash AND b.layout = 0
	AND b.state = 'wanted'
JOIN job j ON j.cell_id = c.id AND j.commit_id = sc.commit_id
WHERE sc.stack_id = $1 AND sc.commit_id = COALESCE($3, sc.commit_id) AND NOT EXISTS (
	SELECT FROM run r WHERE r.build_id = b.id AND r.kind = 'build'
	AND r.state IN ('queued', 'leased', 'finished'))
ORDER BY sc.position;

-- name: stack_move
-- $1 stack, $2 from, $3 to, $4 reason
UPDATE stack SET state = $3::stack_state, reason = COALESCE($4, reason),
	finished = CASE WHEN $3::stack_state IN ('done', 'superseded', 'refused') THEN belt_now() END
WHERE id = $1 AND state = $2::stack_state;

-- name: plan_built_stack
-- The oldest stack of which every build has ended.
SELECT s.id, s.repository_id, s.ref, r.budget_s
FROM stack s JOIN repository r ON r.id = s.repository_id
WHERE s.state = 'building' AND NOT EXISTS (
	SELECT FROM stack_cell k
	JOIN cell c ON c.id = k.cell_id
	JOIN stack_commit sc ON sc.stack_id = s.id
	JOIN build b ON b.commit_id = sc.commit_id AND b.build_hash = c.build_hash AND b.layout = 0
	WHERE k.stack_id = s.id AND b.state = 'wanted')
ORDER BY s.id LIMIT 1;

-- name: stack_cells
-- $1 stack
SELECT k.cell_id, b.name AS benchmark, c.recipe,
	COALESCE((SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY last.s) FROM (
		SELECT extract(epoch FROM r.finished - r.started) AS s FROM run r
		WHERE r.cell_id = c.id AND r.kind = 'measure' AND r.state = 'done'
		ORDER BY r.id DESC LIMIT 20) last), 0)::float8 AS run_s
FROM stack_cell k JOIN cell c ON c.id = k.cell_id JOIN benchmark b ON b.id = c.benchmark_id
WHERE k.stack_id = $1 ORDER BY k.cell_id;

-- name: stack_builds
-- The commits of a stack in order with their builds for a cell: $1 stack, $2 cell.
SELECT sc.position, sc.commit_id, b.state = 'done' AS is_built, b.artefact, b.reason
FROM stack_commit sc JOIN cell c ON c.id = $2
JOIN build b ON b.commit_id = sc.commit_id AND b.build_hash = c.build_hash AND b.layout = 0
WHERE sc.stack_id = $1 ORDER BY sc.position;

-- name: comparison_ensure
-- $1 cell, $2 base, $3 head (commits), $4 priority; gives id and state.  A cancelled one comes back.
INSERT INTO comparison AS old (cell_id, base_id, head_id, priority) VALUES ($1, $2, $3, $4)
ON CONFLICT (cell_id, base_id, head_id, purpose, round) DO UPDATE SET
	priority = least(old.priority, EXCLUDED.priority),
	state = CASE WHEN old.state = 'cancelled' THEN 'waiting' ELSE old.state END
RETURNING id, state;

-- name: comparison_move
-- $1 cell, $2 comparison, $3 from, $4 to, $5 reason
UPDATE comparison SET state = $4::comparison_state, reason = $5
WHERE cell_id = $1 AND id = $2 AND state = $3::comparison_state;

-- name: stack_comparison_add
-- $1 stack, $2 role, $3 position of the head, $4 cell, $5 comparison, $6 unbuilt commits between
INSERT INTO stack_comparison (stack_id, role, position, cell_id, comparison_id, nr_between)
VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING;

-- name: stack_estimate
-- $1 stack, $2 machine seconds
UPDATE stack SET estimate_s = $2 WHERE id = $1;

-- name: want_add
-- $1 cell, $2 comparison, $3 blocks, $4 reason
INSERT INTO want (cell_id, comparison_id, nr_blocks, reason, created)
VALUES ($1, $2, $3, $4, belt_now());

-- name: plan_open_want
-- The oldest open want with what its blocks are made of.
SELECT w.cell_id, w.id, w.comparison_id, w.nr_blocks, x.state, x.priority, c.machine_group,
	x.purpose, (x.nr_blocks + 1) / 2 AS nr_first,
	c.hash || ' ' || bm.oid || ' ' || hm.oid ||
		CASE WHEN x.purpose = 'confirm' THEN ' confirm' ELSE '' END AS pair,
	(SELECT count(*) FROM block b
	 WHERE b.cell_id = w.cell_id AND b.comparison_id = w.comparison_id) AS nr_before,
	(SELECT count(*) FROM block b WHERE b.cell_id = w.cell_id AND b.comparison_id = w.comparison_id
	 AND b.layout = 1 AND b.state <> 'void') AS nr_first_before,
	bj.id AS base_job, x.base_id, hj.id AS head_job, x.head_id
FROM want w
JOIN comparison x ON x.cell_id = w.cell_id AND x.id = w.comparison_id
JOIN cell c ON c.id = w.cell_id
JOIN commit bm ON bm.id = x.base_id
JOIN commit hm ON hm.id = x.head_id
JOIN job bj ON bj.cell_id = x.cell_id AND bj.commit_id = x.base_id
JOIN job hj ON hj.cell_id = x.cell_id AND hj.commit_id = x.head_id
WHERE w.state = 'open' AND NOT EXISTS (
	SELECT FROM comparison_build n WHERE n.cell_id = x.cell_id AND n.comparison_id = x.id
	AND NOT EXISTS (SELECT FROM build b WHERE b.commit_id = n.commit_id
		AND b.build_hash = n.build_hash AND b.layout = n.layout))
ORDER BY w.id LIMIT 1;

-- name: block_add
-- $1 cell, $2 comparison, $3 seed, $4 layout; gives the id.
INSERT INTO block (cell_id, comparison_id, seed, layout) VALUES ($1, $2, $3, $4) RETURNING id;

-- name: run_add
-- A measuring run: $1 cell, $2 group, $3 priority, $4 job, $5 commit, $6 layout of its build, $7 block,
-- $8 position, $9 side.  No change: there is no such build.
INSERT INTO run (cell_id, kind, machine_group, priority, job_id, commit_id, build_id, block_id,
	position, is_head, created)
SELECT $1, 'measure', $2, $3, $4, $5, b.id, $7, $8, $9, belt_now()
FROM cell c JOIN build b ON b.build_hash = c.build_hash AND b.commit_id = $5 AND b.layout = $6
WHERE c.id = $1;

-- name: want_close
-- $1 cell, $2 want, $3 to
UPDATE want SET state = $3::want_state WHERE cell_id = $1 AND id = $2 AND state = 'open';
