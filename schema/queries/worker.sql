-- SPDX-License-Identifier: GPL-2.0-or-later
-- Machines, leases, and what workers upload.  Who calls: daemon/db/lease.c, web/api.

-- name: machine_join
-- Finds or makes the machine $1 of group $2 for token $3 and the worker $4 (NULL: it did not say).  No
-- row: machine_rival tells why.
INSERT INTO machine AS m (name, machine_group, token_id, instance, joined, seen)
VALUES ($1, $2, $3, $4, belt_now(), belt_now())
ON CONFLICT (name) DO UPDATE SET machine_group = EXCLUDED.machine_group,
	token_id = EXCLUDED.token_id, instance = EXCLUDED.instance, seen = belt_now()
WHERE (m.token_id = EXCLUDED.token_id OR (SELECT t.is_revoked FROM token t WHERE t.id = m.token_id))
AND (m.instance IS NULL OR EXCLUDED.instance IS NULL OR m.instance = EXCLUDED.instance OR NOT (
	m.seen > belt_now() - make_interval(secs => $5) OR
	EXISTS (SELECT FROM lease l WHERE l.machine_id = m.id AND l.state = 'live')))
RETURNING id;

-- name: machine_rival
-- Who has the name of machine $1: another token than $2, or another worker that lives.  The event is
-- told once an hour.
WITH rival AS (
	SELECT name, token_id = $2 AS is_our_token,
		extract(epoch FROM belt_now() - seen)::bigint AS silent_s
	FROM machine WHERE name = $1
), told AS (
	INSERT INTO event (at, kind, detail)
	SELECT belt_now(), 'refused', 'machine ' || r.name || ': a second worker of this name was refused'
	FROM rival r WHERE NOT EXISTS (SELECT FROM event e WHERE e.stack_id IS NULL AND e.kind = 'refused'
		AND e.detail LIKE 'machine ' || r.name || ': a second%' AND e.at > belt_now() - interval '1 h')
)
SELECT is_our_token, silent_s FROM rival;

-- name: epoch_join
-- The machine's epoch for its environment, a new one where that changed: $1 machine, $2 hash of the
-- fingerprint, $3 fingerprint.
WITH present AS (
	SELECT e.id FROM machine m JOIN machine_epoch e ON e.id = m.epoch_id
	WHERE m.id = $1 AND e.hash = $2
), fresh AS (
	INSERT INTO machine_epoch (machine_id, hash, fingerprint, since)
	SELECT $1, $2, $3, belt_now() WHERE NOT EXISTS (SELECT FROM present)
	RETURNING id
), moved AS (
	UPDATE machine m SET epoch_id = f.id FROM fresh f WHERE m.id = $1
), told AS (
	INSERT INTO event (at, kind, detail)
	SELECT belt_now(), 'epoch', 'machine ' || m.name ||
		CASE WHEN m.epoch_id IS NULL THEN ': joined' ELSE ': its environment changed' END
	FROM machine m, fresh WHERE m.id = $1
)
SELECT id FROM present UNION ALL SELECT id FROM fresh;

-- name: machine_ask
-- A machine asks for work: $1 name, $2 token, $3 boot, $4 worker (NULL: it does not say).  No row: it
-- has not joined with that token, or another worker has its name now.  Holds the row until the end of
-- the transaction, so a machine has one claim at a time.
UPDATE machine SET seen = belt_now(), boot_id = $3
WHERE name = $1 AND token_id = $2 AND ($4::text IS NULL OR instance IS NULL OR instance = $4)
RETURNING id, machine_group, epoch_id;

-- name: lease_of_machine
-- The live lease of machine $1.
SELECT id FROM lease WHERE machine_id = $1 AND state = 'live';

