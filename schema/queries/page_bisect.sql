-- SPDX-License-Identifier: GPL-2.0-or-later
-- Bisections.  Each statement gives one document; web/pages/bisect.c says in words what it holds.

-- name: page_bisect_list
-- $1 state (NULL: all), $2 only ids below this (NULL: from the newest)
WITH page AS (
	SELECT * FROM bisection WHERE ($1::text IS NULL OR state::text = $1) AND ($2::bigint IS NULL OR id < $2)
	ORDER BY id DESC LIMIT 50
)
SELECT jsonb_build_object(
	'bisections', (SELECT COALESCE(jsonb_agg(jsonb_build_object(
		'id', p.id, 'url', '/bisect/' || p.id, 'series', s.id, 'series_url', '/series/' || s.id,
		'tree', r.name, 'ref', s.ref, 'version', s.version, 'nr_between', s.nr_commits,
		'metric', n.name || '.' || m.name, 'group', c.machine_group, 'state', p.state, 'reason', p.reason,
		'is_busy', p.state IN ('open', 'confirming'), 'nr_runs', p.nr_runs, 'nr_commits', p.nr_commits,
		'budget', p.budget, 'expected', p.expected, 'p', p.p, 'commit', left(k.oid, 10), 'subject', k.subject,
		'commit_url', '/commit/' || k.oid, 'created', belt_text(p.created)) ORDER BY p.id DESC), '[]')
		FROM page p JOIN stack s ON s.id = p.stack_id JOIN repository r ON r.id = s.repository_id
		JOIN cell c ON c.id = p.cell_id JOIN benchmark n ON n.id = c.benchmark_id
		JOIN metric m ON m.benchmark_id = n.id AND m.slot = p.slot
		LEFT JOIN commit k ON k.id = p.culprit_id),
	'state', $1::text,
	'before', (SELECT CASE WHEN count(*) = 50 THEN min(id) END FROM page));

