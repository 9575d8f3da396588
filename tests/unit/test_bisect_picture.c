/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/t.h"

#include <math.h>

#include "cli/bisect/picture.h"

#define NR  301
#define TIP (NR - 1)

/* A bisection as the engine could leave it: all commits alike but for what a case sets. */
struct scene {
	struct range_commit commits[NR];
	struct evidence_commit at[NR];
	double posterior[NR];
	struct range range;
	struct evidence evidence;
};

static void set_scene(struct scene *scene, size_t tip)
{
	*scene = (struct scene){ 0 };
	scene->range = (struct range){ .at = scene->commits, .tip = tip };
	scene->evidence = (struct evidence){ .at = scene->at, .posterior = scene->posterior };
	for (size_t i = 0; i <= tip; i++) {
		snprintf(scene->commits[i].id.text, sizeof(scene->commits[i].id.text), "%040zx", i);
		memcpy(scene->commits[i].id.text, "c", 1);
		scene->commits[i].subject = "subject";
		scene->at[i].sd = (double)NAN;
	}
}

static void measure(struct scene *scene, size_t commit, double mean, double sd, size_t nr)
{
	scene->at[commit] = (struct evidence_commit){ .nr = nr, .mean = mean, .sd = sd };
}

static void shows_what_counts(void)
{
	struct scene scene;
	scoped(str_release) struct str out = STR_INIT;

	set_scene(&scene, 9);
	measure(&scene, 0, 101.3, 0.4, 4);
	measure(&scene, 4, 101.1, (double)NAN, 1);
	measure(&scene, 6, 1073, 12.5, 5);
	measure(&scene, 9, 1074, 0.51, 2);
	scene.at[5].why = "build-failed: build exited with 2";
	scene.posterior[6] = 0.75;
	scene.posterior[5] = 0.20;
	scene.posterior[0] = 0.05;
	picture_table(&scene.range, &scene.evidence, 0, &out);
	CHECK_TEXT(
		out.at,
		"      commit         mean          runs  posterior                   subject\n"
		"base  c000000000   101.30  ±0.40      4                              subject\n"
		"1..3                                     0.00                        (3 commits)\n"
		"   4  c000000000   101.10             1  0.00                        subject\n"
		"   5  c000000000                         0.20       ####             subject "
		"(build-failed: build exited with 2)\n"
		"   6  c000000000  1073     ±12.50     5  0.75       ###############  subject\n"
		"7..8                                     0.00                        (2 commits)\n"
		"   9  c000000000  1074     ±0.51      2  0.00                        subject\n");
}

static size_t count_rows(const struct scene *scene, size_t most)
{
	scoped(str_release) struct str out = STR_INIT;
	size_t nr = 0;

	picture_table(&scene->range, &scene->evidence, most, &out);
	for (size_t i = 0; i < out.length; i++) {
		nr += out.at[i] == '\n';
	}
	return nr - 1; /* the titles */
}

static void fits(void)
{
	struct scene scene;

	set_scene(&scene, TIP);
	for (size_t most = 8; most < 40; most++) {
		for (size_t i = 1; i <= TIP; i++) {
			scene.posterior[i] = 0;
		}
		CHECK(count_rows(&scene, most) == 3);
		for (size_t i = 100; i < 140; i++) { /* all alike */
			scene.posterior[i] = 1.0 / 40;
		}
		CHECK(count_rows(&scene, most) <= most);
		for (size_t i = 1; i < TIP; i++) {
			scene.posterior[i] = 0;
		}
		for (size_t i = 2; i < TIP; i += 3) { /* each apart from the others */
			scene.posterior[i] = 0.01 + 1e-5 * (double)i;
		}
		CHECK(count_rows(&scene, most) <= most);
		CHECK(count_rows(&scene, most) >= 5);
	}
}

static void keeps_the_most_probable(void)
{
	struct scene scene;
	scoped(str_release) struct str out = STR_INIT;

	set_scene(&scene, TIP);
	for (size_t i = 1; i < TIP; i++) {
		scene.posterior[i] = 0.1 / TIP;
		measure(&scene, i, 5, 1, 2);
	}
	scene.posterior[77] = 0.9;
	picture_table(&scene.range, &scene.evidence, 8, &out);
	CHECK(strstr(out.at, " 77  c") != NULL);
	CHECK(strstr(out.at, " base  c") != NULL);
	CHECK(strstr(out.at, " 300  c") != NULL);
}

