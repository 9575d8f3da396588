/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain.h"

#include <math.h>

/* How many metrics share the false discovery rate with this one. */
static size_t family_size(const struct pairing *pairing, size_t head, const struct pairing_row *row)
{
	size_t nr = 0;

	for (size_t i = 0; i < pairing->rows.nr; i++) {
		nr += pairing->rows.at[i].known.is_headline == row->known.is_headline &&
		      pairing->rows.at[i].family == row->family &&
		      !isnan(pairing_verdict(pairing, head, i)->p);
	}
	return nr;
}

static void explain_interval(const struct judge_verdict *verdict, struct str *out)
{
	double scale = verdict->is_ratio ? 100 : 1;
	const char *unit = verdict->is_ratio ? " %" : "";

	str_printf(
		out,
		"  change %+.4g%s, 90 %% interval %+.4g%s to %+.4g%s, 95 %% %+.4g%s to %+.4g%s\n",
		scale * verdict->effect, unit, scale * verdict->interval_90.low, unit,
		scale * verdict->interval_90.high, unit, scale * verdict->interval_95.low, unit,
		scale * verdict->interval_95.high, unit);
}

static void explain_test(const struct pairing *pairing, size_t head, size_t row, struct str *out)
{
	const struct judge_verdict *verdict = pairing_verdict(pairing, head, row);
	struct judge_options limits = JUDGE_OPTIONS_INIT;
	bool is_headline = verdict->metric->is_headline;

	str_printf(out, "  smallest change worth telling %.4g %%", 100 * verdict->min_effect);
	if (verdict->metric->is_exact) {
		str_append(out, "; exact: judged by that alone, and named where a time follows\n");
		return;
	}
	str_printf(out, "; p %.3g of no change, %.3g of none larger than that; q %.3g of %zu %s, ",
		   verdict->p, verdict->p_least, verdict->q,
		   family_size(pairing, head, &pairing->rows.at[row]),
		   is_headline ? "headline" : "other");
	str_printf(out, "changed from %.2g down\n",
		   is_headline ? limits.q_headline : limits.q_support);
}

static void explain_row(const struct pairing *pairing, size_t head, size_t row, struct str *out)
{
	const struct pairing_row *from = &pairing->rows.at[row];
	const struct judge_verdict *verdict = pairing_verdict(pairing, head, row);

	str_printf(out, "%s: %s", from->title, judge_word(verdict->kind));
	str_append(out, " (");
	judge_reason(verdict, out);
	str_append(out, ")");
	str_printf(out, "\n  %s is better", from->known.is_higher_better ? "higher" : "lower");
	if (verdict->base.nr > 0 && verdict->head.nr > 0) {
		str_printf(out, "; %zu and %zu units, a boot or a run each", verdict->base.nr,
			   verdict->head.nr);
	}
	str_printf(out, "%s%s\n", from->known.note ? "; " : "",
		   from->known.note ? from->known.note : "");
	if (!isnan(verdict->interval_95.low)) {
		explain_interval(verdict, out);
		explain_test(pairing, head, row, out);
	}
}

/* --- for who sees it the first time --- */

static const struct {
	const char *word;
	const char *meaning;
} columns[] = {
	{ "base, head", "the mean of the boots of a side; a run counts as a boot where none is known" },
	{ "sd", "how far the boots of a side lie apart, in percent of their mean" },
	{ "change", "from base to head; the other numbers are about it" },
	{ "95 % interval", "where the true change lies in 19 of 20 comparisons" },
	{ "q", "how often chance alone makes one of so many metrics look so, if no change is "
	       "larger than the smallest one worth telling" },
	{ "n", "boots of base + boots of head" },
}, kinds[] = {
	{ "regression", "worse, and too far from the smallest change worth telling for chance" },
	{ "improvement", "better, in the same sense" },
	{ "no-change", "shown: a change worth telling is excluded" },
	{ "cannot-resolve", "neither is shown; more runs would" },
	{ "too-few-runs", "no interval exists; give each side more runs" },
	{ "layout-sensitive", "time changed but the work did not: often the place of code in memory" },
	{ "not-confirmed-in-time", "the work changed, but no time followed" },
	{ "not-comparable", "the sides were measured in ways that allow no comparison" },
	{ "missing", "a side has no value" },
};

static bool has_kind(const struct pairing *pairing, const char *word)
{
	for (size_t head = 1; head < pairing->sides->nr; head++) {
		for (size_t i = 0; i < pairing->rows.nr; i++) {
			if (strcmp(judge_word(pairing_verdict(pairing, head, i)->kind), word) ==
			    0) {
				return true;
			}
		}
	}
	return false;
}

/* What the columns say, and those verdicts that are there. */
static void explain_words(const struct pairing *pairing, struct str *out)
{
	str_append(out, "\nThe columns:\n");
	for (size_t i = 0; i < countof(columns); i++) {
		str_printf(out, "  %-22s %s\n", columns[i].word, columns[i].meaning);
	}
	str_append(out, "The verdicts:\n");
	for (size_t i = 0; i < countof(kinds); i++) {
		if (has_kind(pairing, kinds[i].word)) {
			str_printf(out, "  %-22s %s\n", kinds[i].word, kinds[i].meaning);
		}
	}
}

void explain(const struct pairing *pairing, struct str *out)
{
	explain_words(pairing, out);
	for (size_t head = 1; head < pairing->sides->nr; head++) {
		str_printf(out, "\n%s against %s\n\n", pairing->sides->at[head].name,
			   pairing->sides->at[0].name);
		for (size_t i = 0; i < pairing->rows.nr; i++) {
			explain_row(pairing, head, i, out);
		}
	}
}
