-- SPDX-License-Identifier: GPL-2.0-or-later
-- Stacks and commits.  Each statement gives one document.  What a comparison looks like is decided by
-- web/pages/sight.c from its facts: {state, reason, runs, verdicts}.

-- name: page_series_list
-- $1 repository (NULL: all), $2 state (NULL: all), $3 only ids below this (NULL: from the newest)
WITH page AS (
	SELECT s.* FROM stack s
	WHERE ($1::bigint IS NULL OR s.repository_id = $1) AND ($2::text IS NULL OR s.state::text = $2)
	AND ($3::bigint IS NULL OR s.id < $3)
	ORDER BY s.id DESC LIMIT 50
)
SELECT jsonb_build_object(
	'series', (SELECT COALESCE(jsonb_agg(jsonb_build_object(
		'id', p.id, 'url', '/series/' || p.id, 'tree', r.name, 'ref', p.ref, 'version', p.version,
		'base', left(b.oid, 10), 'tip', left(t.oid, 10), 'subject', t.subject,
		'nr_commits', p.nr_commits, 'state', p.state, 'reason', p.reason,
		'is_busy', p.state IN ('new', 'building', 'measuring', 'confirming'), 'created', belt_text(p.created),
		'nr_regressions', (SELECT NULLIF(count(*), 0) FROM finding f WHERE f.stack_id = p.id AND f.kind = 'regression'),
		'nr_improvements', (SELECT NULLIF(count(*), 0) FROM finding f WHERE f.stack_id = p.id AND f.kind = 'improvement'))
		ORDER BY p.id DESC), '[]')
		FROM page p JOIN repository r ON r.id = p.repository_id
		JOIN commit b ON b.id = p.base_id JOIN commit t ON t.id = p.tip_id),
	'tree', (SELECT jsonb_build_object('id', id, 'name', name) FROM repository WHERE id = $1),
	'state', $2::text,
	'before', (SELECT CASE WHEN count(*) = 50 THEN min(id) END FROM page));

