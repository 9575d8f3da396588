/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What workers say to us: join, lease, beat, finish.  The transactions are in daemon/db/lease.c. */
#include "lease_key.h"

#include "lib/proto/proto.h"
#include "web/handlers.h"

bool lease_key_read(const struct request *request, const char *secret, struct lease_key *ret_key,
		    struct err *err)
{
	if (!secret) {
		return err_set(err, ERR_INPUT, "header '%s' is missing", PROTO_HEADER_SECRET);
	}
	ret_key->token = request->who.token_id;
	ret_key->secret = hash_of(secret, strlen(secret));
	return request_id(request, 0, &ret_key->lease, err);
}

bool post_join(struct request *request, struct reply *reply, struct err *err)
{
	struct db *db = request_db(request, err);
	struct proto_join join;
	struct proto_joined joined;
	scoped(free) char *fingerprint = NULL;
	char hash_text[HASH_TEXT_BYTES];
	struct hash hash;

	if (!db || !proto_decode(&proto_join_message, request->body, request->arena, &join, err)) {
		return false;
	}
	if (join.protocol != PROTO_VERSION) {
		return err_set(err, ERR_INPUT,
			       "protocol %" PRId64
			       ": this daemon speaks %d, install the same version",
			       join.protocol, PROTO_VERSION);
	}
	hash = proto_epoch_hash(join.fingerprint);
	hash_format(&hash, hash_text);
	fingerprint = json_write(join.fingerprint, FORM_CANONICAL);
	joined.machine = join.name;
	if (!lease_join(db,
			&(struct lease_joiner){ .token = request->who.token_id,
						.name = join.name,
						.group = join.group,
						.instance = join.instance,
						.fingerprint_hash = hash_text,
						.fingerprint = fingerprint },
			&joined.epoch, err)) {
		return false;
	}
	reply_document(reply, proto_encode(&proto_joined_message, &joined));
	return true;
}

/* The claim as the worker reads it. */
static bool offer(const struct lease_claim *claim, struct json **ret_document, struct err *err)
{
	const struct rows *rows = claim->offer;
	const char *variant_text = rows_text(rows, 0, "identity");
	const char *recipe_text = rows_text(rows, 0, "recipe");
	scoped(json_free) struct json *variant = NULL;
	scoped(json_free) struct json *recipe = NULL;
	struct proto_lease lease = {
		.lease = claim->lease,
		.secret = claim->secret,
		.run = rows_int(rows, 0, "id"),
		.kind = rows_text(rows, 0, "kind"),
		.benchmark = rows_text(rows, 0, "benchmark"),
		.repository = rows_int(rows, 0, "repository_id"),
		.commit = rows_text(rows, 0, "oid"),
		.build_key = rows_text(rows, 0, "build_key"),
		.layout = rows_int(rows, 0, "layout"),
		.block = rows_int(rows, 0, "block_id"),
		.order = rows_int(rows, 0, "position"),
		.is_warmup = rows_bool(rows, 0, "is_warmup"),
		.beat_s = LEASE_BEAT_S,
		.until_s = LEASE_LIVE_S,
	};

	if (!json_parse("identity", variant_text, strlen(variant_text), &variant, err) ||
	    !json_parse("recipe", recipe_text, strlen(recipe_text), &recipe, err)) {
		return false;
	}
	lease.variant = variant;
	lease.recipe = recipe;
	*ret_document = proto_encode(&proto_lease_message, &lease);
	return true;
}

/* To nobody a lease would be lost until it expires. */
static bool take_back(struct db *db, const struct lease_claim *claim, struct err *err)
{
	return db_begin(db, err) &&
	       lease_lose(db, claim->lease, "its worker hung up before it was told", err) &&
	       db_commit(db, "lease", err);
}

bool post_lease(struct request *request, struct reply *reply, struct err *err)
{
	scoped(lease_claim_release) struct lease_claim claim = { 0 };
	struct db *db = request_db(request, err);
	struct json *document;
	struct proto_ask ask;

	if (is_request_abandoned(request)) {
		reply_empty(reply, 204);
		return true;
	}
	if (!db || !proto_decode(&proto_ask_message, request->body, request->arena, &ask, err) ||
	    !lease_take(db,
			&(struct lease_asker){ .token = request->who.token_id,
					       .machine = ask.machine,
					       .instance = ask.instance,
					       .boot_id = ask.boot_id },
			&claim, err)) {
		return false;
	}
	if (claim.lease && is_request_abandoned(request)) {
		reply_empty(reply, 204);
		return take_back(db, &claim, err);
	}
	if (claim.lease) {
		if (!offer(&claim, &document, err)) {
			return false;
		}
		reply_document(reply, document);
	} else if (request->is_last_look || ask.wait_s == 0) {
		reply_empty(reply, 204);
	} else {
		reply_park(reply, BELL_LEASE, (int)ask.wait_s);
	}
	return true;
}

bool post_beat(struct request *request, struct reply *reply, struct err *err)
{
	struct db *db = request_db(request, err);
	struct proto_beat beat;
	struct lease_key key;
	struct lease_run run;

	if (!db || !proto_decode(&proto_beat_message, request->body, request->arena, &beat, err) ||
	    !lease_key_read(request, beat.secret, &key, err) ||
	    !lease_beat(db, &key, beat.phase, &run, err)) {
		return false;
	}
	reply_document(reply,
		       proto_encode(&proto_beaten_message,
				    &(struct proto_beaten){ .action = run.is_cancelled ? "cancel"
										       : "continue",
							    .until_s = LEASE_LIVE_S }));
	return true;
}

bool post_finish(struct request *request, struct reply *reply, struct err *err)
{
	struct db *db = request_db(request, err);
	scoped(json_free) struct json *outcome = json_clone(request->body);
	scoped(free) char *outcome_text = NULL;
	scoped(free) char *files_text = NULL;
	struct proto_finish finish;
	struct proto_finished finished;
	struct lease_key key;

	if (!db ||
	    !proto_decode(&proto_finish_message, request->body, request->arena, &finish, err) ||
	    !lease_key_read(request, finish.secret, &key, err)) {
		return false;
	}
	/* The row can be read by everybody; a dash keeps the message whole. */
	json_put_text(outcome, "secret", "-");
	outcome_text = json_write(outcome, FORM_CANONICAL);
	files_text = finish.files.nr ? json_write(json_get(request->body, "files"), FORM_CANONICAL)
				     : mem_strdup("[]");
	if (!lease_finish(db, &key,
			  &(struct lease_result){ .outcome = outcome_text,
						  .files = files_text,
						  .boot_id = finish.boot_id },
			  &finished.accepted, err)) {
		return false;
	}
	reply_document(reply, proto_encode(&proto_finished_message, &finished));
	return true;
}
