-- SPDX-License-Identifier: GPL-2.0-or-later
-- Nobody is told of what was found before it was found again, on fresh builds and in fresh runs.

-- A commit is built in more than one way: 0 the usual one, 1 a fresh one, 2 a fresh one with its
-- code moved.
ALTER TABLE build
	ADD layout int NOT NULL DEFAULT 0,
	DROP CONSTRAINT build_commit_id_build_hash_key,
	ADD UNIQUE (commit_id, build_hash, layout);

ALTER TABLE block ADD layout int NOT NULL DEFAULT 0;	-- of the base's build

ALTER TABLE comparison ADD nr_blocks int;		-- fixed before it began; NULL: it is looked at in between

-- The builds that comparisons need, there or not.
CREATE VIEW comparison_build AS
SELECT x.cell_id, x.id AS comparison_id, c.build_hash, n.layout, n.is_head,
	CASE WHEN n.is_head THEN x.head_id ELSE x.base_id END AS commit_id
FROM comparison x
JOIN cell c ON c.id = x.cell_id
JOIN (VALUES
	('discover'::comparison_purpose, false, 0), ('discover', true, 0),
	('confirm', false, 1), ('confirm', true, 1), ('confirm', false, 2), ('confirm', true, 2),
	('calibrate', false, 0), ('calibrate', true, 0),
	('rebuild', false, 1), ('rebuild', true, 2)) AS n (purpose, is_head, layout) ON n.purpose = x.purpose;

ALTER TYPE stack_state ADD VALUE 'confirming' BEFORE 'done';
DROP INDEX stack_live;
CREATE INDEX stack_live ON stack (id) WHERE state NOT IN ('done', 'superseded', 'refused');

ALTER TYPE finding_state ADD VALUE 'unconfirmed' BEFORE 'new';
ALTER TABLE finding ADD confirmation_id bigint;		-- the comparison that confirms; NULL: not begun
DROP INDEX finding_new;
CREATE INDEX finding_open ON finding (id) WHERE state NOT IN ('reported', 'suppressed');
CREATE INDEX finding_by_confirmation ON finding (cell_id, confirmation_id);
