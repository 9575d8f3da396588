-- SPDX-License-Identifier: GPL-2.0-or-later
-- The page of a series counts what its runs lost.
CREATE INDEX lease_expired ON lease (run_id) WHERE state = 'expired';
