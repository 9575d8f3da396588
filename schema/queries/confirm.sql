-- SPDX-License-Identifier: GPL-2.0-or-later
-- What was found is found again, or not told.  The same builds serve neutral rebuilds.

-- name: confirm_due
-- The oldest finding whose confirmation has not begun, and the comparison that it was found by; of a bisection
-- the metric (NULL: there is none) and the step that it saw.
SELECT f.id, x.cell_id, x.id AS comparison_id, x.look, z.slot,
	CASE WHEN z.is_log THEN z.after / NULLIF(z.before, 0) - 1 END AS step
FROM finding f LEFT JOIN bisection z ON z.id = f.bisection_id
JOIN comparison x ON x.cell_id = f.cell_id AND x.id = COALESCE(z.comparison_id, f.comparison_id)
WHERE f.state = 'unconfirmed' AND f.confirmation_id IS NULL ORDER BY f.id LIMIT 1;

-- name: confirm_comparison
-- The comparison that confirms finding $1, of $2 blocks where it is new; one of another stack serves
-- as well, and a cancelled one comes back.
WITH ensured AS (
	INSERT INTO comparison AS old (cell_id, base_id, head_id, purpose, priority, nr_blocks)
	SELECT x.cell_id, x.base_id, x.head_id, 'confirm', x.priority, $2
	FROM finding f JOIN comparison x ON x.cell_id = f.cell_id AND x.id = f.comparison_id
	WHERE f.id = $1
	ON CONFLICT (cell_id, base_id, head_id, purpose, round) DO UPDATE SET
		state = CASE WHEN old.state = 'cancelled' THEN 'waiting' ELSE old.state END
	RETURNING id
)
UPDATE finding SET confirmation_id = ensured.id FROM ensured WHERE finding.id = $1;

-- name: rebuild_due
-- A comparison that waits for builds that nobody works at: those not yet thought of, or taken back.
SELECT x.cell_id, x.id FROM comparison x JOIN comparison_build n
	ON n.cell_id = x.cell_id AND n.comparison_id = x.id
LEFT JOIN build b ON b.commit_id = n.commit_id AND b.build_hash = n.build_hash AND b.layout = n.layout
WHERE x.state = 'waiting' AND x.purpose IN ('confirm', 'revert', 'rebuild') AND (b.id IS NULL OR (
	b.state = 'wanted' AND NOT EXISTS (SELECT FROM run r WHERE r.build_id = b.id AND r.kind = 'build'
		AND r.state IN ('queued', 'leased', 'finished'))))
ORDER BY x.id LIMIT 1;

-- name: rebuild_add
-- The builds that a comparison lacks, and again those that the lab spoilt: $1 cell, $2 comparison.
INSERT INTO build AS b (commit_id, build_hash, layout)
SELECT commit_id, build_hash, layout FROM comparison_build WHERE cell_id = $1 AND comparison_id = $2
ON CONFLICT (commit_id, build_hash, layout) DO UPDATE SET state = 'wanted', reason = NULL
WHERE b.state = 'failed' AND EXISTS (
	SELECT FROM run r JOIN failure f ON f.cell_id = r.cell_id AND f.run_id = r.id
	WHERE r.id = b.run_id AND f.is_infrastructure);

-- name: rebuild_runs
-- A run for each wanted build of a comparison that no run is busy with: $1 cell, $2 comparison.
INSERT INTO run (cell_id, kind, machine_group, priority, job_id, commit_id, build_id, created)
SELECT c.id, 'build', c.machine_group, x.priority, j.id, b.commit_id, b.id, belt_now()
FROM comparison x
JOIN cell c ON c.id = x.cell_id
JOIN comparison_build n ON n.cell_id = x.cell_id AND n.comparison_id = x.id
JOIN build b ON b.commit_id = n.commit_id AND b.build_hash = n.build_hash AND b.layout = n.layout
	AND b.state = 'wanted'
JOIN job j ON j.cell_id = c.id AND j.commit_id = b.commit_id
WHERE x.cell_id = $1 AND x.id = $2 AND NOT EXISTS (
	SELECT FROM run r WHERE r.build_id = b.id AND r.kind = 'build'
	AND r.state IN ('queued', 'leased', 'finished'))
ORDER BY n.is_head, n.layout;

-- name: rebuilt
-- The oldest comparison whose fresh builds have all ended, how many blocks it may begin with ($1: where
-- looks decide), why a build failed, and whether a rebuild gave the same bytes: the job's build knows no
-- layouts then.
SELECT x.cell_id, x.id, x.purpose,
	COALESCE(x.nr_blocks, $1) - (SELECT count(*) FROM block k
		WHERE k.cell_id = x.cell_id AND k.comparison_id = x.id AND k.state <> 'void') AS nr_blocks,
	(array_agg(left(m.oid, 10) || ': ' || b.reason ORDER BY n.layout, n.is_head)
		FILTER (WHERE b.state = 'failed'))[1] AS failed,
	x.purpose = 'rebuild' AND count(DISTINCT b.artefact) = 1 AS is_same_binary
FROM comparison x JOIN comparison_build n ON n.cell_id = x.cell_id AND n.comparison_id = x.id
JOIN commit m ON m.id = n.commit_id
LEFT JOIN build b ON b.commit_id = n.commit_id AND b.build_hash = n.build_hash AND b.layout = n.layout
WHERE x.state = 'waiting' AND x.purpose IN ('confirm', 'revert', 'rebuild')
AND NOT EXISTS (SELECT FROM want w WHERE w.cell_id = x.cell_id AND w.comparison_id = x.id
	AND w.state = 'open')
