/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever is on disk as a journal is refused with its line and left alone, or each entry of it
 * has a commit and a run, and one more is read again behind them. */
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/bisect/journal.h"
#include "lib/base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static size_t count_entries(const struct journal *journal)
{
	for (size_t i = 0; i < journal->entries.nr; i++) {
		const struct journal_entry *entry = &journal->entries.at[i];

		if (!entry->commit || json_kind(entry->run) != KIND_OBJECT) {
			bug("entry %zu is none", i);
		}
	}
	return journal->entries.nr;
}

static void go_on(struct journal *journal, const char *path, const struct json *recipe)
{
	scoped(journal_close) struct journal *again = NULL;
	struct err err = ERR_INIT;
	size_t nr = count_entries(journal);

	if (!journal_append(journal, "c", 0, 1, json_new_object(), &err) ||
	    !journal_open(path, recipe, &again, &err)) {
		bug("%s", err.message);
	}
	if (count_entries(again) != nr + 1) {
		bug("%zu entries and one more are %zu", nr, again->entries.nr);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(json_free) struct json *recipe = json_new_object();
	scoped(journal_close) struct journal *journal = NULL;
	struct err err = ERR_INIT;
	int fd = memfd_create("journal", MFD_CLOEXEC);
	scoped(free) char *path = mem_printf("/proc/self/fd/%d", fd);
	struct stat status;

	if (fd < 0 || write(fd, bytes, length) != (ssize_t)length) {
		bug("no memory for a file");
	}
	if (journal_open(path, recipe, &journal, &err)) {
		go_on(journal, path, recipe);
	} else if (strncmp(err.message, path, strlen(path)) != 0 ||
		   err.message[strlen(path)] != ':' || fstat(fd, &status) != 0 ||
		   (size_t)status.st_size != length) {
		bug("'%s' is without a line, or the file was changed", err.message);
	}
	close(fd);
	return 0;
}
