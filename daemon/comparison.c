/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "comparison.h"

#include <math.h>

#include "calibration.h"
#include "failures.h"
#include "history.h"
#include "lib/base/str.h"
#include "lib/report/view_builder.h"
#include "mainline.h"

/* loading ------------------------------------------------------------------------------------ */

/* Texts of the boot ids become the numbers that the judge compares; 0 is unknown to it. */
struct boots {
	VEC(const char *) seen;
};

static uint32_t boot_number(struct boots *boots, const char *boot)
{
	if (!boot) {
		return 0;
	}
	for (size_t i = 0; i < boots->seen.nr; i++) {
		if (strcmp(boots->seen.at[i], boot) == 0) {
			return (uint32_t)i + 1;
		}
	}
	*vec_push(&boots->seen) = boot;
	return (uint32_t)boots->seen.nr;
}

static void read_head(struct comparison *comparison, const struct rows *rows)
{
	struct arena *arena = comparison->arena;
	const char *reason = rows_text(rows, 0, "reason");

	comparison->state = arena_strdup(arena, rows_text(rows, 0, "state"));
	comparison->reason = reason ? arena_strdup(arena, reason) : NULL;
	comparison->benchmark = arena_strdup(arena, rows_text(rows, 0, "benchmark"));
	comparison->group = arena_strdup(arena, rows_text(rows, 0, "machine_group"));
	comparison->look = (int)rows_int(rows, 0, "look");
	comparison->base.oid = arena_strdup(arena, rows_text(rows, 0, "base_oid"));
	comparison->base.subject = arena_strdup(arena, rows_text(rows, 0, "base_subject"));
	comparison->head.oid = arena_strdup(arena, rows_text(rows, 0, "head_oid"));
	comparison->head.subject = arena_strdup(arena, rows_text(rows, 0, "head_subject"));
}

