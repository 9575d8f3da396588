-- SPDX-License-Identifier: GPL-2.0-or-later

-- What an operator may do to a bisection.  Each gives its id, or no row where it is not there or in
-- another state.  Who calls them goes on with stack_cancel_runs, in the same transaction, and rings the
-- bell "bisect".

-- name: bisection_state
-- $1 bisection
SELECT state FROM bisection WHERE id = $1;

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
-- What it said does not count: $1 bisection, $2 who, $3 why.
WITH moved AS (
	UPDATE bisection SET state = 'invalidated', reason = $3, changed_by = $2, changed = belt_now(),
		expected = NULL
	WHERE id = $1 AND state <> 'invalidated' RETURNING id, stack_id
), untold AS (
	UPDATE finding f SET state = 'suppressed', reason = 'its bisection was invalidated by ' || $2::text
	FROM moved m WHERE f.bisection_id = m.id AND f.state IN ('unconfirmed', 'new')
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
		WHERE o.stack_id = sc.stack_id AND o.position < sc.position ORDER BY o.position DESC LIMIT 1) AS parent_id
	FROM bisection z JOIN stack_commit sc ON sc.stack_id = z.stack_id AND sc.position > 0
	JOIN commit m ON m.id = sc.commit_id
	WHERE z.id = $1 AND m.oid = $4
), moved AS (
	UPDATE bisection z SET state = 'concluded', reason = $3, changed_by = $2, changed = belt_now(),
		expected = NULL, p = NULL, culprit_id = n.commit_id, parent_id = n.parent_id,
		suspects = ARRAY[n.position], revert = NULL, revert_reason = NULL
	FROM named n WHERE z.id = n.id AND z.state <> 'invalidated' RETURNING z.id, z.stack_id
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
	WHERE z.id = $1 AND m.oid = $4 AND m.id NOT IN (s.base_id, s.tip_id) AND z.state <> 'invalidated'
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
-- It goes on, with every run that there is and $4 more in its budget: $1 bisection, $2 who, $3 why.
WITH moved AS (
	UPDATE bisection SET state = 'open', reason = $3, changed_by = $2, changed = belt_now(),
		budget = greatest(budget, nr_runs) + $4, culprit_id = NULL, parent_id = NULL
	WHERE id = $1 AND state IN ('inconclusive', 'unchanged', 'unmeasurable', 'stopped') RETURNING id, stack_id
), told AS (
	INSERT INTO event (at, kind, stack_id, bisection_id, detail)
	SELECT belt_now(), 'bisection', stack_id, id,
		'opened again by ' || $2::text || ' for ' || $4::int || ' runs: ' || $3::text FROM moved
)
SELECT id FROM moved;
