/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a reader has to know besides the table: what was left out, and what differs that should not.
 */
#include "lib/base/str.h"
#include "pairing.h"

#define NAMES_SHOWN 3
#define VALUE_BYTES 40

static const char *env_of(const struct results *results, const char *name)
{
	for (size_t i = 0; i < results->env.nr; i++) {
		if (strcmp(results->env.at[i].name, name) == 0) {
			return results->env.at[i].value;
		}
	}
	return NULL;
}

/* "the environments of 'a' and 'b' differ: kernel is 6.1 and 6.2, and 4 more" */
static void note_env(struct pairing *pairing, size_t head)
{
	const struct results *base = pairing->sides->at[0].results;
	const struct results *results = pairing->sides->at[head].results;
	scoped(str_release) struct str text = STR_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < base->env.nr; i++) {
		const struct results_param *param = &base->env.at[i];
		const char *other = env_of(results, param->name);

		if (!other || strcmp(other, param->value) == 0) {
			continue;
		}
		if (nr++ < NAMES_SHOWN) {
			str_printf(&text, "%s %s is %.*s and %.*s", nr > 1 ? "," : "", param->name,
				   VALUE_BYTES, param->value, VALUE_BYTES, other);
		}
	}
	if (nr > NAMES_SHOWN) {
		str_printf(&text, ", and %zu more", nr - NAMES_SHOWN);
	}
	if (nr > 0) {
		*vec_push(&pairing->notes) = arena_printf(
			pairing->arena, "where '%s' and '%s' ran differs:%s",
			pairing->sides->at[0].name, pairing->sides->at[head].name, text.at);
	}
}

static void note_missing(struct pairing *pairing, size_t head)
{
	const size_t places[] = { 0, head };

	for (size_t i = 0; i < countof(places); i++) {
		scoped(str_release) struct str text = STR_INIT;
		size_t nr = 0;

		for (size_t j = 0; j < pairing->parts.nr; j++) {
			const struct pairing_part *part = &pairing->parts.at[j];

			if (!part->sides[places[i]] || part->sides[places[1 - i]]) {
				continue;
			}
			if (nr++ < NAMES_SHOWN) {
				str_printf(&text, "%s'%s'", nr > 1 ? ", " : "", part->label);
			}
		}
		if (nr > NAMES_SHOWN) {
			str_printf(&text, " and %zu more", nr - NAMES_SHOWN);
		}
		if (nr > 0) {
			*vec_push(&pairing->notes) =
				arena_printf(pairing->arena, "only in '%s', not in '%s': %s",
					     pairing->sides->at[places[i]].name,
					     pairing->sides->at[places[1 - i]].name, text.at);
		}
	}
}

static void note_few_runs(struct pairing *pairing, size_t head)
{
	size_t nr_compared = 0;
	size_t nr_few = 0;

	for (size_t i = 0; i < pairing->rows.nr; i++) {
		enum judge_kind kind = pairing_verdict(pairing, head, i)->kind;

		nr_few += kind == JUDGE_TOO_FEW_RUNS;
		nr_compared += kind != JUDGE_MISSING && kind != JUDGE_NOT_COMPARABLE;
	}
	if (nr_few > 0) {
		*vec_push(&pairing->notes) = arena_printf(
			pairing->arena,
			"too few runs for a verdict on %zu of %zu metrics of '%s': six a side are a "
			"good start, in turns",
			nr_few, nr_compared, pairing->sides->at[head].name);
	}
}

void pairing_take_notes(struct pairing *pairing)
{
	const struct sides *sides = pairing->sides;

	for (size_t i = 0; i < sides->notes.nr; i++) {
		*vec_push(&pairing->notes) = sides->notes.at[i];
	}
	for (size_t head = 1; head < sides->nr; head++) {
		if (pairing->reasons[head]) {
			*vec_push(&pairing->notes) =
				arena_printf(pairing->arena, "'%s' is left out: %s",
					     sides->at[head].name, pairing->reasons[head]);
			continue;
		}
		note_env(pairing, head);
		note_missing(pairing, head);
		note_few_runs(pairing, head);
	}
}