static bool load_head(struct db *db, struct comparison *comparison, int64_t *ret_benchmark,
		      struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	const char *identity;

	if (!db_query(db, Q_COMPARISON_HEAD,
		      ARGS(arg_int(comparison->cell), arg_int(comparison->id)), &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return err_set(err, ERR_ABSENT, "no comparison %" PRId64, comparison->id);
	}
	read_head(comparison, rows);
	*ret_benchmark = rows_int(rows, 0, "benchmark_id");
	identity = rows_text(rows, 0, "identity");
	return json_parse("identity", identity, strlen(identity), &comparison->identity, err);
}

static bool load_metrics(struct db *db, struct comparison *comparison, int64_t benchmark,
			 struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct arena *arena = comparison->arena;
	int *slots;

	if (!db_query(db, Q_METRIC_LIST, ARGS(arg_int(benchmark)), &rows, err)) {
		return false;
	}
	comparison->nr_metrics = (size_t)rows_nr(rows);
	comparison->metrics =
		arena_array(arena, comparison->nr_metrics, sizeof(*comparison->metrics));
	comparison->verdicts =
		arena_array(arena, comparison->nr_metrics, sizeof(*comparison->verdicts));
	slots = arena_array(arena, comparison->nr_metrics, sizeof(*slots));
	for (int i = 0; i < rows_nr(rows); i++) {
		struct judge_metric *metric = &comparison->metrics[i];

		slots[i] = (int)rows_int(rows, i, "slot");
		metric->name = arena_strdup(arena, rows_text(rows, i, "name"));
		metric->unit = arena_strdup(arena, rows_text(rows, i, "unit"));
		metric->is_higher_better = strcmp(rows_text(rows, i, "better"), "higher") == 0;
		metric->is_headline = rows_bool(rows, i, "is_headline");
		metric->is_exact = rows_bool(rows, i, "is_exact");
		metric->estimator = judge_estimator(rows_text(rows, i, "estimator"));
		metric->floor = rows_number(rows, i, "floor");
	}
	comparison->slots = slots;
	return true;
}

/* Whether `point` is one of the values that the job sweeps through: its lists are sweeps. */
static bool is_point(const struct json *params, const char *point)
{
	for (void *it = json_first(params); it; it = json_next(params, it)) {
		const struct json *value = json_member_value(it);

		for (size_t i = 0; json_kind(value) == KIND_ARRAY && i < json_size(value); i++) {
			const char *element = json_text(json_at(value, i));

			if (element && strcmp(element, point) == 0) {
				return true;
			}
		}
	}
	return false;
}

/* "time.4" is a point of "time" where the job sweeps through 4. */
static void find_sweeps(struct comparison *comparison)
{
	const struct json *params = json_get(comparison->identity, "params");

	for (size_t i = 0; i < comparison->nr_metrics; i++) {
		struct judge_metric *metric = &comparison->metrics[i];
		const char *dot = strrchr(metric->name, '.');

		if (dot && is_point(params, dot + 1)) {
			metric->sweep = arena_printf(comparison->arena, "%.*s",
						     (int)(dot - metric->name), metric->name);
		}
	}
}

/* The runs of one side, and room for what metric m measured in run i at values[m * room + i]. */
struct side {
	struct judge_run *runs;
	double *values;
	size_t nr, room;
};

static void side_init(struct side *side, const struct comparison *comparison, size_t room)
{
	*side = (struct side){ .room = room };
	side->runs = arena_array(comparison->arena, room, sizeof(*side->runs));
	side->values = arena_array(comparison->arena, comparison->nr_metrics * room,
				   sizeof(*side->values));
}

static void add_run(struct side *side, const struct comparison *comparison, const struct rows *rows,
		    int row, struct judge_run run)
{
	size_t nr_values;
	const double *values = rows_numbers(rows, row, "value", comparison->arena, &nr_values);

	for (size_t i = 0; i < comparison->nr_metrics; i++) {
		size_t slot = (size_t)comparison->slots[i];

		side->values[i * side->room + side->nr] =
			slot <= nr_values ? values[slot - 1] : (double)NAN;
	}
	side->runs[side->nr++] = run;
}

static struct judge_samples samples_of(const struct side *side, size_t metric)
{
	return (struct judge_samples){ side->values + metric * side->room, side->runs, side->nr };
}

static bool load_samples(struct db *db, struct comparison *comparison, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct boots boots = { 0 };
	struct side sides[2];

	if (!db_query(db, Q_COMPARISON_SAMPLES,
		      ARGS(arg_int(comparison->cell), arg_int(comparison->id)), &rows, err)) {
		return false;
	}
	side_init(&sides[0], comparison, (size_t)rows_nr(rows));
	side_init(&sides[1], comparison, (size_t)rows_nr(rows));
	for (int i = 0; i < rows_nr(rows); i++) {
		add_run(&sides[rows_bool(rows, i, "is_head")], comparison, rows, i,
			(struct judge_run){
				.block = (uint32_t)rows_int(rows, i, "block_id"),
				.boot = boot_number(&boots, rows_text(rows, i, "boot_id")),
				.build = (uint32_t)rows_int(rows, i, "build_id"),
				.machine = (uint32_t)rows_int(rows, i, "machine_id"),
				.order = (uint32_t)i,
			});
	}
	for (size_t i = 0; i < comparison->nr_metrics; i++) {
		comparison->metrics[i].base = samples_of(&sides[0], i);
		comparison->metrics[i].head = samples_of(&sides[1], i);
	}
	vec_release(&boots.seen);
	return true;
}

static enum judge_kind kind_of(const char *word)
{
	for (int kind = 0; kind < JUDGE_KINDS; kind++) {
		if (strcmp(judge_word((enum judge_kind)kind), word) == 0) {
			return (enum judge_kind)kind;
		}
	}
	bug("verdict '%s'", word);
}

/* The verdicts that a confirmation is to confirm. */
static bool load_found(struct db *db, struct comparison *comparison, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	enum judge_kind *found =
		arena_array(comparison->arena, comparison->nr_metrics, sizeof(*found));

	if (!db_query(db, Q_COMPARISON_FOUND,
		      ARGS(arg_int(comparison->cell), arg_int(comparison->id)), &rows, err)) {
		return false;
	}
	for (size_t i = 0; i < comparison->nr_metrics; i++) {
		found[i] = JUDGE_MISSING;
		for (int row = 0; row < rows_nr(rows); row++) {
			if (rows_int(rows, row, "slot") == comparison->slots[i]) {
				found[i] = kind_of(rows_text(rows, row, "kind"));
			}
		}
	}
	comparison->found = rows_nr(rows) > 0 ? found : NULL;
	comparison->is_searched = rows_nr(rows) > 0 && rows_bool(rows, 0, "is_searched");
	return true;
}

bool comparison_load(struct db *db, int64_t cell, int64_t id, struct comparison **ret_comparison,
		     struct err *err)
{
	scoped(comparison_free) struct comparison *comparison = mem_alloc(sizeof(*comparison));
	int64_t benchmark = 0;

	comparison->arena = arena_new();
	comparison->cell = cell;
	comparison->id = id;
	if (!load_head(db, comparison, &benchmark, err) ||
	    !load_metrics(db, comparison, benchmark, err) || !load_samples(db, comparison, err) ||
	    !load_found(db, comparison, err) || !failures_load(db, comparison, err) ||
	    !history_tell(db, comparison, err) || !calibration_tell(db, comparison, err) ||
	    !mainline_tell(db, comparison, err)) {
		return false;
	}
	find_sweeps(comparison);
	*ret_comparison = move(&comparison);
	return true;
}

struct comparison *comparison_free(struct comparison *comparison)
{
	if (comparison) {
		json_free(comparison->identity);
		arena_free(comparison->arena);
		free(comparison);
	}
	return NULL;
}

/* verdicts ----------------------------------------------------------------------------------- */

void comparison_judge(struct comparison *comparison, int look)
{
	struct judge_options options = JUDGE_OPTIONS_INIT;

	options.look = comparison->found ? 0 : look;
	options.found = comparison->found;
	if (comparison->is_searched) {
		options.confirm_p = JUDGE_CONFIRM_SEARCHED_P;
	}
	options.widening = comparison->widening;
	judge(comparison->metrics, comparison->nr_metrics, &options, comparison->verdicts);
	mainline_check(comparison);
	mainline_mark(comparison);
}

static void read_verdict(struct judge_verdict *verdict, const struct rows *rows, int row,
			 struct arena *arena)
{
	const char *reason = rows_text(rows, row, "reason");

	verdict->kind = kind_of(rows_text(rows, row, "kind"));
	verdict->base = (struct judge_side){ (size_t)rows_int(rows, row, "nr_base"),
					     rows_number(rows, row, "base"),
					     rows_number(rows, row, "base_sd") };
	verdict->head = (struct judge_side){ (size_t)rows_int(rows, row, "nr_head"),
					     rows_number(rows, row, "head"),
					     rows_number(rows, row, "head_sd") };
	verdict->is_ratio = rows_bool(rows, row, "is_ratio");
	verdict->effect = rows_number(rows, row, "effect");
	verdict->interval_95 = (struct judge_interval){ rows_number(rows, row, "low"),
							rows_number(rows, row, "high") };
	verdict->p = rows_number(rows, row, "p");
	verdict->q = rows_number(rows, row, "q");
	verdict->told = reason ? arena_strdup(arena, reason) : NULL;
}

bool comparison_load_verdicts(struct db *db, struct comparison *comparison, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(db, Q_COMPARISON_VERDICTS,
		      ARGS(arg_int(comparison->cell), arg_int(comparison->id)), &rows, err)) {
		return false;
	}
	for (size_t i = 0; i < comparison->nr_metrics; i++) {
		struct judge_verdict *verdict = &comparison->verdicts[i];

		*verdict = (struct judge_verdict){ .metric = &comparison->metrics[i],
						   .kind = JUDGE_MISSING,
						   .effect = (double)NAN,
						   .interval_95 = { (double)NAN, (double)NAN },
						   .p = (double)NAN,
						   .q = (double)NAN,
						   .told = comparison->reason ? comparison->reason
									      : "not judged yet" };
		for (int row = 0; row < rows_nr(rows); row++) {
			if (rows_int(rows, row, "slot") == comparison->slots[i]) {
				read_verdict(verdict, rows, row, comparison->arena);
			}
		}
	}
	mainline_check(comparison);
	return mainline_look_back(db, comparison, err);
}

