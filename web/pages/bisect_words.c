/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bisect_words.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/report/number.h"

/* The first row whose words fit tells what to say.  NULL fits anything. */
static const struct {
	const char *state;
	const char *revert; /* of the culprit on the tip; "set": there are several */
	const char *words;
} meanings[] = {
	{ "open", NULL, "The search goes on." },
	{ "confirming", NULL,
	  "A commit explains the difference. It and its parent are built and measured afresh "
	  "before anybody is told." },
	{ "concluded", "set",
	  "It is one of these commits, which could not be told apart: those between do not build or "
	  "were skipped." },
	{ "concluded", "recovered",
	  "It is the cause: with this commit taken back on the tip, the value recovers." },
	{ "concluded", "not-recovered",
	  "It is the first commit that shows it. Taking it back on the tip does not bring the value "
	  "back, so later commits have a part in it." },
	{ "concluded", "not-applied",
	  "It is the first commit that shows it. It cannot be taken back on the tip, so nothing is "
	  "said about the cause." },
	{ "concluded", "not-measured",
	  "It is the first commit that shows it. The tip without it could not be measured, so "
	  "nothing is said about the cause." },
	{ "concluded", NULL, "An operator named the commit." },
	{ "inconclusive", NULL,
	  "No commit was borne out. What is marked is the smallest set that holds the culprit with "
	  "95 %." },
	{ "unchanged", NULL, "No step that counts was found between the ends." },
	{ "unmeasurable", NULL, "It cannot be measured." },
	{ "stopped", NULL, "It was stopped; the numbers are as of then." },
	{ "invalidated", NULL, "What it said does not count." },
};

bool is_bisect_state(const char *word)
{
	for (size_t i = 0; i < countof(meanings); i++) {
		if (strcmp(meanings[i].state, word) == 0) {
			return true;
		}
	}
	return false;
}

static const char *text_of(const struct json *object, const char *name)
{
	const char *text = json_text(json_get(object, name));

	return text ? text : "";
}

static double number_of(const struct json *object, const char *name)
{
	return json_number(json_get(object, name), (double)NAN);
}

static const char *meaning_of(const struct json *document)
{
	const char *state = text_of(document, "state");
	bool is_set = json_int(json_get(document, "nr_suspects"), 0) > 1;
	const char *revert = is_set ? "set" : text_of(document, "revert");

	for (size_t i = 0; i < countof(meanings); i++) {
		if (strcmp(meanings[i].state, state) == 0 &&
		    (!meanings[i].revert || strcmp(meanings[i].revert, revert) == 0)) {
			return meanings[i].words;
		}
	}
	return "";
}

static void put_probability(struct json *object, const char *name)
{
	scoped(free) char *member = mem_printf("%s_text", name);
	double p = number_of(object, name);
	char text[NUMBER_BYTES];

	if (!isfinite(p)) {
		json_put(object, member, json_new_null()); /* not that of what is around it */
		return;
	}
	snprintf(text, sizeof(text), "%.3f", p);
	json_put_text(object, member,
		      p < 0.0005    ? "under 0.001"
		      : p >= 0.9995 ? "over 0.999"
				    : text);
}

void bisect_words_short(struct json *document)
{
	double expected = number_of(document, "expected");

	put_probability(document, "p");
	if (expected > 0 && json_bool(json_get(document, "is_busy"), false)) {
		scoped(free) char *text = mem_printf("%.0f", ceil(expected));

		json_put_text(document, "expected_text", text);
	}
}

static void put_value(struct json *object, const char *name)
{
	scoped(free) char *member = mem_printf("%s_text", name);
	double value = number_of(object, name);
	char text[NUMBER_BYTES];

	if (isfinite(value)) {
		number_value(value, text);
		json_put_text(object, member, text);
	}
}

static void put_change(struct json *document)
{
	double before = number_of(document, "before");
	double after = number_of(document, "after");
	bool is_up_better = strcmp(text_of(document, "better"), "higher") == 0;
	char text[NUMBER_BYTES];

	if (!isfinite(before) || !isfinite(after) || !(fabs(after - before) > 0)) {
		return;
	}
	if (json_bool(json_get(document, "is_log"), false) && before > 0) {
		number_percent((after / before - 1) * 100, text);
	} else {
		number_difference(after - before, text);
	}
	json_put_text(document, "change", text);
	json_put_bool(document, (after > before) == is_up_better ? "is_better" : "is_worse", true);
}

static void describe_row(struct json *row)
{
	const char *skipped = json_text(json_get(row, "skipped"));
	const char *by = json_text(json_get(row, "by"));
	const char *under_way = text_of(row, "under_way");

	put_probability(row, "p");
	put_value(row, "mean");
	if (skipped) {
		scoped(free) char *why =
			by ? mem_printf("skipped by %s: %s", by, skipped) : mem_strdup(skipped);

		json_put_text(row, "mark", "\xe2\x9c\x97"); /* cross */
		json_put_text(row, "why", why);
	} else if (*under_way) {
		json_put_text(row, "mark", "\xe2\x97\x8b"); /* empty circle */
		json_put_text(row, "why",
			      strcmp(under_way, "build") == 0 ? "being built" : "runs now");
	}
	if (json_get(row, "is_fold")) {
		int64_t first = json_int(json_get(row, "position"), 0);
		int64_t last = json_int(json_get(row, "last"), 0);
		scoped(free) char *range =
			first == last ? mem_printf("%" PRId64, first)
				      : mem_printf("%" PRId64 " to %" PRId64, first, last);

		json_put_text(row, "range", range);
	}
}

void bisect_words(struct json *document)
{
	struct json *rows = json_get(document, "rows");

	bisect_words_short(document);
	put_probability(document, "p_none");
	put_value(document, "before");
	put_value(document, "after");
	put_change(document);
	json_put_text(document, "meaning", meaning_of(document));
	for (size_t i = 0; i < json_size(rows); i++) {
		describe_row(json_at(rows, i));
	}
}
