/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever is read as results holds finite numbers, and against itself has not changed. */
#include <math.h>

#include "lib/report/results.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void judge_itself(const struct results_metric *from)
{
	struct judge_metric metric = { .name = from->name,
				       .is_headline = true,
				       .base = from->samples.at,
				       .nr_base = from->samples.nr,
				       .head = from->samples.at,
				       .nr_head = from->samples.nr };
	struct judge_options options = JUDGE_OPTIONS_INIT;
	struct judge_verdict verdict;

	for (size_t i = 0; i < from->samples.nr; i++) {
		if (isinf(from->samples.at[i].value)) {
			bug("an infinite sample");
		}
	}
	judge(&metric, 1, &options, &verdict);
	if (verdict.kind == JUDGE_REGRESSION || verdict.kind == JUDGE_IMPROVEMENT) {
		bug("'%s' differs from itself: %s", from->name, verdict.reason);
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
	return 0;
}
