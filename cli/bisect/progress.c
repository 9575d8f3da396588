/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress.h"

#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "picture.h"

#define OTHER_ROWS  4 /* titles, the line below, what is said, the cursor's */
#define FEWEST_ROWS 8

void progress_init(struct progress *progress)
{
	const char *term = getenv("TERM");

	*progress = (struct progress){ .is_drawn = isatty(STDERR_FILENO) && term &&
						   strcmp(term, "dumb") != 0 };
}

static size_t most_rows(void)
{
	struct winsize size = { .ws_row = 24 };

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) {
		size.ws_row = 24;
	}
	return size.ws_row > FEWEST_ROWS + OTHER_ROWS ? size.ws_row - OTHER_ROWS : FEWEST_ROWS;
}

/* Puts the cursor where the picture begins. */
static void erase(struct progress *progress)
{
	if (progress->nr_lines > 0) {
		fprintf(stderr, "\x1b[%zuA\r\x1b[J", progress->nr_lines);
		progress->nr_lines = 0;
	}
}

/* Long lines are cut by the terminal: one that went on in the next would not be counted. */
static void draw(struct progress *progress, const struct str *text)
{
	erase(progress);
	fprintf(stderr, "\x1b[?7l%s\x1b[?7h", text->at);
	for (size_t i = 0; i < text->length; i++) {
		progress->nr_lines += text->at[i] == '\n';
	}
	fflush(stderr);
}

void progress_show(struct progress *progress, const struct range *range,
		   const struct evidence *evidence)
{
	scoped(str_release) struct str text = STR_INIT;

	if (progress->is_drawn) {
		picture_table(range, evidence, most_rows(), &text);
	}
	picture_line(range, evidence, &text);
	str_append_char(&text, '\n');
	if (progress->is_drawn) {
		draw(progress, &text);
	} else {
		fputs(text.at, stderr);
	}
}

void progress_say(struct progress *progress, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (progress->is_drawn) {
		fputs("\x1b[?7l", stderr);
	}
	vfprintf(stderr, format, args);
	fputs(progress->is_drawn ? "\x1b[?7h\n" : "\n", stderr);
	va_end(args);
	progress->nr_lines += progress->nr_lines > 0;
	fflush(stderr);
}

void progress_end(struct progress *progress)
{
	erase(progress);
}
