/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables: what each message holds and what each call is for.  docs/protocol.md is printed from
 * here, so a doc text is a sentence for the person who writes the other end.
 */
#include "proto.h"

#include "lib/base/str.h"

#define NEEDED   true
#define OPTIONAL false

/* The place of a member that must have the C type of its row. */
#define PLACE(record, member, ctype)                                                            \
	(offsetof(struct record, member) +                                                      \
	 0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((struct record *)0)->member), \
						      ctype)                                    \
				 ? 1                                                            \
				 : -1]))

#define TEXT_ROW(type, record, member, needed, min, max, doc)                                     \
	{                                                                                         \
#member, type, PLACE(record, member, const char *), needed, min, max, NULL, NULL, \
			doc                                                                       \
	}
#define TEXT(record, member, needed, max, doc) \
	TEXT_ROW(PROTO_TEXT, record, member, needed, needed, max, doc)
#define LINES(record, member, needed, max, doc) \
	TEXT_ROW(PROTO_LINES, record, member, needed, 0, max, doc)
#define NAME(record, member, needed, max, doc) \
	TEXT_ROW(PROTO_NAME, record, member, needed, 1, max, doc)
#define HEX(record, member, needed, digits, doc) \
	TEXT_ROW(PROTO_HEX, record, member, needed, digits, digits, doc)
#define CHOICE(record, member, needed, words, doc)                                               \
	{                                                                                        \
#member, PROTO_CHOICE, PLACE(record, member, const char *), needed, 0, 0, words, \
			NULL, doc                                                                \
	}
#define INT(record, member, needed, min, max, doc)                                                \
	{                                                                                         \
#member, PROTO_INT, PLACE(record, member, int64_t), needed, min, max, NULL, NULL, \
			doc                                                                       \
	}
#define NUMBER(record, member, needed, max, doc)                                                  \
	{                                                                                         \
#member, PROTO_NUMBER, PLACE(record, member, double), needed, 0, max, NULL, NULL, \
			doc                                                                       \
	}
#define BOOL(record, member, needed, doc)                                                       \
	{                                                                                       \
#member, PROTO_BOOL, PLACE(record, member, bool), needed, 0, 0, NULL, NULL, doc \
	}
#define OBJECT(record, member, needed, doc)                                                      \
	{                                                                                        \
#member, PROTO_OBJECT, PLACE(record, member, const struct json *), needed, 0, 0, \
			NULL, NULL, doc                                                          \
	}
#define RECORD(record, member, needed, ctype, doc)                                                \
	{                                                                                         \
#member, PROTO_RECORD, PLACE(record, member, const struct ctype *), needed, 0, 0, \
			NULL, &ctype##_message, doc                                               \
	}
#define LIST(record, member, needed, ctype, listtype, max, doc)                                    \
	{                                                                                          \
#member, PROTO_LIST, PLACE(record, member, struct listtype), needed, 0, max, NULL, \
			&ctype##_message, doc                                                      \
	}

#define MESSAGE(id, text, table) \
	const struct proto_message id##_message = { text, sizeof(struct id), table, countof(table) }

#define ID_MAX    INT64_C(9007199254740991) /* what every JSON reader keeps exact */
#define DAY_S     86400
#define NAME_MAX_ 100

const char *const proto_reasons[] = {
	"fetch-failed",   "build-failed", "build-timeout",    "setup-failed",    "exit-status",
	"signal",         "timeout",      "output-too-large", "no-metric",       "not-finite",
	"left-processes", "lost",         "cancelled",        "machine-changed", NULL,
};

static const char *const kinds[] = { "build", "measure", NULL };
static const char *const actions[] = { "continue", "cancel", NULL };
static const char *const outcomes[] = { "ok", "failed", NULL };

static const struct proto_field join_fields[] = {
	INT(proto_join, protocol, NEEDED, 1, 1000,
	    "version of the protocol that the worker speaks"),
	NAME(proto_join, name, NEEDED, NAME_MAX_, "of the machine, unique in the lab"),
	NAME(proto_join, group, NEEDED, NAME_MAX_,
	     "machines of a group may stand in for one another"),
	OBJECT(proto_join, fingerprint, NEEDED,
	       "of the machine: `lasting` makes its epoch, `passing` is only recorded"),
	NAME(proto_join, instance, OPTIONAL, NAME_MAX_,
	     "made once by a worker for its state folder; another that lives keeps the name: 409"),
};
MESSAGE(proto_join, "join", join_fields);

