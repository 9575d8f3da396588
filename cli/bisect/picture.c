/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "picture.h"

#include <math.h>

#include "lib/text/table.h"

#define BAR_LENGTH 20
#define LEAST_P    0.005 /* of a commit that is shown for its posterior alone */
#define ALIKE      1e-6
#define ID_DIGITS  10

void picture_p(double p, char text[PICTURE_P_BYTES])
{
	if (p > 0.9999) {
		snprintf(text, PICTURE_P_BYTES, "over 0.9999");
	} else if (p > 0.99) {
		snprintf(text, PICTURE_P_BYTES, "%.4f", floor(p * 1e4) / 1e4);
	} else {
		snprintf(text, PICTURE_P_BYTES, "%.2f", p);
	}
}

void picture_number(double value, double size, char text[NUMBER_BYTES])
{
	if (fabs(size) > 0 && fabs(size) < 1) {
		snprintf(text, NUMBER_BYTES, "%.3g", value);
	} else {
		number_value(value, text);
	}
}

/* --- which rows --- */

static double interest(const struct range *range, const struct evidence *evidence, size_t i)
{
	if (i == 0 || i == range->tip) {
		return 2;
	}
	return evidence->posterior[i] + 0.01 * (evidence->at[i].nr > 0) +
	       0.005 * (evidence->at[i].why != NULL);
}

struct row {
	size_t commit;
	double interest;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a;
	const struct row *y = b;

	return (x->interest < y->interest) - (x->interest > y->interest);
}

/* How many rows it takes to show these, with what is between. */
static size_t count_rows(const struct range *range, const bool *is_shown)
{
	size_t nr = 0;

	for (size_t i = 0; i <= range->tip; i++) {
		nr += is_shown[i] || i == 0 || is_shown[i - 1];
	}
	return nr;
}

static void show_rows(const struct row *rows, size_t nr, bool *is_shown, bool value)
{
	for (size_t i = 0; i < nr; i++) {
		is_shown[rows[i].commit] = value;
	}
}

/* By commit.  Those that are alike have a row each or, where there is no room, none: their sum says
 * more than a few of them would. */
static bool *choose_rows(const struct range *range, const struct evidence *evidence, size_t most)
{
	bool *is_shown = mem_array(range->tip + 1, sizeof(*is_shown));
	scoped(free) struct row *rows = mem_array(range->tip + 1, sizeof(*rows));
	size_t nr = 0;
	size_t next;

	for (size_t i = 0; i <= range->tip; i++) {
		rows[nr] = (struct row){ i, interest(range, evidence, i) };
		nr += rows[nr].interest >= LEAST_P;
	}
	qsort(rows, nr, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < nr; i = next) {
		next = i + 1;
		while (next < nr && rows[next].interest > rows[i].interest * (1 - ALIKE)) {
			next++;
		}
		show_rows(&rows[i], next - i, is_shown, true);
		if (count_rows(range, is_shown) > most) {
			show_rows(&rows[i], next - i, is_shown, false);
		}
	}
	return is_shown;
}

/* --- rows --- */

static void add_commit(struct table *table, const struct range *range,
		       const struct evidence *evidence, size_t i)
{
	static const char full[] = "####################";
	const struct evidence_commit *at = &evidence->at[i];
	const struct range_commit *commit = &range->at[i];
	int length = (int)(evidence->posterior[i] * BAR_LENGTH + 0.5);
	char place[32];
	char mean[NUMBER_BYTES] = "";
	char sd[NUMBER_BYTES + 8] = "";
	char runs[32] = "";
	char p[PICTURE_P_BYTES];
	scoped(free) char *id = mem_printf("%.*s", ID_DIGITS, commit->id.text);
	scoped(free) char *bar = mem_printf("%.*s", i > 0 ? length : 0, full);
	scoped(free) char *subject = at->why ? mem_printf("%s (%s)", commit->subject, at->why)
					     : mem_strdup(commit->subject);

	snprintf(place, sizeof(place), i == 0 ? "base" : "%zu", i);
	picture_p(evidence->posterior[i], p);
	if (at->nr > 0) {
		picture_number(at->mean, evidence->is_pass_fail ? 0 : at->mean, mean);
		snprintf(runs, sizeof(runs), "%zu", at->nr);
	}
	if (at->nr > 1 && !evidence->is_pass_fail) {
		memcpy(sd, "±", strlen("±") + 1);
		picture_number(at->sd, at->mean, sd + strlen("±"));
	}
	table_add(table,
		  (const char *[]){ place, id, mean, sd, runs, i > 0 ? p : NULL, bar, subject });
}

