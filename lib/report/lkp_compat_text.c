/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of lkp_compat.h. */
#include <math.h>

#include "lkp.h"
#include "lkp_compat_parts.h"

#define NOTHING 1e-100 /* what the peer divides by instead of zero */

/* A row of the table. */
struct line {
	const struct lkp_row *row;
	double *values;  /* fails, or means */
	double *spreads; /* -1: of one sample or none */
	double *changes; /* against the base; changes[0] is not used */
	size_t *nr_runs;
	size_t key_length; /* of the name, for sorting */
	size_t program;    /* the first dotted part of the name */
	int64_t rank;      /* of the program */
};

struct table {
	const struct lkp_compat *compat;
	VEC(struct line) lines;
};

/* numbers */

static double sum_of(const struct lkp_side *side)
{
	double sum = 0;

	for (size_t i = 0; i < side->nr; i++) {
		sum += side->samples[i];
	}
	return sum;
}

static double mean_of(const struct lkp_side *side)
{
	return side->nr > 0 ? sum_of(side) / (double)side->nr : 0;
}

static double spread_of(const struct lkp_side *side, double mean)
{
	double sum = 0;

	if (side->nr < 2) {
		return -1;
	}
	for (size_t i = 0; i < side->nr; i++) {
		sum += (side->samples[i] - mean) * (side->samples[i] - mean);
	}
	return sqrt(sum / (double)side->nr);
}

static bool is_zero(double value)
{
	return fabs(value) <= 0;
}

/* Ruby takes what is a decimal tie but for the last bits for one, and rounds it to even; only below
 * the last digit it looks at the bits. */
static bool is_tie(double value, int digits)
{
	double scaled = fabs(value) * pow(10, digits);
	double away = scaled - floor(scaled) - 0.5;

	return scaled >= 1 && fabs(away) <= scaled * 4e-16;
}

/* The value that printf rounds as Ruby does. */
static double untied(double value, int digits)
{
	double scale = pow(10, digits);
	double whole = floor(fabs(value) * scale);

	if (!is_tie(value, digits)) {
		return value;
	}
	return copysign((whole + (fmod(whole, 2) > 0 ? 1 : 0)) / scale, value);
}

/* Five digits; with an exponent, a tie that is rounded down keeps its zeros. */
static void append_digits(double value, struct str *out)
{
	int exponent = is_zero(value) ? 0 : (int)floor(log10(fabs(value)));
	int digits = 4 - exponent;
	bool is_down = is_tie(value, digits) && fmod(floor(fabs(value) * pow(10, digits)), 2) < 1;

	str_printf(out, is_down && digits < 0 ? "%-10.4e" : "%-10.5g", untied(value, digits));
}

void lkp_append_range(double min, double max, struct str *out)
{
	str_append(out, "[ ");
	append_digits(min, out);
	str_append(out, " - ");
	append_digits(max, out);
	str_append(out, " ]");
}

/* Numbers that do not fit a double end the peer; here they are "n/a". */
static void append_value(double value, struct str *out)
{
	if (!isfinite(value)) {
		str_printf(out, "%10s", "n/a");
	} else if (fabs(value) < 1000) {
		str_printf(out, "%10.2f", untied(value, 2));
	} else if (fabs(value) > 1e8) {
		str_printf(out, "%10.4g", value);
	} else {
		str_printf(out, "%10.0f", trunc(value));
	}
}

static void append_spread(double value, double spread, struct str *out)
{
	double share = is_zero(value) ? spread : 100 * spread / value;

	if (share > 2 && isfinite(share)) {
		str_printf(out, " \xc2\xb1%3.0f%%", trunc(share));
	} else {
		str_append(out, "      ");
	}
}

static void append_change(double change, bool is_absolute, struct str *out)
{
	if (!isfinite(change)) {
		str_printf(out, "%10s", "n/a");
	} else if (fabs(change) < 1e5) {
		str_printf(out, "%+10.1f", untied(change, 1));
	} else {
		str_printf(out, "%+10.2g", change);
	}
	str_append(out, is_absolute ? "  " : "% ");
}

/* rows */

static double rate_of(double fails, size_t nr_runs)
{
	return fails / (double)nr_runs;
}

/* D1: the rate of a column is over the runs of the one before. */
static double failure_change(const struct line *line, size_t column)
{
	return 100 * (rate_of(line->values[column], line->nr_runs[column - 1]) -
		      rate_of(line->values[0], line->nr_runs[0]));
}

static double mean_change(const struct line *line, size_t column)
{
	double base = line->values[0];

	if (line->row->class.is_absolute) {
		return line->values[column] - base;
	}
	base = is_zero(base) ? NOTHING : base;
	return 100.0 * (line->values[column] - base) / base;
}

static size_t key_length(const struct lkp_row *row)
{
	const char *dot = strchr(row->name, '.');
	const char *second = dot ? strchr(dot + 1, '.') : NULL;

	return row->class.is_profile && second ? (size_t)(second - row->name) : strlen(row->name);
}

