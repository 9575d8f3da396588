-- SPDX-License-Identifier: GPL-2.0-or-later
-- The whole model.  State is rows: what a process knows and a row does not say is lost by design.
--
-- cell_id is the distribution column: it stands in every key of the tables that grow with the
-- number of runs (job, comparison, block, run, artefact, failure, verdict, want), so that a
-- PostgreSQL-protocol cluster can spread them.  No foreign key leaves those tables except to small
-- ones.  Enum types hold the words of daemon/states.c in the same order; a test compares them.

-- time ---------------------------------------------------------------------------------------

-- One row.  `sim` moves the offset; nothing else ever does.
CREATE TABLE belt_clock (
	is_only bool PRIMARY KEY DEFAULT true CHECK (is_only),
	skew interval NOT NULL DEFAULT interval '0'
);
INSERT INTO belt_clock DEFAULT VALUES;

-- The one clock of the belt: every time in these tables comes from it.
CREATE FUNCTION belt_now() RETURNS timestamptz LANGUAGE sql STABLE AS
$$ SELECT clock_timestamp() + skew FROM belt_clock $$;

-- RFC 3339 with whole seconds, the form of every time in a document.
CREATE FUNCTION belt_text(moment timestamptz) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') $$;

-- what is watched ----------------------------------------------------------------------------

CREATE TYPE repository_state AS ENUM ('idle', 'unreachable', 'removed');
CREATE TYPE mail_mode AS ENUM ('dry-run', 'on');

CREATE TABLE repository (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name text NOT NULL UNIQUE,
	url text NOT NULL,
	base text NOT NULL,			-- branch that stacks stand on, "main"
	branches text[] NOT NULL,		-- globs over branch names
	jobs text[] NOT NULL,			-- names of folders under jobs/
	machine_group text NOT NULL,
	budget_s bigint NOT NULL,		-- machine seconds that one stack may cost
	mail mail_mode NOT NULL,
	state repository_state NOT NULL DEFAULT 'idle',
	reason text,				-- why it is unreachable
	nr_failures int NOT NULL DEFAULT 0,	-- in a row, for the backoff
	next_poll timestamptz NOT NULL DEFAULT '-infinity',
	last_poll timestamptz			-- the last that succeeded
);

CREATE TYPE head_state AS ENUM ('live', 'missing', 'gone', 'refused');

CREATE TABLE head (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	repository_id bigint NOT NULL REFERENCES repository,
	ref text NOT NULL,			-- without refs/heads/; as bytes cleaned for display where refused
	oid text NOT NULL CHECK (oid ~ '^[0-9a-f]{40}$'),
	state head_state NOT NULL DEFAULT 'live',
	reason text,
	nr_missing int NOT NULL DEFAULT 0,	-- polls in a row without it
	is_new bool NOT NULL DEFAULT true,	-- the series stage has not looked at this oid yet
	seen timestamptz NOT NULL,
	moved timestamptz NOT NULL,
	UNIQUE (repository_id, ref)
);
CREATE INDEX head_new ON head (repository_id, id) WHERE is_new AND state = 'live';

CREATE TABLE commit (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	oid text NOT NULL UNIQUE CHECK (oid ~ '^[0-9a-f]{40}$'),
	author_name text NOT NULL,
	author_email text NOT NULL,		-- cleaned; '' where it is not an address
	author_time timestamptz,		-- NULL where the commit's own is absurd
	subject text NOT NULL,			-- cleaned, at most 1000 bytes
	message text NOT NULL,			-- cleaned, at most 64 KiB
	is_merge bool NOT NULL,
	is_docs_only bool NOT NULL
);

-- A stack is a base and the commits on it, as they were at one moment.
CREATE TYPE stack_state AS ENUM ('new', 'building', 'measuring', 'done', 'superseded', 'refused');

CREATE TABLE stack (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	repository_id bigint NOT NULL REFERENCES repository,
	ref text NOT NULL,
	version int NOT NULL,			-- counts the stacks of a ref from 1
	base_id bigint NOT NULL REFERENCES commit,
	tip_id bigint NOT NULL REFERENCES commit,
	nr_commits int NOT NULL,		-- base..tip, also where only the ends are tested
	is_ends_only bool NOT NULL,		-- over 128 commits: base, tip and a bisection
	state stack_state NOT NULL DEFAULT 'new',
	reason text,
	estimate_s bigint,			-- machine seconds, told before they are spent
	created timestamptz NOT NULL,
	finished timestamptz,
	UNIQUE (repository_id, ref, version)
);
CREATE INDEX stack_live ON stack (id) WHERE state IN ('new', 'building', 'measuring');