-- name: page_series
-- $1 stack.  The grid has a row a commit, base first, and a column a cell.
WITH own AS (
	SELECT s.*, r.name AS tree FROM stack s JOIN repository r ON r.id = s.repository_id WHERE s.id = $1
), col AS (
	SELECT k.cell_id, row_number() OVER (ORDER BY n.name, c.machine_group, k.cell_id) AS nr,
		n.name AS benchmark, c.machine_group, c.identity -> 'params' AS params, c.build_hash
	FROM stack_cell k JOIN cell c ON c.id = k.cell_id JOIN benchmark n ON n.id = c.benchmark_id
	WHERE k.stack_id = $1 ORDER BY nr LIMIT 100
), fact AS (
	SELECT l.position, l.role, l.cell_id, l.nr_between, x.state, x.reason, x.id, jsonb_build_object(
		'state', CASE WHEN x.state = 'waiting' AND EXISTS (SELECT FROM want w
				WHERE w.cell_id = x.cell_id AND w.comparison_id = x.id AND w.state = 'open')
			THEN 'wanted' ELSE x.state::text END,
		'reason', x.reason, 'nr_between', l.nr_between,
		'url', '/compare?base=' || b.oid || '&head=' || h.oid || '&cell=' || x.cell_id,
		'runs', (SELECT jsonb_build_object(
				'nr_ended', count(*) FILTER (WHERE r.state IN ('finished', 'done', 'failed')),
				'nr_running', count(*) FILTER (WHERE r.state = 'leased'),
				'nr', count(*) FILTER (WHERE r.state <> 'cancelled'))
			FROM block k JOIN run r ON r.cell_id = k.cell_id AND r.block_id = k.id
			WHERE k.cell_id = x.cell_id AND k.comparison_id = x.id AND k.state <> 'void'),
		'verdicts', (SELECT COALESCE(jsonb_agg(jsonb_build_object('metric', n.name || '.' || m.name,
				'verdict', v.kind, 'is_headline', m.is_headline, 'is_exact', m.is_exact,
				'reason', v.reason,
				'percent', CASE WHEN v.is_ratio THEN v.effect * 100 END) ORDER BY v.slot), '[]')
			FROM verdict v JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = v.slot
			WHERE v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look
			AND (m.is_headline OR v.kind IN ('regression', 'improvement')))) AS facts
	FROM stack_comparison l
	JOIN comparison x ON x.cell_id = l.cell_id AND x.id = l.comparison_id
	JOIN cell c ON c.id = x.cell_id JOIN benchmark n ON n.id = c.benchmark_id
	JOIN commit b ON b.id = x.base_id JOIN commit h ON h.id = x.head_id
	WHERE l.stack_id = $1
), line AS (
	SELECT sc.position, m.id AS commit_id, m.oid, m.subject FROM stack_commit sc
	JOIN commit m ON m.id = sc.commit_id WHERE sc.stack_id = $1 ORDER BY sc.position LIMIT 200
), spent AS (
	SELECT r.id, r.cell_id, r.kind, r.state, r.commit_id FROM line i JOIN run r ON r.commit_id = i.commit_id
	JOIN stack_cell k ON k.stack_id = $1 AND k.cell_id = r.cell_id WHERE i.position > 0
)
SELECT jsonb_build_object(
	'id', o.id, 'tree', o.tree, 'tree_url', '/series?tree=' || o.repository_id, 'ref', o.ref,
	'cumulative_url', '/series/' || o.id || '/cumulative',
	'versions_url', CASE WHEN o.version > 1 THEN '/series/' || o.id || '/versions' END,
	'version', o.version, 'nr_commits', o.nr_commits, 'is_ends_only', o.is_ends_only, 'state', o.state,
	'inner', CASE WHEN EXISTS (SELECT FROM fact WHERE reason LIKE 'inner commits not measured%')
			OR (o.is_ends_only AND o.state IN ('confirming', 'done')
				AND NOT EXISTS (SELECT FROM bisection z WHERE z.stack_id = o.id))
		THEN 'not measured' END,
	'is_busy', o.state IN ('new', 'building', 'measuring', 'confirming'),
	'reason', o.reason, 'estimate_s', o.estimate_s, 'created', belt_text(o.created),
	'finished', belt_text(o.finished), 'test', o.test, 'level', o.level,
	'level_percent', round((100 * o.level)::numeric, 4),
	'base', (SELECT jsonb_build_object('commit', left(oid, 10), 'url', '/commit/' || oid,
		'subject', subject, 'nr_sharing', (SELECT NULLIF(count(DISTINCT s.ref), 0) FROM stack s
			WHERE s.repository_id = o.repository_id AND s.base_id = o.base_id AND s.ref <> o.ref
			AND s.state <> 'refused'))
		FROM commit WHERE id = o.base_id),
	'tip', (SELECT jsonb_build_object('commit', left(oid, 10), 'url', '/commit/' || oid,
		'subject', subject, 'author', author_name) FROM commit WHERE id = o.tip_id),
	'versions', (SELECT jsonb_agg(jsonb_build_object('version', s.version, 'url', '/series/' || s.id,
			'state', s.state, 'is_this', s.id = o.id) ORDER BY s.version)
		FROM (SELECT * FROM stack WHERE repository_id = o.repository_id AND ref = o.ref
			ORDER BY version DESC LIMIT 20) s),
	'columns', (SELECT COALESCE(jsonb_agg(jsonb_build_object('cell', cell_id, 'benchmark', benchmark,
		'group', machine_group, 'params', params) ORDER BY nr), '[]') FROM col),
	'rows', (SELECT COALESCE(jsonb_agg(jsonb_build_object(
			'position', i.position, 'is_base', i.position = 0, 'commit', left(i.oid, 10),
			'url', '/commit/' || i.oid, 'subject', i.subject,
			'cells', (SELECT COALESCE(jsonb_agg(COALESCE(f.facts, '{}') || jsonb_build_object('build',
					(SELECT jsonb_build_object('state', b.state, 'reason', b.reason,
						'run_url', '/run/' || b.run_id)
					 FROM build b WHERE b.commit_id = i.commit_id AND b.build_hash = col.build_hash
						AND b.layout = 0))
					ORDER BY col.nr), '[]')
				FROM col LEFT JOIN fact f ON f.cell_id = col.cell_id AND f.position = i.position
					AND f.role = 'parent')) ORDER BY i.position), '[]')
		FROM line i),
	'ends', (SELECT CASE WHEN bool_or(f.facts IS NOT NULL) THEN
			jsonb_agg(COALESCE(f.facts, '{}') ORDER BY col.nr) END
		FROM col LEFT JOIN fact f ON f.cell_id = col.cell_id AND f.role = 'tip'),
	'findings', (SELECT COALESCE(jsonb_agg(jsonb_build_object('verdict', f.kind, 'about', f.about,
			'is_failure', f.about = 'failure', 'commit', left(m.oid, 10),
			'commit_url', '/commit/' || m.oid, 'subject', m.subject, 'state', f.state, 'reason', f.reason,
			'is_whole', f.role = 'tip', 'mail', l.id, 'mail_url', '/mail/' || l.id, 'url',
			'/compare?base=' || b.oid || '&head=' || m.oid || '&cell=' || f.cell_id, 'benchmark', n.name)
			ORDER BY f.kind, f.id), '[]')
		FROM finding f JOIN commit m ON m.id = f.commit_id
		JOIN comparison x ON x.cell_id = f.cell_id AND x.id = f.comparison_id
		JOIN commit b ON b.id = x.base_id
		JOIN cell c ON c.id = f.cell_id JOIN benchmark n ON n.id = c.benchmark_id
		LEFT JOIN mail l ON l.finding_id = COALESCE(f.told_with, f.id) WHERE f.stack_id = o.id),
	'bisections', (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', z.id, 'url', '/bisect/' || z.id,
			'metric', n.name || '.' || t.name, 'state', z.state, 'reason', z.reason) ORDER BY z.id), '[]')
		FROM bisection z JOIN cell c ON c.id = z.cell_id JOIN benchmark n ON n.id = c.benchmark_id
		JOIN metric t ON t.benchmark_id = n.id AND t.slot = z.slot WHERE z.stack_id = o.id),
	'failures', (SELECT COALESCE(jsonb_agg(jsonb_build_object('commit', left(w.oid, 10), 'commit_url',
			'/commit/' || w.oid, 'subject', w.subject, 'kind', w.kind, 'reason', w.reason, 'nr', w.nr,
			'url', '/run/' || w.run_id) ORDER BY w.position, w.reason), '[]')
		FROM (SELECT i.position, i.oid, i.subject, r.kind, f.reason, count(*) AS nr, max(r.id) AS run_id
			FROM spent r JOIN line i ON i.commit_id = r.commit_id
			JOIN failure f ON f.cell_id = r.cell_id AND f.run_id = r.id AND NOT f.is_infrastructure
			GROUP BY i.position, i.oid, i.subject, r.kind, f.reason) w),
	'infrastructure', (SELECT jsonb_build_object('nr', sum(nr),
			'reasons', jsonb_agg(jsonb_build_object('reason', reason, 'nr', nr) ORDER BY nr DESC, reason))
		FROM (SELECT w.reason, count(*) AS nr FROM (
			SELECT f.reason FROM spent r JOIN failure f ON f.cell_id = r.cell_id AND f.run_id = r.id
				AND f.is_infrastructure WHERE r.state = 'failed'
			UNION ALL
			SELECT 'lost' FROM spent r JOIN lease e ON e.run_id = r.id AND e.state = 'expired') w
			GROUP BY w.reason) n HAVING count(*) > 0),
	'mails', (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', l.id, 'url', '/mail/' || l.id,
			'subject', l.subject, 'state', l.state, 'mode', l.mode, 'reason', l.reason) ORDER BY l.id), '[]')
		FROM mail l WHERE l.stack_id = o.id),
	'events', (SELECT COALESCE(jsonb_agg(jsonb_build_object('at', belt_text(e.at), 'kind', e.kind,
			'detail', e.detail) ORDER BY e.id DESC), '[]')
		FROM (SELECT * FROM event WHERE stack_id = o.id ORDER BY id DESC LIMIT 30) e))