static const struct proto_field joined_fields[] = {
	NAME(proto_joined, machine, NEEDED, NAME_MAX_, "the name under which the daemon knows it"),
	INT(proto_joined, epoch, NEEDED, 0, ID_MAX,
	    "counts the environments the machine has had; results of two are not compared"),
};
MESSAGE(proto_joined, "joined", joined_fields);

static const struct proto_field ask_fields[] = {
	NAME(proto_ask, machine, NEEDED, NAME_MAX_, "as in the answer to join"),
	TEXT(proto_ask, boot_id, NEEDED, 200, "of the running kernel"),
	INT(proto_ask, wait_s, NEEDED, 0, PROTO_WAIT_MAX_S,
	    "how long the daemon may hold the answer"),
	NAME(proto_ask, instance, OPTIONAL, NAME_MAX_, "as in join"),
};
MESSAGE(proto_ask, "ask", ask_fields);

static const struct proto_field lease_fields[] = {
	INT(proto_lease, lease, NEEDED, 1, ID_MAX, "its number, for the address of later calls"),
	TEXT(proto_lease, secret, NEEDED, NAME_MAX_, "proves in later calls that it is this lease"),
	INT(proto_lease, run, NEEDED, 1, ID_MAX, "the run that it is for"),
	CHOICE(proto_lease, kind, NEEDED, kinds, "build only, or also measure"),
	NAME(proto_lease, benchmark, NEEDED, NAME_MAX_, "its name"),
	OBJECT(proto_lease, variant, NEEDED,
	       "the cell's identity, with the parameters in `params`"),
	OBJECT(proto_lease, recipe, NEEDED,
	       "build, setup, run, teardown, timeout_s, repeat, warmup, needs, metrics"),
	INT(proto_lease, repository, NEEDED, 1, ID_MAX, "where the commit is to be had"),
	HEX(proto_lease, commit, NEEDED, 40, "what to build"),
	HEX(proto_lease, build_key, NEEDED, 64, "equal keys are one build"),
	INT(proto_lease, layout, OPTIONAL, 0, PROTO_LAYOUT_MAX,
	    "which build of the commit: 0 the usual one, 1 a fresh one, 2 a fresh one with its code "
	    "moved"),
	INT(proto_lease, block, OPTIONAL, 0, ID_MAX, "of the run; 0 for a build"),
	INT(proto_lease, order, OPTIONAL, 0, 1000000, "place within the block, from 0"),
	BOOL(proto_lease, is_warmup, OPTIONAL, "the run will not count"),
	INT(proto_lease, beat_s, NEEDED, 1, 3600, "send a beat this often"),
	INT(proto_lease, until_s, NEEDED, 1, DAY_S,
	    "seconds until the lease is lost without a beat"),
};
MESSAGE(proto_lease, "lease", lease_fields);

static const struct proto_field beat_fields[] = {
	TEXT(proto_beat, secret, NEEDED, NAME_MAX_, "of the lease"),
	NAME(proto_beat, phase, NEEDED, NAME_MAX_, "the step that the worker is at"),
	TEXT(proto_beat, detail, OPTIONAL, 200, "a note for people"),
};
MESSAGE(proto_beat, "beat", beat_fields);

static const struct proto_field beaten_fields[] = {
	CHOICE(proto_beaten, action, NEEDED, actions,
	       "cancel: end the run and finish with `cancelled`"),
	INT(proto_beaten, until_s, NEEDED, 0, DAY_S,
	    "seconds until the lease is lost without a beat"),
};
MESSAGE(proto_beaten, "beaten", beaten_fields);

static const struct proto_field build_fields[] = {
	HEX(proto_build, key, NEEDED, 64, "as in the lease"),
	HEX(proto_build, artefact, OPTIONAL, 64,
	    "SHA-256 over what the build made: equal means the same binaries"),
	TEXT(proto_build, toolchain, OPTIONAL, 1000, "versions of compiler, linker and make"),
	BOOL(proto_build, is_cached, OPTIONAL, "it was there already"),
	NUMBER(proto_build, wall_s, OPTIONAL, 30 * DAY_S, "how long building took, now or then"),
};
MESSAGE(proto_build, "build", build_fields);

