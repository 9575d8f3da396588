-- SPDX-License-Identifier: GPL-2.0-or-later
-- What a version of a series may risk: lib/stats/wealth.h.
ALTER TABLE stack
	ADD test int,				-- number in its repository; NULL: nothing was to be confirmed
	ADD level float8,			-- that its confirmations share
	ADD is_discovery bool,			-- something was told
	ADD UNIQUE (repository_id, test);

CREATE INDEX stack_by_base ON stack (base_id);
