-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: report_finding
-- The oldest finding of a whole stack that no mail tells yet and that is not put off, with what the mail
-- says about it.  Where a commit both moves a metric and fails more often, one mail tells both.
WITH told AS (
	SELECT array_agg(f.id ORDER BY f.about) AS ids, bool_or(f.about = 'failure') AS has_failure
	FROM finding f JOIN stack s ON s.id = f.stack_id AND s.state = 'done'
	WHERE f.state = 'new' AND f.next_try <= belt_now()
	GROUP BY f.stack_id, f.commit_id, f.role, f.cell_id ORDER BY min(f.id) LIMIT 1
)
SELECT f.id, told.ids[2] AS along_id, f.stack_id, f.role, f.cell_id, f.about, f.kind,
	COALESCE(f.confirmation_id, f.comparison_id) AS comparison_id,
	CASE WHEN told.has_failure THEN f.comparison_id END AS failing_id,
	f.confirmation_id IS NOT NULL AS is_confirmed, f.bisection_id, s.ref, s.version, s.repository_id,
	r.name AS tree, r.url, r.base, r.mail, r.machine_group,
	m.oid, m.subject, m.author_name, m.author_email, b.oid AS base_oid, t.oid AS tip_oid,
	c.hash AS cell_hash, n.name AS benchmark, c.identity -> 'params' AS params,
	l.nr_between, l.position, s.nr_commits,
	(SELECT count(DISTINCT o.ref) FROM stack o WHERE o.repository_id = s.repository_id
	 AND o.base_id = s.base_id AND o.ref <> s.ref AND o.state <> 'refused') AS nr_sharing
FROM told
JOIN finding f ON f.id = told.ids[1]
JOIN stack s ON s.id = f.stack_id
JOIN repository r ON r.id = s.repository_id
JOIN commit m ON m.id = f.commit_id
JOIN commit b ON b.id = s.base_id
JOIN commit t ON t.id = s.tip_id
JOIN cell c ON c.id = f.cell_id
JOIN benchmark n ON n.id = c.benchmark_id
JOIN stack_comparison l ON l.stack_id = f.stack_id AND l.cell_id = f.cell_id
	AND l.comparison_id = f.comparison_id AND l.role = f.role;

-- name: report_confirmation
-- How many runs a side found something, and how many confirmed it, on how many builds: $1 finding.
SELECT count(*) FILTER (WHERE b.comparison_id = f.comparison_id AND NOT r.is_head) AS found_base,
	count(*) FILTER (WHERE b.comparison_id = f.comparison_id AND r.is_head) AS found_head,
	count(*) FILTER (WHERE b.comparison_id = f.confirmation_id AND NOT r.is_head) AS fresh_base,
	count(*) FILTER (WHERE b.comparison_id = f.confirmation_id AND r.is_head) AS fresh_head,
	count(DISTINCT COALESCE(d.artefact, d.id::text)) FILTER (WHERE b.comparison_id = f.confirmation_id AND r.is_head)
		AS nr_builds
FROM finding f
JOIN block b ON b.cell_id = f.cell_id AND b.comparison_id IN (f.comparison_id, f.confirmation_id)
	AND b.state = 'done'
JOIN run r ON r.cell_id = b.cell_id AND r.block_id = b.id AND r.state = 'done' AND NOT r.is_warmup
JOIN build d ON d.id = r.build_id
WHERE f.id = $1;

-- name: report_bisection
-- What bisection $2, which is behind finding $1, rests on as of its end: the mean of the parent's and of the
-- commit's runs, and what came of taking the commit back.
SELECT z.nr_runs, z.nr_commits, z.revert = 'recovered' AS is_cause, n.name || '.' || m.name AS metric,
	CASE WHEN z.p > 0.999 THEN 'over 0.999' ELSE to_char(z.p, 'FM0.000') END AS posterior,
	replace(z.revert::text, '-', ' ') || COALESCE(', ' || z.revert_reason, '') AS reverted,
	count(*) FILTER (WHERE e.commit_id = z.parent_id) AS nr_parent,
	avg(e.value) FILTER (WHERE e.commit_id = z.parent_id) AS parent,
	count(*) FILTER (WHERE e.commit_id = z.culprit_id) AS nr_this,
	avg(e.value) FILTER (WHERE e.commit_id = z.culprit_id) AS this
FROM finding f JOIN bisection z ON z.id = $2
JOIN cell c ON c.id = z.cell_id
JOIN benchmark n ON n.id = c.benchmark_id
JOIN metric m ON m.benchmark_id = n.id AND m.slot = z.slot
LEFT JOIN bisection_run e ON e.bisection_id = $2 AND e.started < f.created
WHERE f.id = $1 GROUP BY z.id, n.id, m.benchmark_id, m.slot, m.name;

-- name: report_stack
-- The commits of a stack, newest first, with what came of each on a cell: $1 stack, $2 cell.
SELECT sc.position, m.oid, m.subject, b.state AS build, b.reason AS build_reason
FROM stack_commit sc JOIN commit m ON m.id = sc.commit_id
JOIN cell c ON c.id = $2
LEFT JOIN build b ON b.commit_id = sc.commit_id AND b.build_hash = c.build_hash AND b.layout = 0
WHERE sc.stack_id = $1 ORDER BY sc.position DESC;

