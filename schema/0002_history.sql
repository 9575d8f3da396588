-- SPDX-License-Identifier: GPL-2.0-or-later
-- What is learnt from comparisons that are done, for those to come.

-- How metrics varied between runs of one commit in one block, added up by day: lib/stats/noise.h.
CREATE TABLE metric_noise (
	cell_id bigint NOT NULL,
	slot int NOT NULL,
	day date NOT NULL,			-- UTC, on which the comparisons were done
	squares float8 NOT NULL,		-- of distances of ln(value) from the mean of their group
	df float8 NOT NULL,
	PRIMARY KEY (cell_id, slot, day)
);
