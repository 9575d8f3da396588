/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "lib/base/mem.h"
#include "lib/report/lkp_compat.h"
#include "screen.h"

static void print_decisions(const struct lkp_compat *compat)
{
	scoped(json_free) struct json *json = lkp_compat_json(compat);
	scoped(free) char *text = json_write(json, FORM_PRETTY);

	puts(text);
}

static void print_table(const struct lkp_compat *compat)
{
	scoped(str_release) struct str text = STR_INIT;

	lkp_compat_text(compat, &text);
	print_clean(stdout, &text);
}

static const struct results *find_empty(const struct results *const *sides, size_t nr_sides)
{
	for (size_t i = 0; i < nr_sides; i++) {
		if (sides[i]->parts.at[0]->metrics.nr == 0) {
			return sides[i];
		}
	}
	return NULL;
}

static const struct results *find_several(const struct results *const *sides, size_t nr_sides)
{
	for (size_t i = 0; i < nr_sides; i++) {
		if (sides[i]->parts.nr > 1) {
			return sides[i];
		}
	}
	return NULL;
}

int compat_compare(const struct call *call, const struct results *const *sides, size_t nr_sides,
		   const struct compat_options *options)
{
	scoped(arena_free) struct arena *arena = arena_new();
	struct lkp_input input = lkp_input_of(arena, sides, nr_sides);
	struct lkp_compat_options how = LKP_COMPAT_DEFAULTS;
	const struct results *empty = find_empty(sides, nr_sides);
	const struct results *several = find_several(sides, nr_sides);
	scoped(lkp_compat_free) struct lkp_compat *compat = NULL;

	if (several) {
		return call_usage(call,
				  "--lkp-compat needs one benchmark with one set of parameters a "
				  "side, '%s' has %zu",
				  several->path, several->parts.nr);
	}
	how.is_all = options->is_all;
	compat = lkp_compat_new(&input, &how);
	fprintf(stderr,
		"patchmeter %s: decided and printed as lkp-tests does, its defects included; "
		"without --lkp-compat the verdicts are patchmeter's\n",
		call->verb->name);
	if (options->is_json) {
		print_decisions(compat);
	} else {
		print_table(compat);
	}
	if (empty) {
		fprintf(stderr, "patchmeter %s: nothing to compare: '%s' has no metric\n",
			call->verb->name, empty->path);
		return EXIT_NOTHING;
	}
	return EXIT_DONE;
}
