-- SPDX-License-Identifier: GPL-2.0-or-later
-- How metrics varied between builds of one commit, as metric_noise between runs.
CREATE TABLE build_noise (
	cell_id bigint NOT NULL,
	slot int NOT NULL,
	day date NOT NULL,
	squares float8 NOT NULL,		-- less what runs add: may be below zero
	df float8 NOT NULL,
	PRIMARY KEY (cell_id, slot, day)
);
