/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format.h"

#include "listing.h"
#include "lkp.h"
#include "pct.h"
#include "percent.h"

static void write_json(const struct view *view, const struct format_options *options UNUSED,
		       struct str *out)
{
	scoped(json_free) struct json *json = view_json(view);
	scoped(free) char *text = json_write(json, FORM_PRETTY);

	str_append(out, text);
	str_append_char(out, '\n');
}

static const struct format formats[] = {
	{ "text", "text/plain; charset=utf-8", "intervals and verdicts, for terminals",
	  listing_text },
	{ "lkp", "text/plain; charset=utf-8", "the table of the mails", lkp_write },
	{ "pct", "text/plain; charset=utf-8", "normalised values and improvements", pct_write },
	{ "pct-raw", "text/plain; charset=utf-8", "improvements beside the values themselves",
	  pct_write_raw },
	{ "percent", "text/plain; charset=utf-8", "a line a metric: nothing but the improvement",
	  percent_write },
	{ "md", "text/markdown; charset=utf-8", "Markdown", listing_markdown },
	{ "csv", "text/csv; charset=utf-8", "a line a metric and column, for programs",
	  listing_csv },
	{ "json", "application/json", "the whole document", write_json },
};

const struct format *format_get(const char *name)
{
	for (size_t i = 0; i < countof(formats); i++) {
		if (strcmp(name, formats[i].name) == 0) {
			return &formats[i];
		}
	}
	return NULL;
}

const struct format *format_at(size_t index)
{
	return index < countof(formats) ? &formats[index] : NULL;
}

static bool has_value(const struct view *view, const struct view_row *row)
{
	for (size_t i = 0; !row->rates && i < view->nr_columns; i++) {
		if (row->cells[i].n > 0) {
			return true;
		}
	}
	return false;
}

static bool has_lost_side(const struct view *view, const struct view_row *row)
{
	for (size_t i = 0; i + 1 < view->nr_columns; i++) {
		if (view_meaning(row, i) == VIEW_MISSING) {
			return has_value(view, row);
		}
	}
	return false;
}

bool format_is_shown(const struct view *view, const struct view_row *row,
		     const struct format_options *options)
{
	return options->is_all || is_view_headline(row) || view_has_changed(view, row) ||
	       has_lost_side(view, row);
}
