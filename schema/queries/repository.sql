-- SPDX-License-Identifier: GPL-2.0-or-later

-- name: repository_store
-- A tree of the configuration: $1 name, $2 url, $3 base, $4 branch globs, $5 jobs, $6 group,
-- $7 budget in seconds, $8 mail mode.  A changed tree is polled at once.
INSERT INTO repository AS old (name, url, base, branches, jobs, machine_group, budget_s, mail)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (name) DO UPDATE SET
	url = EXCLUDED.url, base = EXCLUDED.base, branches = EXCLUDED.branches,
	jobs = EXCLUDED.jobs, machine_group = EXCLUDED.machine_group,
	budget_s = EXCLUDED.budget_s, mail = EXCLUDED.mail,
	state = CASE WHEN old.state = 'removed' THEN 'idle' ELSE old.state END,
	next_poll = '-infinity'
WHERE old.state = 'removed' OR
	(old.url, old.base, old.branches, old.jobs, old.machine_group, old.budget_s, old.mail)
	IS DISTINCT FROM
	(EXCLUDED.url, EXCLUDED.base, EXCLUDED.branches, EXCLUDED.jobs, EXCLUDED.machine_group,
	 EXCLUDED.budget_s, EXCLUDED.mail);

-- name: repository_remove_others
-- Those that the configuration names no more; what was measured stays.  $1 names that stay.
UPDATE repository SET state = 'removed', reason = 'no longer in the configuration'
WHERE NOT name = ANY ($1::text[]) AND state <> 'removed';
