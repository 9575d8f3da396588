-- SPDX-License-Identifier: GPL-2.0-or-later

-- What an operator may do to a bisection.  Each gives its id, or no row where it is not there or in
-- another state.  Who calls them goes on with stack_cancel_runs, in the same transaction, and rings the
-- bells of the stages that wait for it.

-- name: bisection_state
-- Of bisection $1 and its stack, whether commit $2 comes before commit $3 in it, and whether commit $4 lies
-- between its ends (full ids, NULL: none).
SELECT z.state, s.state = 'superseded' AS is_superseded,
	EXISTS (SELECT FROM stack_commit a JOIN commit m ON m.id = a.commit_id
		JOIN stack_commit b ON b.stack_id = a.stack_id AND b.position > a.position
		JOIN commit n ON n.id = b.commit_id
		WHERE a.stack_id = z.stack_id AND m.oid = $2 AND n.oid = $3) AS is_range,
	EXISTS (SELECT FROM stack_commit a JOIN commit m ON m.id = a.commit_id
		WHERE a.stack_id = z.stack_id AND m.oid = $4 AND m.id NOT IN (s.base_id, s.tip_id)) AS is_inner
FROM bisection z JOIN stack s ON s.id = z.stack_id WHERE z.id = $1;

-- name: bisection_stop
-- $1 bisection, $2 who, $3 why
WITH moved AS (
	UPDATE bisection SET state = 'stopped', reason = $3, changed_by = $2, changed = belt_now(), expected = NULL
	WHERE id = $1 AND state IN ('open', 'confirming') RETURNING id, stack_id
), untold AS (
	UPDATE finding f SET state = 'suppressed', reason = 'its bisection was stopped by ' || $2::text
	FROM moved m WHERE f.bisection_id = m.id AND f.state IN ('unconfirmed', 'new')
), told AS (
	INSERT INTO event (at, kind, stack_id, bisection_id, detail)
	SELECT belt_now(), 'bisection', stack_id, id, 'stopped by ' || $2::text || ': ' || $3::text FROM moved
)
SELECT id FROM moved;

-- name: bisection_invalidate
-- What it said does not count, nor does a mail about it go out any more: $1 bisection, $2 who, $3 why.
WITH old AS (
	SELECT id, reason, culprit_id FROM bisection WHERE id = $1 AND state <> 'invalidated' FOR UPDATE
), moved AS (
	UPDATE bisection z SET state = 'invalidated', reason = $3, changed_by = $2, changed = belt_now(),
		expected = NULL, culprit_id = NULL, parent_id = NULL, suspects = NULL, revert = NULL, revert_reason = NULL
	FROM old WHERE z.id = old.id RETURNING z.id, z.stack_id
), struck AS (
	INSERT INTO bisection_struck (bisection_id, commit_id, said, by_whom, reason, at)
	SELECT id, culprit_id, reason, $2, $3, belt_now() FROM old WHERE culprit_id IS NOT NULL
), untold AS (
	UPDATE finding f SET state = 'suppressed', reason = 'its bisection was invalidated by ' || $2::text
	FROM moved m WHERE f.bisection_id = m.id AND f.state IN ('unconfirmed', 'new')
), unsent AS (
	UPDATE mail l SET state = 'suppressed', reason = 'its bisection was invalidated by ' || $2::text,
		written = belt_now()
	FROM moved m JOIN finding f ON f.bisection_id = m.id WHERE l.finding_id = f.id AND l.state = 'drafted'
), told AS (
	INSERT INTO event (at, kind, stack_id, bisection_id, detail)
	SELECT belt_now(), 'bisection', stack_id, id, 'invalidated by ' || $2::text || ': ' || $3::text FROM moved
)
SELECT id FROM moved;

