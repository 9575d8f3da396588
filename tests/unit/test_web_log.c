/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/mem.h"
#include "tests/t.h"
#include "web/pages/log.h"

#include <fcntl.h>
#include <unistd.h>

static void shows_the_end_from_a_whole_line_on(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *path = mem_printf("%s/log", folder);
	scoped(str_release) struct str file = STR_INIT;
	scoped(str_release) struct str text = STR_INIT;
	struct err err = ERR_INIT;
	bool is_cut;
	int fd;

	for (int i = 0; i < 20000; i++) {
		str_printf(&file, "line %d\n", i);
	}
	if (!CHECK_DONE(str_write_file(path, file.at, file.length, 0600, &err), &err)) {
		return;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK_DONE(log_read_end(fd, (int64_t)file.length, &text, &is_cut, &err), &err);
	close(fd);
	CHECK(is_cut);
	CHECK(text.length <= LOG_SHOWN_BYTES && text.length > LOG_SHOWN_BYTES - 20);
	CHECK(str_has_prefix(text.at, "line "));
	CHECK(str_has_suffix(file.at, text.at));
}

static const struct t_case cases[] = {
	{ "of a long log the end is shown, from a whole line on",
	  shows_the_end_from_a_whole_line_on },
};
T_MAIN(cases)
