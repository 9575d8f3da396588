/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What belongs together: which sides take part, and the rows of each table.
 */
#include "lib/base/str.h"
#include "pairing.h"

/* --- who takes part --- */

bool is_pairing_simple(const struct sides *sides)
{
	for (size_t i = 0; i < sides->nr; i++) {
		if (sides->at[i].nr_parts != 1) {
			return false;
		}
	}
	return true;
}

/* Whether --by takes this parameter out of what has to be equal. */
static bool is_by(const struct sides *sides, const char *param)
{
	return sides->by && strcmp(sides->by, param) == 0;
}

static const char *benchmark_of(const struct sides *sides, const struct results_part *part)
{
	return is_by(sides, "benchmark") ? NULL : part->benchmark;
}

static bool has_measurement(const struct side *side)
{
	for (size_t i = 0; i < side->nr_parts; i++) {
		if (side->parts[i]->metrics.nr > 0 || side->parts[i]->nr_failed > 0) {
			return true;
		}
	}
	return false;
}

static const char *other_benchmark(struct arena *arena, const struct sides *sides, size_t head)
{
	const char *before = benchmark_of(sides, sides->at[0].parts[0]);
	const char *after = benchmark_of(sides, sides->at[head].parts[0]);

	if (!before || !after || strcmp(before, after) == 0) {
		return NULL;
	}
	return arena_printf(arena, "'%s' measured %s, '%s' %s", sides->at[0].name, before,
			    sides->at[head].name, after);
}

/* The first parameter of one that is not the same in the other. */
static const char *other_param(const struct sides *sides, const struct results_part *one,
			       const struct results_part *other)
{
	for (size_t i = 0; i < one->params.nr; i++) {
		const char *name = one->params.at[i].name;
		const char *value = results_param(other, name);

		if (!is_by(sides, name) &&
		    (!value || strcmp(value, one->params.at[i].value) != 0)) {
			return name;
		}
	}
	return NULL;
}

static const char *other_params(struct arena *arena, const struct sides *sides, size_t head)
{
	const struct results_part *before = sides->at[0].parts[0];
	const struct results_part *after = sides->at[head].parts[0];
	const char *values[2];
	const char *name;

	if (before->params.nr == 0 || after->params.nr == 0) {
		return NULL; /* a side that does not tell */
	}
	name = other_param(sides, before, after);
	name = name ? name : other_param(sides, after, before);
	if (!name) {
		return NULL;
	}
	values[0] = results_param(before, name);
	values[1] = results_param(after, name);
	return arena_printf(arena, "the parameter '%s' is %s in '%s' and %s in '%s'", name,
			    values[0] ? values[0] : "not set", sides->at[0].name,
			    values[1] ? values[1] : "not set", sides->at[head].name);
}

const char *pairing_mismatch(struct arena *arena, const struct sides *sides, size_t head)
{
	const struct side *places[] = { &sides->at[0], &sides->at[head] };
	const char *reason;

	for (size_t i = 0; i < countof(places); i++) {
		if (!has_measurement(places[i])) {
			return arena_printf(arena, "'%s' holds no measurement", places[i]->name);
		}
	}
	if (!is_pairing_simple(sides)) {
		return NULL;
	}
	reason = other_benchmark(arena, sides, head);
	return reason ? reason : other_params(arena, sides, head);
}

/* --- what holds for all --- */

/* Whether every part that takes part has this value. */
static bool is_common(const struct pairing *pairing, const struct results_param *param)
{
	const struct sides *sides = pairing->sides;

	for (size_t i = 0; i < sides->nr; i++) {
		for (size_t j = 0; !pairing->reasons[i] && j < sides->at[i].nr_parts; j++) {
			const struct results_part *part = sides->at[i].parts[j];
			const char *value = results_param(part, param->name);

			if (!value && is_pairing_simple(sides) && part->params.nr == 0) {
				continue;
			}
			if (!value || strcmp(value, param->value) != 0) {
				return false;
			}
		}
	}
	return true;
}

static bool has_axis(const struct pairing *pairing, const char *name)
{
	for (size_t i = 0; i < pairing->axes.nr; i++) {
		if (strcmp(pairing->axes.at[i].name, name) == 0) {
			return true;
		}
	}
	return false;
}

static const struct results_part *first_part(const struct pairing *pairing)
{
	const struct sides *sides = pairing->sides;

	for (size_t i = 0; i < sides->nr; i++) {
		if (!pairing->reasons[i] && sides->at[i].nr_parts > 0) {
			return sides->at[i].parts[0];
		}
	}
	return NULL;
}

static void find_axes(struct pairing *pairing)
{
	const struct results_part *part = first_part(pairing);

	for (size_t i = 0; part && i < part->params.nr; i++) {
		if (!is_by(pairing->sides, part->params.at[i].name) &&
		    is_common(pairing, &part->params.at[i])) {
			*vec_push(&pairing->axes) = part->params.at[i];
		}
	}
}

/* --- parts --- */

struct finder {
	struct pairing *pairing;
	const struct jobs *jobs;
	struct names *tables;
	struct names *parts;
	struct names *rows;
	bool is_simple;
};

/* "sort -n {size}" with the size put in; what --by names stays as it is. */
static void append_benchmark(const struct finder *finder, const struct results_part *part,
			     const char *benchmark, struct str *out)
{
	while (*benchmark) {
		size_t length = strcspn(benchmark + 1, "}");
		scoped(free) char *name = NULL;
		const char *value = NULL;

		if (*benchmark == '{' && benchmark[1 + length] == '}') {
			name = mem_strndup(benchmark + 1, length);
			value = is_by(finder->pairing->sides, name) ? NULL
								    : results_param(part, name);
		}
		if (value) {
			str_append(out, value);
			benchmark += length + 2;
		} else {
			str_append_char(out, *benchmark++);
		}
	}
}