-- name: block_void_epoch
-- Voids the open blocks that a machine began in another environment: $1 machine, $2 present epoch;
-- gives how many.
WITH void AS (
	UPDATE block SET state = 'void', reason = 'machine-changed: the environment of its machine changed'
	WHERE machine_id = $1 AND state = 'open' AND epoch_id IS DISTINCT FROM $2
	RETURNING cell_id, id
), cancelled AS (
	UPDATE run r SET state = 'cancelled', reason = 'cancelled: machine-changed' FROM void v
	WHERE r.cell_id = v.cell_id AND r.block_id = v.id AND r.state = 'queued'
)
SELECT count(*) FROM void;

-- name: claim_pinned
-- The next run of the blocks that machine $1 has begun.
SELECT r.cell_id, r.id, r.block_id
FROM block b JOIN run r ON r.cell_id = b.cell_id AND r.block_id = b.id
WHERE b.machine_id = $1 AND b.state = 'open' AND r.state = 'queued'
ORDER BY b.id, r.position, r.id LIMIT 1
FOR UPDATE OF r SKIP LOCKED;

-- name: claim_free
-- The most urgent run of group $1 that is a build, or the first of a block that nobody has begun.
SELECT r.cell_id, r.id, r.block_id FROM run r
WHERE r.state = 'queued' AND r.machine_group = $1 AND (r.block_id IS NULL OR (
	EXISTS (SELECT FROM block b WHERE b.cell_id = r.cell_id AND b.id = r.block_id
		AND b.state = 'open' AND b.machine_id IS NULL)
	AND NOT EXISTS (SELECT FROM run o WHERE o.cell_id = r.cell_id AND o.block_id = r.block_id
		AND (o.state = 'leased' OR
		     (o.state = 'queued' AND (o.position, o.id) < (r.position, r.id))))))
ORDER BY r.priority, r.id LIMIT 1
FOR UPDATE OF r SKIP LOCKED;

-- name: block_pin
-- A machine begins or goes on with a block: $1 cell, $2 block, $3 machine, $4 epoch.  No change:
-- another one was faster, or the block was voided.
UPDATE block SET machine_id = $3, epoch_id = $4
WHERE cell_id = $1 AND id = $2 AND state = 'open' AND (machine_id IS NULL OR machine_id = $3);

-- name: run_lease
-- $1 cell, $2 run, $3 machine, $4 epoch, $5 boot
UPDATE run SET state = 'leased', machine_id = $3, epoch_id = $4, boot_id = $5, reason = NULL,
	started = belt_now(), finished = NULL
WHERE cell_id = $1 AND id = $2 AND state = 'queued';

-- name: lease_add
-- $1 cell, $2 run, $3 machine, $4 SHA-256 of the secret, $5 seconds; gives the id.
INSERT INTO lease (cell_id, run_id, machine_id, secret, taken, until)
VALUES ($1, $2, $3, $4, belt_now(), belt_now() + make_interval(secs => $5)) RETURNING id;

-- name: lease_offer
-- What the worker is told of a run: $1 cell, $2 run.
SELECT r.id, r.kind, n.name AS benchmark, c.identity, c.recipe, m.oid,
	encode(sha256(convert_to(c.build_hash || ' ' || m.oid ||
		CASE WHEN d.layout > 0 THEN ' ' || d.layout ELSE '' END, 'UTF8')), 'hex') AS build_key, d.layout,
	r.block_id, r.position, r.is_warmup,
	COALESCE((SELECT s.repository_id FROM stack_commit sc JOIN stack s ON s.id = sc.stack_id
	 WHERE sc.commit_id = r.commit_id ORDER BY s.id DESC LIMIT 1),
	(SELECT s.repository_id FROM bisection z JOIN stack s ON s.id = z.stack_id
	 WHERE z.revert_id = r.commit_id ORDER BY s.id DESC LIMIT 1)) AS repository_id
FROM run r
JOIN cell c ON c.id = r.cell_id
JOIN benchmark n ON n.id = c.benchmark_id
JOIN commit m ON m.id = r.commit_id
JOIN build d ON d.id = r.build_id
WHERE r.cell_id = $1 AND r.id = $2;

