-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: noise_add
-- Adds what a comparison said of today's noise: $1 cell, $2 slots, $3 squares, $4 degrees of freedom.
INSERT INTO metric_noise AS known (cell_id, slot, day, squares, df)
SELECT $1, n.slot, (belt_now() AT TIME ZONE 'UTC')::date, n.squares, n.df
FROM unnest($2::int[], $3::float8[], $4::float8[]) AS n (slot, squares, df)
ON CONFLICT (cell_id, slot, day) DO UPDATE SET
	squares = known.squares + EXCLUDED.squares, df = known.df + EXCLUDED.df;

-- name: build_noise_add
-- The same of what it said of builds: $1 cell, $2 slots, $3 squares, $4 degrees of freedom.
INSERT INTO build_noise AS known (cell_id, slot, day, squares, df)
SELECT $1, n.slot, (belt_now() AT TIME ZONE 'UTC')::date, n.squares, n.df
FROM unnest($2::int[], $3::float8[], $4::float8[]) AS n (slot, squares, df)
ON CONFLICT (cell_id, slot, day) DO UPDATE SET
	squares = known.squares + EXCLUDED.squares, df = known.df + EXCLUDED.df;

-- name: build_noise
-- What a year before a comparison began knows of builds: of each metric of its benchmark, on all of
-- the benchmark's cells, and of all its metrics together but the exact ones: $1 cell, $2 comparison.
WITH begun AS (
	SELECT (COALESCE(min(r.created), belt_now()) AT TIME ZONE 'UTC')::date AS day
	FROM block b JOIN run r ON r.cell_id = b.cell_id AND r.block_id = b.id
	WHERE b.cell_id = $1 AND b.comparison_id = $2
), own AS (
	SELECT m.slot, m.is_exact, COALESCE(sum(n.squares), 0) AS squares, COALESCE(sum(n.df), 0) AS df
	FROM begun JOIN cell c ON c.id = $1 JOIN metric m ON m.benchmark_id = c.benchmark_id
	JOIN cell o ON o.benchmark_id = c.benchmark_id
	LEFT JOIN build_noise n ON n.cell_id = o.id AND n.slot = m.slot AND n.day < begun.day
		AND n.day >= begun.day - 365
	GROUP BY m.slot, m.is_exact
)
SELECT slot, squares, df,
	CASE WHEN is_exact THEN 0 ELSE sum(squares) FILTER (WHERE NOT is_exact) OVER () END AS family_squares,
	CASE WHEN is_exact THEN 0 ELSE sum(df) FILTER (WHERE NOT is_exact) OVER () END AS family_df
FROM own;

-- name: base_levels
-- Where main was before a comparison began, as far as its base is one of main: ln(level) of each
-- headline metric at the last twenty bases of the same repositories (of forty that may not all have
-- been measured here), and of this base itself as measured beside other heads: $1 cell, $2 comparison.
WITH own AS (
	SELECT x.base_id, x.head_id, COALESCE((SELECT min(r.created)
		FROM block b JOIN run r ON r.cell_id = b.cell_id AND r.block_id = b.id
		WHERE b.cell_id = x.cell_id AND b.comparison_id = x.id), belt_now()) AS begun
	FROM comparison x WHERE x.cell_id = $1 AND x.id = $2
), tree AS (
	SELECT DISTINCT s.repository_id FROM own JOIN stack s ON s.base_id = own.base_id
), base AS (
	SELECT s.base_id, max(s.id) AS newest FROM tree JOIN stack s ON s.repository_id = tree.repository_id
	GROUP BY s.base_id ORDER BY newest DESC LIMIT 40
), line AS (
	SELECT b.base_id, b.newest, v.slot, avg(ln(v.base)) AS level
	FROM own CROSS JOIN base b
	JOIN comparison x ON x.cell_id = $1 AND x.base_id = b.base_id AND x.state = 'done'
		AND (x.base_id <> own.base_id OR x.head_id <> own.head_id)
	JOIN verdict v ON v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look
		AND v.at < own.begun AND v.base > 0
	JOIN cell c ON c.id = x.cell_id
	JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = v.slot AND m.is_headline AND NOT m.is_exact
	GROUP BY b.base_id, b.newest, v.slot
), ranked AS (
	SELECT l.*, row_number() OVER (PARTITION BY l.slot ORDER BY l.newest DESC) AS rank
	FROM line l, own WHERE l.base_id <> own.base_id
)
SELECT r.slot, array_agg(r.level ORDER BY r.rank) AS levels,
	(SELECT l.level FROM line l, own WHERE l.base_id = own.base_id AND l.slot = r.slot) AS own
FROM ranked r WHERE r.rank <= 20 GROUP BY r.slot;

-- name: main_history
-- The levels of main by themselves, whoever stood on it and whenever they were measured: of each
-- headline metric, at each base of the same repositories as this comparison's, oldest first, the
-- newest 500; and how many of them are older than this base: $1 cell, $2 comparison.
WITH own AS (
	SELECT base_id FROM comparison WHERE cell_id = $1 AND id = $2
), tree AS (
	SELECT DISTINCT s.repository_id FROM own JOIN stack s ON s.base_id = own.base_id
), line AS (
	SELECT x.base_id, v.slot, avg(v.base) AS level, min(x.id) AS place
	FROM comparison x
	JOIN verdict v ON v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look AND v.base > 0
	JOIN cell c ON c.id = x.cell_id
	JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = v.slot AND m.is_headline
	WHERE x.cell_id = $1 AND x.state = 'done' AND EXISTS (SELECT FROM stack s
		JOIN tree t ON t.repository_id = s.repository_id WHERE s.base_id = x.base_id)
	GROUP BY x.base_id, v.slot
), ranked AS (
	SELECT l.*, row_number() OVER (PARTITION BY l.slot ORDER BY l.place DESC) AS rank,
		l.place < COALESCE((SELECT o.place FROM line o, own WHERE o.base_id = own.base_id
			AND o.slot = l.slot), $2) AS is_older
	FROM line l
)
SELECT r.slot, array_agg(r.level ORDER BY r.place) AS levels, array_agg(b.oid ORDER BY r.place) AS commits,
	count(*) FILTER (WHERE r.is_older) AS older
FROM ranked r JOIN commit b ON b.id = r.base_id WHERE r.rank <= 500 GROUP BY r.slot;

-- name: noise_days
-- The days before a comparison began, by slot: $1 cell, $2 comparison.  What comes later changes
-- nothing, so that each look and each who looks again is told the same.
WITH begun AS (
	SELECT (COALESCE(min(r.created), belt_now()) AT TIME ZONE 'UTC')::date AS day
	FROM block b JOIN run r ON r.cell_id = b.cell_id AND r.block_id = b.id
	WHERE b.cell_id = $1 AND b.comparison_id = $2
)
SELECT n.slot, array_agg(n.squares ORDER BY n.day) AS squares, array_agg(n.df ORDER BY n.day) AS df
FROM begun JOIN metric_noise n ON n.cell_id = $1 AND n.day < begun.day AND n.day >= begun.day - 90
GROUP BY n.slot;