-- name: bisection_culprit
-- It is this commit: $1 bisection, $2 who, $3 why, $4 full id of a commit of its stack.  Nobody is told
-- of it but by its page.
WITH named AS (
	SELECT z.id, sc.position, sc.commit_id, (SELECT o.commit_id FROM stack_commit o
		WHERE o.stack_id = sc.stack_id AND o.position < sc.position ORDER BY o.position DESC LIMIT 1) AS parent_id,
		z.culprit_id AS old_id, z.reason
	FROM bisection z JOIN stack_commit sc ON sc.stack_id = z.stack_id AND sc.position > 0
	JOIN commit m ON m.id = sc.commit_id
	WHERE z.id = $1 AND m.oid = $4 FOR UPDATE OF z
), moved AS (
	UPDATE bisection z SET state = 'concluded', reason = $3, changed_by = $2, changed = belt_now(),
		expected = NULL, p = NULL, culprit_id = n.commit_id, parent_id = n.parent_id,
		suspects = ARRAY[n.position], revert = NULL, revert_reason = NULL
	FROM named n WHERE z.id = n.id RETURNING z.id, z.stack_id
), struck AS (
	INSERT INTO bisection_struck (bisection_id, commit_id, said, by_whom, reason, at)
	SELECT id, old_id, reason, $2, $3, belt_now() FROM named WHERE old_id <> commit_id
), untold AS (
	UPDATE finding f SET state = 'suppressed', reason = $2::text || ' named a commit'
	FROM moved m WHERE f.bisection_id = m.id AND f.state IN ('unconfirmed', 'new')
), told AS (
	INSERT INTO event (at, kind, stack_id, bisection_id, detail)
	SELECT belt_now(), 'bisection', stack_id, id,
		'concluded by ' || $2::text || ' on ' || left($4::text, 12) || ': ' || $3::text FROM moved
)
SELECT id FROM moved;

-- name: bisection_skip_commit
-- It is not asked for again: $1 bisection, $2 who, $3 why, $4 full id of a commit between its ends.
WITH named AS (
	SELECT z.id, z.stack_id, m.id AS commit_id, m.oid FROM bisection z JOIN stack s ON s.id = z.stack_id
	JOIN stack_commit sc ON sc.stack_id = z.stack_id JOIN commit m ON m.id = sc.commit_id
	WHERE z.id = $1 AND m.oid = $4 AND m.id NOT IN (s.base_id, s.tip_id)
	AND z.state NOT IN ('confirming', 'concluded', 'invalidated')
), skipped AS (
	INSERT INTO bisection_skip (bisection_id, commit_id, reason, by_whom, at)
	SELECT id, commit_id, $3, $2, belt_now() FROM named ON CONFLICT DO NOTHING RETURNING bisection_id
), void AS (
	UPDATE block b SET state = 'void', reason = 'cancelled: its commit is skipped' FROM named n
	WHERE b.bisection_id = n.id AND b.state = 'open' AND EXISTS (SELECT FROM run r
		WHERE r.cell_id = b.cell_id AND r.block_id = b.id AND r.commit_id = n.commit_id)
	RETURNING b.cell_id, b.id
), cancelled AS (
	UPDATE run r SET state = 'cancelled', reason = 'cancelled: its commit is skipped' FROM void v
	WHERE r.cell_id = v.cell_id AND r.block_id = v.id AND r.state IN ('queued', 'leased')
), told AS (
	INSERT INTO event (at, kind, stack_id, bisection_id, detail)
	SELECT belt_now(), 'bisection', stack_id, id,
		left(oid, 12) || ' skipped by ' || $2::text || ': ' || $3::text FROM named
)
SELECT id FROM named;

