-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: stack_cancel_runs
-- Takes back the work, queued or under way, that only dead stacks or bisections asked for.
WITH dead AS (
	UPDATE comparison x SET state = 'cancelled', reason = 'superseded'
	WHERE x.state IN ('waiting', 'measuring', 'deciding') AND x.purpose IN ('discover', 'confirm', 'revert')
	AND NOT EXISTS (
		SELECT FROM stack_comparison l JOIN stack s ON s.id = l.stack_id
		WHERE l.cell_id = x.cell_id AND l.comparison_id = x.id
		AND s.state IN ('new', 'building', 'measuring', 'confirming'))
	AND NOT EXISTS (
		SELECT FROM finding f JOIN stack s ON s.id = f.stack_id
		WHERE f.cell_id = x.cell_id AND f.confirmation_id = x.id AND f.state = 'unconfirmed'
		AND s.state IN ('measuring', 'confirming'))
	AND NOT EXISTS (
		SELECT FROM bisection z WHERE z.cell_id = x.cell_id AND z.revert_comparison_id = x.id
		AND z.state = 'confirming')
	RETURNING x.cell_id, x.id
), void AS (
	UPDATE block b SET state = 'void', reason = 'superseded'
	WHERE b.state = 'open' AND (
		EXISTS (SELECT FROM dead d WHERE b.cell_id = d.cell_id AND b.comparison_id = d.id)
		OR EXISTS (SELECT FROM bisection z WHERE z.id = b.bisection_id AND z.state <> 'open'))
	RETURNING b.cell_id, b.id
), unwanted AS (
	UPDATE want w SET state = 'cancelled' FROM dead d
	WHERE w.cell_id = d.cell_id AND w.comparison_id = d.id AND w.state = 'open'
	RETURNING w.id
)
UPDATE run r SET state = 'cancelled', reason = 'cancelled: superseded'
WHERE r.state IN ('queued', 'leased') AND (
	EXISTS (SELECT FROM void v WHERE v.cell_id = r.cell_id AND v.id = r.block_id)
	OR (r.kind = 'build' AND NOT EXISTS (
		SELECT FROM stack_commit sc JOIN stack s ON s.id = sc.stack_id
		WHERE sc.commit_id = r.commit_id AND (s.state = 'new' OR (s.state = 'building' AND EXISTS (
			SELECT FROM stack_cell k JOIN cell c ON c.id = k.cell_id
			JOIN build b ON b.id = r.build_id AND b.build_hash = c.build_hash
			WHERE k.stack_id = s.id))))
	AND NOT EXISTS (
		SELECT FROM bisection z JOIN stack_commit sc ON sc.stack_id = z.stack_id
		WHERE z.state = 'open' AND sc.commit_id = r.commit_id AND z.cell_id = r.cell_id)
	AND NOT EXISTS (
		SELECT FROM build b JOIN comparison_build n ON n.commit_id = b.commit_id
			AND n.build_hash = b.build_hash AND n.layout = b.layout
		JOIN comparison x ON x.cell_id = n.cell_id AND x.id = n.comparison_id AND x.state = 'waiting'
			AND (n.layout > 0 OR x.purpose = 'revert')
		WHERE b.id = r.build_id AND NOT EXISTS (
			SELECT FROM dead d WHERE d.cell_id = x.cell_id AND d.id = x.id))));

-- name: stack_fit_commits
-- The commits of a stack in order, and how their build for a cell went; of a long one those that are
-- compared: $1 stack, $2 cell.
SELECT sc.position, m.oid, m.subject, b.state AS build, b.reason AS build_reason
FROM stack_commit sc JOIN commit m ON m.id = sc.commit_id
JOIN cell c ON c.id = $2
LEFT JOIN build b ON b.commit_id = sc.commit_id AND b.build_hash = c.build_hash AND b.layout = 0
WHERE sc.stack_id = $1 AND (NOT (SELECT is_ends_only FROM stack WHERE id = $1) OR EXISTS (
	SELECT FROM stack_comparison l JOIN comparison x ON x.cell_id = l.cell_id AND x.id = l.comparison_id
	WHERE l.stack_id = $1 AND l.cell_id = $2 AND m.id IN (x.base_id, x.head_id)))
ORDER BY sc.position LIMIT 129;

-- name: stack_fit_comparisons
-- What ties them together, in the order of the heads: $1 stack, $2 cell.
SELECT l.role, x.id, b.position AS base, l.position AS head, x.look, x.state, x.reason,
	EXISTS (SELECT FROM block k WHERE k.cell_id = x.cell_id AND k.comparison_id = x.id
		AND k.state = 'done') AS is_measured
FROM stack_comparison l
JOIN comparison x ON x.cell_id = l.cell_id AND x.id = l.comparison_id
JOIN stack_commit b ON b.stack_id = l.stack_id AND b.commit_id = x.base_id
WHERE l.stack_id = $1 AND l.cell_id = $2 ORDER BY l.role, l.position;
