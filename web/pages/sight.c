/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sight.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/report/number.h"
#include "lib/report/view.h"

enum look { LOOK_FAILED, LOOK_SAME, LOOK_OPEN, LOOK_MISSING, LOOK_NOTHING };

static const struct {
	enum look look;
	const char *mark;
	const char *flag;
} looks[] = {
	{ LOOK_FAILED, "\xe2\x9c\x97", "is_failed" },   /* cross */
	{ LOOK_SAME, "\xe2\x97\x8f", "is_same" },       /* full circle */
	{ LOOK_OPEN, "\xe2\x97\x8b", "is_open" },       /* empty circle */
	{ LOOK_MISSING, "\xe2\x97\x8b", "is_missing" }, /* the same: there is nothing to see */
	{ LOOK_NOTHING, "", "is_nothing" },
};

/* No verdict: the first row whose words fit the facts tells what to say.  NULL fits anything. */
static const struct {
	const char *build;      /* state of the head's build */
	const char *comparison; /* its state; "": there is none */
	const char *stack;
	const char *reason; /* of the comparison: how it begins */
	enum look look;
	const char *word;
} rows[] = {
	{ "failed", NULL, NULL, NULL, LOOK_FAILED, "build failed" },
	{ NULL, "wanted", NULL, NULL, LOOK_OPEN, "queued" },
	{ NULL, "waiting", NULL, NULL, LOOK_OPEN, "waits for tip against base" },
	{ NULL, "measuring", NULL, NULL, LOOK_OPEN, "queued" },
	{ NULL, "deciding", NULL, NULL, LOOK_OPEN, "being decided" },
	{ NULL, "cancelled", NULL, NULL, LOOK_MISSING, "cancelled" },
	{ NULL, "done", NULL, "same binary", LOOK_SAME, "same binary" },
	{ NULL, "done", NULL, NULL, LOOK_MISSING, "missing" },
	{ NULL, "", "superseded", NULL, LOOK_MISSING, "superseded" },
	{ NULL, "", "refused", NULL, LOOK_MISSING, "refused" },
	{ "wanted", "", NULL, NULL, LOOK_OPEN, "being built" },
	{ "done", "", "building", NULL, LOOK_OPEN, "built" },
	{ NULL, "", "new", NULL, LOOK_OPEN, "not planned yet" },
	{ NULL, NULL, NULL, NULL, LOOK_MISSING, "not planned" },
};

static bool fits(const char *want, const char *have)
{
	return !want || strcmp(want, have ? have : "") == 0;
}

static void put_look(struct json *facts, enum look look, const char *word)
{
	json_put_text(facts, "mark", looks[look].mark);
	json_put_bool(facts, looks[look].flag, true);
	json_put_text(facts, "word", word);
}

/* "running 3/8": over the runs that were planned so far. */
static void put_progress(struct json *facts)
{
	const struct json *runs = json_get(facts, "runs");
	int64_t nr_ended = json_int(json_get(runs, "nr_ended"), 0);
	int64_t nr = json_int(json_get(runs, "nr"), 0);

	if (nr_ended > 0 || json_int(json_get(runs, "nr_running"), 0) > 0) {
		scoped(free) char *word = mem_printf("running %" PRId64 "/%" PRId64, nr_ended, nr);

		json_put_text(facts, "word", word);
	}
}

/* "WORD: DETAIL" without the word where the cell has said it already; NULL: there is no more. */
static const char *detail_of(const char *reason)
{
	static const char *const words[] = { "missing", "build-failed" };

	for (size_t i = 0; reason && i < countof(words); i++) {
		size_t length = strlen(words[i]);

		if (strncmp(reason, words[i], length) == 0 && reason[length] == '\0') {
			return NULL;
		}
		if (strncmp(reason, words[i], length) == 0 && reason[length] == ':') {
			return reason + length + strspn(reason + length, ": ");
		}
	}
	return reason;
}

static void put_state(struct json *facts, const char *stack_state)
{
	const struct json *build = json_get(facts, "build");
	const char *build_state = json_text(json_get(build, "state"));
	const char *state = json_text(json_get(facts, "state"));
	const char *reason = json_text(json_get(facts, "reason"));
	size_t i = 0;

	while (!fits(rows[i].build, build_state) || !fits(rows[i].comparison, state) ||
	       !fits(rows[i].stack, stack_state) ||
	       (rows[i].reason && !(reason && str_has_prefix(reason, rows[i].reason)))) {
		i++;
	}
	put_look(facts, rows[i].look, rows[i].word);
	if (rows[i].look == LOOK_FAILED) {
		json_put_text(facts, "why", detail_of(json_text(json_get(build, "reason"))));
		json_put_text(facts, "log_url", json_text(json_get(build, "run_url")));
	} else if (reason && strcmp(reason, rows[i].word) != 0) {
		json_put_text(facts, "why", detail_of(reason));
	}
	if (state && strcmp(state, "measuring") == 0) {
		put_progress(facts);
	}
}

static const struct view_verdict *verdict_of(const struct json *row)
{
	return view_verdict(json_text(json_get(row, "verdict")));
}

