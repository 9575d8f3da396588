-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: calibrate_due
-- A cell in use and a purpose whose last calibration, or else its first use, is longest ago and at
-- least a period: $1 seconds of a period, $2 share of the machines' time that calibrations may take.
-- One at a time in a machine group.
WITH clock AS (
	SELECT belt_now() AS at, make_interval(secs => $1) AS period
), spent AS (
	SELECT r.machine_group, sum(extract(epoch FROM r.finished - r.started)) AS s
	FROM clock, calibration k
	JOIN block b ON b.cell_id = k.cell_id AND b.comparison_id = k.comparison_id
	JOIN run r ON r.cell_id = b.cell_id AND r.block_id = b.id
	WHERE k.planned > clock.at - clock.period GROUP BY r.machine_group
), cell_in_use AS (
	SELECT DISTINCT ON (k.cell_id) k.cell_id, s.base_id
	FROM clock, stack_cell k JOIN stack s ON s.id = k.stack_id
	WHERE s.state IN ('measuring', 'confirming', 'done') AND s.created > clock.at - 2 * clock.period
	ORDER BY k.cell_id, s.id DESC
)
SELECT u.cell_id, u.base_id, p.purpose
FROM clock, cell_in_use u
JOIN cell c ON c.id = u.cell_id
JOIN build d ON d.commit_id = u.base_id AND d.build_hash = c.build_hash AND d.layout = 0
	AND d.state = 'done'
CROSS JOIN (VALUES ('calibrate'::comparison_purpose), ('rebuild')) AS p (purpose)
CROSS JOIN LATERAL (
	SELECT COALESCE((SELECT max(k.planned) FROM calibration k
		JOIN comparison x ON x.cell_id = k.cell_id AND x.id = k.comparison_id
		WHERE k.cell_id = u.cell_id AND x.purpose = p.purpose),
		(SELECT min(s.created) FROM stack_cell k JOIN stack s ON s.id = k.stack_id
		WHERE k.cell_id = u.cell_id)) AS at) last
LEFT JOIN spent ON spent.machine_group = c.machine_group
WHERE last.at <= clock.at - clock.period
AND COALESCE(spent.s, 0) < $1 * $2::float8 *
	(SELECT count(*) FROM machine m WHERE m.machine_group = c.machine_group)
AND NOT EXISTS (SELECT FROM comparison x JOIN cell o ON o.id = x.cell_id
	WHERE x.state IN ('waiting', 'measuring', 'deciding') AND x.purpose = p.purpose
	AND o.machine_group = c.machine_group)
ORDER BY last.at, u.cell_id, p.purpose LIMIT 1;

-- name: calibrate_comparison
-- One more comparison of a commit with itself: $1 cell, $2 commit, $3 purpose, $4 priority; gives
-- its id.
WITH fresh AS (
	INSERT INTO comparison (cell_id, base_id, head_id, purpose, round, priority)
	SELECT $1, $2, $2, $3::comparison_purpose, COALESCE(max(round), 0) + 1, $4 FROM comparison
	WHERE cell_id = $1 AND base_id = $2 AND head_id = $2 AND purpose = $3::comparison_purpose
	RETURNING cell_id, id
), noted AS (
	INSERT INTO calibration (cell_id, comparison_id, planned) SELECT cell_id, id, belt_now() FROM fresh
)
SELECT id FROM fresh;

-- name: calibration_end
-- $1 cell, $2 comparison, $3 ratios.  No change: the comparison is no calibration.
UPDATE calibration SET ended = belt_now(), ratios = $3::float8[]
WHERE cell_id = $1 AND comparison_id = $2;

-- name: calibration_ratios
-- What the comparisons of one image with itself said in the last half year about the benchmark and
-- machine group of a cell: $1 cell.
SELECT array_agg(ratio) AS ratios
FROM cell c JOIN cell o ON o.benchmark_id = c.benchmark_id AND o.machine_group = c.machine_group
JOIN comparison x ON x.cell_id = o.id AND x.purpose = 'calibrate'
JOIN calibration k ON k.cell_id = x.cell_id AND k.comparison_id = x.id
	AND k.ended > belt_now() - interval '180 days'
CROSS JOIN unnest(k.ratios) AS ratio
WHERE c.id = $1;

-- name: calibration_factor_add
-- $1 cell, $2 number of ratios, $3 factor
INSERT INTO calibration_factor (benchmark_id, machine_group, at, nr, factor)
SELECT benchmark_id, machine_group, belt_now(), $2, $3 FROM cell WHERE id = $1
ON CONFLICT DO NOTHING;

-- name: calibration_factor
-- By what the standard errors of a comparison are multiplied, as it was when it began: $1 cell,
-- $2 comparison.
SELECT f.factor FROM cell c
JOIN calibration_factor f ON f.benchmark_id = c.benchmark_id AND f.machine_group = c.machine_group
WHERE c.id = $1 AND f.at < COALESCE((SELECT min(r.created)
	FROM block b JOIN run r ON r.cell_id = b.cell_id AND r.block_id = b.id
	WHERE b.cell_id = $1 AND b.comparison_id = $2), belt_now())
ORDER BY f.at DESC LIMIT 1;
