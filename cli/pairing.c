/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairing.h"

#include <math.h>

#include "lib/base/str.h"

/* who takes part */

static const char *other_benchmark(struct arena *arena, const struct results *base,
				   const struct results *head)
{
	if (!base->benchmark || !head->benchmark || strcmp(base->benchmark, head->benchmark) == 0) {
		return NULL;
	}
	return arena_printf(arena, "'%s' measured %s, '%s' %s", base->path, base->benchmark,
			    head->path, head->benchmark);
}

static const char *value_of(const struct results *results, size_t *at, const char *name)
{
	if (*at < results->params.nr && strcmp(results->params.at[*at].name, name) == 0) {
		return results->params.at[(*at)++].value;
	}
	return "not set";
}

static const char *smaller_name(const struct results *base, size_t i, const struct results *head,
				size_t j)
{
	if (i == base->params.nr) {
		return head->params.at[j].name;
	}
	if (j == head->params.nr || strcmp(base->params.at[i].name, head->params.at[j].name) < 0) {
		return base->params.at[i].name;
	}
	return head->params.at[j].name;
}

/* Both lists are sorted: at each step the smaller name is looked at on both sides. */
static const char *other_params(struct arena *arena, const struct results *base,
				const struct results *head)
{
	size_t i = 0;
	size_t j = 0;

	if (base->params.nr == 0 || head->params.nr == 0) {
		return NULL; /* a side that does not tell */
	}
	while (i < base->params.nr || j < head->params.nr) {
		const char *name = smaller_name(base, i, head, j);
		const char *before = value_of(base, &i, name);
		const char *after = value_of(head, &j, name);

		if (strcmp(before, after) != 0) {
			return arena_printf(arena,
					    "the parameter '%s' is %s in '%s' and %s in '%s'", name,
					    before, base->path, after, head->path);
		}
	}
	return NULL;
}

static const char *reason_of(struct arena *arena, const struct results *base,
			     const struct results *head)
{
	const struct results *sides[] = { base, head };
	const char *reason;

	for (size_t i = 0; i < countof(sides); i++) {
		if (sides[i]->metrics.nr == 0 && sides[i]->nr_failed == 0) {
			return arena_printf(arena, "'%s' holds no measurement", sides[i]->path);
		}
	}
	reason = other_benchmark(arena, base, head);
	return reason ? reason : other_params(arena, base, head);
}

/* rows */

static const char *bare_name(const struct results *results, const char *name)
{
	size_t length = results->benchmark ? strlen(results->benchmark) : 0;

	if (length > 0 && strncmp(name, results->benchmark, length) == 0 && name[length] == '.') {
		return name + length + 1;
	}
	return name;
}

static const char *benchmark_of(const struct pairing *pairing)
{
	for (size_t i = 0; i < pairing->nr_sides; i++) {
		if (!pairing->reasons[i] && pairing->sides[i]->benchmark) {
			return pairing->sides[i]->benchmark;
		}
	}
	return NULL;
}

static void add_row(struct pairing *pairing, const char *name, const struct spec *spec)
{
	const char *benchmark = benchmark_of(pairing);
	const char *title =
		benchmark ? arena_printf(pairing->arena, "%s.%s", benchmark, name) : name;

	*vec_push(&pairing->rows) = (struct pairing_row){
		.name = name,
		.title = title,
		.known = known_metric(spec, name),
		.sides = arena_array(pairing->arena, pairing->nr_sides,
				     sizeof(const struct results_metric *)),
	};
}

static void find_rows(struct pairing *pairing, const struct spec *spec)
{
	scoped(names_free) struct names *names = names_new();

	for (size_t side = 0; side < pairing->nr_sides; side++) {
		const struct results *results = pairing->sides[side];

		for (size_t i = 0; !pairing->reasons[side] && i < results->metrics.nr; i++) {
			const struct results_metric *metric = &results->metrics.at[i];
			const char *name = bare_name(results, metric->name);
			uint32_t number = names_number(names, name);

			if (number > pairing->rows.nr) {
				add_row(pairing, name, spec);
			}
			pairing->rows.at[number - 1].sides[side] = metric;
		}
	}
}

/* judging */

static void collect_blocks(struct names *blocks, const struct results *results)
{
	for (size_t i = 0; i < results->metrics.nr; i++) {
		for (size_t j = 0; j < results->metrics.at[i].samples.nr; j++) {
			scoped(free) char *block =
				mem_printf("%u", results->metrics.at[i].samples.at[j].block);

			names_number(blocks, block);
		}
	}
}

