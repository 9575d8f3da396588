-- SPDX-License-Identifier: GPL-2.0-or-later
-- An operator may say between which commits the culprit is: positions in the stack, the first of them
-- still without it.
ALTER TABLE bisection
	ADD narrow_from int,
	ADD narrow_to int,
	ADD CHECK (num_nulls(narrow_from, narrow_to) IN (0, 2)),
	ADD CHECK (narrow_from < narrow_to);