-- name: lease_lose
-- Takes back a live lease: $1 lease, $2 why.  Its run is queued again, or after the third attempt
-- lost, and with it its build or block.  The uploads of the attempt do not count.
WITH ended AS (
	UPDATE lease SET state = 'expired', ended = belt_now() WHERE id = $1 AND state = 'live'
	RETURNING cell_id, run_id
), moved AS (
	UPDATE run r SET state = CASE WHEN r.attempt < 3 THEN 'queued' ELSE 'lost' END::run_state,
		attempt = least(r.attempt + 1, 3), reason = 'lost: ' || $2::text,
		finished = CASE WHEN r.attempt < 3 THEN NULL ELSE belt_now() END
	FROM ended e WHERE r.cell_id = e.cell_id AND r.id = e.run_id AND r.state = 'leased'
	RETURNING r.cell_id, r.id, r.state, r.kind, r.build_id, r.block_id
), dropped AS (
	DELETE FROM artefact a USING moved m WHERE a.cell_id = m.cell_id AND a.run_id = m.id
), failed AS (
	INSERT INTO failure (cell_id, run_id, reason, detail, is_infrastructure, excerpt, at)
	SELECT m.cell_id, m.id, 'lost', $2::text, true, '', belt_now() FROM moved m WHERE m.state = 'lost'
	ON CONFLICT DO NOTHING
), unbuilt AS (
	UPDATE build b SET state = 'failed', reason = 'lost: ' || $2::text, run_id = m.id FROM moved m
	WHERE b.id = m.build_id AND b.state = 'wanted' AND m.state = 'lost' AND m.kind = 'build'
), void AS (
	UPDATE block b SET state = 'void', reason = 'lost: ' || $2::text FROM moved m
	WHERE b.cell_id = m.cell_id AND b.id = m.block_id AND b.state = 'open' AND m.state = 'lost'
	RETURNING b.cell_id, b.id
), cancelled AS (
	UPDATE run r SET state = 'cancelled', reason = 'cancelled: the block is void' FROM void v
	WHERE r.cell_id = v.cell_id AND r.block_id = v.id AND r.state = 'queued'
), told AS (
	INSERT INTO event (at, kind, run_id, detail)
	SELECT belt_now(), 'lost', m.id, $2::text FROM moved m
)
SELECT state FROM moved;

-- name: lease_beat
-- Renews a live lease: $1 lease, $2 SHA-256 of its secret, $3 token, $4 phase (NULL: as before),
-- $5 seconds.  No row: it is lost, or another's.
WITH beaten AS (
	UPDATE lease l SET until = belt_now() + make_interval(secs => $5), phase = COALESCE($4, l.phase)
	FROM machine m
	WHERE l.id = $1 AND l.secret = $2 AND l.state = 'live' AND m.id = l.machine_id AND m.token_id = $3
	RETURNING l.cell_id, l.run_id, l.machine_id
), seen AS (
	UPDATE machine m SET seen = belt_now() FROM beaten b WHERE m.id = b.machine_id
)
SELECT r.cell_id, r.id AS run_id, r.state
FROM beaten b JOIN run r ON r.cell_id = b.cell_id AND r.id = b.run_id;

-- name: lease_look
-- The lease and its run, held until the end of the transaction: $1 lease, $2 SHA-256 of its secret,
-- $3 token.
SELECT l.state, l.cell_id, l.run_id, r.state AS run_state
FROM lease l JOIN machine m ON m.id = l.machine_id
JOIN run r ON r.cell_id = l.cell_id AND r.id = l.run_id
WHERE l.id = $1 AND l.secret = $2 AND m.token_id = $3
FOR UPDATE OF l, r;

-- name: lease_end
-- $1 lease, $2 done or cancelled
UPDATE lease SET state = $2::lease_state, ended = belt_now() WHERE id = $1 AND state = 'live';