CREATE TABLE stack_commit (
	stack_id bigint NOT NULL REFERENCES stack,
	position int NOT NULL,			-- 0: the base
	commit_id bigint NOT NULL REFERENCES commit,
	PRIMARY KEY (stack_id, position)
);
CREATE INDEX stack_commit_by_commit ON stack_commit (commit_id);

-- machines -----------------------------------------------------------------------------------

CREATE TABLE token (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	hash bytea NOT NULL UNIQUE,		-- SHA-256 of the token; the token itself is nowhere
	scope text NOT NULL CHECK (scope IN ('worker', 'admin')),
	note text NOT NULL,
	created timestamptz NOT NULL,
	used timestamptz,
	is_revoked bool NOT NULL DEFAULT false
);

CREATE TABLE machine (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name text NOT NULL UNIQUE,
	machine_group text NOT NULL,
	token_id bigint NOT NULL REFERENCES token,
	epoch_id bigint,			-- the present one
	boot_id text,
	joined timestamptz NOT NULL,
	seen timestamptz NOT NULL
);

-- An epoch is a stretch of time in which a machine's environment did not change.
CREATE TABLE machine_epoch (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	machine_id bigint NOT NULL REFERENCES machine,
	hash text NOT NULL,			-- of the fingerprint's lasting part
	fingerprint jsonb NOT NULL,
	since timestamptz NOT NULL
);
CREATE INDEX machine_epoch_by_machine ON machine_epoch (machine_id, id);

-- what is measured ---------------------------------------------------------------------------

CREATE TABLE benchmark (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name text NOT NULL UNIQUE
);

-- Slots are append-only: position in run.value.  A rename is a new slot.
CREATE TABLE metric (
	benchmark_id bigint NOT NULL REFERENCES benchmark,
	slot int NOT NULL CHECK (slot BETWEEN 1 AND 10000),
	name text NOT NULL,
	unit text NOT NULL,
	better text NOT NULL CHECK (better IN ('lower', 'higher')),
	estimator text NOT NULL,
	is_headline bool NOT NULL,
	is_exact bool NOT NULL,
	floor float8 NOT NULL,			-- smallest relative effect worth reporting; 0: the default
	PRIMARY KEY (benchmark_id, slot),
	UNIQUE (benchmark_id, name)
);

-- What to run, without the commit: contracts, "Identity".
CREATE TABLE cell (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	hash text NOT NULL UNIQUE CHECK (hash ~ '^[0-9a-f]{64}$'),
	benchmark_id bigint NOT NULL REFERENCES benchmark,
	machine_group text NOT NULL,
	identity jsonb NOT NULL,
	recipe jsonb NOT NULL,			-- scripts, time-outs, metrics: as of the last plan
	build_hash text NOT NULL		-- of the recipe's build part
);

CREATE TABLE job (
	cell_id bigint NOT NULL REFERENCES cell,
	id bigint GENERATED ALWAYS AS IDENTITY,
	commit_id bigint NOT NULL REFERENCES commit,
	hash text NOT NULL,			-- of the cell's hash and the commit
	PRIMARY KEY (cell_id, id),
	UNIQUE (cell_id, commit_id)
);

-- What a stack is measured on.
CREATE TABLE stack_cell (
	stack_id bigint NOT NULL REFERENCES stack,
	cell_id bigint NOT NULL REFERENCES cell,
	PRIMARY KEY (stack_id, cell_id)
);
CREATE INDEX stack_cell_by_cell ON stack_cell (cell_id);

-- One per commit and build recipe, whoever asks for it.
CREATE TYPE build_state AS ENUM ('wanted', 'done', 'failed');

CREATE TABLE build (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	commit_id bigint NOT NULL REFERENCES commit,
	build_hash text NOT NULL,
	state build_state NOT NULL DEFAULT 'wanted',
	reason text,
	artefact text,				-- SHA-256 over what was built: equal means the same binary
	toolchain text,
	wall_s float8,
	run_id bigint,				-- the run that built it, for its log
	UNIQUE (commit_id, build_hash)
);

-- the belt -----------------------------------------------------------------------------------

-- Two commits side by side on one cell; stacks share it.
CREATE TYPE comparison_state AS ENUM
	('waiting', 'measuring', 'deciding', 'done', 'cancelled');

CREATE TABLE comparison (
	cell_id bigint NOT NULL,
	id bigint GENERATED ALWAYS AS IDENTITY,
	base_id bigint NOT NULL,		-- commits
	head_id bigint NOT NULL,
	state comparison_state NOT NULL DEFAULT 'waiting',
	look int NOT NULL DEFAULT 0,		-- how often it was judged
	priority int NOT NULL,			-- smaller is sooner
	reason text,				-- why it ended without a verdict, "same binary"
	PRIMARY KEY (cell_id, id),
	UNIQUE (cell_id, base_id, head_id)
);
CREATE INDEX comparison_busy ON comparison (state, id)
	WHERE state IN ('waiting', 'measuring', 'deciding');

