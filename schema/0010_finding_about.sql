-- SPDX-License-Identifier: GPL-2.0-or-later
-- A commit may be slower and fail more often, too: two findings, one of which may not be confirmed.

CREATE TYPE finding_about AS ENUM ('metric', 'failure');

ALTER TABLE finding
	ADD about finding_about NOT NULL DEFAULT 'metric',
	ADD told_with bigint REFERENCES finding,	-- the one whose mail tells this one, too; NULL: its own does
	DROP CONSTRAINT finding_stack_id_commit_id_role_cell_id_key,
	ADD UNIQUE (stack_id, commit_id, role, cell_id, about);

-- Until now there was a failure's only where no headline metric had moved.
UPDATE finding f SET about = 'failure'
FROM comparison x JOIN cell c ON c.id = x.cell_id
WHERE x.cell_id = f.cell_id AND x.id = f.comparison_id AND f.confirmation_id IS NULL
AND EXISTS (SELECT FROM failure_verdict v WHERE v.cell_id = x.cell_id AND v.comparison_id = x.id)
AND NOT EXISTS (
	SELECT FROM verdict v JOIN metric m ON m.benchmark_id = c.benchmark_id AND m.slot = v.slot AND m.is_headline
	WHERE v.cell_id = x.cell_id AND v.comparison_id = x.id AND v.look = x.look
	AND v.kind IN ('regression', 'improvement'));
