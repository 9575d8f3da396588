-- SPDX-License-Identifier: GPL-2.0-or-later
-- Runs, comparisons and mails.  Each page_ statement gives one document.

-- name: page_runs
-- $1 state (NULL: any), $2 only ids below this (NULL: from the newest).  A rare state is looked for among
-- so many runs at a time, and the next page goes on below them.
WITH near AS (
	SELECT * FROM run WHERE $2::bigint IS NULL OR id < $2 ORDER BY id DESC LIMIT 10000
), page AS (
	SELECT * FROM near WHERE $1::text IS NULL OR state::text = $1 ORDER BY id DESC LIMIT 50
)
SELECT jsonb_build_object(
	'runs', (SELECT COALESCE(jsonb_agg(jsonb_build_object('run', r.id, 'url', '/run/' || r.id,
		'kind', r.kind, 'state', r.state, 'is_failed', r.state IN ('failed', 'lost'),
		'is_cancelled', r.state = 'cancelled', 'reason', r.reason, 'benchmark', n.name,
		'commit', left(m.oid, 10), 'commit_url', '/commit/' || m.oid, 'machine', b.name,
		'created', belt_text(r.created), 'started', belt_text(r.started),
		'finished', belt_text(r.finished)) ORDER BY r.id DESC), '[]')
		FROM page r JOIN cell c ON c.id = r.cell_id JOIN benchmark n ON n.id = c.benchmark_id
		JOIN commit m ON m.id = r.commit_id LEFT JOIN machine b ON b.id = r.machine_id),
	'has_machine', true, 'state', $1::text,
	'before', CASE WHEN (SELECT count(*) FROM page) = 50 THEN (SELECT min(id) FROM page)
		WHEN (SELECT count(*) FROM near) = 10000 THEN (SELECT min(id) FROM near) END);

-- name: page_run
-- $1 run
SELECT jsonb_build_object(
	'run', r.id, 'kind', r.kind, 'is_build', r.kind = 'build', 'state', r.state, 'reason', r.reason,
	'is_failed', r.state IN ('failed', 'lost'), 'is_live', r.state = 'leased',
	'attempt', r.attempt, 'is_warmup', r.is_warmup,
	'benchmark', n.name, 'group', r.machine_group, 'params', c.identity -> 'params',
	'commit', left(m.oid, 10), 'commit_url', '/commit/' || m.oid, 'subject', m.subject,
	'machine', b.name, 'machine_url', '/machine/' || replace(b.name, '/', '%2F'),
	'epoch', r.epoch_id, 'boot_id', r.boot_id, 'block', r.block_id, 'position', r.position,
	'phase', l.phase,
	'steps', jsonb_build_array(
		jsonb_build_object('name', 'queued', 'at', belt_text(r.created), 'is_past', true),
		jsonb_build_object('name', 'leased', 'at', belt_text(r.started), 'is_past', r.started IS NOT NULL),
		jsonb_build_object('name', CASE WHEN r.state IN ('queued', 'leased', 'finished') THEN 'ended'
			ELSE r.state::text END, 'at', belt_text(r.finished), 'is_past', r.finished IS NOT NULL)),
	'metrics', (SELECT COALESCE(jsonb_agg(jsonb_build_object('metric', n.name || '.' || t.name,
			'value', r.value[t.slot], 'unit', t.unit, 'is_headline', t.is_headline)
			ORDER BY NOT t.is_headline, t.slot), '[]')
		FROM metric t WHERE t.benchmark_id = c.benchmark_id AND r.value[t.slot] IS NOT NULL),
	'failure', (SELECT jsonb_build_object('reason', f.reason, 'detail', f.detail,
			'is_infrastructure', f.is_infrastructure, 'at', belt_text(f.at), 'excerpt', f.excerpt)
		FROM failure f WHERE f.cell_id = r.cell_id AND f.run_id = r.id),
	'files', (SELECT COALESCE(jsonb_agg(jsonb_build_object('name', a.name, 'size_bytes', a.size_bytes,
			'hash', a.hash, 'url', '/run/' || r.id || '/file/' || a.name) ORDER BY a.name), '[]')
		FROM (SELECT * FROM artefact WHERE cell_id = r.cell_id AND run_id = r.id ORDER BY name LIMIT 500) a),
	'siblings', (SELECT COALESCE(jsonb_agg(jsonb_build_object('run', o.id, 'url', '/run/' || o.id,
			'position', o.position, 'state', o.state, 'is_this', o.id = r.id, 'commit', left(k.oid, 10),
			'is_failed', o.state IN ('failed', 'lost')) ORDER BY o.position, o.id), '[]')
		FROM (SELECT * FROM run WHERE cell_id = r.cell_id AND block_id = r.block_id ORDER BY id LIMIT 50) o
		JOIN commit k ON k.id = o.commit_id),
	'reproduce_url', '/run/' || r.id || '/reproduce.sh')