CREATE INDEX comparison_done ON comparison (id) WHERE state = 'done';

CREATE TYPE comparison_role AS ENUM ('parent', 'tip');

CREATE TABLE stack_comparison (
	stack_id bigint NOT NULL REFERENCES stack,
	role comparison_role NOT NULL,
	position int NOT NULL,			-- of the head in the stack
	cell_id bigint NOT NULL,
	comparison_id bigint NOT NULL,
	nr_between int NOT NULL,		-- unbuilt commits between base and head
	PRIMARY KEY (stack_id, cell_id, comparison_id, role)
);
CREATE INDEX stack_comparison_back ON stack_comparison (cell_id, comparison_id);

CREATE TYPE want_state AS ENUM ('open', 'met', 'cancelled');

-- Somebody's wish for more runs; plan turns it into blocks.
CREATE TABLE want (
	cell_id bigint NOT NULL,
	id bigint GENERATED ALWAYS AS IDENTITY,
	comparison_id bigint NOT NULL,
	nr_blocks int NOT NULL CHECK (nr_blocks BETWEEN 1 AND 100),
	reason text NOT NULL,
	state want_state NOT NULL DEFAULT 'open',
	created timestamptz NOT NULL,
	PRIMARY KEY (cell_id, id)
);
CREATE INDEX want_open ON want (id) WHERE state = 'open';

-- Two runs of each side, in a shuffled order, on one machine.
CREATE TYPE block_state AS ENUM ('open', 'done', 'void');

CREATE TABLE block (
	cell_id bigint NOT NULL,
	id bigint GENERATED ALWAYS AS IDENTITY,
	comparison_id bigint NOT NULL,
	seed bigint NOT NULL,			-- of the order
	machine_id bigint,			-- that took its first run
	epoch_id bigint,
	state block_state NOT NULL DEFAULT 'open',
	reason text,
	PRIMARY KEY (cell_id, id)
);
CREATE INDEX block_by_comparison ON block (cell_id, comparison_id);
CREATE INDEX block_begun ON block (machine_id, id) WHERE state = 'open' AND machine_id IS NOT NULL;

CREATE TYPE run_kind AS ENUM ('build', 'measure');
CREATE TYPE run_state AS ENUM
	('queued', 'leased', 'finished', 'done', 'failed', 'lost', 'cancelled');