-- name: bisection_narrow
-- It goes on, with every run that there is and $4 more in its budget, and what failed is tried again: $1
-- bisection, $2 who, $3 why; the culprit comes after commit $5 and not after $6, full ids (NULL: as before).
WITH named AS (
	SELECT z.id, a.position AS first, b.position AS last, (SELECT count(*) FROM bisection_skip k
		WHERE k.bisection_id = z.id AND k.by_whom IS NULL) AS nr_failed
	FROM bisection z JOIN stack s ON s.id = z.stack_id AND s.state <> 'superseded'
	LEFT JOIN (stack_commit a JOIN commit m ON m.id = a.commit_id AND m.oid = $5) ON a.stack_id = z.stack_id
	LEFT JOIN (stack_commit b JOIN commit n ON n.id = b.commit_id AND n.oid = $6) ON b.stack_id = z.stack_id
	WHERE z.id = $1 AND ($5::text IS NULL OR a.position < b.position)
), moved AS (
	UPDATE bisection z SET state = 'open', reason = $3, changed_by = $2, changed = belt_now(),
		budget = greatest(budget, nr_runs + w.nr_failed) + $4, culprit_id = NULL, parent_id = NULL,
		suspects = NULL, revert = NULL, revert_reason = NULL, revert_id = NULL, revert_comparison_id = NULL,
		narrow_from = COALESCE(w.first, narrow_from), narrow_to = COALESCE(w.last, narrow_to)
	FROM named w
	WHERE z.id = w.id AND state IN ('inconclusive', 'unchanged', 'unmeasurable', 'stopped')
	RETURNING z.id, z.stack_id
), failed AS (
	DELETE FROM bisection_skip k USING moved m WHERE k.bisection_id = m.id AND k.by_whom IS NULL
), told AS (
	INSERT INTO event (at, kind, stack_id, bisection_id, detail)
	SELECT belt_now(), 'bisection', stack_id, id, 'opened again by ' || $2::text || ' for ' || $4::int || ' runs'
		|| COALESCE(' between ' || left($5, 12) || ' and ' || left($6, 12), '') || ': ' || $3::text FROM moved
)
SELECT id FROM moved;

-- What the stages do.

-- name: bisect_due
-- The oldest stack of which a headline metric differs between its ends on a cell, or is likely to (p is that
-- of a change larger than the smallest that counts), and of which too much waits
-- to be measured: more commits than are planned each, or at least $1 comparisons over its budget.  Of
-- several metrics the surest first, an exact one (no p) before all; each is bisected, one after the
-- other, with the runs of those before it, unless an operator or the lab ended one.
SELECT s.id AS stack_id, s.repository_id, x.cell_id, x.id AS comparison_id, v.slot, r.budget_s, s.is_ends_only,
	(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM o.finished - o.started)) FROM run o
	 WHERE o.cell_id = x.cell_id AND o.kind = 'measure' AND o.state = 'done')::float8 AS run_s,
	(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM o.finished - o.started)) FROM run o
	 WHERE o.cell_id = x.cell_id AND o.kind = 'build' AND o.state = 'done')::float8 AS build_s
FROM stack s
JOIN repository r ON r.id = s.repository_id
JOIN stack_comparison l ON l.stack_id = s.id AND l.role = 'tip'
JOIN comparison x ON x.cell_id = l.cell_id AND x.id = l.comparison_id AND x.state = 'done'
JOIN cell c ON c.id = x.cell_id
JOIN verdict v ON v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look
	AND (v.kind IN ('regression', 'improvement') OR v.kind = 'cannot-resolve' AND v.p < 0.1)
JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = v.slot AND m.is_headline
WHERE s.state = 'measuring' AND (s.is_ends_only
	OR EXISTS (SELECT FROM bisection z WHERE z.stack_id = s.id AND z.cell_id = x.cell_id)
	OR $1 <= (SELECT count(*) FROM stack_comparison p
		JOIN comparison i ON i.cell_id = p.cell_id AND i.id = p.comparison_id AND i.state = 'waiting'
		WHERE p.stack_id = s.id AND p.cell_id = x.cell_id AND p.role = 'parent'))
AND NOT EXISTS (SELECT FROM bisection z WHERE z.stack_id = s.id AND z.cell_id = x.cell_id AND (z.slot = v.slot
	OR z.state IN ('open', 'unmeasurable', 'stopped', 'invalidated')))
ORDER BY s.id, x.cell_id, v.p NULLS FIRST, v.slot LIMIT 1;

