-- SPDX-License-Identifier: GPL-2.0-or-later
-- Bookkeeping of migrations: must exist before any of them.
CREATE TABLE IF NOT EXISTS schema_version (
	version int PRIMARY KEY,
	name text NOT NULL,
	hash text NOT NULL			-- SHA-256 of the migration's text
);