FROM run r
JOIN cell c ON c.id = r.cell_id
JOIN benchmark n ON n.id = c.benchmark_id
JOIN commit m ON m.id = r.commit_id
LEFT JOIN machine b ON b.id = r.machine_id
LEFT JOIN lease l ON l.run_id = r.id AND l.state = 'live'
WHERE r.id = $1;

-- name: run_file
-- $1 run, $2 name of a file that it stored
SELECT a.hash, a.size_bytes FROM run r JOIN artefact a ON a.cell_id = r.cell_id AND a.run_id = r.id
WHERE r.id = $1 AND a.name = $2;

-- name: run_recipe
-- What is needed to do run $1 again by hand.
SELECT jsonb_build_object('run', r.id, 'kind', r.kind, 'benchmark', n.name, 'commit', m.oid,
	'subject', m.subject, 'params', c.identity -> 'params', 'recipe', c.recipe,
	'address', (SELECT p.url FROM stack_commit sc JOIN stack s ON s.id = sc.stack_id
		JOIN repository p ON p.id = s.repository_id
		WHERE sc.commit_id = r.commit_id ORDER BY s.id DESC LIMIT 1),
	'ref', (SELECT s.ref FROM stack_commit sc JOIN stack s ON s.id = sc.stack_id
		WHERE sc.commit_id = r.commit_id ORDER BY s.id DESC LIMIT 1))
FROM run r
JOIN cell c ON c.id = r.cell_id
JOIN benchmark n ON n.id = c.benchmark_id
JOIN commit m ON m.id = r.commit_id
WHERE r.id = $1;

-- name: compare_match
-- The comparisons of two commits: $1 base, $2 head, $3 cell (NULL: all); at most seventeen.
SELECT x.cell_id, x.id
FROM comparison x JOIN commit b ON b.id = x.base_id JOIN commit h ON h.id = x.head_id
JOIN cell c ON c.id = x.cell_id JOIN benchmark n ON n.id = c.benchmark_id
WHERE b.oid = $1 AND h.oid = $2 AND ($3::bigint IS NULL OR x.cell_id = $3)
ORDER BY n.name, x.cell_id, x.id DESC LIMIT 17;

