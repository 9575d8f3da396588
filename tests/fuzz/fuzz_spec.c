/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job file that is taken has variants with identities, and a recipe that reads back the same. */
#include "lib/spec/matrix.h"
#include "lib/spec/param.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_recipe(const struct spec *spec)
{
	scoped(json_free) struct json *recipe = spec_recipe(spec);
	scoped(free) char *first = json_write(recipe, FORM_CANONICAL);
	scoped(json_free) struct json *copy = NULL;
	scoped(json_free) struct json *again = NULL;
	scoped(spec_free) struct spec *back = NULL;
	scoped(free) char *second = NULL;
	struct err err = ERR_INIT;

	if (!json_parse("recipe", first, strlen(first), &copy, &err) ||
	    !spec_from_recipe(copy, &back, &err)) {
		bug("own recipe refused: %s", err.message);
	}
	again = spec_recipe(back);
	second = json_write(again, FORM_CANONICAL);
	if (strcmp(first, second) != 0) {
		bug("'%s' became '%s'", first, second);
	}
}

static void check_variant(const struct spec *spec, size_t index)
{
	struct setting setting = { .group = "lab" };
	scoped(json_free) struct json *identity = matrix_identity(spec, index, &setting);
	char cell[HASH_TEXT_BYTES];
	size_t nr = 0;
	char **lines = param_environment(spec->arena, json_get(identity, "params"), NULL, 6);

	while (lines[nr]) {
		nr++;
	}
	if (nr != spec->nr_params) {
		bug("%zu variables of %zu parameters", nr, spec->nr_params);
	}
	matrix_cell(identity, cell);
	matrix_build(spec, identity, cell);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(spec_free) struct spec *spec = NULL;
	struct err err = ERR_INIT;
	size_t nr;

	if (!spec_parse("fuzz", (const char *)bytes, length, &spec, &err)) {
		if (strncmp(err.message, "fuzz:", 5) != 0 || !strchr(err.message, ';')) {
			bug("'%s' has no place or no hint", err.message);
		}
		return 0;
	}
	nr = matrix_size(spec);
	if (nr == 0 || nr > MATRIX_LIMIT) {
		bug("%zu variants", nr);
	}
	check_variant(spec, 0);
	check_variant(spec, nr - 1);
	check_recipe(spec);
	return 0;
}
