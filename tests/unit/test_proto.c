/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/proto/proto.h"

#include "lib/base/str.h"
#include "tests/t.h"

#define SECRET "pm_0123456789abcdef"
#define SHA    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define COMMIT "0123456789abcdef0123456789abcdef01234567"

static struct json *json_of(const char *text)
{
	struct json *json = NULL;
	struct err err = ERR_INIT;

	CHECK_DONE(json_parse("test", text, strlen(text), &json, &err), &err);
	return json;
}

/* The message's text for a document, or NULL where it is accepted. */
static char *refusal(const struct proto_message *message, const char *text)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *json = json_of(text);
	void *record = arena_alloc(arena, message->size_bytes);
	struct err err = ERR_INIT;

	if (proto_decode(message, json, arena, record, &err)) {
		return NULL;
	}
	CHECK_INT(err.kind, ERR_INPUT);
	return mem_strdup(err.message);
}

static void check_refusal(const struct proto_message *message, const char *text,
			  const char *expected)
{
	scoped(free) char *actual = refusal(message, text);

	CHECK_TEXT(actual, expected);
}

static void writes_stable_bytes(void)
{
	static const struct proto_file files[] = { { "stdout", 12, SHA }, { "a/b.txt", 0, SHA } };
	const struct proto_build build = {
		.key = SHA, .artefact = SHA, .is_cached = true, .wall_s = 1.5
	};
	const struct proto_usage usage = { .elapsed_s = 2.25, .user_s = 2, .maxrss_kib = 900 };
	const struct proto_finish finish = {
		.secret = SECRET,
		.outcome = "failed",
		.reason = "exit-status",
		.detail = "it said \"no\"",
		.exit_code = 3,
		.boot_id = "b/1",
		.build = &build,
		.usage = &usage,
		.files = { files, countof(files) },
	};
	scoped(json_free) struct json *json = proto_encode(&proto_finish_message, &finish);
	scoped(free) char *text = json_write(json, FORM_COMPACT);

	CHECK_TEXT(text,
		   "{\"secret\":\"" SECRET "\",\"outcome\":\"failed\",\"reason\":\"exit-status\","
		   "\"detail\":\"it said \\\"no\\\"\",\"exit_code\":3,\"signal\":0,"
		   "\"boot_id\":\"b/1\",\"build\":{\"key\":\"" SHA "\",\"artefact\":\"" SHA
		   "\",\"is_cached\":true,\"wall_s\":1.5},\"usage\":{\"elapsed_s\":2.25,"
		   "\"user_s\":2,\"system_s\":0,\"minor_faults\":0,\"major_faults\":0,"
		   "\"voluntary_switches\":0,\"involuntary_switches\":0,\"maxrss_kib\":900},"
		   "\"files\":[{\"name\":\"stdout\",\"size\":12,\"sha256\":\"" SHA "\"},"
		   "{\"name\":\"a/b.txt\",\"size\":0,\"sha256\":\"" SHA "\"}]}");
}

static void reads_what_it_writes(void)
{
	static const struct proto_file files[] = { { "stdout", 12, SHA }, { "stderr", 7, SHA } };
	const struct proto_usage usage = { .elapsed_s = 2.25, .major_faults = 4 };
	const struct proto_finish finish = { .secret = SECRET,
					     .outcome = "ok",
					     .boot_id = "b/1",
					     .exit_code = -1,
					     .usage = &usage,
					     .files = { files, countof(files) } };
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *json = proto_encode(&proto_finish_message, &finish);
	struct proto_finish again = { 0 };
	struct err err = ERR_INIT;

	CHECK_DONE(proto_decode(&proto_finish_message, json, arena, &again, &err), &err);
	CHECK_TEXT(again.secret, SECRET);
	CHECK_TEXT(again.outcome, "ok");
	CHECK_TEXT(again.reason, NULL);
	CHECK_INT(again.exit_code, -1);
	CHECK(again.build == NULL);
	CHECK(again.usage != NULL && again.usage->major_faults == 4);
	CHECK_NEAR(again.usage->elapsed_s, 2.25, 0);
	CHECK_INT((int64_t)again.files.nr, 2);
	CHECK_TEXT(again.files.at[1].name, "stderr");
	CHECK_INT(again.files.at[1].size, 7);
}

static void reads_lease(void)
{
	static const char text[] =
		"{\"lease\":7,\"secret\":\"" SECRET "\",\"run\":8,\"kind\":\"measure\","
		"\"benchmark\":\"hackbench\",\"variant\":{\"params\":{\"groups\":\"50%\"}},"
		"\"recipe\":{\"run\":\"./x\"},\"repository\":1,\"commit\":\"" COMMIT
		"\",\"build_key\":\"" SHA "\",\"block\":9,\"order\":2,\"is_warmup\":true,"
		"\"beat_s\":10,\"until_s\":60,\"from_the_future\":[1,2]}";
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *json = json_of(text);
	struct proto_lease lease = { 0 };
	struct err err = ERR_INIT;

	CHECK_DONE(proto_decode(&proto_lease_message, json, arena, &lease, &err), &err);
	CHECK_INT(lease.lease, 7);
	CHECK_TEXT(lease.kind, "measure");
	CHECK_TEXT(lease.commit, COMMIT);
	CHECK(lease.is_warmup);
	CHECK_INT(lease.order, 2);
	CHECK_TEXT(json_text(json_get(json_get(lease.variant, "params"), "groups")), "50%");
}

