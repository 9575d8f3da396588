/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever a message reads from foreign bytes it can write, and reads again as the same. */
#include "lib/proto/proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void read_and_write(const struct proto_message *message, const struct json *json)
{
	scoped(arena_free) struct arena *arena = arena_new();
	void *record = arena_alloc(arena, message->size_bytes);
	scoped(json_free) struct json *written = NULL;
	scoped(json_free) struct json *rewritten = NULL;
	scoped(free) char *text = NULL;
	scoped(free) char *again = NULL;

	if (!proto_decode(message, json, arena, record, NULL)) {
		return;
	}
	written = proto_encode(message, record);
	if (!proto_decode(message, written, arena, record, NULL)) {
		bug("%s: does not read what it wrote", message->name);
	}
	rewritten = proto_encode(message, record);
	text = json_write(written, FORM_CANONICAL);
	again = json_write(rewritten, FORM_CANONICAL);
	if (strcmp(text, again) != 0) {
		bug("%s: '%s' became '%s'", message->name, text, again);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(json_free) struct json *json = NULL;

	if (!json_parse("fuzz", (const char *)bytes, length, &json, NULL)) {
		return 0;
	}
	for (enum proto_call_id id = 0; id < PROTO_CALLS; id++) {
		const struct proto_call *call = proto_call(id);

		if (call->request) {
			read_and_write(call->request, json);
		}
		if (call->answer) {
			read_and_write(call->answer, json);
		}
	}
	read_and_write(&proto_problem_message, json);
	return 0;
}
