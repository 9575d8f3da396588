/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "width.h"

/* Sorted; what is in no row takes one cell. */
static const struct {
	uint32_t first;
	uint32_t last;
	uint8_t cells;
} ranges[] = {
#include "width_table.inc"
};

static size_t cells_of(uint32_t code)
{
	size_t low = 0;
	size_t high = countof(ranges);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (code < ranges[middle].first) {
			high = middle;
		} else if (code > ranges[middle].last) {
			low = middle + 1;
		} else {
			return ranges[middle].cells;
		}
	}
	return 1;
}

/* The first character's bytes, and its cells. */
static size_t step(const char *text, size_t length, size_t *ret_cells)
{
	uint32_t code = 0;
	size_t size = str_decode(text, length, &code);

	*ret_cells = size ? cells_of(code) : 1;
	return size ? size : 1;
}

size_t width_of_bytes(const char *text, size_t length)
{
	size_t cells = 0;
	size_t more;

	for (size_t i = 0; i < length; cells += more) {
		if (text[i] >= ' ' && text[i] <= '~') {
			i++; /* nearly all there is */
			more = 1;
		} else {
			i += step(text + i, length - i, &more);
		}
	}
	return cells;
}

size_t width_of(const char *text)
{
	return width_of_bytes(text, strlen(text));
}

size_t width_cut(const char *text, size_t cells)
{
	size_t length = strlen(text);
	size_t taken = 0;
	size_t more;

	for (size_t i = 0; i < length;) {
		size_t size = step(text + i, length - i, &more);

		if (taken + more > cells) {
			return i;
		}
		taken += more;
		i += size;
	}
	return length;
}

void width_pad(struct str *out, const char *text, size_t cells, enum width_side side)
{
	size_t taken = width_of(text);
	size_t blanks = taken < cells ? cells - taken : 0;

	if (side == WIDTH_RIGHT) {
		str_append_blanks(out, blanks);
	}
	str_append(out, text);
	if (side == WIDTH_LEFT) {
		str_append_blanks(out, blanks);
	}
}

static void wrap_line(struct str *out, const char *line, size_t length, size_t cells,
		      const char *margin)
{
	size_t margin_cells = width_of(margin);
	size_t taken = 0; /* cells of the present line, with its margin; 0: none is begun */
	size_t at = 0;

	while (at < length) {
		size_t word = strcspn(line + at, " \t\n");
		size_t word_cells = width_of_bytes(line + at, word);

		if (word == 0) {
			at++;
			continue;
		}
		if (taken && taken + 1 + word_cells <= cells) {
			str_append_char(out, ' ');
			taken++;
		} else {
			str_append(out, taken ? "\n" : "");
			str_append(out, margin);
			taken = margin_cells;
		}
		str_append_bytes(out, line + at, word);
		taken += word_cells;
		at += word;
	}
	str_append_char(out, '\n');
}

void width_wrap(struct str *out, const char *text, size_t cells, const char *margin)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		wrap_line(out, text, length, cells, margin);
		text += length + (text[length] == '\n');
	}
}
