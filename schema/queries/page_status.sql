-- SPDX-License-Identifier: GPL-2.0-or-later
-- The first page and the lists of machines and repositories.  Each statement gives one document.

-- name: page_status
WITH clock AS (
	SELECT belt_now() AS at
), box AS (
	SELECT m.id, m.name, m.machine_group, m.seen, l.cell_id, l.run_id, l.phase, l.taken,
		CASE WHEN l.id IS NOT NULL THEN 'running'
			WHEN m.seen < clock.at - interval '2 minutes' THEN 'away' ELSE 'idle' END AS state
	FROM clock, machine m LEFT JOIN lease l ON l.machine_id = m.id AND l.state = 'live'
), oldest AS (
	SELECT r.id, r.created, r.machine_group, b.machine_id
	FROM run r LEFT JOIN block b ON b.cell_id = r.cell_id AND b.id = r.block_id
	WHERE r.state = 'queued' ORDER BY r.created, r.id LIMIT 1
), queue AS (
	SELECT o.id, o.created, CASE
		WHEN own.state = 'away' THEN 'its block began on machine ' || own.name || ', which is away'
		WHEN own.state = 'running' THEN 'its block began on machine ' || own.name || ', which is busy'
		WHEN own.state = 'idle' THEN 'machine ' || own.name || ' is about to take it'
		WHEN count(box.id) = 0 THEN 'no machine of group ' || o.machine_group || ' has joined'
		WHEN bool_and(box.state = 'away') THEN 'every machine of group ' || o.machine_group || ' is away'
		WHEN NOT bool_or(box.state = 'idle') THEN 'every machine of group ' || o.machine_group || ' is busy'
		ELSE 'a machine of group ' || o.machine_group || ' is about to take it' END AS reason
	FROM oldest o
	LEFT JOIN box own ON own.id = o.machine_id
	LEFT JOIN box ON box.machine_group = o.machine_group
	GROUP BY o.id, o.created, o.machine_group, own.name, own.state
), warning (text) AS (
	SELECT 'Run ' || q.id || ' has waited since ' || left(replace(belt_text(q.created), 'T', ' '), 16) || ': ' || q.reason || '.'
	FROM queue q, clock WHERE q.created < clock.at - interval '30 minutes'
	UNION ALL
	SELECT 'Repository ' || name || ' cannot be read' ||
		COALESCE(' since ' || left(replace(belt_text(last_poll), 'T', ' '), 16), '') || ': ' || COALESCE(reason, 'unknown') || '.'
	FROM repository WHERE state = 'unreachable'
	UNION ALL
	SELECT 'Machine ' || b.name || ' is away, with ' || count(*) || ' block(s) begun on it.'
	FROM box b JOIN block k ON k.machine_id = b.id AND k.state = 'open' WHERE b.state = 'away'
	GROUP BY b.name
), fresh AS (
	SELECT x.* FROM comparison x WHERE x.state = 'done' AND x.purpose = 'discover'
	ORDER BY x.id DESC LIMIT 100
), told AS (
	SELECT v.kind, v.at, n.name || '.' || m.name AS metric, c.machine_group, v.effect, v.is_ratio, m.is_exact,
		x.cell_id, b.oid AS base, h.oid AS head, h.subject
	FROM fresh x
	JOIN verdict v ON v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look
	JOIN cell c ON c.id = x.cell_id
	JOIN benchmark n ON n.id = c.benchmark_id
	JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = v.slot AND m.is_headline
	JOIN commit b ON b.id = x.base_id JOIN commit h ON h.id = x.head_id
	ORDER BY v.kind = 'regression' DESC, v.kind = 'improvement' DESC, m.is_exact, v.at DESC LIMIT 12
)
SELECT jsonb_build_object(
	'at', belt_text(clock.at),
	'warnings', (SELECT COALESCE(jsonb_agg(jsonb_build_object('text', text)), '[]') FROM warning),
	'running', (SELECT COALESCE(jsonb_agg(jsonb_build_object(
			'run', r.id, 'url', '/run/' || r.id, 'kind', r.kind, 'benchmark', n.name,
			'commit', left(m.oid, 10), 'commit_url', '/commit/' || m.oid, 'subject', m.subject,
			'machine', b.name, 'machine_url', '/machine/' || replace(b.name, '/', '%2F'),
			'phase', b.phase, 'since', belt_text(b.taken),
			'elapsed_s', extract(epoch FROM clock.at - b.taken)::int,
			'expected_s', expected.s) ORDER BY b.taken), '[]')
		FROM box b
		JOIN run r ON r.cell_id = b.cell_id AND r.id = b.run_id
		JOIN cell c ON c.id = r.cell_id
		JOIN benchmark n ON n.id = c.benchmark_id
		JOIN commit m ON m.id = r.commit_id
		LEFT JOIN LATERAL (
			SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY last.s)::int AS s FROM (
				SELECT extract(epoch FROM p.finished - p.started) AS s FROM run p
				WHERE p.cell_id = r.cell_id AND p.kind = r.kind AND p.state = 'done'
				ORDER BY p.id DESC LIMIT 20) last) expected ON true),
	'queue', jsonb_build_object(
		'nr', (SELECT count(*) FROM run WHERE state = 'queued'),
		'oldest', (SELECT jsonb_build_object('run', id, 'url', '/run/' || id,
			'since', belt_text(created), 'reason', reason) FROM queue)),
	'verdicts', (SELECT COALESCE(jsonb_agg(jsonb_build_object(
			'verdict', kind, 'at', belt_text(at), 'metric', metric, 'group', machine_group,
			'percent', CASE WHEN is_ratio THEN effect * 100 END,
			'commit', left(head, 10), 'subject', subject, 'url',
			'/compare?base=' || base || '&head=' || head || '&cell=' || cell_id)
			ORDER BY kind = 'regression' DESC, kind = 'improvement' DESC, is_exact, at DESC), '[]')
		FROM told),
	'machines', (SELECT COALESCE(jsonb_agg(jsonb_build_object(
			'name', name, 'url', '/machine/' || replace(name, '/', '%2F'), 'group', machine_group,
			'state', state, 'is_away', state = 'away', 'seen', belt_text(seen))
			ORDER BY name), '[]') FROM box),
	'day', jsonb_build_object(
		'commits', (SELECT COALESCE(sum(nr_commits), 0) FROM stack WHERE created > clock.at - interval '1 day'),
		'stacks', (SELECT count(*) FROM stack WHERE created > clock.at - interval '1 day'),
		'runs', (SELECT count(*) FROM run WHERE finished > clock.at - interval '1 day'),
		'lost', (SELECT count(*) FROM event WHERE kind = 'lost' AND at > clock.at - interval '1 day'),
		'mails', (SELECT count(*) FROM mail WHERE created > clock.at - interval '1 day')))
