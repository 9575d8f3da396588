-- SPDX-License-Identifier: GPL-2.0-or-later
-- What cannot be done for now waits its turn and says why, so that what is behind it goes on.

ALTER TABLE finding
	ADD nr_tries int NOT NULL DEFAULT 0,	-- that failed, for the backoff
	ADD next_try timestamptz NOT NULL DEFAULT '-infinity';
ALTER TABLE mail
	ADD nr_tries int NOT NULL DEFAULT 0,
	ADD next_try timestamptz NOT NULL DEFAULT '-infinity';

-- Which worker goes by a machine's name: two with one name would take each other's lease.
ALTER TABLE machine ADD instance text;		-- from its state folder; NULL: it did not say

-- Who did not listen cannot say that others were silent.  One row.
CREATE TABLE attendance (
	is_only bool PRIMARY KEY DEFAULT true CHECK (is_only),
	at timestamptz NOT NULL,		-- when dispatch looked last, in real time: without skew
	since timestamptz NOT NULL DEFAULT '-infinity'		-- from when on it looks without a gap
);
INSERT INTO attendance (at) SELECT belt_now() - skew FROM belt_clock;
