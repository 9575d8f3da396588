/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our table, with the peer's digits, against what the peer's own code printed for the same samples:
 * golden/lkp-compare of the shared material, 24 cases by hand and 300 random ones.
 *
 * The peer's defects (D1 to D13 of reference/lkp.md) are not copied.  Where a line differs, it must
 * differ in nothing but one of those that a table can show.
 */
#include "tests/t.h"

#include <math.h>

#include "lib/base/json.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/report/format.h"
#include "lib/report/view_builder.h"

static char *written(const struct json *view, const struct format_options *options)
{
	scoped(str_release) struct str out = STR_INIT;

	format_get("lkp")->write(view, options, &out);
	return str_detach(&out);
}

#define MAX_RUNS 128

/* The samples of a metric; runs that were not complete do not count for performance. */
static size_t read_samples(const struct json *matrix, const char *metric, bool is_failure,
			   double samples[MAX_RUNS])
{
	const struct json *array = json_get(matrix, metric);
	const struct json *incomplete = json_get(matrix, "last_state.is_incomplete_run");
	size_t nr = 0;

	for (size_t i = 0; i < json_size(array) && i < MAX_RUNS; i++) {
		if (is_failure || json_number(json_at(incomplete, i), 0) < 1) {
			samples[nr++] = json_number(json_at(array, i), NAN);
		}
	}
	return nr;
}

/* A row of the peer's table, and room for what makes it one of ours. */
struct peer_row {
	bool is_failure;
	char *metric;
	double samples[4][MAX_RUNS];
	struct view_cell cells[4];
	struct view_rate rates[4];
	struct view_change changes[3];
};

static void read_row(struct peer_row *row, const struct json *input, const struct json *class)
{
	const struct json *matrices = json_get(input, "matrices");

	row->is_failure = json_bool(json_get(json_get(class, row->metric), "function"), false);
	for (size_t i = 0; i < json_size(matrices); i++) {
		const struct json *matrix = json_at(matrices, i);
		double *samples = row->samples[i];
		size_t nr = read_samples(matrix, row->metric, row->is_failure, samples);

		row->cells[i] = view_cell_of(samples, nr, "not in the matrix");
		row->rates[i].runs = json_size(json_get(matrix, "stats_source"));
		for (size_t j = 0; j < nr; j++) {
			row->rates[i].fails += samples[j] > 0;
		}
	}
	for (size_t i = 0; i < countof(row->changes); i++) {
		row->changes[i] = (struct view_change){ .effect = NAN,
							.low = NAN,
							.high = NAN,
							.p = NAN,
							.q = NAN,
							.verdict = "not-judged" };
	}
}

static struct json *columns_of(const struct json *input)
{
	const struct json *commits = json_get(input, "commits");
	struct view_column columns[4] = { 0 };

	for (size_t i = 0; i < json_size(commits); i++) {
		columns[i].commit = json_text(json_at(commits, i));
	}
	return view_new(columns, json_size(commits));
}

/* The table of the rows that the peer shows, in its order. */
static struct json *peer_view(const struct json *input, const struct json *class,
			      struct peer_row *peers, size_t nr_peers)
{
	struct json *view = columns_of(input);
	scoped(free) struct view_row *rows = mem_array(nr_peers, sizeof(*rows));
	scoped(free) struct view_failure *failures = mem_array(nr_peers, sizeof(*failures));
	struct view_axis axes[16];
	struct view_group group = { .axes = axes, .rows = rows, .failures = failures };

	for (void *it = json_first(json_get(input, "axes")); it;
	     it = json_next(json_get(input, "axes"), it)) {
		axes[group.nr_axes++] = (struct view_axis){ json_member_name(it),
							    json_text(json_member_value(it)) };
	}
	for (size_t i = 0; i < nr_peers; i++) {
		struct peer_row *peer = &peers[i];
		bool is_absolute =
			json_bool(json_get(json_get(class, peer->metric), "absolute"), false);

		if (peer->is_failure) {
			failures[group.nr_failures++] =
				(struct view_failure){ peer->metric, peer->rates, peer->changes };
		} else {
			rows[group.nr_rows++] = (struct view_row){ .metric = peer->metric,
								   .unit = is_absolute ? "%" : "x",
								   .cells = peer->cells,
								   .changes = peer->changes };
		}
	}
	view_add_group(view, &group);
	view_sum_up(view);
	return view;
}

