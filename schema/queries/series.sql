-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: series_new_head
-- The oldest head that was not looked at, with where its base branch is.  One that could not be read
-- waits behind the others, and any of several such.
SELECT h.id, h.repository_id, h.ref, h.oid, r.url, r.base, b.oid AS base_oid
FROM head h JOIN repository r ON r.id = h.repository_id AND r.state <> 'removed'
LEFT JOIN head b ON b.repository_id = r.id AND b.ref = r.base AND b.state IN ('live', 'missing')
WHERE h.is_new AND h.state = 'live'
ORDER BY h.reason IS NOT NULL, CASE WHEN h.reason IS NULL THEN h.id ELSE random() END LIMIT 1;

-- name: head_postpone
-- $1 head, $2 the id that was looked at, $3 why it cannot be read for now.  No change: it is known.
UPDATE head SET reason = $3 WHERE id = $1 AND oid = $2 AND is_new AND reason IS DISTINCT FROM $3;

-- name: head_looked_at
-- $1 head, $2 the id that was looked at, $3 why there is no stack (NULL: there is one)
UPDATE head SET is_new = false, reason = $3 WHERE id = $1 AND oid = $2;

-- name: commit_store
-- $1 id, $2 author, $3 address, $4 seconds since 1970 or NULL, $5 subject, $6 message, $7 merge,
-- $8 documentation only; gives our id.
INSERT INTO commit AS old (oid, author_name, author_email, author_time, subject, message, is_merge,
	is_docs_only)
VALUES ($1, $2, $3, to_timestamp($4::bigint), $5, $6, $7, $8)
ON CONFLICT (oid) DO UPDATE SET oid = old.oid RETURNING id;

-- name: stack_supersede
-- The older stacks of a branch end here, and what was found in them is not told: $1 repository, $2 ref.
-- So do their bisections: that of the newer version takes over the runs of the commits that it has too.
WITH ended AS (
	UPDATE bisection z SET state = 'invalidated', reason = 'a newer version of the branch', changed = belt_now(),
		changed_by = NULL, expected = NULL
	FROM stack s WHERE s.id = z.stack_id AND s.repository_id = $1 AND s.ref = $2
	AND z.state IN ('open', 'confirming') RETURNING z.id, z.stack_id
), told AS (
	INSERT INTO event (at, kind, stack_id, bisection_id, detail)
	SELECT belt_now(), 'bisection', stack_id, id, 'invalidated: a newer version of the branch, whose own'
		|| ' takes over the runs of commits that it has too' FROM ended
), untold AS (
	UPDATE finding f SET state = 'suppressed', reason = CASE WHEN f.state = 'new' THEN 'not told'
		ELSE 'not confirmed' END || ': a newer version of the branch'
	FROM stack s WHERE s.id = f.stack_id AND s.repository_id = $1 AND s.ref = $2
	AND s.state IN ('measuring', 'confirming') AND f.state IN ('unconfirmed', 'new')
)
UPDATE stack SET state = 'superseded', reason = 'a newer version of the branch', finished = belt_now()
WHERE repository_id = $1 AND ref = $2 AND state IN ('new', 'building', 'measuring', 'confirming');

-- name: stack_add
-- $1 repository, $2 ref, $3 base, $4 tip, $5 commits, $6 ends only; gives id
INSERT INTO stack (repository_id, ref, version, base_id, tip_id, nr_commits, is_ends_only, created)
SELECT $1, $2, 1 + COALESCE(max(version), 0), $3, $4, $5, $6, belt_now()
FROM stack WHERE repository_id = $1 AND ref = $2
RETURNING id;

-- name: stack_commit_add
-- $1 stack, $2 position, $3 commit
INSERT INTO stack_commit (stack_id, position, commit_id) VALUES ($1, $2, $3);