static void names_what_is_wrong(void)
{
	const struct proto_message *beat = &proto_beat_message;

	check_refusal(beat, "[]", "beat: expected an object");
	check_refusal(beat, "{\"secret\":\"s\"}", "beat: 'phase': missing");
	check_refusal(beat, "{\"secret\":null,\"phase\":\"run\"}", "beat: 'secret': missing");
	check_refusal(beat, "{\"secret\":5,\"phase\":\"run\"}", "beat: 'secret': expected a text");
	check_refusal(beat, "{\"secret\":\"\",\"phase\":\"run\"}",
		      "beat: 'secret': expected 1 to 100 bytes, not 0");
	check_refusal(beat, "{\"secret\":\"s\",\"phase\":\"a b\"}",
		      "beat: 'phase': characters that may not stand there");
	check_refusal(beat, "{\"secret\":\"s\\r\\nX: y\",\"phase\":\"run\"}",
		      "beat: 'secret': characters that may not stand there");
	check_refusal(&proto_beaten_message, "{\"action\":\"go\",\"until_s\":60}",
		      "beaten: 'action': not one of its words");
	check_refusal(&proto_beaten_message, "{\"action\":\"cancel\",\"until_s\":-1}",
		      "beaten: 'until_s': expected a whole number from 0 to 86400");
	check_refusal(&proto_beaten_message, "{\"action\":\"cancel\",\"until_s\":1.5}",
		      "beaten: 'until_s': expected a whole number from 0 to 86400");
	check_refusal(&proto_file_message, "{\"name\":\"x\",\"size\":1,\"sha256\":\"" COMMIT "\"}",
		      "file: 'sha256': expected 64 to 64 bytes, not 40");
	check_refusal(&proto_finished_message, "{\"accepted\":1}",
		      "finished: 'accepted': expected true or false");
	check_refusal(&proto_build_message, "{\"key\":\"" SHA "\",\"wall_s\":-0.5}",
		      "build: 'wall_s': expected a number from 0 to 2592000");
}

static void names_the_path(void)
{
	check_refusal(&proto_finish_message,
		      "{\"secret\":\"s\",\"outcome\":\"ok\",\"boot_id\":\"b\",\"files\":"
		      "[{\"name\":\"../x\",\"size\":1,\"sha256\":\"" SHA "\"}]}",
		      "finish: 'files': file: 'name': characters that may not stand there");
	check_refusal(&proto_finish_message,
		      "{\"secret\":\"s\",\"outcome\":\"ok\",\"boot_id\":\"b\",\"usage\":{}}",
		      "finish: 'usage': usage: 'elapsed_s': missing");
	check_refusal(&proto_finish_message,
		      "{\"secret\":\"s\",\"outcome\":\"ok\",\"boot_id\":\"b\",\"files\":{}}",
		      "finish: 'files': expected a list of 0 to 2000 elements");
}

static void refuses_too_many(void)
{
	scoped(str_release) struct str text = STR_INIT;

	str_append(&text, "{\"secret\":\"s\",\"outcome\":\"ok\",\"boot_id\":\"b\",\"files\":[");
	for (int i = 0; i <= PROTO_FILES_MAX; i++) {
		str_append(&text, i ? ",0" : "0");
	}
	str_append(&text, "]}");
	check_refusal(&proto_finish_message, text.at,
		      "finish: 'files': expected a list of 0 to 2000 elements");
}

static void leaves_output_untouched(void)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *json = json_of("{\"action\":\"cancel\",\"until_s\":\"x\"}");
	struct proto_beaten beaten = { "continue", 5 };
	struct err err = ERR_INIT;

	CHECK(!proto_decode(&proto_beaten_message, json, arena, &beaten, &err));
	CHECK_TEXT(beaten.action, "continue");
	CHECK_INT(beaten.until_s, 5);
}

static void cleans_texts(void)
{
	scoped(str_release) struct str noise = STR_INIT;
	struct proto_beat beat = { .secret = SECRET, .phase = "run", .detail = "a\033[31mb\nc" };
	scoped(json_free) struct json *json = proto_encode(&proto_beat_message, &beat);
	scoped(arena_free) struct arena *arena = arena_new();
	struct err err = ERR_INIT;

	CHECK_TEXT(json_text(json_get(json, "detail")), "a\xef\xbf\xbd[31mb\xef\xbf\xbd"
							"c");
	for (int i = 0; i < 300; i++) {
		str_append(&noise, "\xc3\xa4");
	}
	beat.detail = noise.at;
	json_free(json);
	json = proto_encode(&proto_beat_message, &beat);
	CHECK(json_size(json) == 3 && strlen(json_text(json_get(json, "detail"))) == 200);
	CHECK_DONE(proto_decode(&proto_beat_message, json, arena, &beat, &err), &err);
}