FROM own o;

-- name: page_cumulative
-- What surrounds the joint fits of stack $1: its cells, or of them the one $2.  How many blocks stand
-- behind each, and by what kind of comparison.
SELECT jsonb_build_object('id', s.id, 'url', '/series/' || s.id, 'tree', r.name, 'ref', s.ref,
	'version', s.version, 'state', s.state, 'nr_commits', s.nr_commits,
	'is_busy', s.state IN ('new', 'building', 'measuring', 'confirming'),
	'cells', (SELECT COALESCE(jsonb_agg(jsonb_build_object('cell', c.id, 'benchmark', n.name,
			'group', c.machine_group, 'params', c.identity -> 'params',
			'nr_blocks', (SELECT count(*) FROM block b WHERE b.cell_id = c.id AND b.state = 'done'
				AND b.comparison_id IN (SELECT l.comparison_id FROM stack_comparison l
					WHERE l.stack_id = s.id AND l.cell_id = c.id)))
			ORDER BY n.name, c.machine_group, c.id), '[]')
		FROM stack_cell k JOIN cell c ON c.id = k.cell_id JOIN benchmark n ON n.id = c.benchmark_id
		WHERE k.stack_id = s.id AND ($2::bigint IS NULL OR c.id = $2)))
FROM stack s JOIN repository r ON r.id = s.repository_id WHERE s.id = $1;

