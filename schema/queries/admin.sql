-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: event_add
-- $1 kind, $2 repository, $3 stack, $4 run, $5 bisection (NULL where none), $6 text for people
INSERT INTO event (at, kind, repository_id, stack_id, run_id, bisection_id, detail)
VALUES (belt_now(), $1, $2, $3, $4, $5, $6);

-- name: bell_ring
-- $1 the payload, a word of daemon/bell.h
SELECT pg_notify('belt', $1);

-- name: token_ensure
-- Keeps a token's hash: $1 SHA-256, $2 scope, $3 note.
INSERT INTO token (hash, scope, note, created) VALUES ($1, $2, $3, belt_now())
ON CONFLICT (hash) DO NOTHING;

-- name: token_check
-- Who holds the token with SHA-256 $1; no row for nobody.
UPDATE token SET used = belt_now() WHERE hash = $1 AND NOT is_revoked
RETURNING id, scope, note;

-- name: stage_enter
-- Takes stage $1 for this session: 1, or 0 where another daemon is at it.
SELECT pg_try_advisory_lock(7239463, hashtext($1))::int;

-- name: stage_leave
-- $1 stage
SELECT pg_advisory_unlock(7239463, hashtext($1))::int;

-- name: schema_lock
-- One migration at a time; released at the end of the session.
SELECT pg_advisory_lock(7239462);

-- name: schema_list
-- The migrations that were applied.
SELECT version, name, hash FROM schema_version ORDER BY version;

-- name: schema_add
-- $1 version, $2 name, $3 hash
INSERT INTO schema_version (version, name, hash) VALUES ($1, $2, $3);

-- name: belt_look
-- Whether the database answers with our schema in it.
SELECT belt_text(belt_now()) AS now;
