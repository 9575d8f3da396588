/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "csv.h"

#include <math.h>

static void separate(struct csv *csv)
{
	if (csv->is_in_row) {
		str_append_char(csv->out, ',');
	}
	csv->is_in_row = true;
}

void csv_text(struct csv *csv, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	separate(csv);
	if (length == 0) {
		return;
	}
	if (!strpbrk(text, ",\"\r\n") && *text != ' ' && text[length - 1] != ' ') {
		str_append(csv->out, text);
		return;
	}
	str_append_char(csv->out, '"');
	for (; *text; text++) {
		str_append(csv->out, *text == '"' ? "\"" : "");
		str_append_char(csv->out, *text);
	}
	str_append_char(csv->out, '"');
}

void csv_number(struct csv *csv, double value)
{
	separate(csv);
	if (isfinite(value)) {
		str_append_number(csv->out, value);
	}
}

void csv_end(struct csv *csv)
{
	str_append_char(csv->out, '\n');
	csv->is_in_row = false;
}
