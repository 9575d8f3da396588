/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto.h - every message between daemon and worker, once, for both ends.
 *
 * A message is a plain struct and a table of its fields; the table checks and reads JSON into the
 * struct, writes the struct as JSON, and prints itself as documentation (docs/protocol.md).
 *
 *	struct proto_beat beat;
 *	if (!proto_decode(&proto_beat_message, body, arena, &beat, err))   // the daemon
 *		return false;                                              // "beat: 'secret': missing"
 *
 *	struct proto_beaten answer = { .action = "continue", .until_s = 60 };
 *	struct json *json = proto_encode(&proto_beaten_message, &answer);
 *
 * Members that a table does not know are passed over, so that either end may be newer; a member
 * that is needed, of the wrong type, out of range or too long is ERR_INPUT with its path.
 * Decoded texts and lists live in the arena, JSON members in the document they came from.
 */
#ifndef PROTO_PROTO_H
#define PROTO_PROTO_H

#include "lib/base/err.h"
#include "lib/base/hash.h"
#include "lib/base/json.h"
#include "lib/base/mem.h"

struct str;

#define PROTO_VERSION 1

/* limits that both ends keep */
#define PROTO_JSON_LIMIT_BYTES ((size_t)1 << 20)
#define PROTO_FILE_LIMIT_BYTES (UINT64_C(256) << 20)
#define PROTO_FILES_MAX        2000
#define PROTO_NAME_BYTES       101 /* of a machine or group, with the NUL */
#define PROTO_WAIT_MAX_S       25
#define PROTO_LAYOUT_MAX       2

/* headers; "Authorization: Bearer TOKEN" comes with them */
#define PROTO_HEADER_VERSION  "Patchmeter-Protocol" /* PROTO_VERSION, both ways */
#define PROTO_HEADER_SECRET   "Patchmeter-Lease-Secret"
#define PROTO_HEADER_SHA256   "Patchmeter-SHA256"   /* of the whole file */
#define PROTO_HEADER_RECEIVED "Patchmeter-Received" /* bytes that survive a crash */

/* messages; members that are not needed are NULL or 0 where absent, unless said otherwise */

struct proto_join {
	int64_t protocol;
	const char *name;
	const char *group;
	const struct json *fingerprint; /* proto_epoch_hash() */
	const char *instance;
};

struct proto_joined {
	const char *machine;
	int64_t epoch;
};

struct proto_ask {
	const char *machine;
	const char *boot_id;
	int64_t wait_s;
	const char *instance;
};

struct proto_lease {
	int64_t lease;
	const char *secret;
	int64_t run;
	const char *kind;
	const char *benchmark;
	const struct json *variant;
	const struct json *recipe;
	int64_t repository;
	const char *commit;
	const char *build_key;
	int64_t layout;
	int64_t block;
	int64_t order;
	bool is_warmup;
	int64_t beat_s;
	int64_t until_s;
};

struct proto_beat {
	const char *secret;
	const char *phase;
	const char *detail;
};

struct proto_beaten {
	const char *action;
	int64_t until_s;
};

struct proto_build {
	const char *key;
	const char *artefact;
	const char *toolchain;
	bool is_cached;
	double wall_s;
};

struct proto_usage {
	double elapsed_s, user_s, system_s;
	int64_t minor_faults, major_faults;
	int64_t voluntary_switches, involuntary_switches;
	int64_t maxrss_kib;
};

struct proto_file {
	const char *name;
	int64_t size;
	const char *sha256;
};

struct proto_files {
	const struct proto_file *at;
	size_t nr;
};

struct proto_finish {
	const char *secret;
	const char *outcome;
	const char *reason;
	const char *detail;
	int64_t exit_code; /* -1: absent */
	int64_t signal;
	const char *boot_id;
	const struct proto_build *build;
	const struct proto_usage *usage;
	struct proto_files files;
};

struct proto_finished {
	bool accepted;
};

struct proto_stored {
	int64_t received;
	bool is_complete;
};

/* The body of every answer with a status of 400 and more. */
struct proto_problem {
	const char *type;
	const char *title;
	int64_t status;
	const char *detail;
	const char *kind;
	const char *request_id;
};

/* tables */

enum proto_type {
	PROTO_TEXT,   /* const char *: min..max bytes of clean text on one line */
	PROTO_LINES,  /* the same, with newlines and tabs */
	PROTO_NAME,   /* the same, of [A-Za-z0-9._+/-], with no '.' or '-' in front of a part */
	PROTO_HEX,    /* min..max lower-case hexadecimal digits */
	PROTO_CHOICE, /* one of the words */
	PROTO_INT,    /* int64_t: min..max */
	PROTO_NUMBER, /* double: finite, min..max */
	PROTO_BOOL,   /* bool */
	PROTO_OBJECT, /* const struct json *: any object */
	PROTO_RECORD, /* pointer to a struct of another message */
	PROTO_LIST    /* array and count of structs of another message: min..max of them */
};

struct proto_message;

struct proto_field {
	const char *name;
	enum proto_type type;
	size_t offset;
	bool is_needed;
	int64_t min, max;
	const char *const *words;           /* PROTO_CHOICE: ends with NULL */
	const struct proto_message *record; /* PROTO_RECORD, PROTO_LIST */
	const char *doc;
};

struct proto_message {
	const char *name;
	size_t size_bytes;
	const struct proto_field *fields;
	size_t nr_fields;
};

extern const struct proto_message proto_join_message, proto_joined_message, proto_ask_message,
	proto_lease_message, proto_beat_message, proto_beaten_message, proto_build_message,
	proto_usage_message, proto_file_message, proto_finish_message, proto_finished_message,
	proto_stored_message, proto_problem_message;

/* The vocabulary of failure, the same in every message, row and page; ends with NULL. */
extern const char *const proto_reasons[];

/* ERR_INPUT "NAME: 'MEMBER': what is wrong"; NULL for `json` is one. */
MUST_CHECK bool proto_decode(const struct proto_message *message, const struct json *json,
			     struct arena *arena, void *ret_record, struct err *err);

/* Absent members are left out.  Texts are cleaned and cut to what the other end takes; any other
 * value that it would refuse is a bug(). */
struct json *proto_encode(const struct proto_message *message, const void *record);

/* calls */

enum proto_call_id {
	PROTO_CALL_JOIN,
	PROTO_CALL_LEASE,
	PROTO_CALL_BEAT,
	PROTO_CALL_STORE,
	PROTO_CALL_RECEIVED,
	PROTO_CALL_FINISH,
	PROTO_CALL_PACK,
	PROTO_CALLS
};

struct proto_call {
	enum proto_call_id id;
	const char *method;
	const char *path;                    /* capitals stand for a value */
	const struct proto_message *request; /* NULL: no JSON body */
	const struct proto_message *answer;  /* NULL: none */
	const char *doc;
};

/* The row of a call; never NULL. */
const struct proto_call *proto_call(enum proto_call_id id);

/* Markdown: every call, every message. */
void proto_describe(struct str *str);

/* shared meanings */

/* What of a fingerprint makes an epoch: SHA-256 of its member `lasting` as canonical JSON. */
struct hash proto_epoch_hash(const struct json *fingerprint);

/* Whether a file of a run may have this name: PROTO_NAME, at most 100 bytes a part, 5 parts. */
bool is_proto_file_name(const char *name);

/* The kind that an HTTP status of 400 and more means to the caller; the way back is err_face(). */
enum err_kind proto_kind_of_status(int http_status);

#endif
