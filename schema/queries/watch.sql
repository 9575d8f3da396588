-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: watch_claim
-- The repository that waits longest for a look; $1 seconds until the next one.
UPDATE repository SET next_poll = belt_now() + make_interval(secs => $1::bigint)
WHERE id = (SELECT id FROM repository WHERE state <> 'removed' AND next_poll <= belt_now()
	ORDER BY next_poll LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING id, name, url, base, branches, state, reason, nr_failures;

-- name: head_list
-- $1 repository
SELECT ref, oid, state, nr_missing FROM head WHERE repository_id = $1 ORDER BY ref;

-- name: repository_polled
-- $1 repository: the look went well.
UPDATE repository SET state = 'idle', reason = NULL, nr_failures = 0, last_poll = belt_now()
WHERE id = $1 AND state <> 'removed';

-- name: repository_unreachable
-- $1 repository, $2 reason, $3 seconds until the next try
UPDATE repository SET state = 'unreachable', reason = $2, nr_failures = nr_failures + 1,
	next_poll = belt_now() + make_interval(secs => $3::bigint)
WHERE id = $1 AND state <> 'removed';

-- name: head_store
-- A branch that was seen: $1 repository, $2 ref, $3 id, $4 is it for the series stage.
-- One that comes back as it was is not new.
INSERT INTO head AS old (repository_id, ref, oid, is_new, seen, moved)
VALUES ($1, $2, $3, $4, belt_now(), belt_now())
ON CONFLICT (repository_id, ref) DO UPDATE SET
	is_new = old.is_new OR (EXCLUDED.is_new AND old.oid <> EXCLUDED.oid),
	moved = CASE WHEN old.oid <> EXCLUDED.oid THEN belt_now() ELSE old.moved END,
	reason = CASE WHEN old.oid = EXCLUDED.oid AND old.state = 'live' THEN old.reason END,
	oid = EXCLUDED.oid, state = 'live', nr_missing = 0, seen = belt_now();

-- name: head_refuse
-- A branch that we do not touch: $1 repository, $2 its name made fit, $3 why.
INSERT INTO head AS old (repository_id, ref, oid, state, reason, is_new, seen, moved)
VALUES ($1, $2, repeat('0', 40), 'refused', $3, false, belt_now(), belt_now())
ON CONFLICT (repository_id, ref) DO UPDATE SET state = 'refused', reason = $3, is_new = false,
	nr_missing = 0, seen = belt_now();

-- name: head_missing
-- A branch that was not seen this time: $1 repository, $2 ref.  Twice in a row and it is gone.
UPDATE head SET nr_missing = nr_missing + 1,
	state = CASE WHEN nr_missing >= 1 THEN 'gone' ELSE 'missing' END::head_state,
	moved = CASE WHEN nr_missing = 1 THEN belt_now() ELSE moved END
WHERE repository_id = $1 AND ref = $2 AND state IN ('live', 'missing');
