-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: ingest_run
-- The oldest run whose worker has finished.
SELECT r.cell_id, r.id, r.kind, r.attempt, r.build_id, r.block_id, r.position, r.outcome,
	c.benchmark_id, c.recipe, c.identity, b.name AS benchmark, x.bisection_id IS NOT NULL AS is_bisected
FROM run r
JOIN cell c ON c.id = r.cell_id
JOIN benchmark b ON b.id = c.benchmark_id
LEFT JOIN block x ON x.cell_id = r.cell_id AND x.id = r.block_id
WHERE r.state = 'finished' ORDER BY r.id LIMIT 1;

-- name: metric_list
-- $1 benchmark
SELECT slot, name, unit, better, estimator, is_headline, is_exact, floor
FROM metric WHERE benchmark_id = $1 ORDER BY slot;

-- name: artefact_list
-- $1 cell, $2 run
SELECT name, hash, size_bytes FROM artefact WHERE cell_id = $1 AND run_id = $2 ORDER BY name;

-- name: run_done
-- $1 cell, $2 run, $3 values by slot, $4 boot
UPDATE run SET state = 'done', value = $3::float8[], boot_id = $4, outcome = NULL
WHERE cell_id = $1 AND id = $2 AND state = 'finished';

-- name: run_failed
-- $1 cell, $2 run, $3 reason with detail
UPDATE run SET state = 'failed', reason = $3, outcome = NULL
WHERE cell_id = $1 AND id = $2 AND state = 'finished';

-- name: failure_add
-- $1 cell, $2 run, $3 reason, $4 detail, $5 infrastructure, $6 excerpt
INSERT INTO failure (cell_id, run_id, reason, detail, is_infrastructure, excerpt, at)
VALUES ($1, $2, $3, $4, $5, $6, belt_now()) ON CONFLICT DO NOTHING;

-- name: run_again
-- The same run another time, unless its block is void by now: $1 cell, $2 run that failed.
INSERT INTO run (cell_id, kind, machine_group, priority, job_id, commit_id, build_id, block_id,
	position, is_head, attempt, is_warmup, created)
SELECT cell_id, kind, machine_group, priority, job_id, commit_id, build_id, block_id, position,
	is_head, attempt + 1, is_warmup, belt_now()
FROM run r WHERE r.cell_id = $1 AND r.id = $2 AND (r.block_id IS NULL OR EXISTS (
	SELECT FROM block b WHERE b.cell_id = r.cell_id AND b.id = r.block_id AND b.state = 'open'));

-- name: build_done
-- $1 build, $2 artefact, $3 toolchain, $4 seconds, $5 run
UPDATE build SET state = 'done', artefact = $2, toolchain = $3, wall_s = $4, run_id = $5, reason = NULL
WHERE id = $1 AND state = 'wanted';

-- name: build_failed
-- $1 build, $2 reason, $3 run
UPDATE build SET state = 'failed', reason = $2, run_id = $3 WHERE id = $1 AND state = 'wanted';

-- name: block_close
-- Ends a block of which every position has a good run: $1 cell, $2 block.
UPDATE block SET state = 'done' WHERE cell_id = $1 AND id = $2 AND state = 'open' AND NOT EXISTS (
	SELECT FROM run r WHERE r.cell_id = $1 AND r.block_id = $2
	AND r.state IN ('queued', 'leased', 'finished'));

-- name: block_void
-- $1 cell, $2 block, $3 reason
UPDATE block SET state = 'void', reason = $3 WHERE cell_id = $1 AND id = $2 AND state = 'open';

-- name: block_cancel_runs
-- What is queued or under way of a void block: $1 cell, $2 block.
UPDATE run SET state = 'cancelled', reason = 'cancelled: the block is void'
WHERE cell_id = $1 AND block_id = $2 AND state IN ('queued', 'leased');