FROM clock;

-- name: page_machines
SELECT jsonb_build_object('machines', COALESCE(jsonb_agg(jsonb_build_object(
	'name', m.name, 'url', '/machine/' || replace(m.name, '/', '%2F'), 'group', m.machine_group,
	'state', CASE WHEN l.id IS NOT NULL THEN 'running'
		WHEN m.seen < belt_now() - interval '2 minutes' THEN 'away' ELSE 'idle' END,
	'is_away', l.id IS NULL AND m.seen < belt_now() - interval '2 minutes',
	'seen', belt_text(m.seen), 'joined', belt_text(m.joined),
	'run', l.run_id, 'run_url', '/run/' || l.run_id, 'phase', l.phase,
	'nr_epochs', (SELECT count(*) FROM machine_epoch e WHERE e.machine_id = m.id),
	'processor', e.fingerprint #>> '{lasting,processor}', 'kernel', e.fingerprint #>> '{lasting,kernel}')
	ORDER BY m.name), '[]'))
FROM machine m
LEFT JOIN machine_epoch e ON e.id = m.epoch_id
LEFT JOIN lease l ON l.machine_id = m.id AND l.state = 'live';

-- name: page_machine
-- $1 name; fingerprints are compared by web/pages/machine.c.
SELECT jsonb_build_object(
	'name', m.name, 'group', m.machine_group, 'seen', belt_text(m.seen), 'joined', belt_text(m.joined),
	'boot_id', m.boot_id, 'has_machine', false,
	'state', CASE WHEN l.id IS NOT NULL THEN 'running'
		WHEN m.seen < belt_now() - interval '2 minutes' THEN 'away' ELSE 'idle' END,
	'lease', CASE WHEN l.id IS NOT NULL THEN jsonb_build_object('run', l.run_id,
		'url', '/run/' || l.run_id, 'phase', l.phase, 'taken', belt_text(l.taken),
		'until', belt_text(l.until)) END,
	'epochs', (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', e.id, 'since', belt_text(e.since),
			'is_present', e.id = m.epoch_id, 'fingerprint', e.fingerprint) ORDER BY e.id DESC), '[]')
		FROM (SELECT * FROM machine_epoch WHERE machine_id = m.id ORDER BY id DESC LIMIT 20) e),
	'runs', (SELECT COALESCE(jsonb_agg(jsonb_build_object('run', r.id, 'url', '/run/' || r.id,
			'kind', r.kind, 'state', r.state, 'is_failed', r.state IN ('failed', 'lost'),
			'reason', r.reason, 'benchmark', n.name, 'commit', left(k.oid, 10),
			'commit_url', '/commit/' || k.oid, 'started', belt_text(r.started)) ORDER BY r.id DESC), '[]')
		FROM (SELECT * FROM run WHERE machine_id = m.id ORDER BY id DESC LIMIT 50) r
		JOIN cell c ON c.id = r.cell_id JOIN benchmark n ON n.id = c.benchmark_id
		JOIN commit k ON k.id = r.commit_id))
