/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "known.h"

#include <ctype.h>

#include "lib/base/str.h"

/* What the runner adds to every run by itself, and no job lists. */
#define RUNNER_PREFIX "time."

/* Words of names; the first row that one of a name's words meets decides. */
static const struct {
	const char *word;
	bool is_higher_better;
} words[] = {
	/* a rate of these is still bad */
	{ "error", false },     { "errors", false },   { "failures", false }, { "miss", false },
	{ "misses", false },    { "latency", false },  { "time", false },     { "ops", true },
	{ "iops", true },       { "tps", true },       { "qps", true },       { "rps", true },
	{ "throughput", true }, { "bandwidth", true }, { "bw", true },        { "speed", true },
	{ "score", true },      { "rate", true },      { "hits", true },      { "mips", true },
	{ "flops", true },
};

/* A word of these behind "per" or '/' makes the name one of a rate. */
static const char *const seconds[] = { "s", "sec", "second", "min", "minute" };

/* Takes the next word of *at in lower case; false: there is none. */
static bool next_word(const char **at, char *word, size_t size)
{
	size_t length = 0;

	while (**at && !isalnum((unsigned char)**at)) {
		(*at)++;
	}
	for (; isalnum((unsigned char)**at); (*at)++) {
		if (length + 1 < size) {
			word[length++] = (char)tolower((unsigned char)**at);
		}
	}
	word[length] = '\0';
	return length > 0;
}

static bool has_word(const char *name, const char *wanted)
{
	char word[32];

	while (next_word(&name, word, sizeof(word))) {
		if (strcmp(word, wanted) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_rate(const char *name)
{
	const char *start = name;
	char word[32];

	while (next_word(&name, word, sizeof(word))) {
		const char *first = name - strlen(word);
		bool is_behind_slash = first > start && first[-1] == '/';
		bool is_behind_per = first - start >= 4 && strncasecmp(first - 4, "per", 3) == 0;

		for (size_t i = 0; i < countof(seconds); i++) {
			if ((is_behind_slash || is_behind_per) && strcmp(word, seconds[i]) == 0) {
				return true;
			}
		}
	}
	return false;
}

static bool is_higher_better(const char *name)
{
	for (size_t i = 0; i < countof(words); i++) {
		if (has_word(name, words[i].word)) {
			return words[i].is_higher_better;
		}
	}
	return is_rate(name);
}

static struct known guess(const char *name)
{
	struct known known = { .is_headline = !str_has_prefix(name, RUNNER_PREFIX),
			       .is_higher_better = is_higher_better(name) };

	known.note = known.is_higher_better
			     ? "no job file: higher is better, going by the name"
			     : "no job file: lower is better, as nothing says otherwise";
	return known;
}

struct known known_metric(const struct spec *spec, const char *name)
{
	for (size_t i = 0; spec && i < spec->nr_metrics; i++) {
		const struct metric *metric = &spec->metrics[i];

		if (strcmp(metric->name, name) == 0) {
			return (struct known){ .unit = metric->unit,
					       .note = metric->noise,
					       .is_higher_better =
						       strcmp(metric->better, "higher") == 0,
					       .is_headline = metric->is_headline,
					       .is_exact = metric->is_exact,
					       .estimator = judge_estimator(metric->estimator),
					       .floor = metric->floor_pct / 100 };
		}
	}
	if (spec) {
		return (struct known){ .note = "the job does not list it" };
	}
	return guess(name);
}