-- name: bisect_open
-- $1 stack, $2 cell, $3 comparison, $4 slot, $5 is logarithmic, $6 sd, $7 its degrees of freedom, $8 smallest
-- step, $9 cost of a build, $10 runs beside those that are there; gives the id.
WITH fresh AS (
	INSERT INTO bisection (stack_id, cell_id, comparison_id, slot, is_log, sd, sd_df, smallest, build_cost, budget,
		nr_given, created, changed)
	SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, given.nr + $10, given.nr, belt_now(), belt_now()
	FROM (SELECT count(*)::int AS nr FROM stack_commit sc JOIN run r ON r.commit_id = sc.commit_id
		JOIN block k ON k.cell_id = r.cell_id AND k.id = r.block_id AND k.state = 'done'
		JOIN build b ON b.id = r.build_id AND b.layout = 0
		WHERE sc.stack_id = $1 AND r.cell_id = $2 AND r.kind = 'measure' AND r.state = 'done') given
	RETURNING id
)
SELECT id FROM fresh;

-- name: bisect_unneeded
-- The inner comparisons that wait on a cell of a stack, which is bisected instead: $1 stack, $2 cell.  Not
-- those that another stack waits for, which has not decided yet.
UPDATE comparison x SET state = 'cancelled', reason = 'not measured: bisected instead'
FROM stack_comparison l
WHERE l.stack_id = $1 AND l.cell_id = $2 AND l.role = 'parent' AND x.cell_id = l.cell_id
AND x.id = l.comparison_id AND x.state = 'waiting' AND NOT EXISTS (
	SELECT FROM stack_comparison o JOIN stack s ON s.id = o.stack_id AND s.state = 'measuring'
	WHERE o.cell_id = x.cell_id AND o.comparison_id = x.id AND o.role = 'parent' AND NOT EXISTS (
		SELECT FROM bisection z WHERE z.stack_id = s.id AND z.cell_id = x.cell_id));

-- name: bisect_list
-- Those under way, oldest first; are the commits between the ends of their stack known?
SELECT z.id, z.stack_id, s.repository_id, r.url, s.is_ends_only AND NOT EXISTS (SELECT FROM stack_commit sc
		WHERE sc.stack_id = z.stack_id AND sc.position = 2) AS is_unread,
	b.oid AS base_oid, t.oid AS tip_oid
FROM bisection z JOIN stack s ON s.id = z.stack_id JOIN repository r ON r.id = s.repository_id
JOIN commit b ON b.id = s.base_id JOIN commit t ON t.id = s.tip_id
WHERE z.state = 'open' ORDER BY z.id;

-- name: bisect_tip_move
-- The commits of a stack are known by now: the tip is at $2 and no more at 1: $1 stack.
WITH moved AS (
	UPDATE stack_commit SET position = $2 WHERE stack_id = $1 AND position = 1
), listed AS (
	UPDATE stack_comparison SET position = $2 WHERE stack_id = $1 AND role = 'tip'
)
UPDATE stack SET nr_commits = $2 WHERE id = $1;

-- name: bisect_skip_failed
-- Commits between the ends whose build or run failed since bisection $1 was opened, by the commit's
-- fault or the lab's.
INSERT INTO bisection_skip (bisection_id, commit_id, reason, at)
SELECT DISTINCT ON (f.commit_id) z.id, f.commit_id, f.reason, belt_now()
FROM bisection z JOIN stack s ON s.id = z.stack_id JOIN cell c ON c.id = z.cell_id
CROSS JOIN LATERAL (
	SELECT b.commit_id, COALESCE(b.reason, 'build-failed') AS reason FROM stack_commit sc
	JOIN build b ON b.commit_id = sc.commit_id AND b.build_hash = c.build_hash AND b.layout = 0
	WHERE sc.stack_id = z.stack_id AND b.state = 'failed'
	UNION ALL
	SELECT r.commit_id, k.reason FROM block k JOIN run r ON r.cell_id = k.cell_id AND r.block_id = k.id
	WHERE k.bisection_id = z.id AND k.state = 'void' AND r.created >= z.changed
	AND k.reason !~ '^(lost|machine-changed|cancelled|superseded)') f