static const struct proto_field usage_fields[] = {
	NUMBER(proto_usage, elapsed_s, NEEDED, 30 * DAY_S, "wall time of the measured iterations"),
	NUMBER(proto_usage, user_s, OPTIONAL, 1e9, "processor time in user mode"),
	NUMBER(proto_usage, system_s, OPTIONAL, 1e9, "processor time in the kernel"),
	INT(proto_usage, minor_faults, OPTIONAL, 0, ID_MAX, "page faults without input"),
	INT(proto_usage, major_faults, OPTIONAL, 0, ID_MAX, "page faults with input"),
	INT(proto_usage, voluntary_switches, OPTIONAL, 0, ID_MAX, "context switches by waiting"),
	INT(proto_usage, involuntary_switches, OPTIONAL, 0, ID_MAX,
	    "context switches by pre-emption"),
	INT(proto_usage, maxrss_kib, OPTIONAL, 0, ID_MAX,
	    "largest resident set of one process; 0: not known"),
};
MESSAGE(proto_usage, "usage", usage_fields);

static const struct proto_field file_fields[] = {
	NAME(proto_file, name, NEEDED, 504, "is_proto_file_name()"),
	INT(proto_file, size, NEEDED, 0, PROTO_FILE_LIMIT_BYTES, "bytes"),
	HEX(proto_file, sha256, NEEDED, 64, "of the content"),
};
MESSAGE(proto_file, "file", file_fields);

static const struct proto_field finish_fields[] = {
	TEXT(proto_finish, secret, NEEDED, NAME_MAX_, "of the lease"),
	CHOICE(proto_finish, outcome, NEEDED, outcomes, "only an ok run is read for metrics"),
	CHOICE(proto_finish, reason, OPTIONAL, proto_reasons, "why it failed"),
	LINES(proto_finish, detail, OPTIONAL, 4000, "the same for people"),
	INT(proto_finish, exit_code, OPTIONAL, -1, 255, "of the step that ended the run; -1: none"),
	INT(proto_finish, signal, OPTIONAL, 0, 64, "that ended it; 0: none"),
	TEXT(proto_finish, boot_id, NEEDED, 200,
	     "the unit of every test: kernel boot and process run"),
	RECORD(proto_finish, build, OPTIONAL, proto_build, "absent where none was tried"),
	RECORD(proto_finish, usage, OPTIONAL, proto_usage, "absent where nothing was measured"),
	LIST(proto_finish, files, OPTIONAL, proto_file, proto_files, PROTO_FILES_MAX,
	     "all that were stored before"),
};
MESSAGE(proto_finish, "finish", finish_fields);

static const struct proto_field finished_fields[] = {
	BOOL(proto_finished, accepted, NEEDED, "false: noted, but it does not count"),
};
MESSAGE(proto_finished, "finished", finished_fields);

static const struct proto_field stored_fields[] = {
	INT(proto_stored, received, NEEDED, 0, PROTO_FILE_LIMIT_BYTES,
	    "bytes that survive a crash"),
	BOOL(proto_stored, is_complete, NEEDED, "all of them, and the hash was right"),
};
MESSAGE(proto_stored, "stored", stored_fields);

static const struct proto_field problem_fields[] = {
	TEXT(proto_problem, type, OPTIONAL, 500, "address of the help page"),
	TEXT(proto_problem, title, NEEDED, 500, "what kind of failure"),
	INT(proto_problem, status, NEEDED, 400, 599, "as in the status line"),
	TEXT(proto_problem, detail, NEEDED, 2000, "what failed, on what, and what to do"),
	NAME(proto_problem, kind, OPTIONAL, NAME_MAX_, "the daemon's word for it"),
	TEXT(proto_problem, request_id, OPTIONAL, NAME_MAX_, "to be found in the daemon's log"),
};
MESSAGE(proto_problem, "problem", problem_fields);