static bool ends_with(const char *begin, const char *end, const char *tail)
{
	size_t length = strlen(tail);

	return (size_t)(end - begin) >= length && memcmp(end - length, tail, length) == 0;
}

/* The rows of a table: its lines after the dashes that are no heads. */
static size_t read_rows(const char *table, const struct json *input, const struct json *class,
			struct peer_row *rows, size_t room)
{
	const char *at = strstr(table, "\n----------------");
	size_t nr = 0;

	while (at && *at && nr < room) {
		const char *end = strchr(++at, '\n');
		const char *name;

		if (!end) {
			break;
		}
		for (name = end; name > at && strncmp(name, "  ", 2) != 0; name--) {
		}
		if (end - name > 2 && !ends_with(name, end, "%stddev") &&
		    !ends_with(name, end, "fail:runs") && !ends_with(name, end, " ")) {
			rows[nr].metric = mem_strndup(name + 2, (size_t)(end - name - 2));
			read_row(&rows[nr++], input, class);
		}
		at = end;
	}
	return nr;
}

/* A line as fixed fields: value and deviation in 16 cells, then a change in 12 and the next value
 * and deviation in 16.  The two bytes of a plus-minus become one. */
struct fields {
	char text[512];
	size_t length;
	bool is_failure;
};

static struct fields split(const char *line, size_t length)
{
	struct fields fields = { 0 };

	for (size_t i = 0; i < length && fields.length + 1 < sizeof(fields.text); i++) {
		bool is_plus_minus = i + 1 < length && memcmp(line + i, "\xc2\xb1", 2) == 0;

		fields.text[fields.length++] = line[i];
		if (is_plus_minus) {
			fields.text[fields.length - 1] = '~';
		}
		i += is_plus_minus;
	}
	fields.is_failure = fields.length > 12 && fields.text[11] == ':';
	return fields;
}

static bool is_same(const char *a, const char *b, size_t length)
{
	return memcmp(a, b, length) == 0;
}

static bool is_negative(const char *value)
{
	return memchr(value, '-', 10) != NULL;
}

/* The peer rounds a tie to even, C rounds the binary value: one unit in the last digit. */
static bool is_tie(const char *a, const char *b)
{
	return is_same(a, b, 9) && (a[9] - b[9] == 1 || b[9] - a[9] == 1);
}

/* D4: the sign and the deviation of a negative mean, or of one that is zero but for rounding. */
static bool is_value_defect(const char *ours, const char *peer)
{
	bool is_value_alike =
		is_same(ours, peer, 10) || is_tie(ours, peer) || is_same(ours, "     -0.00", 10);

	return is_value_alike && (is_same(ours + 10, peer + 10, 6) || is_negative(ours) ||
				  is_same(ours, "      0.00      ", 16));
}

/* D1: the rate of a failure over another column's runs.  D3: a change from zero.  D4. */
static bool is_change_defect(const struct fields *ours, const char *change)
{
	return ours->is_failure || is_negative(ours->text) ||
	       (is_same(ours->text, "      0.00", 10) &&
		(is_same(change, "       new", 10) || is_same(change, "       n/a", 10)));
}

/* Whether all that differs between our line and the peer's are defects of the peer. */
static bool is_known_defect(const struct fields *ours, const struct fields *peer, size_t nr_columns)
{
	size_t at = 0;

	if (ours->length != peer->length) {
		/* The deviation of one negative sample, too wide for its field. */
		return is_negative(ours->text) && strchr(peer->text + 15, '%') == peer->text + 17;
	}
	for (size_t i = 0; i < nr_columns; i++) {
		if (i > 0) {
			if (!is_same(ours->text + at, peer->text + at, 12) &&
			    !is_change_defect(ours, ours->text + at)) {
				return false;
			}
			at += 12;
		}
		if (!is_value_defect(ours->text + at, peer->text + at)) {
			return false;
		}
		at += 16;
	}
	return is_same(ours->text + at, peer->text + at, ours->length - at);
}

/* Compares line by line.  Gives how many lines differ for a reason that is not a known defect. */
static int count_differences(const char *name, const char *actual, const char *expected,
			     size_t nr_columns)
{
	int nr = 0;

	while (*actual || *expected) {
		struct fields ours = split(actual, strcspn(actual, "\n"));
		struct fields peer = split(expected, strcspn(expected, "\n"));

		if ((ours.length != peer.length || !is_same(ours.text, peer.text, ours.length)) &&
		    !is_known_defect(&ours, &peer, nr_columns)) {
			printf("# %s\n# ours %s\n# peer %s\n", name, ours.text, peer.text);
			nr++;
		}
		actual += strcspn(actual, "\n");
		actual += *actual == '\n';
		expected += strcspn(expected, "\n");
		expected += *expected == '\n';
	}
	return nr;
}

