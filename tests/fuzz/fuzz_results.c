/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever is read as results holds finite numbers, and against itself has not changed. */
#include <math.h>

#include "lib/report/lkp_compat.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void judge_itself(const struct results_metric *from)
{
	struct judge_metric metric = { .name = from->name,
				       .is_headline = true,
				       .base = results_samples(from),
				       .head = results_samples(from) };
	struct judge_options options = JUDGE_OPTIONS_INIT;
	struct judge_verdict verdict;

	for (size_t i = 0; i < from->values.nr; i++) {
		if (isinf(from->values.at[i])) {
			bug("an infinite sample");
		}
	}
	judge(&metric, 1, &options, &verdict);
	if (verdict.kind == JUDGE_REGRESSION || verdict.kind == JUDGE_IMPROVEMENT) {
		bug("'%s' differs from itself", from->name);
	}
}

/* The peer's way has to survive, too; the same samples differ for it in profiles alone (D13). */
static void compare_as_the_peer(const struct results *results)
{
	scoped(arena_free) struct arena *arena = arena_new();
	const struct results *sides[] = { results, results };
	struct lkp_input input = lkp_input_of(arena, sides, countof(sides));
	struct lkp_compat_options options = LKP_COMPAT_DEFAULTS;
	scoped(lkp_compat_free) struct lkp_compat *compat = NULL;
	scoped(json_free) struct json *json = NULL;
	scoped(str_release) struct str text = STR_INIT;
	const struct json *changed;

	options.is_all = true;
	compat = lkp_compat_new(&input, &options);
	lkp_compat_text(compat, &text);
	json = lkp_compat_json(compat);
	changed = json_get(json, "changed");
	for (void *it = json_first(changed); it; it = json_next(changed, it)) {
		if (!str_has_prefix(json_member_name(it), "perf-profile.")) {
			bug("'%s' differs from itself", json_member_name(it));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(names_free) struct names *ids = names_new();
	scoped(results_free) struct results *results = NULL;
	scoped(free) char *copy = mem_alloc(length + 1);
	struct results_options options = { .ids = ids, .by = "by" };
	struct str text = { .at = copy + 1, .length = length };

	/* nothing behind the text, so that a step too far is seen */
	memcpy(text.at, bytes, length);
	if (!results_parse("fuzz", &text, &options, &results, NULL)) {
		return 0;
	}
	for (size_t i = 0; i < results->parts.nr; i++) {
		for (size_t j = 0; j < results->parts.at[i]->metrics.nr; j++) {
			judge_itself(&results->parts.at[i]->metrics.at[j]);
		}
	}
	compare_as_the_peer(results);
	return 0;
}
