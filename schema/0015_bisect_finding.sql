-- SPDX-License-Identifier: GPL-2.0-or-later
-- What a bisection found, to be confirmed.  The bisections of two metrics may find the same commit, which
-- is one finding; finding.bisection_id is the one that found it first.
CREATE VIEW bisection_finding AS
SELECT z.id AS bisection_id, f.id AS finding_id
FROM bisection z JOIN finding f ON f.stack_id = z.stack_id AND f.cell_id = z.cell_id
	AND f.commit_id = z.culprit_id AND f.role = 'parent' AND f.about = 'metric';

-- What a bisection said, until an operator knew better.
CREATE TABLE bisection_struck (
	bisection_id bigint NOT NULL REFERENCES bisection,
	commit_id bigint NOT NULL REFERENCES commit,	-- the culprit; of a set, its last
	said text,					-- its reason then
	by_whom text NOT NULL,
	reason text NOT NULL,
	at timestamptz NOT NULL
);
CREATE INDEX bisection_struck_of ON bisection_struck (bisection_id);

ALTER TABLE bisection
	DROP CONSTRAINT bisection_stack_id_cell_id_key,
	ADD UNIQUE (stack_id, cell_id, slot);