-- name: page_versions
-- What surrounds stack $1 beside stack $2 of the same repository (NULL: the version before it): the
-- cells that both are measured on.
SELECT jsonb_build_object('id', s.id, 'url', '/series/' || s.id, 'tree', r.name, 'ref', s.ref,
	'version', s.version, 'name', 'v' || s.version, 'state', s.state,
	'is_busy', s.state IN ('new', 'building', 'measuring', 'confirming'), 'is_one_base', s.base_id = o.base_id,
	'old', jsonb_build_object('id', o.id, 'url', '/series/' || o.id, 'ref', o.ref,
		'version', o.version, 'name', CASE WHEN o.ref = s.ref THEN '' ELSE o.ref || ' ' END || 'v' || o.version),
	'cells', (SELECT COALESCE(jsonb_agg(jsonb_build_object('cell', c.id, 'benchmark', n.name,
			'group', c.machine_group, 'params', c.identity -> 'params')
			ORDER BY n.name, c.machine_group, c.id), '[]')
		FROM stack_cell k JOIN stack_cell j ON j.cell_id = k.cell_id AND j.stack_id = o.id
		JOIN cell c ON c.id = k.cell_id JOIN benchmark n ON n.id = c.benchmark_id
		WHERE k.stack_id = s.id))
FROM stack s JOIN repository r ON r.id = s.repository_id
JOIN stack o ON o.repository_id = s.repository_id AND o.id <> s.id
	AND o.id = COALESCE($2, (SELECT b.id FROM stack b WHERE b.repository_id = s.repository_id
		AND b.ref = s.ref AND b.version < s.version ORDER BY b.version DESC LIMIT 1))
WHERE s.id = $1;

-- name: commit_match
-- The commits whose names begin with the digits $1, at most eleven.
SELECT oid FROM commit WHERE oid >= $1 AND oid < $1 || 'g' ORDER BY oid LIMIT 11;