-- name: page_bisect
-- $1 bisection.  A row a commit that was asked for or is suspected, at most 300 of them; what lies
-- between is one row a range.  Runs that came after its end are none of its evidence.
WITH own AS (
	SELECT z.*, x.base_id, x.head_id, s.ref, s.version, s.state AS series_state, s.repository_id,
		r.name AS tree, n.name AS benchmark, m.name AS metric, m.unit, m.better, c.machine_group,
		c.identity -> 'params' AS params, c.build_hash
	FROM bisection z JOIN stack s ON s.id = z.stack_id JOIN repository r ON r.id = s.repository_id
	JOIN comparison x ON x.cell_id = z.cell_id AND x.id = z.comparison_id
	JOIN cell c ON c.id = z.cell_id JOIN benchmark n ON n.id = c.benchmark_id
	JOIN metric m ON m.benchmark_id = n.id AND m.slot = z.slot WHERE z.id = $1
), known AS (
	SELECT e.* FROM own o JOIN bisection_run e ON e.bisection_id = o.id
	WHERE e.bisection_id = $1 AND (o.state = 'open' OR e.started <= o.changed)
), machine_of AS (
	SELECT machine_id, row_number() OVER (ORDER BY min(started), machine_id) - 1 AS nr FROM known GROUP BY machine_id
), evidence AS (
	SELECT e.position, count(*) AS nr, avg(e.value) AS mean,
		jsonb_agg(jsonb_build_object('run', e.run_id, 'value', e.value, 'machine', w.nr)
			ORDER BY e.started, e.run_id) AS runs
	FROM known e JOIN machine_of w ON w.machine_id = e.machine_id GROUP BY e.position
), spent AS (
	SELECT r.* FROM block k JOIN run r ON r.cell_id = k.cell_id AND r.block_id = k.id WHERE k.bisection_id = $1
	UNION ALL
	SELECT r.* FROM own o JOIN stack_commit sc ON sc.stack_id = o.stack_id JOIN run r ON r.commit_id = sc.commit_id
		AND r.cell_id = o.cell_id AND r.kind = 'build' AND r.created >= o.created
), waiting AS (
	SELECT commit_id, max(kind::text) AS kind FROM spent WHERE state IN ('queued', 'leased') GROUP BY commit_id
), line AS (
	SELECT sc.position, m.oid, m.subject, m.is_merge, sc.commit_id IN (o.base_id, o.head_id) AS is_end,
		CASE WHEN sc.position > 0 THEN u.p END AS p,
		COALESCE(sc.position = ANY (o.suspects), false) AS is_suspect, e.nr, e.mean, e.runs,
		k.reason AS skipped, k.by_whom, w.kind AS under_way, CASE WHEN k.by_whom IS NULL THEN COALESCE(
			(SELECT b.run_id FROM build b WHERE b.commit_id = k.commit_id AND b.build_hash = o.build_hash
			 AND b.layout = 0 AND b.state = 'failed'),
			(SELECT max(r.id) FROM run r WHERE r.cell_id = o.cell_id AND r.commit_id = k.commit_id
			 AND r.state = 'failed')) END AS failed_id
	FROM own o JOIN stack_commit sc ON sc.stack_id = o.stack_id JOIN commit m ON m.id = sc.commit_id
	LEFT JOIN unnest((SELECT posterior FROM own)) WITH ORDINALITY AS u (p, place) ON u.place = 1 + sc.position
	LEFT JOIN waiting w ON w.commit_id = sc.commit_id
	LEFT JOIN evidence e ON e.position = sc.position
	LEFT JOIN bisection_skip k ON k.bisection_id = o.id AND k.commit_id = sc.commit_id
), ranked AS (
	SELECT *, COALESCE(is_end OR nr > 0 OR skipped IS NOT NULL OR under_way IS NOT NULL OR p >= 0.005, false) AS is_told,
		row_number() OVER (ORDER BY is_end DESC, p >= 0.005 DESC NULLS LAST, nr DESC NULLS LAST, position) AS nth
	FROM line
), shown AS (
	SELECT *, is_told AND nth <= 300 AS is_shown,
		position - row_number() OVER (PARTITION BY is_told AND nth <= 300 ORDER BY position) AS run_of
	FROM ranked
), row_of AS (
	SELECT position, jsonb_build_object('position', position, 'is_base', position = 0, 'commit', left(oid, 10),
		'url', '/commit/' || oid, 'subject', subject, 'is_merge', is_merge, 'p', p, 'is_suspect', is_suspect,
		'nr', COALESCE(nr, 0), 'mean', mean, 'runs', COALESCE(runs, '[]'), 'skipped', skipped, 'by', by_whom,
		'failed_url', '/run/' || failed_id, 'under_way', under_way) AS body
	FROM shown WHERE is_shown
	UNION ALL
	SELECT min(position), jsonb_build_object('is_fold', true, 'position', min(position), 'last', max(position),
		'nr_commits', count(*), 'p', sum(p), 'is_suspect', bool_or(is_suspect))
	FROM shown WHERE NOT is_shown GROUP BY run_of
)
SELECT jsonb_build_object(
	'id', o.id, 'state', o.state, 'is_busy', o.state IN ('open', 'confirming'), 'reason', o.reason,
	'changed_by', o.changed_by, 'created', belt_text(o.created), 'changed', belt_text(o.changed),
	'series', o.stack_id, 'series_url', '/series/' || o.stack_id, 'tree', o.tree, 'ref', o.ref,
	'version', o.version, 'benchmark', o.benchmark, 'metric', o.benchmark || '.' || o.metric, 'unit', o.unit,
	'better', o.better, 'group', o.machine_group, 'params', o.params, 'is_log', o.is_log,
	'ends_url', (SELECT '/compare?base=' || b.oid || '&head=' || h.oid || '&cell=' || o.cell_id
		FROM commit b, commit h WHERE b.id = o.base_id AND h.id = o.head_id),
	'before', o.before, 'after', o.after, 'p', o.p, 'p_none', o.posterior[1], 'expected', o.expected,
	'nr_runs', o.nr_runs, 'nr_commits', o.nr_commits, 'nr_given', o.nr_given, 'budget', o.budget,
	'nr_between', (SELECT max(position) FROM line),
	'nr_unmeasured', NULLIF((SELECT count(*) FROM line) - o.nr_commits, 0), 'nr_suspects', cardinality(o.suspects),
	'narrow_from', o.narrow_from, 'narrow_to', o.narrow_to,
	'nr_machines', (SELECT count(*) FROM machine_of),
	'cost', (SELECT jsonb_build_object('nr_runs', count(*) FILTER (WHERE kind = 'measure' AND state = 'done'),
			'nr_builds', count(*) FILTER (WHERE kind = 'build' AND state = 'done'),
			'nr_failed', count(*) FILTER (WHERE state IN ('failed', 'lost')),
			'machine_s', COALESCE(round(sum(extract(epoch FROM finished - started))), 0)::int) FROM spent),
	'culprit', (SELECT jsonb_build_object('commit', left(k.oid, 10), 'url', '/commit/' || k.oid,
			'subject', k.subject, 'author', k.author_name, 'against', left(b.oid, 10), 'compare_url',
			'/compare?base=' || b.oid || '&head=' || k.oid || '&cell=' || o.cell_id)
		FROM commit k LEFT JOIN commit b ON b.id = o.parent_id WHERE k.id = o.culprit_id),
	'revert', o.revert, 'revert_reason', o.revert_reason,
	'revert_url', (SELECT '/compare?base=' || h.oid || '&head=' || v.oid || '&cell=' || o.cell_id
		FROM commit h, commit v WHERE h.id = o.head_id AND v.id = o.revert_id AND o.revert_comparison_id IS NOT NULL),
	'finding', (SELECT jsonb_build_object('verdict', f.kind, 'state', f.state, 'reason', f.reason,
			'mail', l.id, 'mail_url', '/mail/' || l.id)
		FROM finding f LEFT JOIN mail l ON l.finding_id = COALESCE(f.told_with, f.id)
		WHERE CASE WHEN o.culprit_id IS NULL THEN f.bisection_id = o.id
			ELSE f.id = (SELECT finding_id FROM bisection_finding WHERE bisection_id = o.id) END
		ORDER BY f.id DESC LIMIT 1),
	'struck', (SELECT COALESCE(jsonb_agg(jsonb_build_object('commit', left(k.oid, 10), 'url', '/commit/' || k.oid,
			'subject', k.subject, 'said', u.said, 'by', u.by_whom, 'reason', u.reason, 'at', belt_text(u.at),
			'mail', l.id, 'mail_url', '/mail/' || l.id) ORDER BY u.at), '[]')
		FROM bisection_struck u JOIN commit k ON k.id = u.commit_id
		LEFT JOIN finding f ON f.stack_id = o.stack_id AND f.cell_id = o.cell_id AND f.commit_id = u.commit_id
			AND f.role = 'parent' AND f.about = 'metric'
		LEFT JOIN mail l ON l.finding_id = COALESCE(f.told_with, f.id) AND l.state <> 'suppressed'
		WHERE u.bisection_id = o.id),
	'rows', (SELECT COALESCE(jsonb_agg(body ORDER BY position), '[]') FROM row_of),
	'events', (SELECT COALESCE(jsonb_agg(jsonb_build_object('at', belt_text(e.at), 'detail', e.detail)
			ORDER BY e.id DESC), '[]')
		FROM (SELECT * FROM event WHERE bisection_id = o.id ORDER BY id DESC LIMIT 100) e))
FROM own o;
