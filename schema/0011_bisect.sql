-- SPDX-License-Identifier: GPL-2.0-or-later
-- Bisection.  Its evidence is every run of its cell at a commit of its stack, whoever asked for it: it is
-- found by that and not copied.  What else the engine (lib/stats/bisect.h) has to be told stands in the
-- row, so that whoever replays it is answered the same.

ALTER TYPE bisection_state ADD VALUE 'confirming' BEFORE 'concluded';
ALTER TYPE bisection_state ADD VALUE 'unchanged' BEFORE 'unmeasurable';

-- Of the commit that was found, taken back on the tip.
CREATE TYPE bisection_revert AS ENUM (
	'recovered',		-- the value is back
	'not-recovered',
	'not-applied',		-- it conflicts with later commits, or a set was found
	'not-measured'		-- it does not build, or its runs failed
);

DELETE FROM bisection;				-- wishes of before that nobody could fulfil
ALTER TABLE bisection
	-- what is asked
	ADD comparison_id bigint NOT NULL,	-- of base and tip: what is to be explained
	ADD slot int NOT NULL,			-- the metric that drives it
	ADD is_log bool NOT NULL,		-- values are logarithms to it
	ADD sd float8 NOT NULL,			-- of a run, on that scale
	ADD sd_df float8 NOT NULL,		-- of what is known of it; 0: a guess
	ADD smallest float8 NOT NULL,		-- the least step that counts, in sd
	ADD build_cost float8 NOT NULL,		-- in runs
	ADD budget int NOT NULL,		-- runs, with those that were there
	ADD nr_given int NOT NULL,		-- runs that were there when it was opened
	-- what came of it, as of the last look
	ADD nr_runs int NOT NULL DEFAULT 0,
	ADD nr_commits int NOT NULL DEFAULT 0,	-- that these are of
	ADD expected float8,			-- runs still to come, about
	ADD posterior float8[],			-- [1]: nothing changed; [1 + position]: that commit did it
	ADD p float8,				-- of what is said: of the culprit or set, or of no change
	ADD suspects int[],			-- positions of the set, of the culprit alone, or none
	ADD before float8,			-- fitted levels, in the metric's unit
	ADD after float8,
	ADD culprit_id bigint REFERENCES commit,	-- of a set, its last
	ADD parent_id bigint REFERENCES commit,		-- the nearest before it that builds
	ADD revert bisection_revert,
	ADD revert_reason text,
	ADD revert_id bigint REFERENCES commit,		-- the tip with the culprit taken back
	ADD revert_comparison_id bigint,		-- of the tip with that
	ADD changed_by text,			-- the operator who moved it last; NULL: the belt did
	ADD changed timestamptz NOT NULL,	-- its state
	ALTER reason DROP NOT NULL;
CREATE INDEX bisection_busy ON bisection (id)
	WHERE state NOT IN ('concluded', 'inconclusive', 'unmeasurable', 'stopped', 'invalidated');
CREATE INDEX bisection_by_revert ON bisection (revert_id);

-- Commits that are not asked for again.
CREATE TABLE bisection_skip (
	bisection_id bigint NOT NULL REFERENCES bisection,
	commit_id bigint NOT NULL REFERENCES commit,
	reason text NOT NULL,
	by_whom text,				-- an operator; NULL: it does not build, or does not run
	at timestamptz NOT NULL,
	PRIMARY KEY (bisection_id, commit_id)
);

-- A bisection's block is one run, on the machine that it was asked of.
ALTER TABLE block
	ALTER comparison_id DROP NOT NULL,
	ADD bisection_id bigint,
	ADD CHECK (num_nonnulls(comparison_id, bisection_id) = 1);
CREATE INDEX block_by_bisection ON block (bisection_id) WHERE bisection_id IS NOT NULL;

ALTER TABLE finding ADD bisection_id bigint REFERENCES bisection;	-- that found it; NULL: a comparison did

ALTER TABLE event ADD bisection_id bigint;
CREATE INDEX event_by_bisection ON event (bisection_id, id) WHERE bisection_id IS NOT NULL;

-- The tip with the tip less a commit: both have their usual builds.
ALTER TYPE comparison_purpose ADD VALUE 'revert';
CREATE OR REPLACE VIEW comparison_build AS
SELECT x.cell_id, x.id AS comparison_id, c.build_hash, n.layout, n.is_head,
	CASE WHEN n.is_head THEN x.head_id ELSE x.base_id END AS commit_id
FROM comparison x
JOIN cell c ON c.id = x.cell_id
JOIN (VALUES
	('discover', false, 0), ('discover', true, 0),
	('confirm', false, 1), ('confirm', true, 1), ('confirm', false, 2), ('confirm', true, 2),
	('revert', false, 0), ('revert', true, 0),
	('calibrate', false, 0), ('calibrate', true, 0),
	('rebuild', false, 1), ('rebuild', true, 2)) AS n (purpose, is_head, layout)
	ON n.purpose = x.purpose::text;