JOIN comparison x ON x.cell_id = z.cell_id AND x.id = z.comparison_id
WHERE z.id = $1 AND f.commit_id NOT IN (x.base_id, x.head_id)
ON CONFLICT DO NOTHING;

-- name: bisect_head
-- What the engine is told of bisection $1, why it cannot go on (NULL: it can), and where its head is.  A
-- commit that failed has cost a run of the budget.
SELECT z.stack_id, z.cell_id, s.repository_id, s.state AS stack_state, z.is_log, z.sd, z.sd_df, z.smallest,
	z.build_cost, greatest(1, z.budget - (SELECT count(*) FROM bisection_skip k
		WHERE k.bisection_id = z.id AND k.by_whom IS NULL)) AS budget,
	sc.position AS tip, m.better = 'higher' AS is_higher_better,
	CASE WHEN ended.failed IS NOT NULL THEN 'a run of an end failed: ' || ended.failed
		WHEN ended.nr_lost > $2 THEN 'its runs get lost: ' || ended.lost END AS trouble
FROM bisection z JOIN stack s ON s.id = z.stack_id JOIN cell c ON c.id = z.cell_id
JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = z.slot
JOIN comparison x ON x.cell_id = z.cell_id AND x.id = z.comparison_id
JOIN stack_commit sc ON sc.stack_id = z.stack_id AND sc.commit_id = x.head_id
CROSS JOIN LATERAL (SELECT
		max(k.reason) FILTER (WHERE k.reason !~ '^(lost|machine-changed|cancelled|superseded)'
			AND r.commit_id IN (x.base_id, x.head_id)) AS failed,
		count(DISTINCT k.id) FILTER (WHERE k.reason LIKE 'lost%') AS nr_lost,
		max(k.reason) FILTER (WHERE k.reason LIKE 'lost%') AS lost
	FROM block k JOIN run r ON r.cell_id = k.cell_id AND r.block_id = k.id
	WHERE k.bisection_id = z.id AND k.state = 'void' AND r.created >= z.changed) ended
WHERE z.id = $1;

-- name: bisect_commits
-- From the base to the head: $1 bisection, $2 position of the head.
SELECT sc.position, sc.commit_id, m.oid, m.is_docs_only, b.state AS build, b.artefact,
	k.bisection_id IS NOT NULL AS is_skipped,
	COALESCE(sc.position <= z.narrow_from OR sc.position > z.narrow_to, false) AS is_cleared
FROM bisection z JOIN cell c ON c.id = z.cell_id
JOIN stack_commit sc ON sc.stack_id = z.stack_id AND sc.position <= $2
JOIN commit m ON m.id = sc.commit_id
LEFT JOIN build b ON b.commit_id = sc.commit_id AND b.build_hash = c.build_hash AND b.layout = 0
LEFT JOIN bisection_skip k ON k.bisection_id = z.id AND k.commit_id = sc.commit_id
WHERE z.id = $1 ORDER BY sc.position;

-- name: bisect_runs
-- $1 bisection, $2 position of the head
SELECT position, epoch_id, boot_id, value FROM bisection_run
WHERE bisection_id = $1 AND position <= $2 ORDER BY started, run_id;

-- name: bisect_machines
-- Up to $2 machines that could work for bisection $1, those that did before first, and what they are at for
-- it (position; NULL: nothing).
WITH used AS (
	SELECT DISTINCT machine_id FROM bisection_run WHERE bisection_id = $1
)
SELECT m.id AS machine_id, m.epoch_id, w.position FROM bisection z
JOIN cell c ON c.id = z.cell_id
JOIN machine m ON m.machine_group = c.machine_group AND m.epoch_id IS NOT NULL
	AND m.seen > belt_now() - interval '10 minutes'