static int compare_case(const char *name, const struct json *input, const struct json *class,
			const char *table)
{
	scoped(free) struct peer_row *rows = mem_array(64, sizeof(*rows));
	size_t nr = read_rows(table, input, class, rows, 64);
	scoped(json_free) struct json *view = peer_view(input, class, rows, nr);
	scoped(free) char *ours =
		written(view, &(struct format_options){ .is_all = true, .is_compat = true });

	for (size_t i = 0; i < nr; i++) {
		free(rows[i].metric);
	}
	return count_differences(name, ours, table, json_size(json_get(input, "commits")));
}

static const char *const peer_cases[] = {
	"01_seed_autonuma",
	"02_number_formats",
	"03_pm_rule_edges",
	"04_zero_base",
	"05_change_formats",
	"06_absolute_change",
	"07_missing_stats",
	"08_single_run",
	"09_single_vs_three",
	"10_three_commits",
	"11_failures",
	"12_failures_equal_runs",
	"13_incomplete_runs",
	"14_thresholds",
	"15_range_overlap",
	"15b_even_run_count",
	"15c_zero_padding",
	"16_gap",
	"17_many_runs_margin",
	"18_sort_order",
	"19_minus_one_is_missing",
	"20_nothing_changed",
	"21_perf_profile_default",
	"22_perf_profile_float_threshold",
};

static char *shared_case(const char *name, const char *suffix)
{
	scoped(free) char *path = mem_printf("golden/lkp-compare/%s%s", name, suffix);

	return t_shared(path);
}

static void run_case(const char *name)
{
	scoped(free) char *input_path = shared_case(name, ".json");
	scoped(free) char *decision_path = shared_case(name, ".decision.json");
	scoped(free) char *table_path = shared_case(name, ".expected.txt");
	scoped(json_free) struct json *input = NULL;
	scoped(json_free) struct json *decision = NULL;
	scoped(str_release) struct str table = STR_INIT;
	struct err err = ERR_INIT;

	if (!CHECK(input_path && decision_path && table_path) ||
	    !CHECK_DONE(json_read_file(input_path, 1 << 20, &input, &err), &err) ||
	    !CHECK_DONE(json_read_file(decision_path, 1 << 20, &decision, &err), &err) ||
	    !CHECK_DONE(str_read_file(&table, table_path, 1 << 20, &err), &err)) {
		return;
	}
	t_check_int(__FILE__, __LINE__, name,
		    compare_case(name, input, json_get(decision, "class"), table.at), 0);
}

static void compares_like_the_peer(void)
{
	scoped(free) char *folder = t_shared("golden/lkp-compare");

	if (!folder) {
		T_SKIP("no golden/lkp-compare beside the checkout");
	}
	for (size_t i = 0; i < countof(peer_cases); i++) {
		run_case(peer_cases[i]);
	}
}

static void compares_like_the_peer_on_random_samples(void)
{
	scoped(free) char *path = shared_case("fuzz-300", ".jsonl");
	scoped(str_release) struct str text = STR_INIT;
	struct err err = ERR_INIT;
	int nr_cases = 0;
	int nr_differences = 0;

	if (!path) {
		T_SKIP("no golden/lkp-compare/fuzz-300.jsonl beside the checkout");
	}
	if (!CHECK_DONE(str_read_file(&text, path, 64 << 20, &err), &err)) {
		return;
	}
	for (const char *at = text.at; *at; at += strcspn(at, "\n") + 1) {
		scoped(json_free) struct json *one = NULL;

		if (!CHECK_DONE(json_parse(path, at, strcspn(at, "\n"), &one, &err), &err)) {
			return;
		}
		nr_cases++;
		nr_differences +=
			compare_case(json_text(json_get(one, "name")), one, json_get(one, "class"),
				     json_text(json_get(one, "table")));
	}
	CHECK_INT(nr_cases, 300);
	CHECK_INT(nr_differences, 0);
}

static const struct t_case cases[] = {
	{ "the peer's cases come out the same but for its defects", compares_like_the_peer },
	{ "and so do 300 random ones", compares_like_the_peer_on_random_samples },
};

T_MAIN(cases)
