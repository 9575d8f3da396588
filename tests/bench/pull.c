/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU time to read a matrix of 100,000 numbers with pull.h and with json.h, and to judge as many:
 * 5000 metrics, ten runs a side.  With files as arguments it reads them with pull.h and does
 * nothing else: what compare.py measures a comparison against.
 */
#include "lib/base/pull.h"
#include "lib/base/json.h"
#include "lib/stats/judge.h"

#define METRICS 5000
#define SAMPLES 20
#define ROUNDS  5

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double draw(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (double)(*state >> 33) / 2147483648.0;
}

static void make_matrix(struct str *text)
{
	uint64_t state = 1;

	for (int i = 0; i < METRICS; i++) {
		str_printf(text, "%s\"counter.%d\":[", i ? ",\n" : "{", i);
		for (int j = 0; j < SAMPLES; j++) {
			str_printf(text, "%s%.*f", j ? "," : "", i % 7, 1e6 * (1 + draw(&state)));
		}
		str_append_char(text, ']');
	}
	str_append_char(text, '}');
}

static size_t pull_all(const struct str *text)
{
	scoped(pull_release) struct pull pull;
	struct pull_item item;
	struct err err = ERR_INIT;
	size_t nr = 0;

	pull_init(&pull, "matrix", text->at, text->length, 0);
	do {
		if (!pull_next(&pull, &item, &err)) {
			bug("%s", err.message);
		}
		nr += item.kind == PULL_NUMBER;
	} while (item.kind != PULL_END);
	return nr;
}

static void parse_all(const struct str *text)
{
	scoped(json_free) struct json *json = NULL;
	struct err err = ERR_INIT;

	if (!json_parse("matrix", text->at, text->length, &json, &err)) {
		bug("%s", err.message);
	}
}

static double judge_all(void)
{
	static double samples[METRICS][SAMPLES];
	static struct judge_metric metrics[METRICS];
	static struct judge_verdict verdicts[METRICS];
	struct judge_options options = JUDGE_OPTIONS_INIT;
	uint64_t state = 1;
	double start;

	for (size_t i = 0; i < METRICS; i++) {
		for (size_t j = 0; j < SAMPLES; j++) {
			samples[i][j] = 100 * (1 + 0.05 * draw(&state));
		}
		metrics[i] = (struct judge_metric){ .name = "m",
						    .is_headline = i < 10,
						    .base = { samples[i], NULL, SAMPLES / 2 },
						    .head = { samples[i] + SAMPLES / 2, NULL,
							      SAMPLES / 2 } };
	}
	start = cpu_ms();
	judge(metrics, METRICS, &options, verdicts);
	return cpu_ms() - start;
}

static int pull_files(char **paths)
{
	for (; *paths; paths++) {
		scoped(str_release) struct str text = STR_INIT;
		struct err err = ERR_INIT;

		if (!str_read_file(&text, *paths, SIZE_MAX / 2, &err)) {
			fprintf(stderr, "%s\n", err.message);
			return 1;
		}
		pull_all(&text);
	}
	return 0;
}

int main(int argc, char **argv)
{
	scoped(str_release) struct str text = STR_INIT;
	double start;

	if (argc > 1) {
		return pull_files(argv + 1);
	}
	make_matrix(&text);
	for (int round = 0; round < ROUNDS; round++) {
		size_t nr;
		double pull_ms, parse_ms;

		start = cpu_ms();
		nr = pull_all(&text);
		pull_ms = cpu_ms() - start;
		start = cpu_ms();
		parse_all(&text);
		parse_ms = cpu_ms() - start;
		printf("%zu numbers, %zu bytes: pull %.1f ms, json %.1f ms; judged in %.1f ms\n",
		       nr, text.length, pull_ms, parse_ms, judge_all());
	}
	return 0;
}
