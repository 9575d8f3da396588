/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/spec/matrix.h"

#include "lib/base/str.h"
#include "tests/t.h"

#define JOB                                  \
	"name: x\nsummary: s\nrun: 'true'\n" \
	"metrics: [{name: m, unit: s, better: lower, headline: true, lines: m}]\n"

static struct spec *parse(const char *text)
{
	struct spec *spec = NULL;
	struct err err = ERR_INIT;

	CHECK_DONE(spec_parse("job", text, strlen(text), &spec, &err), &err);
	return spec;
}

static void check_params(const struct spec *spec, size_t index, const char *expected)
{
	scoped(json_free) struct json *params = matrix_params(spec, index);
	scoped(free) char *text = json_write(params, FORM_COMPACT);

	CHECK_TEXT(text, expected);
}

static void the_first_list_varies_slowest(void)
{
	scoped(spec_free) struct spec *spec =
		parse(JOB "params: {b: [1, 2], k: c, a: [u, v, w]}\n");

	CHECK_INT((int64_t)matrix_size(spec), 6);
	check_params(spec, 0, "{\"b\":\"1\",\"k\":\"c\",\"a\":\"u\"}");
	check_params(spec, 1, "{\"b\":\"1\",\"k\":\"c\",\"a\":\"v\"}");
	check_params(spec, 2, "{\"b\":\"1\",\"k\":\"c\",\"a\":\"w\"}");
	check_params(spec, 3, "{\"b\":\"2\",\"k\":\"c\",\"a\":\"u\"}");
	check_params(spec, 5, "{\"b\":\"2\",\"k\":\"c\",\"a\":\"w\"}");
}

static void a_job_without_lists_is_one_variant(void)
{
	scoped(spec_free) struct spec *spec = parse(JOB);

	CHECK_INT((int64_t)matrix_size(spec), 1);
	check_params(spec, 0, "{}");
}

static void a_sweep_is_one_variant(void)
{
	scoped(spec_free) struct spec *spec =
		parse(JOB "params: {g: [1, 2, 4], m: [p, t]}\nsweep: g\n");

	CHECK_INT((int64_t)matrix_size(spec), 2);
	check_params(spec, 1, "{\"g\":[\"1\",\"2\",\"4\"],\"m\":\"t\"}");
	CHECK_INT((int64_t)spec->nr_metrics, 4);
	CHECK_TEXT(spec->metrics[0].name, "m");
	CHECK_INT(spec->metrics[0].nr_points, 3);
	CHECK_TEXT(spec->metrics[3].name, "m.4");
	CHECK_TEXT(spec->metrics[3].point, "4");
}

static void a_thousand_variants_are_the_most(void)
{
	static const char thousand[] =
		JOB "params: {a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], b: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],"
		    " c: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}\n";
	scoped(spec_free) struct spec *spec = parse(thousand);
	scoped(spec_free) struct spec *none = NULL;
	scoped(str_release) struct str text = STR_INIT;
	struct err err = ERR_INIT;

	CHECK_INT((int64_t)matrix_size(spec), 1000);
	/* 64 lists of two: 2^64 is 0 in a size_t */
	str_append(&text, JOB "params:\n");
	for (int i = 0; i < 64; i++) {
		str_printf(&text, "  p%d: [0, 1]\n", i);
	}
	CHECK_FAILS(spec_parse("job", text.at, text.length, &none, &err), &err, ERR_INPUT,
		    "job:6:3: the parameters make more than 1000 variants");
}

/* The hashes are of sha256sum over texts written by hand. */
static void the_cell_is_the_hash_of_the_identity(void)
{
	scoped(spec_free) struct spec *spec =
		parse(JOB "params: {z: p, groups: [1, 2], b: 12.5%}\nsweep: groups\n");
	struct setting setting = { .compiler = "gcc-12", .group = "lab" };
	scoped(json_free) struct json *identity = matrix_identity(spec, 0, &setting);
	scoped(free) char *text = json_write(identity, FORM_CANONICAL);
	char cell[HASH_TEXT_BYTES];

	CHECK_TEXT(text, "{\"benchmark\":\"x\",\"compiler\":\"gcc-12\",\"config\":null,"
			 "\"group\":\"lab\",\"params\":{\"b\":\"12.5%\",\"groups\":[\"1\",\"2\"],"
			 "\"z\":\"p\"},\"rootfs\":null}");
	matrix_cell(identity, cell);
	CHECK_TEXT(cell, "501ae686c08ed0a3deab19715cc3e8e96c6df3a5026ff77fe05dc3def24fa275");
}

static void a_build_is_shared_where_it_can_be(void)
{
	scoped(spec_free) struct spec *spec = parse(
		JOB "build: make CFLAGS=$PARAM_opt\nparams: {opt: [-O2, -O3], level: [1, 9]}\n");
	struct setting setting = { .config = "def", .group = "lab" };
	struct setting other = { .config = "all", .group = "lab" };
	char hashes[5][HASH_TEXT_BYTES];

	for (size_t i = 0; i < 5; i++) {
		scoped(json_free) struct json *identity =
			matrix_identity(spec, i % 4, i < 4 ? &setting : &other);

		matrix_build(spec, identity, hashes[i]);
	}
	CHECK_TEXT(hashes[0], "a00b5da237db94351e2fa929dc7fc463d85bc1622da6d2993abc2d4de9fb83a6");
	CHECK_TEXT(hashes[1], hashes[0]);         /* another level */
	CHECK(strcmp(hashes[2], hashes[0]) != 0); /* another opt */
	CHECK_TEXT(hashes[3], hashes[2]);
	CHECK(strcmp(hashes[4], hashes[0]) != 0); /* another config */
}

static const struct t_case cases[] = {
	{ "the first list varies slowest", the_first_list_varies_slowest },
	{ "a job without lists is one variant", a_job_without_lists_is_one_variant },
	{ "a sweep is one variant and a metric for each point", a_sweep_is_one_variant },
	{ "a thousand variants are the most, also where the product overflows",
	  a_thousand_variants_are_the_most },
	{ "the cell is the SHA-256 of the canonical identity, percentages as written",
	  the_cell_is_the_hash_of_the_identity },
	{ "variants share a build unless its text, parameters or config differ",
	  a_build_is_shared_where_it_can_be },
};
T_MAIN(cases)
