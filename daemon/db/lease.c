/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lease.h"

#include "daemon/bell.h"
#include "lib/base/str.h"

/* So often another claim may be faster; then the next look will do. */
#define MAX_TRIES 5

static bool ring(struct db *db, enum bell bell, struct err *err)
{
	return db_exec(db, Q_BELL_RING, ARGS(arg_text(bell_name(bell))), NULL, err);
}

/* Whose the name is.  Stays in the rows, though what was asked for is refused. */
static bool refuse_name(struct db *db, const struct lease_joiner *joiner, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(db, Q_MACHINE_RIVAL, ARGS(arg_text(joiner->name), arg_int(joiner->token)),
		      &rows, err) ||
	    !db_commit(db, "join", err)) {
		return false;
	}
	if (rows_nr(rows) == 0 || !rows_bool(rows, 0, "is_our_token")) {
		return err_set(err, ERR_CONFLICT,
			       "machine '%s' belongs to another token; revoke that one first",
			       joiner->name);
	}
	return err_set(err, ERR_CONFLICT,
		       "machine '%s' is alive with another state folder, heard of %" PRId64
		       " s ago: give this worker another --name, or stop that one and wait %d s",
		       joiner->name, rows_int(rows, 0, "silent_s"), LEASE_LIVE_S);
}

static bool lease_is_lost(int64_t lease, struct err *err)
{
	return err_set(err, ERR_CONFLICT, "lease %" PRId64 " is lost: end the run and drop it",
		       lease);
}

/* joining ------------------------------------------------------------------------------------ */

bool lease_join(struct db *db, const struct lease_joiner *joiner, int64_t *ret_epoch,
		struct err *err)
{
	scoped(rows_free) struct rows *machine = NULL;

	if (!db_begin(db, err) ||
	    !db_query(db, Q_MACHINE_JOIN,
		      ARGS(arg_text(joiner->name), arg_text(joiner->group), arg_int(joiner->token),
			   arg_text(joiner->instance), arg_int(LEASE_LIVE_S)),
		      &machine, err)) {
		return false;
	}
	if (rows_nr(machine) == 0) {
		return refuse_name(db, joiner, err);
	}
	return db_query_int(db, Q_EPOCH_JOIN,
			    ARGS(arg_int(rows_int(machine, 0, "id")),
				 arg_text(joiner->fingerprint_hash), arg_text(joiner->fingerprint)),
			    ret_epoch, err) &&
	       db_commit(db, "join", err);
}

/* claiming ----------------------------------------------------------------------------------- */

struct machine {
	int64_t id, epoch;
	const char *group;
	const char *boot_id;
};

struct candidate {
	int64_t cell, run, block; /* run 0: none; block 0: a build */
};

/* What the machine left behind: a lease that its restart ended, blocks of an older environment. */
static bool clear_past(struct db *db, const struct machine *machine, struct err *err)
{
	scoped(rows_free) struct rows *leases = NULL;
	int64_t nr_void;

	if (!db_query(db, Q_LEASE_OF_MACHINE, ARGS(arg_int(machine->id)), &leases, err) ||
	    (rows_nr(leases) > 0 &&
	     !lease_lose(db, rows_int(leases, 0, "id"), "its worker asked for other work", err)) ||
	    !db_query_int(db, Q_BLOCK_VOID_EPOCH,
			  ARGS(arg_int(machine->id), arg_int(machine->epoch)), &nr_void, err)) {
		return false;
	}
	return nr_void == 0 || ring(db, BELL_COMPARE, err);
}

static bool find_run(struct db *db, const struct machine *machine, struct candidate *ret_candidate,
		     struct err *err)
{
	scoped(rows_free) struct rows *pinned = NULL;
	scoped(rows_free) struct rows *free_runs = NULL;
	const struct rows *rows;

	if (!db_query(db, Q_CLAIM_PINNED, ARGS(arg_int(machine->id)), &pinned, err) ||
	    (rows_nr(pinned) == 0 &&
	     !db_query(db, Q_CLAIM_FREE, ARGS(arg_text(machine->group)), &free_runs, err))) {
		return false;
	}
	rows = free_runs ? free_runs : pinned;
	*ret_candidate = (struct candidate){ 0 };
	if (rows_nr(rows) > 0) {
		*ret_candidate = (struct candidate){ .cell = rows_int(rows, 0, "cell_id"),
						     .run = rows_int(rows, 0, "id"),
						     .block = rows_int(rows, 0, "block_id") };
	}
	return true;
}

/* *ret_is_ours: false where the block was begun by another or voided since it was found. */
static bool seize(struct db *db, const struct machine *machine, const struct candidate *candidate,
		  bool *ret_is_ours, struct err *err)
{
	int64_t nr_pinned = 1;
	int64_t nr_leased = 0;

	if (candidate->block && !db_exec(db, Q_BLOCK_PIN,
					 ARGS(arg_int(candidate->cell), arg_int(candidate->block),
					      arg_int(machine->id), arg_int(machine->epoch)),
					 &nr_pinned, err)) {
		return false;
	}
	if (nr_pinned > 0 &&
	    !db_exec(db, Q_RUN_LEASE,
		     ARGS(arg_int(candidate->cell), arg_int(candidate->run), arg_int(machine->id),
			  arg_int(machine->epoch), arg_text(machine->boot_id)),
		     &nr_leased, err)) {
		return false;
	}
	*ret_is_ours = nr_leased > 0;
	return true;
}

