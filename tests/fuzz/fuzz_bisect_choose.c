/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever another program says, the chooser answers each START with one DONE, or fails with the
 * line; what it asks for is a commit, as many a round as there are machines. */
#include "cli/bisect/choose.h"
#include "lib/base/mem.h"

/* Histories that take long are for the simulator. */
#define MOST_COMMITS 64

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static size_t count(const char *text, const char *wanted)
{
	size_t nr = 0;

	for (const char *at = strstr(text, wanted); at; at = strstr(at + 1, wanted)) {
		nr++;
	}
	return nr;
}

static bool is_long(const char *text)
{
	for (const char *at = strstr(text, "n="); at; at = strstr(at + 1, "n=")) {
		if (strtod(at + 2, NULL) > MOST_COMMITS) {
			return true;
		}
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(free) char *text = mem_alloc(length + 1);
	char *said = NULL;
	size_t said_bytes = 0;
	struct err err = ERR_INIT;
	FILE *from, *to;
	bool done;

	if (length > 0) {
		memcpy(text, bytes, length);
	}
	if (length == 0 || is_long(text)) {
		return 0;
	}
	from = fmemopen(text, length, "r");
	to = open_memstream(&said, &said_bytes);
	if (!from || !to) {
		bug("no memory for a file");
	}
	done = bisect_choose(from, to, &err);
	fclose(from);
	fclose(to);
	if (!done && strncmp(err.message, "line ", 5) != 0) {
		bug("'%s' is without a line", err.message);
	}
	if (count(said, "DONE") > count(text, "START") || strstr(said, "nan")) {
		bug("'%s' was answered by '%s'", text, said);
	}
	free(said);
	return 0;
}