-- name: page_compare
-- What surrounds the table of comparison $2 on cell $1.
SELECT jsonb_build_object(
	'cell', c.id, 'benchmark', n.name, 'group', c.machine_group, 'params', c.identity -> 'params',
	'state', x.state, 'reason', x.reason, 'look', x.look, 'id', x.id, 'purpose', x.purpose,
	'is_confirmation', x.purpose = 'confirm',
	'other', (SELECT o.id FROM comparison o WHERE o.cell_id = x.cell_id AND o.base_id = x.base_id
		AND o.head_id = x.head_id AND o.round = x.round AND o.purpose =
		CASE x.purpose WHEN 'confirm' THEN 'discover' WHEN 'discover' THEN 'confirm'::comparison_purpose END),
	'is_done', x.state = 'done', 'is_busy', x.state NOT IN ('done', 'cancelled'),
	'progress', (SELECT jsonb_build_object(
			'nr_ended', count(*) FILTER (WHERE r.state IN ('finished', 'done', 'failed')), 'nr', count(*))
		FROM block k JOIN run r ON r.cell_id = k.cell_id AND r.block_id = k.id AND r.state <> 'cancelled'
		WHERE k.cell_id = x.cell_id AND k.comparison_id = x.id AND k.state <> 'void' HAVING count(*) > 0),
	'environments', (SELECT COALESCE(jsonb_agg(jsonb_build_object('machine', e.name,
			'machine_url', '/machine/' || replace(e.name, '/', '%2F'), 'epoch', e.epoch_id,
			'nr_blocks', e.nr) ORDER BY e.name, e.epoch_id), '[]')
		FROM (SELECT b.name, k.epoch_id, count(*) AS nr FROM block k JOIN machine b ON b.id = k.machine_id
			WHERE k.cell_id = x.cell_id AND k.comparison_id = x.id AND k.state = 'done'
			GROUP BY b.name, k.epoch_id) e),
	'stacks', (SELECT COALESCE(jsonb_agg(DISTINCT jsonb_build_object('id', s.id, 'url', '/series/' || s.id,
			'ref', s.ref, 'version', s.version)), '[]')
		FROM stack s WHERE s.id IN (SELECT l.stack_id FROM stack_comparison l
			WHERE l.cell_id = x.cell_id AND l.comparison_id = x.id
			UNION SELECT f.stack_id FROM finding f
			WHERE f.cell_id = x.cell_id AND f.confirmation_id = x.id)),
	'runs', (SELECT COALESCE(jsonb_agg(jsonb_build_object('run', r.id, 'url', '/run/' || r.id,
			'is_head', r.is_head, 'commit', left(m.oid, 10), 'block', r.block_id,
			'position', r.position, 'state', r.state, 'is_failed', r.state IN ('failed', 'lost'),
			'reason', r.reason, 'machine', b.name) ORDER BY r.block_id, r.position, r.id), '[]')
		FROM (SELECT r.* FROM block k JOIN run r ON r.cell_id = k.cell_id AND r.block_id = k.id
			WHERE k.cell_id = x.cell_id AND k.comparison_id = x.id ORDER BY r.id LIMIT 200) r
		JOIN commit m ON m.id = r.commit_id LEFT JOIN machine b ON b.id = r.machine_id))
FROM comparison x JOIN cell c ON c.id = x.cell_id JOIN benchmark n ON n.id = c.benchmark_id
WHERE x.cell_id = $1 AND x.id = $2;

-- name: page_mails
-- $1 only ids below this (NULL: from the newest)
WITH page AS (
	SELECT * FROM mail WHERE $1::bigint IS NULL OR id < $1 ORDER BY id DESC LIMIT 50
)
SELECT jsonb_build_object(
	'mails', (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', p.id, 'url', '/mail/' || p.id,
		'subject', p.subject, 'state', p.state, 'is_suppressed', p.state = 'suppressed', 'mode', p.mode,
		'reason', p.reason, 'created', belt_text(p.created), 'nr_recipients', jsonb_array_length(p.recipients),
		'series', p.stack_id, 'series_url', '/series/' || p.stack_id) ORDER BY p.id DESC), '[]') FROM page p),
	'before', (SELECT CASE WHEN count(*) = 50 THEN min(id) END FROM page));

-- name: page_mail
-- $1 mail
SELECT jsonb_build_object('id', l.id, 'subject', l.subject, 'state', l.state, 'mode', l.mode,
	'is_dry_run', l.mode = 'dry-run', 'reason', l.reason, 'message_id', l.message_id,
	'recipients', l.recipients, 'body', l.body, 'file', l.file, 'created', belt_text(l.created),
	'written', belt_text(l.written), 'series', l.stack_id, 'series_url', '/series/' || l.stack_id,
	'verdict', f.kind, 'commit', left(m.oid, 10), 'commit_url', '/commit/' || m.oid,
	'commit_subject', m.subject, 'url',
	'/compare?base=' || b.oid || '&head=' || m.oid || '&cell=' || f.cell_id)
FROM mail l JOIN finding f ON f.id = l.finding_id
JOIN commit m ON m.id = f.commit_id
JOIN comparison x ON x.cell_id = f.cell_id AND x.id = f.comparison_id
JOIN commit b ON b.id = x.base_id
WHERE l.id = $1;