static bool give(struct db *db, const struct machine *machine, const struct candidate *candidate,
		 struct lease_claim *claim, struct err *err)
{
	scoped(free) char *secret = token_new();
	struct hash hash = hash_of(secret, strlen(secret));

	if (!db_query_int(db, Q_LEASE_ADD,
			  ARGS(arg_int(candidate->cell), arg_int(candidate->run),
			       arg_int(machine->id), arg_bytes(hash.at, HASH_BYTES),
			       arg_int(LEASE_LIVE_S)),
			  &claim->lease, err) ||
	    !db_query(db, Q_LEASE_OFFER, ARGS(arg_int(candidate->cell), arg_int(candidate->run)),
		      &claim->offer, err)) {
		return false;
	}
	claim->secret = move(&secret);
	return true;
}

static bool take_once(struct db *db, const struct lease_asker *asker, struct lease_claim *claim,
		      bool *ret_is_settled, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct candidate candidate;
	struct machine machine;

	if (!db_begin(db, err) ||
	    !db_query(db, Q_MACHINE_ASK,
		      ARGS(arg_text(asker->machine), arg_int(asker->token),
			   arg_text(asker->boot_id), arg_text(asker->instance)),
		      &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return err_set(err, ERR_DENIED,
			       "machine '%s' has not joined with this token, or another worker has "
			       "its name now",
			       asker->machine);
	}
	machine = (struct machine){ .id = rows_int(rows, 0, "id"),
				    .epoch = rows_int(rows, 0, "epoch_id"),
				    .group = rows_text(rows, 0, "machine_group"),
				    .boot_id = asker->boot_id };
	if (!clear_past(db, &machine, err) || !find_run(db, &machine, &candidate, err)) {
		return false;
	}
	*ret_is_settled = true;
	if (candidate.run && !seize(db, &machine, &candidate, ret_is_settled, err)) {
		return false;
	}
	if (!*ret_is_settled) {
		db_rollback(db);
		return true;
	}
	return (!candidate.run || give(db, &machine, &candidate, claim, err)) &&
	       db_commit(db, "lease", err);
}

bool lease_take(struct db *db, const struct lease_asker *asker, struct lease_claim *ret_claim,
		struct err *err)
{
	struct lease_claim claim = { 0 };
	bool is_settled = false;

	for (int i = 0; i < MAX_TRIES && !is_settled; i++) {
		if (!take_once(db, asker, &claim, &is_settled, err)) {
			lease_claim_release(&claim);
			return false;
		}
	}
	*ret_claim = claim;
	return true;
}

void lease_claim_release(struct lease_claim *claim)
{
	free(claim->secret);
	rows_free(claim->offer);
	*claim = (struct lease_claim){ 0 };
}

/* keeping ------------------------------------------------------------------------------------ */

/* Renews inside the caller's transaction. */
static bool renew(struct db *db, const struct lease_key *key, const char *phase,
		  struct lease_run *ret_run, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(db, Q_LEASE_BEAT,
		      ARGS(arg_int(key->lease), arg_bytes(key->secret.at, HASH_BYTES),
			   arg_int(key->token), arg_text(phase), arg_int(LEASE_LIVE_S)),
		      &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return lease_is_lost(key->lease, err);
	}
	*ret_run = (struct lease_run){ .cell = rows_int(rows, 0, "cell_id"),
				       .run = rows_int(rows, 0, "run_id"),
				       .is_cancelled =
					       strcmp(rows_text(rows, 0, "state"), "leased") != 0 };
	return true;
}

bool lease_beat(struct db *db, const struct lease_key *key, const char *phase,
		struct lease_run *ret_run, struct err *err)
{
	return db_begin(db, err) && renew(db, key, phase, ret_run, err) &&
	       db_commit(db, "beat", err);
}

bool lease_check_file(struct db *db, const struct lease_key *key, const struct lease_file *file,
		      bool *ret_is_stored, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct lease_run run;
	const char *hash;

	if (!lease_beat(db, key, NULL, &run, err) ||
	    !db_query(db, Q_ARTEFACT_SUM,
		      ARGS(arg_int(run.cell), arg_int(run.run), arg_text(file->name)), &rows,
		      err)) {
		return false;
	}
	hash = rows_text(rows, 0, "hash");
	if (hash && strcmp(hash, file->hash) != 0) {
		return err_set(err, ERR_CONFLICT, "file '%s' was stored with another content",
			       file->name);
	}
	if (!hash && (rows_int(rows, 0, "nr") >= LEASE_MAX_RUN_FILES ||
		      rows_int(rows, 0, "size_bytes") + file->size_bytes > LEASE_MAX_RUN_BYTES)) {
		return err_set(err, ERR_TOO_BIG,
			       "file '%s': a run may store %d files and %" PRId64 " bytes",
			       file->name, LEASE_MAX_RUN_FILES, LEASE_MAX_RUN_BYTES);
	}
	*ret_is_stored = hash != NULL;
	return true;
}

bool lease_add_file(struct db *db, const struct lease_key *key, const struct lease_file *file,
		    struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct lease_run run;

	if (!db_begin(db, err) || !renew(db, key, NULL, &run, err) ||
	    !db_query(db, Q_ARTEFACT_ADD,
		      ARGS(arg_int(run.cell), arg_int(run.run), arg_text(file->name),
			   arg_text(file->hash), arg_int(file->size_bytes)),
		      &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return err_set(err, ERR_CONFLICT, "file '%s' was stored with another content",
			       file->name);
	}
	return db_commit(db, "file", err);
}

/* ending ------------------------------------------------------------------------------------- */

static bool check_files(struct db *db, const struct rows *lease, const char *files, struct err *err)
{
	scoped(rows_free) struct rows *missing = NULL;
	scoped(str_release) struct str names = STR_INIT;

	if (!db_query(db, Q_ARTEFACT_MISSING,
		      ARGS(arg_int(rows_int(lease, 0, "cell_id")),
			   arg_int(rows_int(lease, 0, "run_id")), arg_text(files)),
		      &missing, err)) {
		return false;
	}
	for (int i = 0; i < rows_nr(missing); i++) {
		str_printf(&names, "%s'%s'", i ? ", " : "", rows_text(missing, i, "name"));
	}
	return rows_nr(missing) == 0 ||
	       err_set(err, ERR_CONFLICT, "not stored, or with another content: %s", names.at);
}

static bool finish_live(struct db *db, const struct lease_key *key, const struct rows *lease,
			const struct lease_result *result, struct err *err)
{
	bool is_wanted = strcmp(rows_text(lease, 0, "run_state"), "leased") == 0;

	if (is_wanted && (!check_files(db, lease, result->files, err) ||
			  !db_exec(db, Q_RUN_FINISH,
				   ARGS(arg_int(rows_int(lease, 0, "cell_id")),
					arg_int(rows_int(lease, 0, "run_id")),
					arg_text(result->outcome), arg_text(result->boot_id)),
				   NULL, err))) {
		return false;
	}
	return db_exec(db, Q_LEASE_END,
		       ARGS(arg_int(key->lease), arg_text(is_wanted ? "done" : "cancelled")), NULL,
		       err) &&
	       ring(db, BELL_INGEST, err);
}

bool lease_finish(struct db *db, const struct lease_key *key, const struct lease_result *result,
		  bool *ret_is_accepted, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	const char *state;
	bool is_live;

	if (!db_begin(db, err) ||
	    !db_query(db, Q_LEASE_LOOK,
		      ARGS(arg_int(key->lease), arg_bytes(key->secret.at, HASH_BYTES),
			   arg_int(key->token)),
		      &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return err_set(err, ERR_DENIED, "no lease %" PRId64 " with this secret and token",
			       key->lease);
	}
	state = rows_text(rows, 0, "state");
	is_live = strcmp(state, "live") == 0;
	if (strcmp(state, "expired") == 0) {
		return lease_is_lost(key->lease, err);
	}
	if (is_live && !finish_live(db, key, rows, result, err)) {
		return false;
	}
	*ret_is_accepted = is_live ? strcmp(rows_text(rows, 0, "run_state"), "leased") == 0
				   : strcmp(state, "done") == 0;
	return db_commit(db, "finish", err);
}

/* taking back -------------------------------------------------------------------------------- */

bool lease_lose(struct db *db, int64_t lease, const char *why, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(db, Q_LEASE_LOSE, ARGS(arg_int(lease), arg_text(why)), &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return true; /* the lease was not live, or its run was cancelled */
	}
	if (strcmp(rows_text(rows, 0, "state"), "queued") == 0) {
		return ring(db, BELL_LEASE, err);
	}
	return ring(db, BELL_PLAN, err) && ring(db, BELL_COMPARE, err);
}

bool lease_expire(struct db *db, bool *ret_more, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_begin(db, err) || !db_exec(db, Q_DISPATCH_ATTEND, NO_ARGS, NULL, err) ||
	    !db_query(db, Q_LEASE_OVERDUE, ARGS(arg_int(LEASE_LIVE_S)), &rows, err)) {
		return false;
	}
	for (int i = 0; i < rows_nr(rows); i++) {
		scoped(free) char *why =
			mem_printf("machine '%s' went silent while %s",
				   rows_text(rows, i, "machine"), rows_text(rows, i, "phase"));

		if (!lease_lose(db, rows_int(rows, i, "id"), why, err)) {
			return false;
		}
	}
	*ret_more = rows_nr(rows) > 0;
	return db_commit(db, "dispatch", err);
}

bool lease_strand(struct db *db, struct err *err)
{
	int64_t nr_void;

	return db_begin(db, err) && db_query_int(db, Q_BLOCK_STRAND, NO_ARGS, &nr_void, err) &&
	       (nr_void == 0 || ring(db, BELL_COMPARE, err)) && db_commit(db, "dispatch", err);
}
