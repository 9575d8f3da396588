/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairing.h"

#include <math.h>

#include "lib/base/str.h"

/* --- blocks --- */

static int compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

/* The blocks of a side, sorted. */
struct blocks {
	VEC(uint32_t) list;
};

static void blocks_release(struct blocks *blocks)
{
	vec_release(&blocks->list);
}
DEFINE_SCOPED_EMBEDDED(blocks_release, struct blocks)

static void add_blocks(struct blocks *blocks, const struct results_metric *metric)
{
	for (size_t i = 0; i < metric->values.nr; i++) {
		uint32_t block = metric->runs.nr ? metric->runs.at[i].block : 0;

		if (blocks->list.nr == 0 || block != blocks->list.at[blocks->list.nr - 1]) {
			*vec_push(&blocks->list) = block;
		}
	}
}

static void sort_blocks(struct blocks *blocks)
{
	size_t nr = 0;

	if (blocks->list.nr > 1) {
		qsort(blocks->list.at, blocks->list.nr, sizeof(uint32_t), compare_numbers);
	}
	for (size_t i = 0; i < blocks->list.nr; i++) {
		if (i == 0 || blocks->list.at[i] != blocks->list.at[i - 1]) {
			blocks->list.at[nr++] = blocks->list.at[i];
		}
	}
	blocks->list.nr = nr;
}

static void find_blocks(const struct side *side, struct blocks *blocks)
{
	for (size_t i = 0; i < side->nr_parts; i++) {
		for (size_t j = 0; j < side->parts[i]->metrics.nr; j++) {
			add_blocks(blocks, &side->parts[i]->metrics.at[j]);
		}
		sort_blocks(blocks);
	}
}

/* Whether the sides were measured in the same blocks, and not each in its own. */
static bool share_blocks(const struct side *base, const struct side *head)
{
	scoped(blocks_release) struct blocks before = { 0 };
	scoped(blocks_release) struct blocks after = { 0 };

	find_blocks(base, &before);
	find_blocks(head, &after);
	for (size_t i = 0; after.list.nr > 0 && i < before.list.nr; i++) {
		if (bsearch(&before.list.at[i], after.list.at, after.list.nr, sizeof(uint32_t),
			    compare_numbers)) {
			return true;
		}
	}
	return false;
}

/* --- judging --- */

static bool has_block(const struct results_metric *metric)
{
	for (size_t i = 0; i < metric->runs.nr; i++) {
		if (metric->runs.at[i].block != 0) {
			return true;
		}
	}
	return false;
}

/* The samples of a side; all of one block where the sides share none. */
static struct judge_samples samples_of(struct pairing *pairing, const struct results_metric *metric,
				       bool has_blocks)
{
	struct judge_samples samples = results_samples(metric);
	struct judge_run *runs;

	if (has_blocks || !has_block(metric)) {
		return samples;
	}
	runs = arena_array(pairing->arena, samples.nr, sizeof(*runs));
	for (size_t i = 0; i < samples.nr; i++) {
		runs[i] = samples.runs[i];
		runs[i].block = 0;
	}
	samples.runs = runs;
	return samples;
}

static struct judge_metric metric_of(struct pairing *pairing, size_t row, size_t head,
				     bool has_blocks)
{
	const struct pairing_row *from = &pairing->rows.at[row];
	struct judge_metric metric = {
		.name = from->name,
		.unit = from->known.unit,
		.is_higher_better = from->known.is_higher_better,
		.is_headline = from->known.is_headline,
		.is_exact = from->known.is_exact,
		.sweep = from->known.sweep,
		.estimator = from->known.estimator,
		.floor = from->known.floor,
	};

	if (from->sides[0]) {
		metric.base = samples_of(pairing, from->sides[0], has_blocks);
	}
	if (from->sides[head]) {
		metric.head = samples_of(pairing, from->sides[head], has_blocks);
	}
	return metric;
}

struct place {
	size_t family;
	size_t row;
};

static int by_family(const void *left, const void *right)
{
	const struct place *a = left;
	const struct place *b = right;

	if (a->family != b->family) {
		return a->family < b->family ? -1 : 1;
	}
	return (a->row > b->row) - (a->row < b->row);
}

/* The rows, those of a family together: so they are judged, and so their verdicts stand. */
static const struct place *sort_rows(struct pairing *pairing)
{
	struct place *places = arena_array(pairing->arena, pairing->rows.nr, sizeof(*places));

	for (size_t i = 0; i < pairing->rows.nr; i++) {
		places[i] = (struct place){ pairing->rows.at[i].family, i };
	}
	qsort(places, pairing->rows.nr, sizeof(*places), by_family);
	for (size_t i = 0; i < pairing->rows.nr; i++) {
		pairing->rows.at[places[i].row].place = i;
	}
	return places;
}

