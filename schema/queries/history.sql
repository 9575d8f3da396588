-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: noise_add
-- Adds what a comparison said of today's noise: $1 cell, $2 slots, $3 squares, $4 degrees of freedom.
INSERT INTO metric_noise AS known (cell_id, slot, day, squares, df)
SELECT $1, n.slot, (belt_now() AT TIME ZONE 'UTC')::date, n.squares, n.df
FROM unnest($2::int[], $3::float8[], $4::float8[]) AS n (slot, squares, df)
ON CONFLICT (cell_id, slot, day) DO UPDATE SET
	squares = known.squares + EXCLUDED.squares, df = known.df + EXCLUDED.df;

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
