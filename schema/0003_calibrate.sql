-- SPDX-License-Identifier: GPL-2.0-or-later
-- Why two commits are compared, and comparisons of a commit with itself.

CREATE TYPE comparison_purpose AS ENUM (
	'discover',		-- did it change?
	'confirm',		-- on fresh builds and runs, before anybody is told
	'calibrate',		-- a commit with itself, on one build
	'rebuild'		-- a commit with itself, on a build of its own for each side
);
ALTER TABLE comparison
	ADD purpose comparison_purpose NOT NULL DEFAULT 'discover',
	ADD round int NOT NULL DEFAULT 1,	-- counts those of the same commits and purpose
	DROP CONSTRAINT comparison_cell_id_base_id_head_id_key,
	ADD UNIQUE (cell_id, base_id, head_id, purpose, round);

-- A comparison of a commit with itself, by purpose of the same image or of a neutral rebuild.
CREATE TABLE calibration (
	cell_id bigint NOT NULL,
	comparison_id bigint NOT NULL,
	planned timestamptz NOT NULL,
	ended timestamptz,
	ratios float8[],			-- of its metrics: lib/stats/calibrate.h
	PRIMARY KEY (cell_id, comparison_id)
);
CREATE INDEX calibration_by_end ON calibration (ended);

-- By what standard errors are multiplied; the newest counts for comparisons that begin after it.
CREATE TABLE calibration_factor (
	benchmark_id bigint NOT NULL REFERENCES benchmark,
	machine_group text NOT NULL,
	at timestamptz NOT NULL,
	nr int NOT NULL,			-- metric comparisons that it comes from
	factor float8 NOT NULL CHECK (factor >= 1),
	PRIMARY KEY (benchmark_id, machine_group, at)
);

-- Of a comparison of a commit with itself the commits do not tell the sides.
ALTER TABLE run ADD is_head bool;		-- NULL: a build
UPDATE run r SET is_head = r.commit_id = x.head_id
FROM block b JOIN comparison x ON x.cell_id = b.cell_id AND x.id = b.comparison_id
WHERE b.cell_id = r.cell_id AND b.id = r.block_id;