/* the document ------------------------------------------------------------------------------- */

static struct view_cell make_cell(const struct judge_side *side,
				  const struct judge_samples *samples, const char *reason)
{
	struct view_cell cell = view_cell_judged(side, side->nr ? NULL : reason);

	cell.samples = samples->values;
	cell.nr_samples = samples->nr;
	return cell;
}

struct view_row comparison_row(const struct comparison *comparison, size_t i)
{
	const struct judge_metric *metric = &comparison->metrics[i];

	return (struct view_row){
		.metric = arena_printf(comparison->arena, "%s.%s", comparison->benchmark,
				       metric->name),
		.unit = metric->unit,
		.is_higher_better = metric->is_higher_better,
		.is_exact = metric->is_exact,
		.class = metric->is_headline ? VIEW_HEADLINE : VIEW_SUPPORTING,
	};
}

/* Of a sweep's mean: the point that moved most in the mean's direction.  NULL: it has none. */
static const char *worst_point(const struct comparison *comparison, const char *mean, bool is_up)
{
	const struct judge_verdict *worst = NULL;

	for (size_t i = 0; i < comparison->nr_metrics; i++) {
		const struct judge_metric *metric = &comparison->metrics[i];
		const struct judge_verdict *verdict = &comparison->verdicts[i];
		double effect = is_up ? verdict->effect : -verdict->effect;

		if (metric->sweep && strcmp(metric->sweep, mean) == 0 && verdict->is_ratio &&
		    isfinite(effect) && (!worst || effect > fabs(worst->effect))) {
			worst = effect > 0 ? verdict : worst;
		}
	}
	return worst ? arena_printf(comparison->arena, "%s %+.1f%%",
				    comparison->metrics[worst - comparison->verdicts].name,
				    100 * worst->effect)
		     : NULL;
}