LEFT JOIN LATERAL (SELECT sc.position FROM block k
	JOIN run r ON r.cell_id = k.cell_id AND r.block_id = k.id
	JOIN stack_commit sc ON sc.stack_id = z.stack_id AND sc.commit_id = r.commit_id
	WHERE k.bisection_id = z.id AND k.machine_id = m.id AND k.state = 'open'
	ORDER BY k.id LIMIT 1) w ON true
WHERE z.id = $1
ORDER BY m.id IN (SELECT machine_id FROM used) DESC, m.id
LIMIT $2;

-- name: bisect_block
-- $1 bisection, $2 machine, $3 its epoch; gives the id.
INSERT INTO block (cell_id, bisection_id, seed, machine_id, epoch_id)
SELECT cell_id, id, 0, $2, $3 FROM bisection WHERE id = $1 AND state = 'open' RETURNING id;

-- name: bisect_run
-- The run of block $2 of bisection $1: commit $3, $4 priority.
INSERT INTO run (cell_id, kind, machine_group, priority, job_id, commit_id, build_id, block_id, created)
SELECT c.id, 'measure', c.machine_group, $4, j.id, b.commit_id, b.id, $2, belt_now()
FROM bisection z JOIN cell c ON c.id = z.cell_id
JOIN build b ON b.commit_id = $3 AND b.build_hash = c.build_hash AND b.layout = 0 AND b.state = 'done'
JOIN job j ON j.cell_id = c.id AND j.commit_id = b.commit_id
WHERE z.id = $1;

-- name: bisect_look
-- What it says by now: $1 bisection, $2 runs, $3 commits that they are of, $4 runs still to come, $5
-- posterior, $6 of what is said, $7 $8 fitted levels
UPDATE bisection SET nr_runs = $2, nr_commits = $3, expected = $4, posterior = $5, p = $6, before = $7, after = $8
WHERE id = $1 AND state = 'open' AND (nr_runs, posterior) IS DISTINCT FROM ($2::int, $5::float8[]);

-- name: bisect_move
-- $1 bisection, $2 from, $3 to, $4 why, $5 positions of its set, $6 $7 culprit and its parent
UPDATE bisection SET state = $3::bisection_state, reason = $4, suspects = COALESCE($5::int[], suspects),
	culprit_id = COALESCE($6, culprit_id), parent_id = COALESCE($7, parent_id), expected = NULL,
	changed = belt_now(), changed_by = NULL
WHERE id = $1 AND state = $2::bisection_state;

-- name: bisect_finding
-- What a bisection found, to be confirmed: $1 bisection, $2 comparison of its culprit, $3 kind.  Another one
-- may have found it before; what was taken back meanwhile is looked at again.
INSERT INTO finding (stack_id, commit_id, role, cell_id, comparison_id, about, kind, state, created, bisection_id)
SELECT stack_id, culprit_id, 'parent', cell_id, $2, 'metric', $3::finding_kind, 'unconfirmed', belt_now(), id
FROM bisection WHERE id = $1
ON CONFLICT (stack_id, commit_id, role, cell_id, about) DO UPDATE SET
	state = 'unconfirmed', reason = NULL, confirmation_id = NULL, bisection_id = EXCLUDED.bisection_id
WHERE finding.state = 'suppressed';

-- name: bisect_confirmed
-- The oldest bisection whose finding was confirmed or not, and that waits for no runs of the tip without
-- its culprit.
SELECT z.id, z.stack_id, z.revert_comparison_id, s.repository_id, r.url, f.reason,
	f.state = 'suppressed' OR NOT EXISTS (SELECT FROM verdict v WHERE v.cell_id = k.cell_id
		AND v.comparison_id = k.id AND v.look = k.look AND v.slot = z.slot
		AND v.kind IN ('regression', 'improvement')) AS is_dropped,
	k.reason LIKE 'missing%' AS is_missing, cardinality(z.suspects) AS nr_set,
	z.culprit_id = x.head_id AS is_tip, m.oid AS culprit_oid, h.oid AS tip_oid, y.reason AS revert_trouble
