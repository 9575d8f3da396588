-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: stack_cancel_runs
-- Takes back the queued work that only dead stacks asked for.
WITH dead AS (
	UPDATE comparison x SET state = 'cancelled', reason = 'superseded'
	WHERE x.state IN ('waiting', 'measuring', 'deciding') AND NOT EXISTS (
		SELECT FROM stack_comparison l JOIN stack s ON s.id = l.stack_id
		WHERE l.cell_id = x.cell_id AND l.comparison_id = x.id
		AND s.state IN ('new', 'building', 'measuring'))
	RETURNING x.cell_id, x.id
), void AS (
	UPDATE block b SET state = 'void', reason = 'superseded' FROM dead d
	WHERE b.cell_id = d.cell_id AND b.comparison_id = d.id AND b.state = 'open'
	RETURNING b.cell_id, b.id
), unwanted AS (
	UPDATE want w SET state = 'cancelled' FROM dead d
	WHERE w.cell_id = d.cell_id AND w.comparison_id = d.id AND w.state = 'open'
	RETURNING w.id
)
UPDATE run r SET state = 'cancelled', reason = 'cancelled: superseded' FROM void v
WHERE r.cell_id = v.cell_id AND r.block_id = v.id AND r.state = 'queued';