-- name: page_commit
-- $1 full name
WITH own AS (
	SELECT * FROM commit WHERE oid = $1
)
SELECT jsonb_build_object(
	'commit', o.oid, 'short', left(o.oid, 10), 'subject', o.subject, 'message', o.message,
	'author', o.author_name, 'author_time', belt_text(o.author_time),
	'is_merge', o.is_merge, 'is_docs_only', o.is_docs_only, 'has_machine', true,
	'stacks', (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', s.id, 'url', '/series/' || s.id,
			'tree', r.name, 'ref', s.ref, 'version', s.version, 'position', s.position,
			'is_base', s.position = 0, 'nr_commits', s.nr_commits, 'state', s.state) ORDER BY s.id DESC), '[]')
		FROM (SELECT s.*, sc.position FROM stack_commit sc JOIN stack s ON s.id = sc.stack_id
			WHERE sc.commit_id = o.id ORDER BY s.id DESC LIMIT 20) s
		JOIN repository r ON r.id = s.repository_id),
	'builds', (SELECT COALESCE(jsonb_agg(jsonb_build_object('state', b.state,
			'is_failed', b.state = 'failed', 'reason', b.reason, 'layout', b.layout,
			'is_fresh', b.layout > 0, 'artefact', left(b.artefact, 12),
			'toolchain', b.toolchain, 'wall_s', b.wall_s, 'run', b.run_id, 'run_url', '/run/' || b.run_id)
			ORDER BY b.id), '[]')
		FROM (SELECT * FROM build WHERE commit_id = o.id ORDER BY id LIMIT 50) b),
	'comparisons', (SELECT COALESCE(jsonb_agg(jsonb_build_object('is_head', x.head_id = o.id,
			'purpose', x.purpose, 'other', left(m.oid, 10), 'other_subject', m.subject, 'benchmark', n.name,
			'group', c.machine_group, 'params', c.identity -> 'params', 'state', x.state, 'reason', x.reason,
			'url', '/compare?base=' || CASE WHEN x.head_id = o.id THEN m.oid ELSE o.oid END ||
				'&head=' || CASE WHEN x.head_id = o.id THEN o.oid ELSE m.oid END || '&cell=' || x.cell_id,
			'runs', '{}'::jsonb,
			'verdicts', (SELECT COALESCE(jsonb_agg(jsonb_build_object('metric', n.name || '.' || t.name,
					'verdict', v.kind, 'is_headline', t.is_headline, 'is_exact', t.is_exact,
					'reason', v.reason,
					'percent', CASE WHEN v.is_ratio THEN v.effect * 100 END) ORDER BY v.slot), '[]')
				FROM verdict v JOIN metric t ON t.benchmark_id = c.benchmark_id AND t.slot = v.slot
				WHERE v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look
				AND (t.is_headline OR v.kind IN ('regression', 'improvement'))))
			ORDER BY x.head_id = o.id DESC, n.name, x.cell_id, x.id), '[]')
		FROM (SELECT x.* FROM job j JOIN comparison x ON x.cell_id = j.cell_id
			AND o.id IN (x.head_id, x.base_id) AND x.head_id <> x.base_id
			WHERE j.commit_id = o.id ORDER BY x.id DESC LIMIT 100) x
		JOIN cell c ON c.id = x.cell_id JOIN benchmark n ON n.id = c.benchmark_id
		JOIN commit m ON m.id = CASE WHEN x.head_id = o.id THEN x.base_id ELSE x.head_id END),
	'runs', (SELECT COALESCE(jsonb_agg(jsonb_build_object('run', r.id, 'url', '/run/' || r.id,
			'kind', r.kind, 'state', r.state, 'is_failed', r.state IN ('failed', 'lost'),
			'reason', r.reason, 'benchmark', n.name, 'machine', b.name, 'commit', NULL,
			'started', belt_text(r.started)) ORDER BY r.id DESC), '[]')
		FROM (SELECT * FROM run WHERE commit_id = o.id ORDER BY id DESC LIMIT 100) r
		JOIN cell c ON c.id = r.cell_id JOIN benchmark n ON n.id = c.benchmark_id
		LEFT JOIN machine b ON b.id = r.machine_id))
FROM own o;