FROM bisection z
JOIN stack s ON s.id = z.stack_id JOIN repository r ON r.id = s.repository_id
JOIN bisection_finding o ON o.bisection_id = z.id
JOIN finding f ON f.id = o.finding_id AND f.state <> 'unconfirmed'
JOIN comparison x ON x.cell_id = z.cell_id AND x.id = z.comparison_id
JOIN commit m ON m.id = z.culprit_id JOIN commit h ON h.id = x.head_id
LEFT JOIN comparison k ON k.cell_id = f.cell_id AND k.id = f.confirmation_id
LEFT JOIN comparison y ON y.cell_id = z.cell_id AND y.id = z.revert_comparison_id
WHERE z.state = 'confirming' AND (z.revert_comparison_id IS NULL OR y.state IN ('done', 'cancelled'))
ORDER BY z.id LIMIT 1;

-- name: bisect_revert_plan
-- The comparison of the tip with commit $2, the tip less the culprit of bisection $1, as long as its
-- confirmation was.
WITH made AS (
	SELECT z.id, z.cell_id, x.head_id, k.priority, k.nr_blocks FROM bisection z
	JOIN comparison x ON x.cell_id = z.cell_id AND x.id = z.comparison_id
	JOIN bisection_finding o ON o.bisection_id = z.id JOIN finding f ON f.id = o.finding_id
	JOIN comparison k ON k.cell_id = f.cell_id AND k.id = f.confirmation_id
	WHERE z.id = $1
), job AS (
	INSERT INTO job (cell_id, commit_id, hash)
	SELECT c.id, m.id, encode(sha256(convert_to(c.hash || ' ' || m.oid, 'UTF8')), 'hex')
	FROM made JOIN cell c ON c.id = made.cell_id JOIN commit m ON m.id = $2
	ON CONFLICT (cell_id, commit_id) DO NOTHING
), ensured AS (
	INSERT INTO comparison AS old (cell_id, base_id, head_id, purpose, priority, nr_blocks)
	SELECT cell_id, head_id, $2, 'revert', priority, nr_blocks FROM made
	ON CONFLICT (cell_id, base_id, head_id, purpose, round) DO UPDATE SET
		state = CASE WHEN old.state = 'cancelled' THEN 'waiting' ELSE old.state END
	RETURNING id
)
UPDATE bisection SET revert_id = $2, revert_comparison_id = ensured.id FROM ensured
WHERE bisection.id = $1 AND state = 'confirming';

-- name: bisect_revert_steps
-- What was confirmed of the metric of bisection $1, and what it did once the culprit was taken back, both as
-- logarithms where they are ratios.  No row: nothing was measured.
SELECT CASE WHEN v.is_ratio THEN ln(1 + v.effect) ELSE v.effect END AS step,
	CASE WHEN w.is_ratio THEN ln(1 + w.effect) ELSE w.effect END AS undone,
	w.kind IN ('regression', 'improvement') AND w.kind <> v.kind AS is_opposite
FROM bisection z JOIN bisection_finding o ON o.bisection_id = z.id JOIN finding f ON f.id = o.finding_id
JOIN comparison x ON x.cell_id = f.cell_id AND x.id = f.confirmation_id
JOIN comparison y ON y.cell_id = z.cell_id AND y.id = z.revert_comparison_id
JOIN verdict v ON v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look AND v.slot = z.slot
	AND v.kind IN ('regression', 'improvement')
JOIN verdict w ON w.cell_id = y.cell_id AND w.comparison_id = y.id AND w.look = y.look AND w.slot = z.slot
WHERE z.id = $1;

-- name: bisect_reverted
-- $1 bisection, $2 what came of the revert, $3 why
UPDATE bisection SET revert = $2::bisection_revert, revert_reason = $3 WHERE id = $1;