static void add_line(struct table *table, size_t index)
{
	const struct lkp_compat *compat = table->compat;
	size_t nr = compat->input->nr_columns;
	struct line *line = vec_push(&table->lines);

	*line = (struct line){ .row = &compat->rows.at[index],
			       .values = arena_array(compat->arena, nr, sizeof(double)),
			       .spreads = arena_array(compat->arena, nr, sizeof(double)),
			       .changes = arena_array(compat->arena, nr, sizeof(double)),
			       .nr_runs = arena_array(compat->arena, nr, sizeof(size_t)) };
	line->key_length = key_length(line->row);
	for (size_t i = 0; i < nr; i++) {
		struct lkp_side side = lkp_compat_side(compat, index, i);
		bool is_failure = line->row->class.is_failure;

		line->values[i] = is_failure ? sum_of(&side) : mean_of(&side);
		line->spreads[i] = spread_of(&side, line->values[i]);
		line->nr_runs[i] = side.nr_runs;
		if (i > 0) {
			line->changes[i] =
				is_failure ? failure_change(line, i) : mean_change(line, i);
		}
	}
}

/* order */

/* The fewer of a monitor's metrics changed, the higher it stands; a test's own come first, and what
 * was first seen by a failure before all. */
static void rank_lines(struct table *table)
{
	scoped(names_free) struct names *programs = names_new();
	VEC(int64_t) ranks = { 0 };

	for (size_t i = 0; i < table->lines.nr; i++) {
		struct line *line = &table->lines.at[i];
		const char *name = line->row->name;
		scoped(free) char *program = mem_strndup(name, strcspn(name, "."));

		line->program = names_number(programs, program) - 1;
		if (line->program == ranks.nr) {
			*vec_push(&ranks) = line->row->class.is_failure ? -10000 : 0;
		}
		ranks.at[line->program]++;
	}
	for (size_t i = 0; i < table->lines.nr; i++) {
		struct line *line = &table->lines.at[i];
		int64_t rank = ranks.at[line->program];

		line->rank = rank > 0 && lkp_class_is_test(line->row->name) ? 0 : rank;
	}
	vec_release(&ranks);
}

static int compare_keys(const struct line *a, const struct line *b)
{
	size_t length = a->key_length < b->key_length ? a->key_length : b->key_length;
	int order = memcmp(a->row->name, b->row->name, length);

	return order ? order : (a->key_length > b->key_length) - (a->key_length < b->key_length);
}

static int by_rank(const void *left, const void *right, void *data)
{
	const struct line *a = left;
	const struct line *b = right;
	const size_t *nr_columns = data;
	int order = (a->rank > b->rank) - (a->rank < b->rank);

	if (order == 0) {
		order = compare_keys(a, b);
	}
	for (size_t i = 1; order == 0 && i < *nr_columns; i++) {
		order = (a->changes[i] > b->changes[i]) - (a->changes[i] < b->changes[i]);
	}
	return order;
}

/* writing */

static void write_line(const struct table *table, const struct line *line, struct str *out)
{
	for (size_t i = 0; i < table->compat->input->nr_columns; i++) {
		if (!line->row->class.is_failure) {
			if (i > 0) {
				append_change(line->changes[i], line->row->class.is_absolute, out);
			}
			append_value(line->values[i], out);
			append_spread(line->values[i], line->spreads[i], out);
			continue;
		}
		if (i > 0) {
			str_printf(out, "%10.0f%% ", line->changes[i]);
		}
		if (is_zero(line->values[i])) {
			str_printf(out, "%11s", "");
		} else {
			str_printf(out, "%11.0f", trunc(line->values[i]));
		}
		str_printf(out, ":%-4zu", line->nr_runs[i]);
	}
	str_printf(out, "  %s\n", line->row->name);
}

static void write_lines(const struct table *table, bool is_failure, struct str *out)
{
	bool is_begun = false;

	for (size_t i = 0; i < table->lines.nr; i++) {
		const struct line *line = &table->lines.at[i];

		if (line->row->class.is_failure != is_failure) {
			continue;
		}
		if (!is_begun) {
			lkp_write_heads(is_failure, table->compat->input->nr_columns, out);
		}
		is_begun = true;
		write_line(table, line, out);
	}
}

static void write_header(const struct lkp_compat *compat, struct str *out)
{
	const struct lkp_input *input = compat->input;
	scoped(free) struct view_column *columns = mem_array(input->nr_columns, sizeof(*columns));
	scoped(view_free) struct view *view = NULL;

	for (size_t i = 0; i < input->nr_columns; i++) {
		columns[i] = input->columns[i].head;
	}
	view = view_new(columns, input->nr_columns);
	view_add_group(view,
		       &(struct view_group){ .axes = input->axes, .nr_axes = input->nr_axes });
	lkp_write_header(view, 0, out);
}

void lkp_compat_text(const struct lkp_compat *compat, struct str *out)
{
	struct table table = { .compat = compat };
	size_t nr_columns = compat->input->nr_columns;

	for (size_t i = 0; i < (compat->options.is_all ? compat->rows.nr : compat->listed.nr);
	     i++) {
		add_line(&table, compat->options.is_all ? i : compat->listed.at[i]);
	}
	if (table.lines.nr > 0) {
		rank_lines(&table);
		qsort_r(table.lines.at, table.lines.nr, sizeof(*table.lines.at), by_rank,
			&nr_columns);
		write_header(compat, out);
		write_lines(&table, true, out);
		write_lines(&table, false, out);
		str_append_char(out, '\n');
	}
	vec_release(&table.lines);
}
