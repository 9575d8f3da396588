-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: page_calibration
-- What comparisons of a commit with itself named in the last half year, which were false alarms, by
-- purpose, over all benchmarks and for each.  Also what came of them: the factors of standard
-- errors, and the latest comparisons.
WITH judged AS (
	SELECT x.cell_id, x.id, x.purpose, k.ended, c.benchmark_id, c.machine_group, x.base_id,
		count(*) FILTER (WHERE v.kind IN ('regression', 'improvement', 'no-change', 'cannot-resolve'))
			AS nr_metrics,
		count(*) FILTER (WHERE v.kind IN ('regression', 'improvement')) AS nr_named,
		COALESCE(bool_or(v.kind IN ('regression', 'improvement') AND m.is_headline), false) AS is_named
	FROM calibration k
	JOIN comparison x ON x.cell_id = k.cell_id AND x.id = k.comparison_id
	JOIN cell c ON c.id = x.cell_id
	JOIN verdict v ON v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look
	JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = v.slot
	WHERE k.ended > belt_now() - interval '180 days'
	GROUP BY x.cell_id, x.id, x.purpose, k.ended, c.benchmark_id, c.machine_group, x.base_id
), rate AS (
	SELECT purpose, benchmark_id, count(*) AS nr, count(*) FILTER (WHERE is_named) AS hits,
		sum(nr_metrics) AS nr_metrics, sum(nr_named) AS nr_named
	FROM judged GROUP BY GROUPING SETS ((purpose), (purpose, benchmark_id))
)
SELECT jsonb_build_object(
	'rates', (SELECT COALESCE(jsonb_agg(jsonb_build_object(
			'what', CASE r.purpose WHEN 'calibrate' THEN 'same image' ELSE 'neutral rebuild' END,
			'benchmark', b.name,
			'jobs', jsonb_build_object('hits', r.hits, 'nr', r.nr),
			'metrics', jsonb_build_object('hits', r.nr_named, 'nr', r.nr_metrics))
			ORDER BY r.purpose, b.name NULLS FIRST), '[]')
		FROM rate r LEFT JOIN benchmark b ON b.id = r.benchmark_id),
	'factors', (SELECT COALESCE(jsonb_agg(jsonb_build_object(
			'benchmark', b.name, 'group', f.machine_group, 'at', belt_text(f.at), 'nr', f.nr,
			'factor', f.factor) ORDER BY b.name, f.machine_group), '[]')
		FROM (SELECT DISTINCT ON (benchmark_id, machine_group) * FROM calibration_factor
			ORDER BY benchmark_id, machine_group, at DESC) f
		JOIN benchmark b ON b.id = f.benchmark_id),
	'latest', (SELECT COALESCE(jsonb_agg(jsonb_build_object(
			'what', CASE j.purpose WHEN 'calibrate' THEN 'same image' ELSE 'neutral rebuild' END,
			'at', belt_text(j.ended), 'benchmark', b.name, 'group', j.machine_group,
			'commit', left(m.oid, 10), 'subject', m.subject,
			'url', '/compare?base=' || m.oid || '&head=' || m.oid || '&cell=' || j.cell_id,
			'metrics', j.nr_metrics, 'named', j.nr_named) ORDER BY j.ended DESC), '[]')
		FROM (SELECT * FROM judged ORDER BY ended DESC LIMIT 50) j
		JOIN benchmark b ON b.id = j.benchmark_id JOIN commit m ON m.id = j.base_id));
