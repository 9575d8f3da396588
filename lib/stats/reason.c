/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words beside a verdict.  Most verdicts are never read, so they carry numbers, and get their
 * words where somebody asks.
 */
#include <math.h>

#include "judge.h"
#include "lib/base/decimal.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "remark.h"

/* As "%.2f" does, but there are a hundred thousand of them. */
static void append_fixed(struct str *out, double value, int digits)
{
	char text[DECIMAL_BYTES];

	str_append_bytes(out, text, decimal_write(value, digits, false, text, sizeof(text)));
}

static void append_percent(struct str *out, double share)
{
	char text[DECIMAL_BYTES];

	str_append_bytes(out, text, decimal_write(100 * share, 2, true, text, sizeof(text)));
	str_append(out, " %");
}

/* clauses ------------------------------------------------------------------------------------ */

static void say_few(const struct judge_verdict *verdict, struct str *out)
{
	str_printf(out, "%zu and %zu boots, it takes 2 of each side", verdict->base.nr,
		   verdict->head.nr);
}

static void say_q(const struct judge_verdict *verdict, struct str *out)
{
	str_printf(out, "q %.2g", verdict->q);
}

static void say_exact(const struct judge_verdict *verdict, struct str *out)
{
	str_printf(out, "exact, and above its smallest effect of %.2g %%",
		   100 * verdict->min_effect);
}

static void say_excluded(const struct judge_verdict *verdict, struct str *out)
{
	str_printf(out, "a change of %.2g %% is excluded", 100 * verdict->min_effect);
}

static void say_unresolved(const struct judge_verdict *verdict, struct str *out)
{
	const struct judge_interval *interval = &verdict->interval_95;

	if (!isfinite(interval->low) || !isfinite(interval->high)) {
		str_append(out, "too few blocks for an interval");
		return;
	}
	if (!verdict->is_ratio) {
		str_printf(out, "95 %% interval %+.3g to %+.3g, base is zero", interval->low,
			   interval->high);
		return;
	}
	str_append(out, "excluded: below ");
	append_percent(out, interval->low);
	str_append(out, " and above ");
	append_percent(out, interval->high);
	if (interval->low > 0 || interval->high < 0) {
		str_append(out, "; likely a change, not yet shown");
	} else if (verdict->needs > 0 && verdict->needs < 1e6) {
		str_append(out, "; about ");
		append_fixed(out, verdict->needs, 0);
		str_append(out, " boots a side would show no change");
	}
}

static void say_followed(const struct judge_verdict *verdict, struct str *out)
{
	str_printf(out, "p %.2g, and %s changed by %+.2f %%", verdict->p / 2,
		   verdict->followed.metric->name, 100 * verdict->followed.effect);
}

static void say_still(const struct judge_verdict *verdict, struct str *out)
{
	str_printf(out, "q %.2g, but the exact metrics did not move", verdict->q);
}

static void say_alone(const struct judge_verdict *verdict, struct str *out)
{
	append_percent(out, verdict->effect);
	str_append(out, ", but no time follows");
}

static const struct {
	const char *text; /* all that is said; NULL: `say` says it */
	void (*say)(const struct judge_verdict *verdict, struct str *out);
	bool may_be_noisy; /* a word about noise goes with it */
} clauses[JUDGE_WHYS] = {
	[JUDGE_WHY_UNKNOWN] = { .text = "" },
	[JUDGE_WHY_NO_VALUE] = { .text = "no value in either side" },
	[JUDGE_WHY_NO_BASE] = { .text = "no value in base" },
	[JUDGE_WHY_NO_HEAD] = { .text = "no value in head" },
	[JUDGE_WHY_NO_BLOCK] = { .text = "no block holds both sides" },
	[JUDGE_WHY_NO_CHAIN] = { .text = "no chain of blocks leads from one to the other" },
	[JUDGE_WHY_NO_SIZE] = { .text = "values too large or too small to compute with" },
	[JUDGE_WHY_FEW] = { .say = say_few },
	[JUDGE_WHY_FLAT] = { .text = "every value is the same" },
	[JUDGE_WHY_Q] = { .say = say_q, .may_be_noisy = true },
	[JUDGE_WHY_EXACT] = { .say = say_exact, .may_be_noisy = true },
	[JUDGE_WHY_EXCLUDED] = { .say = say_excluded, .may_be_noisy = true },
	[JUDGE_WHY_UNRESOLVED] = { .say = say_unresolved, .may_be_noisy = true },
	[JUDGE_WHY_NOT_FOUND] = { .text = "was not found before" },
	[JUDGE_WHY_FOLLOWED] = { .say = say_followed },
	[JUDGE_WHY_STILL] = { .say = say_still },
	[JUDGE_WHY_ALONE] = { .say = say_alone },
};

/* beside them -------------------------------------------------------------------------------- */

/* What of a block's runs counted for nothing. */
static void say_ignored(const struct judge_verdict *verdict, struct str *out)
{
	const struct {
		uint32_t nr;
		const char *what, *why;
	} lost[] = { { verdict->nr_lone, "ignored", "of one side only" },
		     { verdict->nr_moved, "void", "on more than one machine" },
		     { verdict->nr_wild, "void", "with a spread that history excludes" } };

	for (size_t i = 0; i < countof(lost); i++) {
		if (lost[i].nr > 0) {
			str_printf(out, "; %s: %" PRIu32 " %s %s", lost[i].what, lost[i].nr,
				   lost[i].nr == 1 ? "block" : "blocks", lost[i].why);
		}
	}
}

static void say_spread(const struct judge_verdict *verdict, struct str *out)
{
	double ratio = verdict->spread_ratio;

	if (verdict->metric->is_headline && ratio > 0 && verdict->spread_p <= REMARK_P) {
		str_printf(out, "; head varies %.1f times %s (p %.1g)",
			   ratio > 1 ? ratio : 1 / ratio, ratio > 1 ? "as much" : "less",
			   verdict->spread_p);
	}
}

static void say_point(const struct judge_verdict *verdict, struct str *out)
{
	if (verdict->point.metric) {
		str_printf(out, "; its points differ, %s moved by %+.1f %% against the rest",
			   verdict->point.metric->name, 100 * verdict->point.effect);
	}
}

void judge_reason(const struct judge_verdict *verdict, struct str *out)
{
	size_t start = out->length;

	if (clauses[verdict->why].text) {
		str_append(out, clauses[verdict->why].text);
	} else {
		clauses[verdict->why].say(verdict, out);
	}
	if (verdict->is_noisy && clauses[verdict->why].may_be_noisy) {
		str_append(out, "; noisy");
	}
	str_append(out, verdict->is_closed ? "; its sweep did not change" : "");
	say_ignored(verdict, out);
	say_spread(verdict, out);
	say_point(verdict, out);
	if (verdict->told) {
		str_append(out, out->length > start ? "; " : "");
		str_append(out, verdict->told);
	}
}

const char *judge_reason_in(struct arena *arena, const struct judge_verdict *verdict)
{
	scoped(str_release) struct str text = STR_INIT;

	judge_reason(verdict, &text);
	return text.length > 0 ? arena_strndup(arena, text.at, text.length) : NULL;
}