-- A run is what one lease is for.  A build run belongs to the cell that asked for it first.
CREATE TABLE run (
	cell_id bigint NOT NULL,
	id bigint GENERATED ALWAYS AS IDENTITY,
	kind run_kind NOT NULL,
	state run_state NOT NULL DEFAULT 'queued',
	machine_group text NOT NULL,
	priority int NOT NULL,
	job_id bigint NOT NULL,
	commit_id bigint NOT NULL,
	build_id bigint NOT NULL,
	block_id bigint,			-- NULL for a build
	position int NOT NULL DEFAULT 0,	-- in the block's order, from 0
	attempt int NOT NULL DEFAULT 1,
	is_warmup bool NOT NULL DEFAULT false,
	machine_id bigint,
	epoch_id bigint,
	boot_id text,
	reason text,				-- word of the failure vocabulary, then ": " and detail
	outcome jsonb,				-- the worker's finish message, until ingest has read it
	value float8[] COMPRESSION lz4,		-- by metric slot; NULL: missing
	created timestamptz NOT NULL,
	started timestamptz,
	finished timestamptz,
	PRIMARY KEY (cell_id, id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
	autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.02);
CREATE UNIQUE INDEX run_by_id ON run (id);
CREATE INDEX run_ready ON run (machine_group, priority, id) WHERE state = 'queued';
CREATE INDEX run_leased ON run (machine_id, id) WHERE state = 'leased';
CREATE INDEX run_finished ON run (id) WHERE state = 'finished';
CREATE INDEX run_by_block ON run (cell_id, block_id, position);
CREATE INDEX run_by_commit ON run (commit_id);
CREATE INDEX run_by_machine ON run (machine_id, id);
CREATE INDEX run_by_end ON run (finished) WHERE finished IS NOT NULL;

-- The lease's id is the fencing token: a later write with an older one changes nothing.
CREATE TYPE lease_state AS ENUM ('live', 'done', 'expired', 'cancelled');

CREATE TABLE lease (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	cell_id bigint NOT NULL,
	run_id bigint NOT NULL,
	machine_id bigint NOT NULL REFERENCES machine,
	secret bytea NOT NULL,			-- SHA-256 of the lease's secret
	state lease_state NOT NULL DEFAULT 'live',
	phase text NOT NULL DEFAULT 'preparing',
	taken timestamptz NOT NULL,
	until timestamptz NOT NULL,
	ended timestamptz
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX lease_live_run ON lease (run_id) WHERE state = 'live';
CREATE UNIQUE INDEX lease_live_machine ON lease (machine_id) WHERE state = 'live';

-- A file that a run left; the bytes are in the store under their hash.
CREATE TABLE artefact (
	cell_id bigint NOT NULL,
	run_id bigint NOT NULL,
	name text NOT NULL,
	hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
	size_bytes bigint NOT NULL,
	PRIMARY KEY (cell_id, run_id, name)
);

CREATE TABLE failure (
	cell_id bigint NOT NULL,
	run_id bigint NOT NULL,
	reason text NOT NULL,			-- word of the vocabulary
	detail text NOT NULL,
	is_infrastructure bool NOT NULL,	-- lost, disk full, fetch: not the commit's fault
	excerpt text NOT NULL,			-- last lines of the log that tells it
	at timestamptz NOT NULL,
	PRIMARY KEY (cell_id, run_id)
);

CREATE TYPE verdict_kind AS ENUM
	('regression', 'improvement', 'no-change', 'cannot-resolve', 'too-few-runs',
	 'layout-sensitive', 'not-confirmed-in-time', 'not-comparable', 'missing');

CREATE TABLE verdict (
	cell_id bigint NOT NULL,
	comparison_id bigint NOT NULL,
	look int NOT NULL,
	slot int NOT NULL,
	kind verdict_kind NOT NULL,
	reason text,
	nr_base int NOT NULL,			-- boots
	nr_head int NOT NULL,
	base float8,				-- by the metric's estimator
	head float8,
	base_sd float8,
	head_sd float8,
	is_ratio bool NOT NULL,			-- effect is head / base - 1; else head - base
	effect float8,
	low float8,				-- 95 % interval of the effect
	high float8,
	p float8,
	q float8,
	at timestamptz NOT NULL,
	PRIMARY KEY (cell_id, comparison_id, look, slot)
);

-- what came of it ----------------------------------------------------------------------------

CREATE TYPE bisection_state AS ENUM
	('open', 'concluded', 'inconclusive', 'unmeasurable', 'stopped', 'invalidated');

CREATE TABLE bisection (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	stack_id bigint NOT NULL REFERENCES stack,
	cell_id bigint NOT NULL,
	state bisection_state NOT NULL DEFAULT 'open',
	reason text NOT NULL,
	created timestamptz NOT NULL,
	UNIQUE (stack_id, cell_id)
);

CREATE TYPE finding_kind AS ENUM ('regression', 'improvement');
CREATE TYPE finding_state AS ENUM ('new', 'reported', 'suppressed');

-- One change, by one commit (or by one of the unbuilt set that ends at it), in one stack.
CREATE TABLE finding (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	stack_id bigint NOT NULL REFERENCES stack,
	commit_id bigint NOT NULL REFERENCES commit,
	role comparison_role NOT NULL,
	cell_id bigint NOT NULL,
	comparison_id bigint NOT NULL,
	kind finding_kind NOT NULL,
	state finding_state NOT NULL DEFAULT 'new',
	reason text,
	created timestamptz NOT NULL,
	UNIQUE (stack_id, commit_id, role, cell_id)
);
CREATE INDEX finding_new ON finding (id) WHERE state = 'new';

CREATE TYPE mail_state AS ENUM ('drafted', 'written', 'suppressed');

-- The exact mail.  `drafted` until its file is in the outbox folder.
CREATE TABLE mail (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	finding_id bigint NOT NULL UNIQUE REFERENCES finding,
	stack_id bigint NOT NULL REFERENCES stack,
	state mail_state NOT NULL DEFAULT 'drafted',
	mode mail_mode NOT NULL,
	message_id text NOT NULL UNIQUE,
	recipients jsonb NOT NULL,		-- [{address, name, why}]
	subject text NOT NULL,
	body text NOT NULL,
	document jsonb NOT NULL,		-- the comparison that it tells
	file text,				-- name in the outbox folder
	reason text,
	created timestamptz NOT NULL,
	written timestamptz
);
CREATE INDEX mail_drafted ON mail (id) WHERE state = 'drafted';

-- Append-only: what happened, for people.
CREATE TABLE event (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at timestamptz NOT NULL,
	kind text NOT NULL,
	repository_id bigint,
	stack_id bigint,
	run_id bigint,
	detail text NOT NULL
);
CREATE INDEX event_by_stack ON event (stack_id, id);
