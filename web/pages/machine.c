/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine: what it does, and how its environment changed from epoch to epoch. */
#include "page.h"
#include "web/handlers.h"

/* More than this of one change is not read by anybody. */
#define MAX_DIFFERENCES 100

static char *value_text(const struct json *value)
{
	const char *text = json_text(value);

	return !value ? mem_strdup("-") : text ? mem_strdup(text) : json_write(value, FORM_COMPACT);
}

static void add_difference(struct json *differences, const char *path, const struct json *before,
			   const struct json *after)
{
	scoped(free) char *before_text = value_text(before);
	scoped(free) char *after_text = value_text(after);

	if (strcmp(before_text, after_text) != 0 && json_size(differences) < MAX_DIFFERENCES) {
		struct json *difference = json_new_object();

		json_put_text(difference, "name", path);
		json_put_text(difference, "before", before_text);
		json_put_text(difference, "after", after_text);
		json_append(differences, difference);
	}
}

/* Appends what differs, with a dotted path as its name.  Nesting is bounded by json_parse(). */
static void compare(struct json *differences, const char *path, const struct json *before,
		    const struct json *after)
{
	const struct json *sides[] = { after, before };

	if (json_kind(before) != KIND_OBJECT || json_kind(after) != KIND_OBJECT) {
		add_difference(differences, path, before, after);
		return;
	}
	for (size_t side = 0; side < countof(sides); side++) {
		for (void *it = json_first(sides[side]); it; it = json_next(sides[side], it)) {
			const char *name = json_member_name(it);
			scoped(free) char *inner =
				mem_printf("%s%s%s", path, *path ? "." : "", name);

			if (side == 0 || !json_get(after, name)) {
				compare(differences, inner, json_get(before, name),
					json_get(after, name));
			}
		}
	}
}

/* Only what makes an epoch is compared; the newest stands first. */
static void add_differences(struct json *epochs)
{
	for (size_t i = 0; i + 1 < json_size(epochs); i++) {
		struct json *epoch = json_at(epochs, i);
		struct json *differences = json_new_array();

		compare(differences, "",
			json_get(json_get(json_at(epochs, i + 1), "fingerprint"), "lasting"),
			json_get(json_get(epoch, "fingerprint"), "lasting"));
		json_put(epoch, "differences", differences);
	}
}

/* For reading: "name: value" of the present epoch. */
static void add_environment(struct json *document)
{
	const struct json *epoch = json_at(json_get(document, "epochs"), 0);
	scoped(json_free) struct json *nothing = json_new_object();
	struct json *environment = json_new_array();

	compare(environment, "", nothing, json_get(json_get(epoch, "fingerprint"), "lasting"));
	json_put(document, "environment", environment);
}

bool get_machine(struct request *request, struct reply *reply, struct err *err)
{
	struct json *document;

	if (!page_query(request, Q_PAGE_MACHINE, ARGS(arg_text(request->parts[0])), &document,
			err)) {
		return false;
	}
	add_differences(json_get(document, "epochs"));
	add_environment(document);
	page_title(document, "Machine %s", request->parts[0]);
	reply_document(reply, document);
	return true;
}