static const struct proto_call calls[] = {
	{ PROTO_CALL_JOIN, "POST", "/api/v1/worker/join", &proto_join_message,
	  &proto_joined_message,
	  "Says who the machine is.  Once at the start, and again when its fingerprint changes." },
	{ PROTO_CALL_LEASE, "POST", "/api/v1/worker/lease", &proto_ask_message,
	  &proto_lease_message,
	  "Asks for work.  204: there was none within wait_s.  Asking says that the machine holds no "
	  "lease: one that was still live is lost." },
	{ PROTO_CALL_BEAT, "POST", "/api/v1/lease/LEASE/beat", &proto_beat_message,
	  &proto_beaten_message, "Keeps the lease.  409: it is lost; end the run and drop it." },
	{ PROTO_CALL_STORE, "PUT", "/api/v1/lease/LEASE/file/NAME", NULL, &proto_stored_message,
	  "Stores a file of the run, raw.  With Content-Range the part from A on, where A is what "
	  "Patchmeter-Received said.  200: complete and durable.  400: hash or length was wrong and "
	  "nothing is kept.  409: the lease is lost, or another content has the name." },
	{ PROTO_CALL_RECEIVED, "HEAD", "/api/v1/lease/LEASE/file/NAME", NULL, NULL,
	  "Patchmeter-Received tells how many bytes are there; 404: nothing." },
	{ PROTO_CALL_FINISH, "POST", "/api/v1/lease/LEASE/finish", &proto_finish_message,
	  &proto_finished_message,
	  "Ends the lease.  Saying it again changes nothing and gives the same answer." },
	{ PROTO_CALL_PACK, "GET", "/api/v1/repos/REPOSITORY/pack?want=SHA&have=SHA...", NULL, NULL,
	  "The commit `want` with all that no `have` reaches, as application/x-git-packed-objects." },
};

_Static_assert(countof(calls) == PROTO_CALLS, "a row for each call");

const struct proto_call *proto_call(enum proto_call_id id)
{
	assert(calls[id].id == id);
	return &calls[id];
}

/* --- documentation --- */

static void describe_type(const struct proto_field *field, struct str *str)
{
	static const char *const names[] = {
		[PROTO_TEXT] = "text",     [PROTO_LINES] = "text, may have lines",
		[PROTO_NAME] = "name",     [PROTO_HEX] = "hexadecimal",
		[PROTO_CHOICE] = "word",   [PROTO_INT] = "whole number",
		[PROTO_NUMBER] = "number", [PROTO_BOOL] = "true or false",
		[PROTO_OBJECT] = "object", [PROTO_RECORD] = "object",
		[PROTO_LIST] = "list",
	};

	str_append(str, names[field->type]);
	if (field->record) {
		str_printf(str, " %s", field->record->name);
	}
	if (field->min == field->max && field->max > 0) {
		str_printf(str, ", %" PRId64, field->max);
	} else if (field->max > 0) {
		str_printf(str, ", %" PRId64 " to %" PRId64, field->min, field->max);
	}
	for (size_t i = 0; field->words && field->words[i]; i++) {
		str_printf(str, "%s `%s`", i ? "," : ":", field->words[i]);
	}
}

static void describe_message(const struct proto_message *message, struct str *str)
{
	str_printf(str, "\n### %s\n\n| member | type | | meaning |\n| --- | --- | --- | --- |\n",
		   message->name);
	for (size_t i = 0; i < message->nr_fields; i++) {
		const struct proto_field *field = &message->fields[i];

		str_printf(str, "| `%s` | ", field->name);
		describe_type(field, str);
		str_printf(str, " | %s | %s |\n", field->is_needed ? "needed" : "", field->doc);
	}
}

void proto_describe(struct str *str)
{
	static const struct proto_message *const messages[] = {
		&proto_join_message,    &proto_joined_message,   &proto_ask_message,
		&proto_lease_message,   &proto_beat_message,     &proto_beaten_message,
		&proto_finish_message,  &proto_build_message,    &proto_usage_message,
		&proto_file_message,    &proto_finished_message, &proto_stored_message,
		&proto_problem_message,
	};

	str_append(str,
		   "## Calls\n\n| call | sends | gets | meaning |\n| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < countof(calls); i++) {
		str_printf(str, "| `%s %s` | %s | %s | %s |\n", calls[i].method, calls[i].path,
			   calls[i].request ? calls[i].request->name : "",
			   calls[i].answer ? calls[i].answer->name : "", calls[i].doc);
	}
	str_append(str, "\n## Messages\n");
	for (size_t i = 0; i < countof(messages); i++) {
		describe_message(messages[i], str);
	}
}