static void sums_up_what_is_alike(void)
{
	struct scene scene;
	scoped(str_release) struct str out = STR_INIT;

	set_scene(&scene, 40);
	measure(&scene, 0, 5, 1, 2);
	measure(&scene, 20, 5, (double)NAN, 1);
	measure(&scene, 40, 6, 1, 2);
	for (size_t i = 21; i <= 40; i++) {
		scene.posterior[i] = 0.05;
	}
	picture_table(&scene.range, &scene.evidence, 12, &out);
	CHECK(strstr(out.at, "\n    20  c") != NULL);
	CHECK(strstr(out.at, "\n21..39  ") != NULL);
	CHECK(strstr(out.at, " 0.95 ") != NULL);
	CHECK(strstr(out.at, "(19 commits)\n") != NULL);
}

static void never_says_more_than_it_knows(void)
{
	static const struct {
		double p;
		const char *text;
	} rows[] = {
		{ 0, "0.00" },         { 0.004, "0.00" },          { 0.93, "0.93" },
		{ 0.99001, "0.9900" }, { 0.99619, "0.9961" },      { 0.99989, "0.9998" },
		{ 0.9999, "0.9999" },  { 0.99991, "over 0.9999" }, { 1, "over 0.9999" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		char text[PICTURE_P_BYTES];

		picture_p(rows[i].p, text);
		CHECK_TEXT(text, rows[i].text);
	}
}

static void shows_small_numbers(void)
{
	struct scene scene;
	scoped(str_release) struct str out = STR_INIT;

	set_scene(&scene, 1);
	measure(&scene, 0, 0.018964, 0.0055912, 4);
	measure(&scene, 1, 98.8749, 0.7911, 2);
	picture_values(&scene.evidence, 0, &out);
	str_append(&out, "; ");
	picture_values(&scene.evidence, 1, &out);
	CHECK_TEXT(out.at, "4 runs 0.019 ±0.00559; 2 runs 98.87 ±0.79");
}

static void counts_failures(void)
{
	struct scene scene;
	scoped(str_release) struct str out = STR_INIT;

	set_scene(&scene, 1);
	scene.evidence.is_pass_fail = true;
	measure(&scene, 0, 2.0 / 7, 0.45, 7);
	picture_values(&scene.evidence, 0, &out);
	CHECK_TEXT(out.at, "2 of 7 runs failed");
	str_truncate(&out, 0);
	picture_table(&scene.range, &scene.evidence, 0, &out);
	CHECK(strstr(out.at, "failed") != NULL);
	CHECK(strstr(out.at, " 0.29 ") != NULL);
	CHECK(strstr(out.at, "±") == NULL);
}

static void tells_how_far_it_is(void)
{
	struct scene scene;
	scoped(str_release) struct str out = STR_INIT;

	set_scene(&scene, 3);
	scene.evidence.nr_runs = 31;
	scene.evidence.nr_measured = 9;
	scene.evidence.answer =
		(struct bisect_answer){ .state = BISECT_OPEN, .p_none = 0.05, .expected = 5.2 };
	scene.posterior[2] = 0.93;
	picture_line(&scene.range, &scene.evidence, &out);
	CHECK_TEXT(out.at, "31 runs on 9 commits; c000000000 with 0.93, nothing changed with 0.05; "
			   "about 6 more");
	scene.evidence.answer.state = BISECT_CULPRIT;
	str_truncate(&out, 0);
	picture_line(&scene.range, &scene.evidence, &out);
	CHECK_TEXT(out.at, "31 runs on 9 commits; c000000000 with 0.93, nothing changed with 0.05");
	scene.evidence.answer.state = BISECT_OPEN;
	scene.evidence.nr_measured =
		1; /* its noise is not known: nothing is to come that could be told */
	str_truncate(&out, 0);
	picture_line(&scene.range, &scene.evidence, &out);
	CHECK_TEXT(out.at, "31 runs on 1 commit; c000000000 with 0.93, nothing changed with 0.05");
}

static const struct t_case cases[] = {
	{ "ends, measured and likely commits have a row, the others are counted",
	  shows_what_counts },
	{ "the table fits in the rows there are", fits },
	{ "in few rows the most probable commit and the ends remain", keeps_the_most_probable },
	{ "commits that are alike and too many hide no measured one", sums_up_what_is_alike },
	{ "a posterior is never rounded up to more certainty", never_says_more_than_it_knows },
	{ "a time below a second has three digits", shows_small_numbers },
	{ "of a test that passes or fails, failures are counted", counts_failures },
	{ "a line tells of runs, the most probable commit and what is to come",
	  tells_how_far_it_is },
};
T_MAIN(cases)
