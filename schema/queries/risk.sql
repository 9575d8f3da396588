-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: risk_family
-- The judged confirmations of stack $1, those that confirmed first and by p: the chance that any of
-- its headline metrics says so without a change.  A count that changed needs no chance.
SELECT f.id, f.state = 'new' AS is_confirmed, CASE WHEN f.state <> 'new' THEN 1
	WHEN bool_or(m.is_exact AND v.kind IN ('regression', 'improvement')) THEN 0
	ELSE least(1, min(v.q) * count(*) FILTER (WHERE v.q < 1)) END AS p
FROM finding f
JOIN comparison x ON x.cell_id = f.cell_id AND x.id = f.confirmation_id AND x.state = 'done'
JOIN cell c ON c.id = x.cell_id
JOIN verdict v ON v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look
JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = v.slot AND m.is_headline
WHERE f.stack_id = $1 GROUP BY f.id ORDER BY is_confirmed DESC, p, f.id;

-- name: risk_past
-- The tests of the repository of stack $1 so far, and the numbers of those that discovered something.
SELECT COALESCE(max(o.test), 0) AS nr,
	array_agg(o.test::float8 ORDER BY o.test) FILTER (WHERE o.is_discovery) AS discoveries
FROM stack s JOIN stack o ON o.repository_id = s.repository_id WHERE s.id = $1;

-- name: risk_spent
-- $1 stack, $2 number of its test, $3 level, $4 is it a discovery
UPDATE stack SET test = $2, level = $3, is_discovery = $4 WHERE id = $1 AND test IS NULL;

-- name: finding_withhold
-- $1 finding, $2 why.  No change: it was not confirmed.
UPDATE finding SET state = 'suppressed', reason = $2 WHERE id = $1 AND state = 'new';