GROUP BY x.cell_id, x.id HAVING bool_and(COALESCE(b.state IN ('done', 'failed'), false))
ORDER BY x.id LIMIT 1;

-- name: confirm_ended
-- The oldest finding whose confirmation has ended: what it names (NULL: nothing), and what it measured of
-- what had been found.
SELECT f.id, f.stack_id, x.reason,
	(SELECT min(v.kind) FROM verdict v
		JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = v.slot AND m.is_headline
		WHERE v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look
		AND v.kind IN ('regression', 'improvement')) AS kind,
	(SELECT string_agg(m.name || COALESCE(' ' || CASE WHEN v.is_ratio
			THEN to_char(100 * v.effect, 'FMSG999990.0') || ' % where it was '
				|| to_char(100 * o.effect, 'FMSG999990.0') || ' %'
			END, '') || COALESCE(', ' || v.reason, ''), '; ' ORDER BY m.slot)
		FROM comparison d
		JOIN verdict o ON o.cell_id = d.cell_id AND o.comparison_id = d.id AND o.look = d.look
			AND (o.kind IN ('regression', 'improvement') OR o.slot = z.slot)
		JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = o.slot AND m.is_headline
		JOIN verdict v ON v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look
			AND v.slot = o.slot
		WHERE d.cell_id = f.cell_id AND d.id = COALESCE(z.comparison_id, f.comparison_id)) AS measured
FROM finding f
LEFT JOIN bisection z ON z.id = f.bisection_id
JOIN comparison x ON x.cell_id = f.cell_id AND x.id = f.confirmation_id
JOIN cell c ON c.id = x.cell_id
WHERE f.state = 'unconfirmed' AND x.state IN ('done', 'cancelled') ORDER BY f.id LIMIT 1;

-- name: finding_confirm
-- $1 finding, $2 to, $3 kind as confirmed (NULL: as found), $4 why it is not told
UPDATE finding SET state = $2::finding_state, kind = COALESCE($3::finding_kind, kind), reason = $4
WHERE id = $1 AND state = 'unconfirmed';

-- name: confirm_whole_stack
-- The oldest stack that waits for no confirmation any more, nor for what a revert says.
SELECT s.id, s.repository_id FROM stack s
WHERE s.state = 'confirming' AND NOT EXISTS (
	SELECT FROM finding f WHERE f.stack_id = s.id AND f.state = 'unconfirmed')
AND NOT EXISTS (SELECT FROM bisection z WHERE z.stack_id = s.id AND z.state = 'confirming')
ORDER BY s.id LIMIT 1;

-- name: comparison_found
-- What a confirmation is to find again: $1 cell, $2 comparison.  It was named by the comparison of the same
-- commits, or by that of the ends of a stack that was bisected, or, where that could not resolve it, by the
-- bisection.  Where a commit was taken back it is the opposite of what was confirmed.
SELECT v.slot, CASE WHEN v.slot = z.slot AND v.kind = 'cannot-resolve' THEN z.kind::text::verdict_kind
	ELSE v.kind END AS kind, z.slot IS NOT NULL AS is_searched
FROM comparison x
LEFT JOIN LATERAL (SELECT z.comparison_id, z.slot, f.kind FROM finding f JOIN bisection z ON z.id = f.bisection_id
	WHERE f.cell_id = x.cell_id AND f.confirmation_id = x.id ORDER BY f.id LIMIT 1) z ON true
JOIN comparison d ON d.cell_id = x.cell_id AND d.id = COALESCE(z.comparison_id,
	(SELECT o.id FROM comparison o WHERE o.cell_id = x.cell_id AND o.base_id = x.base_id
	 AND o.head_id = x.head_id AND o.purpose = 'discover' AND o.round = 1))
JOIN verdict v ON v.cell_id = d.cell_id AND v.comparison_id = d.id AND v.look = d.look
WHERE x.cell_id = $1 AND x.id = $2 AND x.purpose = 'confirm'
UNION ALL
SELECT v.slot, CASE v.kind WHEN 'regression' THEN 'improvement' WHEN 'improvement' THEN 'regression'
	ELSE v.kind END, true
FROM comparison x
CROSS JOIN LATERAL (SELECT f.confirmation_id AS id FROM bisection z
	JOIN bisection_finding o ON o.bisection_id = z.id JOIN finding f ON f.id = o.finding_id
	WHERE z.cell_id = x.cell_id AND z.revert_comparison_id = x.id ORDER BY f.id LIMIT 1) k
JOIN comparison d ON d.cell_id = x.cell_id AND d.id = k.id
JOIN verdict v ON v.cell_id = d.cell_id AND v.comparison_id = d.id AND v.look = d.look
WHERE x.cell_id = $1 AND x.id = $2 AND x.purpose = 'revert';

-- name: neutral_rebuilds
-- How many comparisons of a commit with itself, each side of another build, ended in the last half year,
-- and how many named a headline.
SELECT count(*) AS nr, count(*) FILTER (WHERE EXISTS (
		SELECT FROM verdict v JOIN cell c ON c.id = x.cell_id
		JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = v.slot AND m.is_headline
		WHERE v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look
		AND v.kind IN ('regression', 'improvement'))) AS nr_named
FROM calibration k JOIN comparison x ON x.cell_id = k.cell_id AND x.id = k.comparison_id
	AND x.purpose = 'rebuild' AND x.reason IS NULL
WHERE k.ended > belt_now() - interval '180 days';