/* How much a verdict deserves to stand for the cell: what is worse before what is better before
 * what is not known before what did not change; then time before counts, as in the mail; then the
 * larger change. */
static double weight(const struct json *row)
{
	static const double by_meaning[] = {
		[VIEW_WORSE] = 5e6,   [VIEW_BETTER] = 4e6, [VIEW_UNKNOWN] = 3e6,
		[VIEW_MISSING] = 2e6, [VIEW_SAME] = 1e6,
	};
	double percent = fabs(json_number(json_get(row, "percent"), 0));

	return by_meaning[verdict_of(row)->meaning] + (percent < 1e5 ? percent : 1e5) -
	       (json_bool(json_get(row, "is_exact"), false) ? 2e5 : 0);
}

static void put_percent(struct json *object, const struct json *row)
{
	double percent = json_number(json_get(row, "percent"), (double)NAN);
	char text[NUMBER_BYTES];

	if (isfinite(percent)) {
		number_percent(percent, text);
		json_put_text(object, "text", text);
	}
}

/* The headline that tells most; NULL: there is no verdict. */
static const struct json *telling_verdict(const struct json *facts, int *ret_nr_changed)
{
	const struct json *verdicts = json_get(facts, "verdicts");
	const struct json *best = NULL;

	*ret_nr_changed = 0;
	for (size_t i = 0; i < json_size(verdicts); i++) {
		const struct json *row = json_at(verdicts, i);

		if (!verdict_of(row)) {
			continue;
		}
		*ret_nr_changed += verdict_of(row)->meaning <= VIEW_BETTER;
		if (json_bool(json_get(row, "is_headline"), false) &&
		    (!best || weight(row) > weight(best))) {
			best = row;
		}
	}
	return best;
}

static void put_verdict(struct json *facts, const struct json *row, int nr_changed)
{
	static const char *const words[] = {
		[VIEW_WORSE] = "worse",
		[VIEW_BETTER] = "better",
		[VIEW_SAME] = "within noise",
	};
	static const char *const flags[] = {
		[VIEW_WORSE] = "is_worse",  [VIEW_BETTER] = "is_better",   [VIEW_SAME] = "is_same",
		[VIEW_UNKNOWN] = "is_open", [VIEW_MISSING] = "is_missing",
	};
	const struct view_verdict *verdict = verdict_of(row);
	enum view_meaning meaning = verdict->meaning;
	bool is_plain = meaning <= VIEW_SAME;

	json_put_text(facts, "mark", view_mark(meaning));
	json_put_bool(facts, flags[meaning], true);
	json_put_text(facts, "word", is_plain ? words[meaning] : verdict->title);
	json_put_text(facts, "metric", json_text(json_get(row, "metric")));
	json_put_int(facts, "nr_more", nr_changed - 1);
	json_put_bool(facts, "has_more", nr_changed > 1);
	if (is_plain) {
		put_percent(facts, row);
	} else {
		json_put_text(facts, "why", json_text(json_get(row, "reason")));
	}
}

/* A name that is absent would be looked for in the row and the page around the cell. */
static void put_defaults(struct json *facts)
{
	static const char *const texts[] = { "url", "text", "metric", "why", "log_url" };

	for (size_t i = 0; i < countof(texts); i++) {
		if (!json_get(facts, texts[i])) {
			json_put(facts, texts[i], json_new_null());
		}
	}
}

void sight_add(struct json *facts, const char *stack_state, bool is_base)
{
	const char *build = json_text(json_get(json_get(facts, "build"), "state"));
	const char *state = json_text(json_get(facts, "state"));
	const struct json *row;
	int nr_changed;

	put_defaults(facts);
	row = telling_verdict(facts, &nr_changed);
	if (is_base && build && strcmp(build, "done") == 0) {
		put_look(facts, LOOK_NOTHING, "base");
	} else if (row && state && strcmp(state, "done") == 0) {
		put_verdict(facts, row, nr_changed);
	} else {
		put_state(facts, stack_state);
	}
}

/* decoration --------------------------------------------------------------------------------- */

static void decorate_object(struct json *object)
{
	const struct view_verdict *verdict = verdict_of(object);

	if (verdict) {
		json_put_text(object, "word", verdict->title);
		json_put_text(object, "mark", view_mark(verdict->meaning));
		json_put_bool(object, "is_worse", verdict->meaning == VIEW_WORSE);
		json_put_bool(object, "is_better", verdict->meaning == VIEW_BETTER);
		json_put(object, "text", json_new_null());
		put_percent(object, object);
	}
}

void sight_decorate(struct json *document)
{
	VEC(struct json *) children = { 0 };

	if (json_kind(document) == KIND_OBJECT) {
		decorate_object(document);
		for (void *it = json_first(document); it; it = json_next(document, it)) {
			*vec_push(&children) = json_member_value(it);
		}
	}
	for (size_t i = 0; json_kind(document) == KIND_ARRAY && i < json_size(document); i++) {
		*vec_push(&children) = json_at(document, i);
	}
	for (size_t i = 0; i < children.nr; i++) {
		sight_decorate(children.at[i]);
	}
	vec_release(&children);
}
