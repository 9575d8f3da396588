/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verb.h"

#include <stdarg.h>

#include "lib/base/mem.h"

static void print_usage(FILE *to, const struct verb *verb)
{
	fprintf(to, "usage: patchmeter %s [options]%s%s\n", verb->name, *verb->operands ? " " : "",
		verb->operands);
}

static void print_help(const struct verb *verb, const struct option_row *rows, size_t nr_rows)
{
	scoped(str_release) struct str text = STR_INIT;

	print_usage(stdout, verb);
	option_describe(rows, nr_rows, &text);
	printf("\n%s\n\n%s", verb->summary, text.at);
}

bool call_options(struct call *call, const struct option_row *rows, size_t nr_rows, int *ret_exit)
{
	bool is_help = false;
	struct err err = ERR_INIT;
	const struct option_row help = { "help",      'h',     NULL, "print this and end",
					 OPTION_FLAG, &is_help };
	scoped(free) struct option_row *all = mem_array(nr_rows + 1, sizeof(*all));

	if (nr_rows > 0) {
		memcpy(all, rows, nr_rows * sizeof(*all));
	}
	all[nr_rows] = help;
	if (!option_parse(all, nr_rows + 1, false, &call->argc, call->argv, &err)) {
		*ret_exit = call_usage(call, "%s", err.message);
		return false;
	}
	if (is_help) {
		print_help(call->verb, all, nr_rows + 1);
		*ret_exit = EXIT_DONE;
		return false;
	}
	return true;
}

int call_fail(const struct call *call, const struct err *err)
{
	fprintf(stderr, "patchmeter %s: %s\n", call->verb->name, err->message);
	return err_face(err->kind)->exit_code;
}

int call_fail_file(const struct call *call, const struct err *err)
{
	call_fail(call, err);
	return EXIT_LOCAL;
}

int call_usage(const struct call *call, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "patchmeter %s: ", call->verb->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	print_usage(stderr, call->verb);
	return EXIT_USAGE;
}

const struct verb *verb_find(const struct verb *verbs, size_t nr_verbs, const char *name)
{
	for (size_t i = 0; i < nr_verbs; i++) {
		if (strcmp(verbs[i].name, name) == 0) {
			return &verbs[i];
		}
	}
	return NULL;
}

void verb_list(const struct verb *verbs, size_t nr_verbs, FILE *to)
{
	size_t width = 0;

	for (size_t i = 0; i < nr_verbs; i++) {
		size_t length = strlen(verbs[i].name);

		width = length > width ? length : width;
	}
	for (size_t i = 0; i < nr_verbs; i++) {
		fprintf(to, "  %-*s %s\n", (int)width, verbs[i].name, verbs[i].summary);
	}
}

int verb_fail_unknown(const struct verb *verbs, size_t nr_verbs, const char *help, const char *name)
{
	const char *nearest = str_nearest(name, &verbs[0].name, nr_verbs, sizeof(verbs[0]));

	if (nearest) {
		fprintf(stderr, "patchmeter: no verb '%s'; did you mean '%s'?\n", name, nearest);
	} else {
		fprintf(stderr, "patchmeter: no verb '%s'; 'patchmeter %s' lists them\n", name,
			help);
	}
	return EXIT_USAGE;
}
