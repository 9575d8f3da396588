/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen.h"

#include <unistd.h>

#include "lib/text/plain.h"

bool screen_init(struct screen *screen, const char *color, struct err *err)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	screen->is_terminal = isatty(STDOUT_FILENO);
	if (!color || strcmp(color, "auto") == 0) {
		screen->is_colored = screen->is_terminal && !(no_color && *no_color) && term &&
				     strcmp(term, "dumb") != 0;
		return true;
	}
	screen->is_colored = strcmp(color, "always") == 0;
	return screen->is_colored || strcmp(color, "never") == 0 ||
	       err_set(err, ERR_INPUT, "--color: expected auto, always or never");
}

void screen_print(const struct screen *screen, const char *bytes, size_t length)
{
	scoped(str_release) struct str clean = STR_INIT;

	if (screen->is_terminal) {
		plain_append(&clean, bytes, length);
		bytes = clean.at;
		length = clean.length;
	}
	fwrite(bytes, 1, length, stdout);
}

void screen_line(const struct screen *screen, enum tone tone, const char *text, size_t length)
{
	static const char *const sequences[] = {
		[TONE_PLAIN] = "",        [TONE_TITLE] = "\x1b[1m", [TONE_BAD] = "\x1b[33m",
		[TONE_GOOD] = "\x1b[36m", [TONE_FAINT] = "\x1b[2m",
	};
	bool is_colored = screen->is_colored && tone != TONE_PLAIN && length > 0;

	printf("%s%.*s%s\n", is_colored ? sequences[tone] : "", (int)length, text,
	       is_colored ? "\x1b[0m" : "");
}

void print_clean(FILE *stream, const struct str *text)
{
	scoped(str_release) struct str clean = STR_INIT;

	str_append_clean(&clean, text->at, text->length, true, SIZE_MAX);
	fwrite(clean.at, 1, clean.length, stream);
}