static void add_gap(struct table *table, const struct range *range, const struct evidence *evidence,
		    size_t first, size_t last)
{
	char place[64];
	char p[PICTURE_P_BYTES];
	char subject[64];
	double sum = 0;

	if (first == last) {
		add_commit(table, range, evidence, first);
		return;
	}
	for (size_t i = first; i <= last; i++) {
		sum += evidence->posterior[i];
	}
	snprintf(place, sizeof(place), "%zu..%zu", first, last);
	snprintf(subject, sizeof(subject), "(%zu commits)", last - first + 1);
	picture_p(sum, p);
	table_add(table, (const char *[]){ place, NULL, NULL, NULL, NULL, p, NULL, subject });
}

void picture_table(const struct range *range, const struct evidence *evidence, size_t most_rows,
		   struct str *out)
{
	const char *mean = evidence->is_pass_fail ? "failed" : "mean";
	const struct table_column columns[] = {
		{ "", TABLE_RIGHT }, { "commit", TABLE_LEFT },  { mean, TABLE_DECIMAL },
		{ "", TABLE_LEFT },  { "runs", TABLE_RIGHT },   { "posterior", TABLE_LEFT },
		{ "", TABLE_LEFT },  { "subject", TABLE_LEFT },
	};
	scoped(table_free) struct table *table = table_new(columns, countof(columns));
	scoped(free) bool *is_shown =
		choose_rows(range, evidence, most_rows > 0 ? most_rows : SIZE_MAX);
	size_t first = 0; /* of those that are passed over */

	for (size_t i = 0; i <= range->tip; i++) {
		if (is_shown[i]) {
			if (first < i) {
				add_gap(table, range, evidence, first, i - 1);
			}
			add_commit(table, range, evidence, i);
			first = i + 1;
		}
	}
	table_write(table, TABLE_TEXT, out);
}

/* --- lines --- */

void picture_line(const struct range *range, const struct evidence *evidence, struct str *out)
{
	const struct bisect_answer *answer = &evidence->answer;
	char p[PICTURE_P_BYTES];
	char none[PICTURE_P_BYTES];
	size_t most = 1;

	for (size_t i = 1; i <= range->tip; i++) {
		most = evidence->posterior[i] > evidence->posterior[most] ? i : most;
	}
	picture_p(evidence->posterior[most], p);
	picture_p(answer->p_none, none);
	str_printf(out, "%zu run%s on %zu commit%s; %.*s with %s, nothing changed with %s",
		   evidence->nr_runs, evidence->nr_runs == 1 ? "" : "s", evidence->nr_measured,
		   evidence->nr_measured == 1 ? "" : "s", ID_DIGITS, range->at[most].id.text, p,
		   none);
	if (answer->state == BISECT_OPEN && evidence->nr_measured > 1) {
		str_printf(out, "; about %.0f more", ceil(answer->expected));
	}
}

void picture_values(const struct evidence *evidence, size_t commit, struct str *out)
{
	const struct evidence_commit *at = &evidence->at[commit];
	char mean[NUMBER_BYTES];
	char sd[NUMBER_BYTES];

	if (evidence->is_pass_fail) {
		str_printf(out, "%.0f of %zu runs failed", at->mean * (double)at->nr, at->nr);
		return;
	}
	picture_number(at->mean, at->mean, mean);
	str_printf(out, "%zu run%s %s", at->nr, at->nr == 1 ? "" : "s", mean);
	if (at->nr > 1) {
		picture_number(at->sd, at->mean, sd);
		str_printf(out, " ±%s", sd);
	}
}