-- name: run_finish
-- $1 cell, $2 run, $3 the worker's message, $4 boot
UPDATE run SET state = 'finished', outcome = $3, boot_id = $4, finished = belt_now()
WHERE cell_id = $1 AND id = $2 AND state = 'leased';

-- name: artefact_missing
-- Those of the files $3 ([{name, size, sha256}]) that a run has not stored: $1 cell, $2 run.
SELECT f.name FROM jsonb_to_recordset($3::jsonb) AS f (name text, size bigint, sha256 text)
WHERE NOT EXISTS (SELECT FROM artefact a WHERE a.cell_id = $1 AND a.run_id = $2
	AND a.name = f.name AND a.hash = f.sha256 AND a.size_bytes = f.size)
LIMIT 5;

-- name: artefact_sum
-- How much a run has stored: $1 cell, $2 run; of the file named $3 its hash and size.
SELECT count(*) AS nr, COALESCE(sum(size_bytes), 0)::bigint AS size_bytes,
	max(hash) FILTER (WHERE name = $3) AS hash,
	max(size_bytes) FILTER (WHERE name = $3) AS named_bytes
FROM artefact WHERE cell_id = $1 AND run_id = $2;

-- name: artefact_add
-- $1 cell, $2 run, $3 name, $4 hash, $5 size.  No row: another content has the name.
INSERT INTO artefact AS a (cell_id, run_id, name, hash, size_bytes) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (cell_id, run_id, name) DO UPDATE SET size_bytes = a.size_bytes
WHERE a.hash = EXCLUDED.hash
RETURNING name;

-- name: commit_of_repository
-- Whether a stack of repository $1 holds the commit $2, or a bisection made it.
SELECT (EXISTS (SELECT FROM commit m JOIN stack_commit sc ON sc.commit_id = m.id
	JOIN stack s ON s.id = sc.stack_id WHERE m.oid = $2 AND s.repository_id = $1)
	OR EXISTS (SELECT FROM commit m JOIN bisection z ON z.revert_id = m.id
	JOIN stack s ON s.id = z.stack_id WHERE m.oid = $2 AND s.repository_id = $1))::int;

-- name: dispatch_attend
-- Says that we look.  After a gap of half a minute in real time (we, or the database, were away)
-- patience with others begins anew.
UPDATE attendance a SET at = belt_now() - c.skew,
	since = CASE WHEN a.at < belt_now() - c.skew - interval '30 s' THEN belt_now() ELSE a.since END
FROM belt_clock c;

-- name: lease_overdue
-- Live leases whose time is over, held until the end of the transaction; none while we have listened
-- for less than $1 seconds.
SELECT l.id, m.name AS machine, l.phase FROM attendance a, lease l JOIN machine m ON m.id = l.machine_id
WHERE l.state = 'live' AND l.until < belt_now() AND a.since <= belt_now() - make_interval(secs => $1)
ORDER BY l.until LIMIT 50
FOR UPDATE OF l SKIP LOCKED;

-- name: block_strand
-- Voids the open blocks of machines that nobody has seen for ten minutes; gives how many.
WITH void AS (
	UPDATE block b SET state = 'void',
		reason = 'lost: machine ' || m.name || ' has not been seen for ten minutes'
	FROM machine m, attendance a
	WHERE m.id = b.machine_id AND b.state = 'open'
	AND greatest(m.seen, a.since) < belt_now() - interval '10 minutes'
	AND NOT EXISTS (SELECT FROM lease l WHERE l.machine_id = m.id AND l.state = 'live')
	RETURNING b.cell_id, b.id
), cancelled AS (
	UPDATE run r SET state = 'cancelled', reason = 'cancelled: the block is void' FROM void v
	WHERE r.cell_id = v.cell_id AND r.block_id = v.id AND r.state = 'queued'
)
SELECT count(*) FROM void;
