-- SPDX-License-Identifier: GPL-2.0-or-later
-- The evidence of a bisection, in the order of time: every counted run on the usual builds of its commits;
-- of one commit in one epoch of a machine the newest 40.
CREATE VIEW bisection_run AS
SELECT bisection_id, run_id, position, commit_id, machine_id, epoch_id, boot_id, started, value
FROM (SELECT z.id AS bisection_id, r.id AS run_id, sc.position, r.commit_id, r.machine_id, r.epoch_id, r.boot_id,
		r.started, r.value[z.slot] AS value,
		row_number() OVER (PARTITION BY z.id, r.commit_id, r.epoch_id ORDER BY r.started DESC, r.id DESC) AS age
	FROM bisection z
	JOIN cell c ON c.id = z.cell_id
	JOIN stack_commit sc ON sc.stack_id = z.stack_id
	JOIN run r ON r.commit_id = sc.commit_id AND r.cell_id = z.cell_id AND r.kind = 'measure'
		AND r.state = 'done' AND NOT r.is_warmup AND r.value[z.slot] IS NOT NULL
	JOIN block k ON k.cell_id = r.cell_id AND k.id = r.block_id AND k.state = 'done'
	JOIN build b ON b.id = r.build_id AND b.layout = 0 AND b.build_hash = c.build_hash) runs
WHERE age <= 40
ORDER BY bisection_id, started, run_id;