static void knows_file_names(void)
{
	static const char *const good[] = { "stdout", "build.log", "a/b/c/d/e", "x_1+2.txt" };
	static const char *const bad[] = {
		"",       ".",           "..",       "../x", "a/../b", "/etc/passwd", "a//b",
		"a/",     ".hidden",     "-rf",      "a/-b", "a b",    "a\\b",        "a\nb",
		"%2e%2e", "a/b/c/d/e/f", "\xc3\xa4", "a:b",  "a/./b",
	};
	char long_name[102];

	for (size_t i = 0; i < countof(good); i++) {
		if (!CHECK(is_proto_file_name(good[i]))) {
			printf("# '%s'\n", good[i]);
		}
	}
	for (size_t i = 0; i < countof(bad); i++) {
		if (!CHECK(!is_proto_file_name(bad[i]))) {
			printf("# '%s'\n", bad[i]);
		}
	}
	memset(long_name, 'x', 101);
	long_name[101] = '\0';
	CHECK(!is_proto_file_name(long_name));
	CHECK(is_proto_file_name(long_name + 1));
}

static void maps_statuses_both_ways(void)
{
	/* What the daemon says by err_face() is what the worker understands. */
	static const enum err_kind same[] = { ERR_INPUT,    ERR_ABSENT,  ERR_DENIED,
					      ERR_CONFLICT, ERR_TOO_BIG, ERR_BUSY,
					      ERR_FULL,     ERR_TIMEOUT, ERR_REMOTE };

	for (size_t i = 0; i < countof(same); i++) {
		CHECK_INT(proto_kind_of_status(err_face(same[i])->http_status), same[i]);
	}
	/* A damaged daemon is no reason to think that the worker is damaged: it tries again. */
	CHECK_INT(proto_kind_of_status(err_face(ERR_BROKEN)->http_status), ERR_REMOTE);
	CHECK_INT(proto_kind_of_status(507), ERR_FULL);
	CHECK_INT(proto_kind_of_status(401), ERR_DENIED);
	CHECK_INT(proto_kind_of_status(418), ERR_INPUT);
}

static void epoch_is_the_lasting_part(void)
{
	scoped(json_free) struct json *one =
		json_of("{\"lasting\":{\"cpu\":\"x\",\"cores\":2},\"passing\":{\"load\":1}}");
	scoped(json_free) struct json *same =
		json_of("{\"passing\":{\"load\":9},\"lasting\":{\"cores\":2,\"cpu\":\"x\"}}");
	scoped(json_free) struct json *other = json_of("{\"lasting\":{\"cpu\":\"x\",\"cores\":4}}");
	scoped(json_free) struct json *none = json_of("{}");
	struct hash hash = proto_epoch_hash(one);
	struct hash same_hash = proto_epoch_hash(same);
	struct hash other_hash = proto_epoch_hash(other);
	struct hash none_hash = proto_epoch_hash(none);
	char text[HASH_TEXT_BYTES];

	CHECK(memcmp(&hash, &same_hash, sizeof(hash)) == 0);
	CHECK(memcmp(&hash, &other_hash, sizeof(hash)) != 0);
	CHECK(memcmp(&hash, &none_hash, sizeof(hash)) != 0);
	/* printf '{"cores":2,"cpu":"x"}' | sha256sum */
	hash_format(&hash, text);
	CHECK_TEXT(text, "d58b7a806ad2a382f197ba9b69712da1464f37b15aa2f2d3efdb61eb8ca426f6");
}

static void documentation_is_printed_from_the_tables(void)
{
	scoped(free) char *path = t_source("docs/protocol.md");
	scoped(str_release) struct str written = STR_INIT;
	scoped(str_release) struct str printed = STR_INIT;
	struct err err = ERR_INIT;

	CHECK_DONE(str_read_file(&written, path, 1 << 20, &err), &err);
	proto_describe(&printed);
	/* When this fails: patchmeter-worker --protocol. */
	CHECK(strstr(written.at, printed.at) != NULL);
}

static const struct t_case cases[] = {
	{ "a message is written as these bytes", writes_stable_bytes },
	{ "a message is read as it was written", reads_what_it_writes },
	{ "a lease is read, and members from the future are passed over", reads_lease },
	{ "a refusal names the member and what is wrong with it", names_what_is_wrong },
	{ "a refusal inside a list or record names the path", names_the_path },
	{ "a list above its limit is refused", refuses_too_many },
	{ "a refused message leaves the output untouched", leaves_output_untouched },
	{ "a text that is sent is cleaned and cut to what the other end takes", cleans_texts },
	{ "file names cannot leave their folder", knows_file_names },
	{ "statuses and kinds of error map both ways", maps_statuses_both_ways },
	{ "the lasting part of a fingerprint alone makes its epoch", epoch_is_the_lasting_part },
	{ "docs/protocol.md holds what the tables print",
	  documentation_is_printed_from_the_tables },
};
T_MAIN(cases)
