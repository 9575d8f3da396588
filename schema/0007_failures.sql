-- SPDX-License-Identifier: GPL-2.0-or-later
-- A failure that head has more often than base is a finding as a change of a metric is.

CREATE TABLE failure_verdict (
	cell_id bigint NOT NULL,
	comparison_id bigint NOT NULL,
	reason text NOT NULL,			-- word of the vocabulary
	base_fails int NOT NULL,
	base_runs int NOT NULL,
	head_fails int NOT NULL,
	head_runs int NOT NULL,
	belief float8 NOT NULL,			-- that head's rate is the higher one
	at timestamptz NOT NULL,
	PRIMARY KEY (cell_id, comparison_id, reason)
);