/* Whether the sides were measured in the same blocks, and not each in its own. */
static bool share_blocks(const struct results *base, const struct results *head)
{
	scoped(names_free) struct names *both = names_new();
	scoped(names_free) struct names *alone = names_new();
	uint32_t nr_base;

	collect_blocks(both, base);
	nr_base = names_nr(both);
	collect_blocks(both, head);
	collect_blocks(alone, head);
	return names_nr(both) < nr_base + names_nr(alone);
}

/* The samples of a side; all of one block where the sides share none. */
static const struct judge_sample *samples_of(struct pairing *pairing,
					     const struct results_metric *metric, bool has_blocks)
{
	struct judge_sample *samples;

	if (has_blocks) {
		return metric->samples.at;
	}
	samples = arena_array(pairing->arena, metric->samples.nr, sizeof(*samples));
	for (size_t i = 0; i < metric->samples.nr; i++) {
		samples[i] = metric->samples.at[i];
		samples[i].block = 0;
	}
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
		.estimator = from->known.estimator,
		.floor = from->known.floor,
	};

	if (from->sides[0]) {
		metric.base = samples_of(pairing, from->sides[0], has_blocks);
		metric.nr_base = from->sides[0]->samples.nr;
	}
	if (from->sides[head]) {
		metric.head = samples_of(pairing, from->sides[head], has_blocks);
		metric.nr_head = from->sides[head]->samples.nr;
	}
	return metric;
}

static void judge_head(struct pairing *pairing, size_t head)
{
	size_t nr = pairing->rows.nr;
	bool has_blocks = share_blocks(pairing->sides[0], pairing->sides[head]);
	struct judge_metric *metrics = arena_array(pairing->arena, nr, sizeof(*metrics));
	struct judge_options options = JUDGE_OPTIONS_INIT;

	for (size_t i = 0; i < nr; i++) {
		metrics[i] = metric_of(pairing, i, head, has_blocks);
	}
	pairing->verdicts[head - 1] = arena_array(pairing->arena, nr, sizeof(struct judge_verdict));
	judge(metrics, nr, &options, pairing->verdicts[head - 1]);
}

struct pairing *pairing_new(const struct results *const *sides, size_t nr_sides,
			    const struct spec *spec)
{
	struct pairing *pairing = mem_alloc(sizeof(*pairing));

	pairing->arena = arena_new();
	pairing->sides = sides;
	pairing->nr_sides = nr_sides;
	pairing->reasons = arena_array(pairing->arena, nr_sides, sizeof(const char *));
	pairing->verdicts = arena_array(pairing->arena, nr_sides, sizeof(struct judge_verdict *));
	for (size_t head = 1; head < nr_sides; head++) {
		pairing->reasons[head] = reason_of(pairing->arena, sides[0], sides[head]);
	}
	find_rows(pairing, spec);
	for (size_t head = 1; head < nr_sides; head++) {
		judge_head(pairing, head);
	}
	return pairing;
}

struct pairing *pairing_free(struct pairing *pairing)
{
	if (pairing) {
		vec_release(&pairing->rows);
		arena_free(pairing->arena);
		free(pairing);
	}
	return NULL;
}

/* Runs that failed say something where the other side ran, too. */
static bool has_failures(const struct pairing *pairing, size_t head)
{
	const struct results *base = pairing->sides[0];
	const struct results *results = pairing->sides[head];

	return !pairing->reasons[head] && base->nr_failed + results->nr_failed > 0 &&
	       base->nr_failed + base->nr_runs > 0 && results->nr_failed + results->nr_runs > 0;
}

const char *pairing_reason(const struct pairing *pairing)
{
	const char *reason = NULL;

	for (size_t head = 1; head < pairing->nr_sides; head++) {
		if (has_failures(pairing, head)) {
			return NULL;
		}
		reason = reason ? reason : pairing->reasons[head];
		for (size_t i = 0; i < pairing->rows.nr; i++) {
			const struct judge_verdict *verdict = &pairing->verdicts[head - 1][i];

			if (verdict->kind == JUDGE_NOT_COMPARABLE) {
				reason = verdict->reason;
			} else if (verdict->kind != JUDGE_MISSING) {
				return NULL;
			}
		}
	}
	return reason ? reason : "no metric is on both sides";
}
