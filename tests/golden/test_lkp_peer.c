/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --lkp-compat against what the peer's own code decided and printed for the same samples:
 * golden/lkp-compare of the shared material, 24 cases by hand and 300 random ones; every byte of
 * every table, every number of every decision and every class of every metric.
 */
#include "tests/t.h"

#include <math.h>

#include "lib/base/json.h"
#include "lib/base/mem.h"
#include "lib/base/names.h"
#include "lib/base/pull.h"
#include "lib/base/str.h"
#include "lib/report/lkp_compat.h"

/* the input */

/* A case as it is read: the matrices by the reader of results, each from its own bytes. */
struct peer_case {
	struct arena *arena;
	struct names *ids;
	struct results *sides[4];
	size_t nr;
	struct lkp_input input;
};

static void peer_case_release(struct peer_case *peer)
{
	for (size_t i = 0; i < peer->nr; i++) {
		results_free(peer->sides[i]);
	}
	names_free(peer->ids);
	arena_free(peer->arena);
}

DEFINE_SCOPED_EMBEDDED(peer_case_release, struct peer_case)

static bool read_side(struct peer_case *peer, const char *bytes, size_t length, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;

	str_append_bytes(&text, bytes, length);
	return results_parse("matrix", &text, &(struct results_options){ .ids = peer->ids },
			     &peer->sides[peer->nr++], err);
}

static bool read_matrices(struct peer_case *peer, const char *bytes, size_t length, struct err *err)
{
	scoped(pull_release) struct pull pull;
	struct pull_item item;

	pull_init(&pull, "case", bytes, length, 0);
	if (!pull_need(&pull, PULL_OBJECT, &item, err)) {
		return false;
	}
	do {
		if (!pull_next(&pull, &item, err)) {
			return false;
		}
		if (strcmp(item.text, "matrices") == 0) {
			break;
		}
	} while (pull_skip(&pull, &item, err));
	if (!pull_need(&pull, PULL_ARRAY, &item, err)) {
		return false;
	}
	while (pull_next(&pull, &item, err) && item.kind == PULL_OBJECT) {
		size_t begin = item.offset;

		if (!pull_skip(&pull, &item, err) ||
		    !read_side(peer, bytes + begin, pull.at - begin, err)) {
			return false;
		}
	}
	return item.kind == PULL_ARRAY_END;
}

static bool read_case(struct peer_case *peer, const struct json *input, const char *bytes,
		      size_t length)
{
	const struct json *axes = json_get(input, "axes");
	struct view_axis *pairs;
	struct err err = ERR_INIT;

	peer->arena = arena_new();
	peer->ids = names_new();
	if (!CHECK_DONE(read_matrices(peer, bytes, length, &err), &err)) {
		return false;
	}
	for (size_t i = 0; i < peer->nr; i++) {
		peer->sides[i]->commit = json_text(json_at(json_get(input, "commits"), i));
	}
	peer->input =
		lkp_input_of(peer->arena, (const struct results *const *)peer->sides, peer->nr);
	pairs = arena_array(peer->arena, json_size(axes), sizeof(*pairs));
	for (void *it = json_first(axes); it; it = json_next(axes, it)) {
		pairs[peer->input.nr_axes++] =
			(struct view_axis){ json_member_name(it),
					    json_text(json_member_value(it)) };
	}
	peer->input.axes = pairs;
	return true;
}

static struct lkp_compat_options read_options(const struct json *options)
{
	struct lkp_compat_options ret = LKP_COMPAT_DEFAULTS;
	double profile = json_number(json_get(options, "perf_profile_threshold"), NAN);

	ret.is_all = json_bool(json_get(options, "use_all_stat_keys"), false);
	ret.rule.has_noise = json_bool(json_get(options, "more_stats"), false);
	ret.rule.gap = json_number(json_get(options, "gap"), 0);
	if (isfinite(profile)) {
		ret.rule.profile = profile;
		ret.rule.is_fraction = true;
	}
	return ret;
}

/* comparing */

struct tally {
	const char *name;
	int nr_cases;
	int nr_decisions; /* that differ */
	int nr_lines;
	int nr_classes;
};

static bool is_equal(const struct json *ours, const struct json *peer)
{
	scoped(free) char *left = NULL;
	scoped(free) char *right = NULL;

	if (json_kind(ours) == KIND_NUMBER && json_kind(peer) == KIND_NUMBER) {
		double a = json_number(ours, NAN);
		double b = json_number(peer, NAN);

		return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
	}
	if (json_kind(ours) == KIND_OBJECT && json_size(ours) == json_size(peer)) {
		for (void *it = json_first(peer); it; it = json_next(peer, it)) {
			if (!is_equal(json_get(ours, json_member_name(it)),
				      json_member_value(it))) {
				return false;
			}
		}
		return true;
	}
	left = json_write(ours, FORM_CANONICAL);
	right = json_write(peer, FORM_CANONICAL);
	return strcmp(left, right) == 0;
}

