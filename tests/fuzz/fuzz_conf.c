/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever a configuration file says can be written, and reads again as the same. */
#include "lib/base/conf.h"
#include "lib/base/conf_syntax.h"
#include "lib/base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const struct conf_key keys[] = {
	{ "a", "text", CONF_TEXT, CONF_REPEATED, 0, 0, NULL, NULL, "" },
	{ "a", "int", CONF_INT, 0, -9, INT64_MAX, NULL, "1", "" },
	{ "a", "bool", CONF_BOOL, 0, 0, 0, NULL, "no", "" },
	{ "t", "time", CONF_DURATION, CONF_NAMED, 0, INT64_MAX, NULL, "1s", "" },
	{ "t", "word", CONF_CHOICE, CONF_NAMED | CONF_REPEATED, 0, 0, "x yy", NULL, "" },
};

static struct str rewrite(const char *file, const char *text, bool must_read)
{
	scoped(conf_reader_release) struct conf_reader reader;
	struct conf_entry entry = { .kind = CONF_VALUE };
	struct str written = STR_INIT;
	struct err err = ERR_INIT;

	conf_reader_init(&reader, file, text);
	while (conf_reader_next(&reader, &entry, &err) && entry.kind != CONF_END) {
		if (entry.kind == CONF_HEADER
			    ? !conf_write_header(&written, entry.section, entry.name, &err)
			    : !conf_write_value(&written, entry.key, entry.value, &err)) {
			bug("'%s': %s", text, err.message);
		}
	}
	if (must_read && entry.kind != CONF_END) {
		bug("'%s': %s", text, err.message);
	}
	return written;
}

static void ask(const struct conf *conf, const char *name)
{
	size_t nr;

	conf_int(conf, "a", "", "int");
	conf_bool(conf, "a", "", "bool");
	conf_seconds(conf, "t", name, "time");
	conf_list(conf, "t", name, "word", &nr);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(free) char *text = mem_strndup((const char *)bytes, length);
	scoped(str_release) struct str once = rewrite("fuzz", text, false);
	scoped(str_release) struct str twice = rewrite("once", once.at, true);
	scoped(conf_free) struct conf *conf = conf_new(keys, countof(keys));
	size_t nr;

	if (strcmp(once.at, twice.at) != 0) {
		bug("'%s' became '%s'", once.at, twice.at);
	}
	(void)!conf_parse(conf, "fuzz", text, NULL);
	(void)!conf_set(conf, text, NULL);
	for (const char *const *name = conf_names(conf, "t", &nr); nr > 0; nr--) {
		ask(conf, name[nr - 1]);
	}
	ask(conf, "");
	return 0;
}
