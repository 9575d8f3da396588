/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sides.h"

#include <unistd.h>

#include "lib/report/view.h"

#define NAMES_SHOWN 10

/* "new=out/1": a name for the column; what is a file is its own name. */
static const char *split_name(struct sides *sides, const char *path, const char **ret_name)
{
	size_t length = strcspn(path, "=");

	*ret_name = NULL;
	if (length == 0 || path[length] != '=' || memchr(path, '/', length) ||
	    access(path, F_OK) == 0) {
		return path;
	}
	*ret_name = arena_strndup(sides->arena, path, length);
	return path + length + 1;
}

static bool read_inputs(struct sides *sides, char *const *paths, size_t nr_paths, struct err *err)
{
	struct results_options options = { .ids = sides->ids, .by = sides->by };

	for (size_t i = 0; i < nr_paths; i++) {
		struct results **input = &sides->inputs[sides->nr_inputs];
		const char *path = split_name(sides, paths[i], &sides->names[i]);

		if (!results_read(path, &options, input, err)) {
			return false;
		}
		sides->nr_inputs++;
		for (size_t j = 0; j < (*input)->notes.nr; j++) {
			*vec_push(&sides->notes) = (*input)->notes.at[j];
		}
	}
	return true;
}

/* Appends ", size" for each parameter that `names` does not have yet. */
static void list_part(const struct results_part *part, struct names *names, struct str *out)
{
	for (size_t i = 0; i < part->params.nr; i++) {
		uint32_t nr = names_nr(names);
		const char *name = part->params.at[i].name;

		if (names_number(names, name) > nr && nr < NAMES_SHOWN) {
			str_printf(out, ", %s", name);
		}
	}
}

static void list_params(const struct sides *sides, struct str *out)
{
	scoped(names_free) struct names *names = names_new();

	for (size_t i = 0; i < sides->nr_inputs; i++) {
		for (size_t j = 0; j < sides->inputs[i]->parts.nr; j++) {
			list_part(sides->inputs[i]->parts.at[j], names, out);
		}
	}
}

static bool fail_param(const struct sides *sides, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;

	list_params(sides, &text);
	return err_set(err, ERR_CONFLICT,
		       "--by: no input has a parameter '%s'; there are: benchmark%s", sides->by,
		       text.at);
}

static bool fail_alone(const struct sides *sides, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;

	list_params(sides, &text);
	return err_set(err, ERR_CONFLICT,
		       "one input alone: give a second one, or say what to divide it by, with --by "
		       "and one of benchmark%s",
		       text.at);
}

/* Without --by, or with a table for each value: a side an input. */
static bool take_inputs(struct sides *sides, struct err *err)
{
	size_t nr_found = 0;

	sides->nr = sides->nr_inputs;
	sides->at = arena_array(sides->arena, sides->nr, sizeof(*sides->at));
	for (size_t i = 0; i < sides->nr; i++) {
		const struct results *input = sides->inputs[i];
		struct side *side = &sides->at[i];
		size_t nr_without = 0;

		*side = (struct side){ .name = sides->names[i] ? sides->names[i] : input->path,
				       .is_named = sides->names[i],
				       .results = input };
		side->parts = arena_array(sides->arena, input->parts.nr, sizeof(*side->parts));
		for (size_t j = 0; j < input->parts.nr; j++) {
			if (!sides->by || results_param(input->parts.at[j], sides->by)) {
				side->parts[side->nr_parts++] = input->parts.at[j];
			} else {
				nr_without++;
			}
		}
		nr_found += side->nr_parts;
		if (nr_without > 0) {
			*vec_push(&sides->notes) = arena_printf(
				sides->arena, "%s: %zu of %zu benchmarks left out, without '%s'",
				input->path, nr_without, input->parts.nr, sides->by);
		}
	}
	return !sides->by || nr_found > 0 || fail_param(sides, err);
}

/* The one input's parts by the value of the parameter, in the order they stand in the file. */
static bool divide(struct sides *sides, struct err *err)
{
	const struct results *input = sides->inputs[0];
	scoped(names_free) struct names *values = names_new();
	size_t nr_without = 0;

	sides->is_divided = true;
	sides->at = arena_array(sides->arena, input->parts.nr, sizeof(*sides->at));
	for (size_t i = 0; i < input->parts.nr; i++) {
		const struct results_part *part = input->parts.at[i];
		const char *value = results_param(part, sides->by);
		struct side *side;

		if (!value) {
			nr_without++;
			continue;
		}
		side = &sides->at[names_number(values, value) - 1];
		if (!side->parts) {
			*side = (struct side){ .name = arena_printf(sides->arena, "%s=%s",
								    sides->by, value),
					       .results = input,
					       .parts = arena_array(sides->arena, input->parts.nr,
								    sizeof(*side->parts)) };
		}
		side->parts[side->nr_parts++] = part;
	}
	sides->nr = names_nr(values);
	if (nr_without > 0 && sides->nr > 0) {
		*vec_push(&sides->notes) = arena_printf(
			sides->arena, "%s: %zu of %zu benchmarks left out, without '%s'",
			input->path, nr_without, input->parts.nr, sides->by);
	}
	if (sides->nr == 0) {
		return fail_param(sides, err);
	}
	if (sides->nr == 1) {
		return err_set(err, ERR_CONFLICT, "--by: '%s' is %s everywhere in '%s'", sides->by,
			       results_param(sides->at[0].parts[0], sides->by), input->path);
	}
	if (sides->nr > VIEW_MAX_COLUMNS) {
		return err_set(err, ERR_CONFLICT,
			       "--by: '%s' has %zu values, at most %d are possible", sides->by,
			       sides->nr, VIEW_MAX_COLUMNS);
	}
	return true;
}

bool sides_read(struct sides *sides, char *const *paths, size_t nr_paths, const char *by,
		struct err *err)
{
	sides->arena = arena_new();
	sides->ids = names_new();
	sides->names = arena_array(sides->arena, nr_paths, sizeof(const char *));
	sides->inputs = mem_array(nr_paths, sizeof(struct results *));
	sides->by = by;
	if (!read_inputs(sides, paths, nr_paths, err)) {
		return false;
	}
	if (nr_paths > 1) {
		return take_inputs(sides, err);
	}
	return by ? divide(sides, err) : fail_alone(sides, err);
}

void sides_forget_metrics(struct sides *sides)
{
	for (size_t i = 0; i < sides->nr_inputs; i++) {
		results_forget_metrics(sides->inputs[i]);
	}
}

void sides_release(struct sides *sides)
{
	for (size_t i = 0; i < sides->nr_inputs; i++) {
		results_free(sides->inputs[i]);
	}
	free(sides->inputs);
	vec_release(&sides->notes);
	names_free(sides->ids);
	arena_free(sides->arena);
}
