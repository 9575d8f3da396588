/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds every file of the folders named to a fuzz target, once: what `meson test` runs.  Linked
 * with -fsanitize=fuzzer instead, the same target explores.
 */
#include <dirent.h>

#include "lib/base/mem.h"
#include "lib/base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static int replay_folder(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	int nr = 0;

	if (!folder) {
		fprintf(stderr, "cannot read '%s'\n", path);
		exit(1);
	}
	while ((entry = readdir(folder))) {
		scoped(free) char *name = mem_printf("%s/%s", path, entry->d_name);
		scoped(str_release) struct str text = STR_INIT;
		struct err err = ERR_INIT;

		if (entry->d_name[0] == '.') {
			continue;
		}
		if (!str_read_file(&text, name, (size_t)16 << 20, &err)) {
			fprintf(stderr, "%s\n", err.message);
			exit(1);
		}
		LLVMFuzzerTestOneInput((const uint8_t *)text.at, text.length);
		nr++;
	}
	closedir(folder);
	return nr;
}

int main(int argc, char **argv)
{
	int nr = 0;

	for (int i = 1; i < argc; i++) {
		nr += replay_folder(argv[i]);
	}
	printf("%d inputs\n", nr);
	return nr == 0; /* an empty corpus proves nothing */
}
