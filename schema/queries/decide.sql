-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: decide_ready
-- The oldest comparison that was judged and not decided upon; was it done before: $1 the reason of a
-- want that opened it again; do comparisons wait for it, which is that of their ends
SELECT x.cell_id, x.id, x.look, EXISTS (SELECT FROM want w
		WHERE w.cell_id = x.cell_id AND w.comparison_id = x.id AND w.reason = $1) AS is_again,
	EXISTS (SELECT FROM stack_comparison e
		JOIN stack_comparison p ON p.stack_id = e.stack_id AND p.cell_id = e.cell_id AND p.role = 'parent'
		JOIN comparison y ON y.cell_id = p.cell_id AND y.id = p.comparison_id AND y.state = 'waiting'
		WHERE e.cell_id = x.cell_id AND e.comparison_id = x.id AND e.role = 'tip') AS is_awaited
FROM comparison x WHERE x.state = 'deciding' ORDER BY x.id LIMIT 1;

-- name: decide_signal
-- Comparisons that wait for a sign from the ends of their stack, of which the ends are judged now:
-- has any end of theirs a headline change, or one that is likely?  What is too small for a verdict there is
-- worth a search: many runs of many commits decide, and nobody is told before fresh runs have.
SELECT x.cell_id, x.id, bool_or(t.state = 'done' AND EXISTS (
		SELECT FROM verdict v JOIN metric m ON m.slot = v.slot AND m.benchmark_id = c.benchmark_id
		WHERE v.cell_id = t.cell_id AND v.comparison_id = t.id AND v.look = t.look
		AND m.is_headline AND (v.kind IN ('regression', 'improvement')
			OR v.kind = 'cannot-resolve' AND v.p < 0.1))) AS is_signal
FROM comparison x
JOIN cell c ON c.id = x.cell_id
JOIN stack_comparison p ON p.cell_id = x.cell_id AND p.comparison_id = x.id AND p.role = 'parent'
JOIN stack s ON s.id = p.stack_id AND s.state = 'measuring' AND NOT EXISTS (
	SELECT FROM bisection z WHERE z.stack_id = s.id AND z.cell_id = x.cell_id)
JOIN stack_comparison e ON e.stack_id = s.id AND e.cell_id = x.cell_id AND e.role = 'tip'
JOIN comparison t ON t.cell_id = e.cell_id AND t.id = e.comparison_id
WHERE x.state = 'waiting'
AND NOT EXISTS (SELECT FROM want w WHERE w.cell_id = x.cell_id AND w.comparison_id = x.id
	AND w.state = 'open')
GROUP BY x.cell_id, x.id
HAVING bool_and(t.state IN ('done', 'cancelled'))
ORDER BY x.id LIMIT 1;

-- name: decide_whole_stack
-- The oldest stack of which every comparison has ended, and every search of its bisections.
SELECT s.id, s.repository_id FROM stack s
WHERE s.state = 'measuring' AND NOT EXISTS (
	SELECT FROM stack_comparison l JOIN comparison x ON x.cell_id = l.cell_id AND x.id = l.comparison_id
	WHERE l.stack_id = s.id AND x.state NOT IN ('done', 'cancelled'))
AND NOT EXISTS (SELECT FROM bisection z WHERE z.stack_id = s.id AND z.state = 'open')
ORDER BY s.id LIMIT 1;

-- name: stack_unconfirmed
-- How many findings of stack $1 wait to be confirmed, or were told by a bisection.
SELECT count(*) FROM finding WHERE stack_id = $1 AND state IN ('unconfirmed', 'new');

-- name: finding_add
-- One finding for each comparison of which a headline metric moved, a regression where there is one:
-- $1 stack, $2 role.  The tip against the base is one only where no single commit explains it.
INSERT INTO finding (stack_id, commit_id, role, cell_id, comparison_id, about, kind, state, created)
SELECT DISTINCT ON (x.cell_id, x.id) l.stack_id, x.head_id, l.role, x.cell_id, x.id,
	'metric', v.kind::text::finding_kind, 'unconfirmed', belt_now()
FROM stack_comparison l
JOIN comparison x ON x.cell_id = l.cell_id AND x.id = l.comparison_id AND x.state = 'done'
JOIN cell c ON c.id = x.cell_id
JOIN verdict v ON v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look
	AND v.kind IN ('regression', 'improvement')
JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = v.slot AND m.is_headline
WHERE l.stack_id = $1 AND l.role = $2::comparison_role AND (l.role = 'parent' OR NOT EXISTS (
	SELECT FROM finding f WHERE f.stack_id = l.stack_id AND f.cell_id = l.cell_id
	AND f.role = 'parent' AND f.about = 'metric' AND f.state <> 'suppressed'))
ORDER BY x.cell_id, x.id, v.kind
ON CONFLICT DO NOTHING;

-- name: finding_add_failures
-- The same where head fails more often; that is as sure as it gets, so nothing confirms it: $1 stack, $2
-- role.
INSERT INTO finding (stack_id, commit_id, role, cell_id, comparison_id, about, kind, created)
SELECT l.stack_id, x.head_id, l.role, x.cell_id, x.id, 'failure', 'regression', belt_now()
FROM stack_comparison l
JOIN comparison x ON x.cell_id = l.cell_id AND x.id = l.comparison_id AND x.state = 'done'
WHERE l.stack_id = $1 AND l.role = $2::comparison_role
AND EXISTS (SELECT FROM failure_verdict v WHERE v.cell_id = x.cell_id AND v.comparison_id = x.id)
AND (l.role = 'parent' OR NOT EXISTS (
	SELECT FROM finding f WHERE f.stack_id = l.stack_id AND f.cell_id = l.cell_id
	AND f.role = 'parent' AND f.about = 'failure'))
ON CONFLICT DO NOTHING;

-- name: stack_moved_cells
-- The cells of a stack on which a headline metric moved between neighbours: $1 stack.
SELECT DISTINCT l.cell_id
FROM stack_comparison l
JOIN comparison x ON x.cell_id = l.cell_id AND x.id = l.comparison_id AND x.state = 'done'
JOIN cell c ON c.id = x.cell_id
JOIN verdict v ON v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look
	AND v.kind IN ('regression', 'improvement')
JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = v.slot AND m.is_headline
WHERE l.stack_id = $1 AND l.role = 'parent' ORDER BY l.cell_id;

-- name: comparison_again
-- Opens a comparison that was done, unless it had look $3 or was opened before for the reason $4, or what
-- it found for another stack is being confirmed or was told by now: $1 cell, $2 comparison; gives the look
-- it had.
UPDATE comparison x SET state = 'measuring', reason = NULL
WHERE x.cell_id = $1 AND x.id = $2 AND x.state = 'done' AND x.look BETWEEN 1 AND $3 - 1
AND NOT EXISTS (SELECT FROM want w
	WHERE w.cell_id = x.cell_id AND w.comparison_id = x.id AND w.reason = $4)
AND NOT EXISTS (SELECT FROM finding f WHERE f.cell_id = x.cell_id AND f.comparison_id = x.id)
RETURNING x.look;