FROM machine m LEFT JOIN lease l ON l.machine_id = m.id AND l.state = 'live'
WHERE m.name = $1;

-- name: page_repositories
SELECT jsonb_build_object('repositories', COALESCE(jsonb_agg(jsonb_build_object(
	'id', r.id, 'name', r.name, 'address', r.url, 'base', r.base, 'branches', r.branches,
	'jobs', r.jobs, 'group', r.machine_group, 'budget_s', r.budget_s, 'mail', r.mail,
	'state', r.state, 'is_unreachable', r.state = 'unreachable', 'reason', r.reason,
	'last_poll', belt_text(r.last_poll), 'next_poll',
	CASE WHEN isfinite(r.next_poll) THEN belt_text(r.next_poll) END,
	'nr_stacks', (SELECT count(*) FROM stack s WHERE s.repository_id = r.id),
	'nr_tests', (SELECT count(s.test) FROM stack s WHERE s.repository_id = r.id),
	'nr_discoveries', (SELECT count(*) FROM stack s WHERE s.repository_id = r.id AND s.is_discovery),
	'series_url', '/series?tree=' || r.id,
	'heads', (SELECT COALESCE(jsonb_agg(jsonb_build_object('ref', h.ref, 'commit',
			CASE WHEN h.state <> 'refused' THEN left(h.oid, 10) END, 'commit_url',
			(SELECT '/commit/' || m.oid FROM commit m WHERE m.oid = h.oid AND h.state <> 'refused'),
			'state', h.state, 'is_live', h.state = 'live',
			'reason', h.reason, 'moved', belt_text(h.moved)) ORDER BY h.moved DESC, h.id), '[]')
		FROM (SELECT * FROM head WHERE repository_id = r.id ORDER BY moved DESC, id LIMIT 50) h))
	ORDER BY r.state = 'removed', r.name), '[]'))
FROM repository r;
