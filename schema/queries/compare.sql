-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: compare_ready
-- A comparison whose wanted blocks have all ended.
SELECT x.cell_id, x.id, x.look, x.nr_blocks,
	count(*) FILTER (WHERE b.state = 'done') AS nr_done,
	count(*) FILTER (WHERE b.state = 'void' AND b.reason <> 'superseded') AS nr_void,
	count(*) FILTER (WHERE b.state = 'void' AND b.reason <> 'superseded'
		AND b.reason NOT LIKE 'machine-changed%' AND b.reason NOT LIKE 'lost%') AS nr_failed,
	(array_agg(b.reason ORDER BY b.id DESC) FILTER (WHERE b.state = 'void'
		AND b.reason <> 'superseded'))[1] AS void_reason
FROM comparison x
JOIN block b ON b.cell_id = x.cell_id AND b.comparison_id = x.id
WHERE x.state = 'measuring'
AND NOT EXISTS (SELECT FROM want w WHERE w.cell_id = x.cell_id AND w.comparison_id = x.id
	AND w.state = 'open')
GROUP BY x.cell_id, x.id
HAVING count(*) FILTER (WHERE b.state = 'open') = 0
ORDER BY x.id LIMIT 1;

-- name: comparison_samples
-- Every counted run of a comparison, in the order it was run: $1 cell, $2 comparison.  Builds of a
-- commit that are the same bytes are one build.
SELECT r.id, r.is_head, r.block_id, r.machine_id, r.boot_id, r.value,
	COALESCE((SELECT min(o.id) FROM build o WHERE o.commit_id = d.commit_id
		AND o.build_hash = d.build_hash AND o.artefact = d.artefact), d.id) AS build_id
FROM comparison x
JOIN block b ON b.cell_id = x.cell_id AND b.comparison_id = x.id AND b.state = 'done'
JOIN run r ON r.cell_id = b.cell_id AND r.block_id = b.id AND r.state = 'done' AND NOT r.is_warmup
JOIN build d ON d.id = r.build_id
WHERE x.cell_id = $1 AND x.id = $2 ORDER BY r.id;

-- name: comparison_head
-- What a comparison is about: $1 cell, $2 comparison.
SELECT x.state, x.look, x.reason, x.base_id, x.head_id, c.benchmark_id, b.name AS benchmark,
	c.identity, c.machine_group, c.recipe,
	bm.oid AS base_oid, bm.subject AS base_subject, hm.oid AS head_oid, hm.subject AS head_subject
FROM comparison x JOIN cell c ON c.id = x.cell_id JOIN benchmark b ON b.id = c.benchmark_id
JOIN commit bm ON bm.id = x.base_id JOIN commit hm ON hm.id = x.head_id
WHERE x.cell_id = $1 AND x.id = $2;

-- name: comparison_verdicts
-- The verdicts of the last look: $1 cell, $2 comparison.
SELECT v.slot, v.kind, v.reason, v.nr_base, v.nr_head, v.base, v.head, v.base_sd, v.head_sd,
	v.is_ratio, v.effect, v.low, v.high, v.p, v.q
FROM verdict v JOIN comparison x ON x.cell_id = v.cell_id AND x.id = v.comparison_id
WHERE v.cell_id = $1 AND v.comparison_id = $2 AND v.look = x.look ORDER BY v.slot;

-- name: verdict_add
-- $1 cell, $2 comparison, $3 look, $4 slot, $5 kind, $6 reason, $7 $8 boots of base and head,
-- $9 $10 values, $11 $12 deviations, $13 effect, $14 is a ratio, $15 $16 interval, $17 p, $18 q
INSERT INTO verdict (cell_id, comparison_id, look, slot, kind, reason, nr_base, nr_head, base, head,
	base_sd, head_sd, effect, is_ratio, low, high, p, q, at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, belt_now());

-- name: comparison_judged
-- $1 cell, $2 comparison, $3 look before
UPDATE comparison SET state = 'deciding', look = look + 1
WHERE cell_id = $1 AND id = $2 AND state = 'measuring' AND look = $3;

-- name: comparison_failures
-- How often runs of a comparison went wrong, by reason and side, of those that the lab did not spoil:
-- $1 cell, $2 comparison.  A run that was tried three times is three.  Known is what other commits do
-- on this cell too.
WITH ended AS (
	SELECT r.is_head, f.reason FROM block b
	JOIN run r ON r.cell_id = b.cell_id AND r.block_id = b.id AND r.state IN ('done', 'failed')
	LEFT JOIN failure f ON f.cell_id = r.cell_id AND f.run_id = r.id
	WHERE b.cell_id = $1 AND b.comparison_id = $2 AND NOT r.is_warmup
	AND NOT COALESCE(f.is_infrastructure, false)
)
SELECT w.reason,
	count(*) FILTER (WHERE e.reason = w.reason AND NOT e.is_head) AS base_fails,
	count(*) FILTER (WHERE NOT e.is_head) AS base_runs,
	count(*) FILTER (WHERE e.reason = w.reason AND e.is_head) AS head_fails,
	count(*) FILTER (WHERE e.is_head) AS head_runs,
	EXISTS (SELECT FROM failure f JOIN run r ON r.cell_id = f.cell_id AND r.id = f.run_id
		JOIN comparison x ON x.cell_id = $1 AND x.id = $2
		WHERE f.cell_id = $1 AND f.reason = w.reason AND r.kind = 'measure'
		AND r.commit_id <> x.head_id) AS is_known
FROM (SELECT DISTINCT reason FROM ended WHERE reason IS NOT NULL) w CROSS JOIN ended e
GROUP BY w.reason ORDER BY w.reason;

-- name: failure_verdict_add
-- Head fails more often: $1 cell, $2 comparison, $3 reason, $4 $5 fails and runs of base, $6 $7 of head,
-- $8 belief
INSERT INTO failure_verdict (cell_id, comparison_id, reason, base_fails, base_runs, head_fails,
	head_runs, belief, at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, belt_now()) ON CONFLICT DO NOTHING;
