/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "matrix.h"

#include "param.h"

static bool is_swept(const struct spec *spec, const struct param *param)
{
	return spec->sweep && strcmp(spec->sweep, param->name) == 0;
}

size_t matrix_size(const struct spec *spec)
{
	size_t size = 1;

	for (size_t i = 0; i < spec->nr_params && size <= MATRIX_LIMIT; i++) {
		size *= is_swept(spec, &spec->params[i]) ? 1 : spec->params[i].nr;
	}
	return size;
}

static struct json *all_values(const struct param *param)
{
	struct json *array = json_new_array();

	for (size_t i = 0; i < param->nr; i++) {
		json_append(array, json_new_text(param->values[i]));
	}
	return array;
}

struct json *matrix_params(const struct spec *spec, size_t index)
{
	struct json *params = json_new_object();
	size_t inner = matrix_size(spec); /* variants within one step of the parameter */

	for (size_t i = 0; i < spec->nr_params; i++) {
		const struct param *param = &spec->params[i];

		if (is_swept(spec, param)) {
			json_put(params, param->name, all_values(param));
			continue;
		}
		inner /= param->nr;
		json_put_text(params, param->name, param->values[index / inner % param->nr]);
	}
	return params;
}

struct json *matrix_identity(const struct spec *spec, size_t index, const struct setting *setting)
{
	struct json *identity = json_new_object();

	json_put_text(identity, "benchmark", spec->name);
	json_put_text(identity, "compiler", setting->compiler);
	json_put_text(identity, "config", setting->config);
	json_put_text(identity, "group", setting->group);
	json_put(identity, "params", matrix_params(spec, index));
	json_put_text(identity, "rootfs", setting->rootfs);
	return identity;
}

void matrix_cell(const struct json *identity, char cell[HASH_TEXT_BYTES])
{
	scoped(free) char *text = json_write(identity, FORM_CANONICAL);
	struct hash hash = hash_of(text, strlen(text));

	hash_format(&hash, cell);
}

void matrix_build(const struct spec *spec, const struct json *identity, char hash[HASH_TEXT_BYTES])
{
	scoped(json_free) struct json *inputs = json_new_object();
	struct json *used = json_new_object();
	const struct json *params = json_get(identity, "params");

	for (void *it = json_first(params); it; it = json_next(params, it)) {
		if (spec->build && is_param_used(spec->build, json_member_name(it))) {
			json_put(used, json_member_name(it), json_clone(json_member_value(it)));
		}
	}
	json_put_text(inputs, "build", spec->build);
	json_put_text(inputs, "compiler", json_text(json_get(identity, "compiler")));
	json_put_text(inputs, "config", json_text(json_get(identity, "config")));
	json_put(inputs, "params", used);
	matrix_cell(inputs, hash);
}