/* Counts the members that are not equal, of either side. */
static int count_members(const char *name, const struct json *ours, const struct json *peer)
{
	int nr = 0;

	for (void *it = json_first(peer); it; it = json_next(peer, it)) {
		const char *member = json_member_name(it);
		const struct json *other = json_get(ours, member);

		if (!other || !is_equal(other, json_member_value(it))) {
			scoped(free) char *left =
				other ? json_write(other, FORM_CANONICAL) : mem_strdup("nothing");
			scoped(free) char *right =
				json_write(json_member_value(it), FORM_CANONICAL);

			printf("# %s %s\n# ours %s\n# peer %s\n", name, member, left, right);
			nr++;
		}
	}
	for (void *it = json_first(ours); it; it = json_next(ours, it)) {
		if (!json_get(peer, json_member_name(it))) {
			printf("# %s %s is of ours only\n", name, json_member_name(it));
			nr++;
		}
	}
	return nr;
}

static const char *line_end(const char *at)
{
	return at + strcspn(at, "\n") + (strchr(at, '\n') != NULL);
}

static int count_lines(const char *name, const char *ours, const char *peer)
{
	int nr = 0;

	while (*ours || *peer) {
		size_t left = (size_t)(line_end(ours) - ours);
		size_t right = (size_t)(line_end(peer) - peer);

		if (left != right || memcmp(ours, peer, left) != 0) {
			printf("# %s\n# ours %.*s\n# peer %.*s\n", name, (int)left - 1, ours,
			       (int)right - 1, peer);
			nr++;
		}
		ours += left;
		peer += right;
	}
	return nr;
}

static void compare_case(struct tally *tally, const struct str *bytes, const struct json *decision,
			 const char *table)
{
	scoped(peer_case_release) struct peer_case peer = { 0 };
	scoped(json_free) struct json *one = NULL;
	scoped(lkp_compat_free) struct lkp_compat *compat = NULL;
	scoped(json_free) struct json *json = NULL;
	scoped(str_release) struct str text = STR_INIT;
	struct lkp_compat_options options;
	struct err err = ERR_INIT;

	if (!CHECK_DONE(json_parse("case", bytes->at, bytes->length, &one, &err), &err) ||
	    !read_case(&peer, one, bytes->at, bytes->length)) {
		return;
	}
	options = read_options(json_get(one, "options"));
	compat = lkp_compat_new(&peer.input, &options);
	json = lkp_compat_json(compat);
	lkp_compat_text(compat, &text);
	tally->nr_cases++;
	tally->nr_lines += count_lines(tally->name, text.at, table);
	tally->nr_decisions += count_members(tally->name, json_get(json, "changed"),
					     json_get(decision, "changed"));
	tally->nr_classes +=
		count_members(tally->name, json_get(json, "class"), json_get(decision, "class"));
	CHECK(json_kind(json_get(json, "error")) == KIND_NULL);
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

static void run_case(struct tally *tally)
{
	scoped(free) char *input_path = shared_case(tally->name, ".json");
	scoped(free) char *decision_path = shared_case(tally->name, ".decision.json");
	scoped(free) char *table_path = shared_case(tally->name, ".expected.txt");
	scoped(str_release) struct str input = STR_INIT;
	scoped(json_free) struct json *decision = NULL;
	scoped(str_release) struct str table = STR_INIT;
	struct err err = ERR_INIT;

	if (CHECK(input_path && decision_path && table_path) &&
	    CHECK_DONE(str_read_file(&input, input_path, 1 << 20, &err), &err) &&
	    CHECK_DONE(json_read_file(decision_path, 1 << 20, &decision, &err), &err) &&
	    CHECK_DONE(str_read_file(&table, table_path, 1 << 20, &err), &err)) {
		compare_case(tally, &input, decision, table.at);
	}
}

static void check_tally(const struct tally *tally, int nr_cases)
{
	CHECK_INT(tally->nr_cases, nr_cases);
	CHECK_INT(tally->nr_decisions, 0);
	CHECK_INT(tally->nr_lines, 0);
	CHECK_INT(tally->nr_classes, 0);
}

static void compares_like_the_peer(void)
{
	scoped(free) char *folder = t_shared("golden/lkp-compare");
	struct tally tally = { 0 };

	if (!folder) {
		T_SKIP("no golden/lkp-compare beside the checkout");
	}
	for (size_t i = 0; i < countof(peer_cases); i++) {
		tally.name = peer_cases[i];
		run_case(&tally);
	}
	check_tally(&tally, countof(peer_cases));
}

static void compares_like_the_peer_on_random_samples(void)
{
	scoped(free) char *path = shared_case("fuzz-300", ".jsonl");
	scoped(str_release) struct str text = STR_INIT;
	struct tally tally = { 0 };
	struct err err = ERR_INIT;

	if (!path) {
		T_SKIP("no golden/lkp-compare/fuzz-300.jsonl beside the checkout");
	}
	if (!CHECK_DONE(str_read_file(&text, path, 64 << 20, &err), &err)) {
		return;
	}
	for (const char *at = text.at; *at; at = line_end(at)) {
		scoped(str_release) struct str line = STR_INIT;
		scoped(json_free) struct json *one = NULL;

		str_append_bytes(&line, at, strcspn(at, "\n"));
		if (!CHECK_DONE(json_parse(path, line.at, line.length, &one, &err), &err)) {
			return;
		}
		tally.name = json_text(json_get(one, "name"));
		compare_case(&tally, &line, one, json_text(json_get(one, "table")));
	}
	check_tally(&tally, 300);
}

static const struct t_case cases[] = {
	{ "the peer's cases come out the same, its defects included", compares_like_the_peer },
	{ "and so do 300 random ones", compares_like_the_peer_on_random_samples },
};

T_MAIN(cases)