static bool is_put_in(const char *benchmark, const char *name)
{
	scoped(free) char *place = mem_printf("{%s}", name);

	return benchmark && strstr(benchmark, place);
}

/* What is not the same everywhere: "sort/size=10". */
static char *label_of(const struct finder *finder, const struct results_part *part)
{
	const struct sides *sides = finder->pairing->sides;
	const char *benchmark = benchmark_of(sides, part);
	struct str label = STR_INIT;

	append_benchmark(finder, part, benchmark ? benchmark : "", &label);
	for (size_t i = 0; !finder->is_simple && i < part->params.nr; i++) {
		const struct results_param *param = &part->params.at[i];

		if (!is_by(sides, param->name) && !has_axis(finder->pairing, param->name) &&
		    !is_put_in(benchmark, param->name)) {
			str_printf(&label, "%s%s=%s", label.length > 0 ? "/" : "", param->name,
				   param->value);
		}
	}
	return str_detach(&label);
}

static size_t table_of(struct finder *finder, const struct results_part *part)
{
	struct pairing *pairing = finder->pairing;
	const char *value = pairing->sides->by && !pairing->sides->is_divided
				    ? results_param(part, pairing->sides->by)
				    : NULL;
	uint32_t number = names_number(finder->tables, value ? value : "");

	if (number > pairing->tables.nr) {
		*vec_push(&pairing->tables) = value;
	}
	return number - 1;
}

/* Where each side has one part alone they belong together, named or not. */
static struct pairing_part *part_of(struct finder *finder, const struct results_part *part)
{
	struct pairing *pairing = finder->pairing;
	size_t table = table_of(finder, part);
	scoped(free) char *label = label_of(finder, part);
	scoped(free) char *key = mem_printf("%zu\n%s", table, finder->is_simple ? "" : label);
	uint32_t number = names_number(finder->parts, key);

	if (number > pairing->parts.nr) {
		*vec_push(&pairing->parts) = (struct pairing_part){
			.label = "",
			.table = table,
			.sides = arena_array(pairing->arena, pairing->sides->nr,
					     sizeof(const struct results_part *))
		};
	}
	if (!*pairing->parts.at[number - 1].label) {
		pairing->parts.at[number - 1].label = arena_strdup(pairing->arena, label);
	}
	return &pairing->parts.at[number - 1];
}

static void add_part(struct finder *finder, const struct results_part *part, size_t side)
{
	struct pairing_part *to = part_of(finder, part);

	to->sides[side] = part;
	if (part->is_job && !to->spec) {
		to->spec = jobs_find(finder->jobs, part->benchmark);
	}
}

/* --- rows --- */

static const char *bare_name(const struct results_part *part, const char *name)
{
	size_t length = part->benchmark ? strlen(part->benchmark) : 0;

	if (length > 0 && strncmp(name, part->benchmark, length) == 0 && name[length] == '.') {
		return name + length + 1;
	}
	return name;
}

/* What a job lists is judged together; without a job all is, for nobody knows better, but for what
 * a file calls exact: whether a time bears that out is asked of jobs alone. */
static size_t family_of(const struct pairing_part *part, size_t index, const struct known *known)
{
	return part->spec ? index + 2 : known->is_exact;
}

static void add_row(struct finder *finder, size_t index, const char *name,
		    const struct results_metric *metric)
{
	struct pairing *pairing = finder->pairing;
	const struct pairing_part *part = &pairing->parts.at[index];
	struct known known = known_metric(part->spec, name, metric);

	*vec_push(&pairing->rows) = (struct pairing_row){
		.name = name,
		.title = *part->label ? arena_printf(pairing->arena, "%s.%s", part->label, name)
				      : name,
		.part = index,
		.family = family_of(part, index, &known),
		.known = known,
		.sides = arena_array(pairing->arena, pairing->sides->nr,
				     sizeof(const struct results_metric *)),
	};
}

static void find_rows(struct finder *finder, size_t index)
{
	struct pairing *pairing = finder->pairing;
	const struct pairing_part *part = &pairing->parts.at[index];
	scoped(str_release) struct str key = STR_INIT;
	size_t length;

	str_printf(&key, "%zu\n", index);
	length = key.length;
	for (size_t side = 0; side < pairing->sides->nr; side++) {
		size_t nr = part->sides[side] ? part->sides[side]->metrics.nr : 0;

		for (size_t i = 0; i < nr; i++) {
			const struct results_metric *metric = &part->sides[side]->metrics.at[i];
			const char *name = bare_name(part->sides[side], metric->name);
			uint32_t number;

			str_truncate(&key, length);
			str_append(&key, name);
			number = names_number(finder->rows, key.at);
			if (number > pairing->rows.nr) {
				add_row(finder, index, name, metric);
			}
			pairing->rows.at[number - 1].sides[side] = metric;
		}
	}
}

void pairing_find(struct pairing *pairing, const struct jobs *jobs)
{
	scoped(names_free) struct names *tables = names_new();
	scoped(names_free) struct names *parts = names_new();
	scoped(names_free) struct names *rows = names_new();
	struct finder finder = { pairing, jobs, tables,
				 parts,   rows, is_pairing_simple(pairing->sides) };

	find_axes(pairing);
	for (size_t side = 0; side < pairing->sides->nr; side++) {
		for (size_t i = 0; !pairing->reasons[side] && i < pairing->sides->at[side].nr_parts;
		     i++) {
			add_part(&finder, pairing->sides->at[side].parts[i], side);
		}
	}
	for (size_t i = 0; i < pairing->parts.nr; i++) {
		find_rows(&finder, i);
	}
}