-- name: report_machine
-- The machine that measured a comparison, as it was then, and a run of the head: $1 cell,
-- $2 comparison.
SELECT concat_ws(', ', m.name || COALESCE(': ' || (e.fingerprint #>> '{lasting,processor}'), ''),
		(e.fingerprint #>> '{lasting,processors}') || ' processors',
		(e.fingerprint #>> '{lasting,memory_mib}') || ' MiB',
		'Linux ' || (e.fingerprint #>> '{lasting,kernel}')) AS machine,
	(SELECT r.id FROM run r WHERE r.cell_id = b.cell_id AND r.block_id = b.id
	 AND r.commit_id = x.head_id AND r.state = 'done' ORDER BY r.id LIMIT 1) AS run_id
FROM block b
JOIN comparison x ON x.cell_id = b.cell_id AND x.id = b.comparison_id
JOIN machine m ON m.id = b.machine_id JOIN machine_epoch e ON e.id = b.epoch_id
WHERE b.cell_id = $1 AND b.comparison_id = $2 AND b.state = 'done' ORDER BY b.id LIMIT 1;

-- name: report_failure
-- A run of head that failed as head does more often, and the end of its log: $1 cell, $2 comparison.
SELECT f.run_id, f.reason, f.excerpt
FROM comparison x
JOIN failure_verdict v ON v.cell_id = x.cell_id AND v.comparison_id = x.id
JOIN block b ON b.cell_id = x.cell_id AND b.comparison_id = x.id
JOIN run r ON r.cell_id = b.cell_id AND r.block_id = b.id AND r.commit_id = x.head_id
JOIN failure f ON f.cell_id = r.cell_id AND f.run_id = r.id AND f.reason = v.reason
WHERE x.cell_id = $1 AND x.id = $2 ORDER BY f.run_id DESC LIMIT 1;

-- name: report_missing
-- What of a stack could not be measured, by benchmark and commit: the first three, and how many more: $1
-- stack.
SELECT string_agg(w.what, ', ' ORDER BY w.nr) FILTER (WHERE w.nr <= 3) AS named, greatest(count(*) - 3, 0) AS nr_more
FROM (SELECT n.name || ' at ' || left(m.oid, 12) AS what, row_number() OVER (ORDER BY min(l.position), n.name) AS nr
	FROM stack_comparison l
	JOIN comparison x ON x.cell_id = l.cell_id AND x.id = l.comparison_id AND x.state IN ('done', 'cancelled')
	JOIN cell c ON c.id = x.cell_id JOIN benchmark n ON n.id = c.benchmark_id
	JOIN commit m ON m.id = x.head_id
	JOIN stack s ON s.id = l.stack_id
	WHERE l.stack_id = $1 AND x.reason NOT IN ('same binary', 'not measured: bisected instead',
		'not measured: found by bisection')
	AND (l.role = 'parent' OR s.nr_commits = 1 OR s.is_ends_only)
	GROUP BY n.name, m.oid) w;

-- name: mail_draft
-- $1 finding, $2 stack, $3 mode, $4 Message-ID, $5 recipients, $6 subject, $7 body, $8 document
INSERT INTO mail (finding_id, stack_id, mode, message_id, recipients, subject, body, document, created)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, belt_now())
ON CONFLICT DO NOTHING;

-- name: finding_reported
-- $1 finding, $2 the one that its mail tells too (NULL: none)
UPDATE finding SET state = 'reported', reason = NULL, told_with = CASE WHEN id <> $1 THEN $1 END
WHERE id IN ($1, $2) AND state = 'new';

-- name: finding_put_off
-- It cannot be drafted for now, and waits: $1 finding, $2 why; gives its stack where that is news.
WITH old AS (
	SELECT id, reason FROM finding WHERE id = $1 AND state = 'new' FOR UPDATE
), late AS (
	UPDATE finding f SET reason = $2, nr_tries = f.nr_tries + 1, next_try = belt_put_off(f.nr_tries)
	FROM old WHERE f.id = old.id RETURNING f.stack_id, old.reason AS was
)
SELECT stack_id FROM late WHERE was IS DISTINCT FROM $2;

-- name: mail_drafted
-- The oldest mail that is not in the outbox folder yet and that is not put off.
SELECT m.id, m.message_id, m.recipients, m.subject, m.body, m.mode, belt_text(m.created) AS created,
	extract(epoch FROM m.created)::bigint AS created_s
FROM mail m WHERE m.state = 'drafted' AND m.next_try <= belt_now() ORDER BY m.id LIMIT 1;

-- name: mail_put_off
-- As finding_put_off, of a mail that cannot be written: $1 mail, $2 why.
WITH old AS (
	SELECT id, reason FROM mail WHERE id = $1 AND state = 'drafted' FOR UPDATE
), late AS (
	UPDATE mail m SET reason = $2, nr_tries = m.nr_tries + 1, next_try = belt_put_off(m.nr_tries)
	FROM old WHERE m.id = old.id RETURNING m.stack_id, old.reason AS was
)
SELECT stack_id FROM late WHERE was IS DISTINCT FROM $2;

-- name: mail_close
-- $1 mail, $2 to, $3 the file's name, or why there is none
UPDATE mail SET state = $2::mail_state,
	file = CASE WHEN $2::mail_state = 'written' THEN $3::text END,
	reason = CASE WHEN $2::mail_state <> 'written' THEN $3::text END,
	written = belt_now()
WHERE id = $1 AND state = 'drafted';
