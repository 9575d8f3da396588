/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "known.h"

#include <strings.h>

#include "lib/base/str.h"
#include "lib/spec/metrics.h"

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

/* Units of times and sizes, of which less is better. */
static const char *const amounts[] = { "s", "sec", "ms", "us", "µs",  "ns",  "min", "cycles",
				       "B", "KB",  "MB", "kB", "KiB", "MiB", "GiB", "bytes" };

/* strspn() would take longer to set up than a name takes to read. */
static bool is_letter(char character)
{
	return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
	       (character >= '0' && character <= '9');
}

/* A word inside a name, and what stands before it. */
struct word {
	const char *at;
	size_t length;
	char before; /* 0 at the start of the name */
};

/* The word behind `word`, which is the whole name's start at first; false: there is none. */
static bool next_word(struct word *word)
{
	const char *gap = word->at + word->length;
	const char *at = gap;

	while (*at && !is_letter(*at)) {
		at++;
	}
	word->before = *(at > gap ? at - 1 : "");
	word->at = at;
	while (is_letter(*at)) {
		at++;
	}
	word->length = (size_t)(at - word->at);
	return word->length > 0;
}

static bool is_word(const struct word *word, const char *text)
{
	return (*word->at | 0x20) == *text && strncasecmp(word->at, text, word->length) == 0 &&
	       text[word->length] == '\0';
}

static bool is_second(const struct word *word)
{
	for (size_t i = 0; i < countof(seconds); i++) {
		if (is_word(word, seconds[i])) {
			return true;
		}
	}
	return false;
}

static bool is_rate(const char *name)
{
	struct word word = { .at = name };
	bool is_behind_per = false;

	while (next_word(&word)) {
		if ((is_behind_per || word.before == '/') && is_second(&word)) {
			return true;
		}
		is_behind_per = is_word(&word, "per");
	}
	return false;
}

/* What a name or a unit says, and whether it says anything. */
static bool is_told(const char *text, bool *ret_is_higher_better)
{
	struct word word = { .at = text };
	size_t first = countof(words);

	while (next_word(&word)) {
		for (size_t i = 0; i < first; i++) {
			if (is_word(&word, words[i].word)) {
				first = i;
			}
		}
	}
	*ret_is_higher_better =
		first < countof(words) ? words[first].is_higher_better : is_rate(text);
	return first < countof(words) || *ret_is_higher_better;
}

static bool is_amount(const char *unit)
{
	for (size_t i = 0; i < countof(amounts); i++) {
		if (strcmp(amounts[i], unit) == 0) {
			return true;
		}
	}
	return str_has_suffix(unit, "/op");
}

/* The unit knows better than the name: "s" of a "speed" is a time. */
static struct known guess(const char *name, const struct results_metric *metric)
{
	struct known known = { .unit = metric->unit,
			       .is_headline = !str_has_prefix(name, RUNNER_PREFIX),
			       .is_exact = metric->is_exact };

	if (metric->better != BETTER_UNKNOWN) {
		known.is_higher_better = metric->better == BETTER_HIGHER;
		known.note = known.is_higher_better ? "the file says that higher is better"
						    : "the file says that lower is better";
	} else if (metric->unit && is_amount(metric->unit)) {
		known.note = "no job file: lower is better, going by the unit";
	} else if (metric->unit && is_rate(metric->unit)) {
		known.is_higher_better = true;
		known.note = "no job file: higher is better, going by the unit";
	} else if (is_told(name, &known.is_higher_better)) {
		known.note = known.is_higher_better
				     ? "no job file: higher is better, going by the name"
				     : "no job file: lower is better, going by the name";
	} else {
		known.note = "no job file: lower is better, as nothing says otherwise";
	}
	return known;
}

/* The mean of the sweep that a metric is a point of; NULL: it is none. */
static const char *sweep_of(const struct spec *spec, const struct metric *metric)
{
	size_t length = strlen(metric->name);

	if (!metric->point || length <= strlen(metric->point)) {
		return NULL;
	}
	length -= strlen(metric->point) + 1;
	for (size_t i = 0; i < spec->nr_metrics; i++) {
		const char *name = spec->metrics[i].name;

		if (spec->metrics[i].nr_points > 0 && strncmp(name, metric->name, length) == 0 &&
		    name[length] == '\0') {
			return name;
		}
	}
	return NULL;
}

struct known known_metric(const struct spec *spec, const char *name,
			  const struct results_metric *from)
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
					       .sweep = sweep_of(spec, metric),
					       .estimator = judge_estimator(metric->estimator),
					       .estimator_word = metric->estimator,
					       .floor = metric->floor_pct / 100 };
		}
	}
	if (spec) {
		const char *unit = time_metric_unit(name);

		return (struct known){ .unit = unit ? unit : from->unit,
				       .note = unit ? "the runner measures it of every run"
						    : "the job does not list it" };
	}
	return guess(name, from);
}