static struct view_row make_row(const struct comparison *comparison, size_t i)
{
	const struct judge_metric *metric = &comparison->metrics[i];
	const struct judge_verdict *verdict = &comparison->verdicts[i];
	struct view_cell *cells = arena_array(comparison->arena, 2, sizeof(*cells));
	struct view_change *change = arena_alloc(comparison->arena, sizeof(*change));
	struct view_row row = comparison_row(comparison, i);

	*change = view_change_judged(verdict, comparison->arena);
	cells[0] = make_cell(&verdict->base, &metric->base, change->reason);
	cells[1] = make_cell(&verdict->head, &metric->head, change->reason);
	row.cells = cells;
	row.changes = change;
	row.note = comparison->main_notes ? comparison->main_notes[i] : NULL;
	row.worst = worst_point(comparison, metric->name, verdict->effect > 0);
	return row;
}

/* A sweep's list stands in one value, as in "1 4 16". */
static const char *axis_text(struct arena *arena, const struct json *value)
{
	scoped(str_release) struct str text = STR_INIT;

	if (json_kind(value) != KIND_ARRAY) {
		return json_text(value) ? json_text(value) : "";
	}
	for (size_t i = 0; i < json_size(value); i++) {
		const char *element = json_text(json_at(value, i));

		str_printf(&text, "%s%s", i ? " " : "", element ? element : "");
	}
	return arena_strdup(arena, text.at);
}

/* LKP's header names the axes that it always has; ours are the identity's. */
void comparison_axes(const struct comparison *comparison, struct view_group *group)
{
	static const char *const fixed[] = { "compiler", "config", "group", "rootfs" };
	const struct json *params = json_get(comparison->identity, "params");
	struct view_axis *axes = arena_array(comparison->arena,
					     countof(fixed) + 1 + json_size(params), sizeof(*axes));
	size_t nr = 0;

	axes[nr++] = (struct view_axis){ "testcase", comparison->benchmark };
	for (size_t i = 0; i < countof(fixed); i++) {
		const char *value = json_text(json_get(comparison->identity, fixed[i]));

		if (value) {
			axes[nr++] = (struct view_axis){ fixed[i], value };
		}
	}
	for (void *it = json_first(params); it; it = json_next(params, it)) {
		axes[nr++] =
			(struct view_axis){ json_member_name(it),
					    axis_text(comparison->arena, json_member_value(it)) };
	}
	group->axes = axes;
	group->nr_axes = nr;
}

struct view *comparison_view(const struct comparison *metrics, const struct comparison *failing)
{
	const struct comparison *any = metrics ? metrics : failing;
	const struct view_column columns[] = {
		{ .commit = any->base.oid, .subject = any->base.subject },
		{ .commit = any->head.oid, .subject = any->head.subject },
	};
	struct view_group group = { .nr_rows = metrics ? metrics->nr_metrics : 0 };
	struct view_row *rows = arena_array(any->arena, group.nr_rows, sizeof(*rows));
	struct view *view = view_new(columns, countof(columns));

	for (size_t i = 0; i < group.nr_rows; i++) {
		rows[i] = make_row(metrics, i);
	}
	group.rows = rows;
	comparison_axes(any, &group);
	if (failing) {
		failures_show(failing, &group);
	}
	view_add_group(view, &group);
	view_sum_up(view);
	return view;
}
