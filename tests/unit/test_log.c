/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "tests/t.h"

/* Sends stderr into a file for the length of one call. */
static char *logged(enum log_level level, const char *text)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *path = mem_printf("%s/log", folder);
	scoped(str_release) struct str got = STR_INIT;
	struct err err = ERR_INIT;
	int saved = dup(STDERR_FILENO);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	dup2(fd, STDERR_FILENO);
	close(fd);
	log_line(level, "stage=watch tree='%s'", text);
	dup2(saved, STDERR_FILENO);
	close(saved);
	CHECK_DONE(str_read_file(&got, path, 100000, &err), &err);
	return str_detach(&got);
}

static size_t nr_lines(const char *text)
{
	size_t nr = 0;

	for (; (text = strchr(text, '\n')); text++) {
		nr++;
	}
	return nr;
}

static void writes_one_line(void)
{
	scoped(free) char *line = logged(LOG_WARN, "linux");

	CHECK_INT((int64_t)strspn(line, "0123456789-:TZ"), 20);
	CHECK_TEXT(line + 20, " level=warn stage=watch tree='linux'\n");
}

static void cannot_be_forged(void)
{
	static const char *const hostile[] = {
		"x\n2026-01-01T00:00:00Z level=error msg='forged'",
		"x\r\n\v\f",
		"x\xc2\x85y",     /* U+0085, next line */
		"x\xe2\x80\xa8y", /* U+2028, line separator */
		"\x1b[2J\xc2\x9b"
		"2J", /* both ways to clear a terminal */
		"\xff\xfe\x80",
	};

	for (size_t i = 0; i < countof(hostile); i++) {
		scoped(free) char *line = logged(LOG_WARN, hostile[i]);

		CHECK_INT((int64_t)nr_lines(line), 1);
		CHECK(strpbrk(line, "\r\v\f\x1b\xff") == NULL);
		CHECK(strstr(line, "\xc2\x85") == NULL && strstr(line, "\xc2\x9b") == NULL &&
		      strstr(line, "\xe2\x80\xa8") == NULL);
		CHECK(strstr(line, "tree='") != NULL && strstr(line, "\xef\xbf\xbd") != NULL);
	}
}

static void cuts_at_a_character(void)
{
	scoped(str_release) struct str text = STR_INIT;
	scoped(free) char *line = NULL;
	size_t end;

	for (int i = 0; i < 5000; i++) {
		str_append(&text, "\xe2\x82\xac");
	}
	line = logged(LOG_ERROR, text.at);
	end = strlen(line);
	CHECK(end < 4096);
	CHECK_TEXT(line + end - 4, "\xe2\x82\xac\n");
}

static void drops_what_is_below(void)
{
	scoped(free) char *before = logged(LOG_DEBUG, "x");
	scoped(free) char *after = NULL;

	log_set_level(LOG_DEBUG);
	after = logged(LOG_DEBUG, "x");
	CHECK_TEXT(before, "");
	CHECK(strstr(after, "level=debug") != NULL);
}

static void keeps_errno(void)
{
	close(STDERR_FILENO);
	errno = EXDEV;
	log_line(LOG_INFO, "nobody reads this");
	CHECK_INT(errno, EXDEV);
}

static const struct t_case cases[] = {
	{ "an event is one line with its time and level", writes_one_line },
	{ "a hostile text cannot forge a line or move a terminal's cursor", cannot_be_forged },
	{ "a long line is cut between characters", cuts_at_a_character },
	{ "lines below the level are dropped", drops_what_is_below },
	{ "logging leaves errno alone", keeps_errno },
};

T_MAIN(cases)