static void judge_head(struct pairing *pairing, const struct place *places, size_t head)
{
	size_t nr = pairing->rows.nr;
	bool has_blocks = share_blocks(&pairing->sides->at[0], &pairing->sides->at[head]);
	struct judge_metric *metrics = arena_array(pairing->arena, nr, sizeof(*metrics));
	struct judge_verdict *verdicts = arena_array(pairing->arena, nr, sizeof(*verdicts));
	struct judge_options options = JUDGE_OPTIONS_INIT;
	size_t length;

	pairing->verdicts[head - 1] = verdicts;
	for (size_t i = 0; i < nr; i++) {
		metrics[i] = metric_of(pairing, places[i].row, head, has_blocks);
	}
	for (size_t i = 0; i < nr; i += length) {
		for (length = 1;
		     i + length < nr && places[i + length].family == places[i].family;) {
			length++;
		}
		judge(metrics + i, length, &options, verdicts + i);
	}
}

static const struct judge_side *side_of(const struct judge_verdict *verdict, bool is_head)
{
	return is_head ? &verdict->head : &verdict->base;
}

const struct judge_side *pairing_side(const struct pairing *pairing, size_t row, size_t side)
{
	for (size_t head = 1; head < pairing->sides->nr; head++) {
		const struct judge_verdict *verdict = pairing_verdict(pairing, head, row);

		if ((side == 0 || side == head) && side_of(verdict, side > 0)->nr > 0) {
			return side_of(verdict, side > 0);
		}
	}
	return NULL;
}

/* A side that was not judged, for the other is missing or does not fit, is shown all the same. */
static void keep_unjudged(struct pairing *pairing, size_t row)
{
	struct pairing_row *to = &pairing->rows.at[row];

	for (size_t side = 0; side < pairing->sides->nr; side++) {
		const struct results_metric *metric = to->sides[side];

		if (!metric || pairing_side(pairing, row, side)) {
			continue;
		}
		if (!to->unjudged) {
			to->unjudged = arena_array(pairing->arena, pairing->sides->nr,
						   sizeof(*to->unjudged));
		}
		to->unjudged[side] = view_cell_of(metric->values.at, metric->values.nr, NULL);
		to->unjudged[side].samples = NULL;
		to->unjudged[side].nr_samples = 0;
	}
}

struct pairing *pairing_new(const struct sides *sides, const struct jobs *jobs)
{
	struct pairing *pairing = mem_alloc(sizeof(*pairing));
	const struct place *places;

	pairing->arena = arena_new();
	pairing->sides = sides;
	pairing->reasons = arena_array(pairing->arena, sides->nr, sizeof(const char *));
	pairing->verdicts = arena_array(pairing->arena, sides->nr, sizeof(struct judge_verdict *));
	for (size_t head = 1; head < sides->nr; head++) {
		pairing->reasons[head] = pairing_mismatch(pairing->arena, sides, head);
	}
	pairing_find(pairing, jobs);
	places = sort_rows(pairing);
	for (size_t head = 1; head < sides->nr; head++) {
		judge_head(pairing, places, head);
	}
	for (size_t i = 0; i < pairing->rows.nr; i++) {
		keep_unjudged(pairing, i);
	}
	pairing_take_notes(pairing);
	return pairing;
}

struct pairing *pairing_free(struct pairing *pairing)
{
	if (pairing) {
		vec_release(&pairing->tables);
		vec_release(&pairing->axes);
		vec_release(&pairing->parts);
		vec_release(&pairing->rows);
		vec_release(&pairing->notes);
		arena_free(pairing->arena);
		free(pairing);
	}
	return NULL;
}

/* Runs that failed say something where the other side ran, too. */
static bool has_failures(const struct pairing *pairing, size_t head)
{
	for (size_t i = 0; !pairing->reasons[head] && i < pairing->parts.nr; i++) {
		const struct results_part *base = pairing->parts.at[i].sides[0];
		const struct results_part *part = pairing->parts.at[i].sides[head];

		if (base && part && base->nr_failed + part->nr_failed > 0 &&
		    base->nr_failed + base->nr_runs > 0 && part->nr_failed + part->nr_runs > 0) {
			return true;
		}
	}
	return false;
}

/* Why nothing of a head can be compared; NULL: something can. */
static const char *head_reason(const struct pairing *pairing, size_t head)
{
	const char *reason = pairing->reasons[head];
	const struct judge_verdict *refused = NULL;

	if (has_failures(pairing, head)) {
		return NULL;
	}
	for (size_t i = 0; i < pairing->rows.nr; i++) {
		const struct judge_verdict *verdict = pairing_verdict(pairing, head, i);

		if (verdict->kind == JUDGE_NOT_COMPARABLE) {
			refused = verdict;
		} else if (verdict->kind != JUDGE_MISSING) {
			return NULL;
		}
	}
	reason = refused ? judge_reason_in(pairing->arena, refused) : reason;
	return reason ? reason : "no metric is on both sides";
}

const char *pairing_reason(const struct pairing *pairing)
{
	const char *first = NULL;

	for (size_t head = 1; head < pairing->sides->nr; head++) {
		const char *reason = head_reason(pairing, head);

		if (!reason) {
			return NULL;
		}
		first = first ? first : reason;
	}
	return first;
}
