/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "changepoint.h"

#include <math.h>

#include "split.h"
#include "summary.h"

#define SHORTEST    16 /* interval */
#define MOST_DEPTH  8  /* of pieces of pieces */
#define MOST_ROUNDS 16 /* of dropping points */
/* Below so many deviations nothing is significant in a family of tests. */
#define HOPELESS 2.5
/* Values on each side of the places in question. */
#define SURROUNDINGS 64
#define THERE_P      0.01
#define THERE_SHARE  0.5
#define MOST_MEMORY  20.0

struct search {
	const double *values;
	size_t nr;
	double ln_level;
	double memory;
	uint32_t *orders[2]; /* of the intervals of one length, and of the next */
	double *ranks;
	bool *is_point; /* of each value: a level begins with it */
};

struct piece {
	size_t first, nr;
	int depth;
};

struct pieces {
	VEC(struct piece) list;
};

struct level {
	VEC(struct interval) intervals;
};

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Each length of interval has the same share of the error budget, and in it each interval, for as
 * many splits as are not alike. */
static double ln_tests(size_t nr, size_t length)
{
	double lengths = fmax(log2((double)nr / SHORTEST), 0) + 1;
	double intervals = fmax(2 * (double)nr / (double)length, 1);

	return log(lengths * intervals * log2((double)length));
}

static double ln_p_of(const struct search *search, const struct split *split)
{
	if (split->at == 0 || split->distance < HOPELESS) {
		return 0;
	}
	return fmin(split_ln_p(split) / search->memory + ln_tests(search->nr, split->a + split->b),
		    0);
}

static bool has_point(const struct search *search, const struct interval *interval)
{
	/* The first value of an interval may be the first of a level. */
	return memchr(search->is_point + interval->first + 1, true, interval->nr - 1);
}

/* Whether it made a point of the best split. */
static bool try_interval(struct search *search, const struct interval *interval)
{
	struct split_limits limits = { interval->first + CHANGEPOINT_LEAST,
				       interval->first + interval->nr - CHANGEPOINT_LEAST, 0 };
	struct split split;

	if (interval->nr < 2 * CHANGEPOINT_LEAST || has_point(search, interval)) {
		return false;
	}
	split = split_best(search->values, interval, &limits, search->ranks);
	if (ln_p_of(search, &split) > search->ln_level) {
		return false;
	}
	search->is_point[split.at] = true;
	return true;
}

static void fill_shortest(struct search *search, const struct piece *piece, struct level *level)
{
	uint32_t *order = search->orders[0];

	for (size_t i = 0; i < piece->nr; i += SHORTEST / 2) {
		struct interval *interval = vec_push(&level->intervals);

		*interval = (struct interval){ piece->first + i, smaller(SHORTEST, piece->nr - i),
					       order };
		split_sort(search->values, interval, search->orders[1]);
		order += interval->nr;
	}
}

/* The intervals of twice the length: every second one and the next that begins where it ends. */
static void merge_level(struct search *search, struct level *level)
{
	struct level longer = { 0 };
	uint32_t *order = search->orders[1];

	search->orders[1] = search->orders[0];
	search->orders[0] = order;
	for (size_t i = 0; i < level->intervals.nr; i += 2) {
		struct interval none = { .order = order };
		bool has_next = i + 2 < level->intervals.nr;
		struct interval *whole = vec_push(&longer.intervals);

		*whole = (struct interval){ .order = order };
		split_merge(search->values, &level->intervals.at[i],
			    has_next ? &level->intervals.at[i + 2] : &none, whole);
		order += whole->nr;
	}
	vec_release(&level->intervals);
	*level = longer;
}

/* Whether it found points in the piece. */
static bool cut_piece(struct search *search, const struct piece *piece)
{
	struct level level = { 0 };
	bool is_cut = false;

	fill_shortest(search, piece, &level);
	for (size_t length = SHORTEST;; length *= 2) {
		for (size_t i = 0; i < level.intervals.nr; i++) {
			is_cut |= try_interval(search, &level.intervals.at[i]);
		}
		if (length >= piece->nr) {
			break;
		}
		merge_level(search, &level);
	}
	vec_release(&level.intervals);
	return is_cut;
}

static void push_pieces(const struct search *search, const struct piece *piece,
			struct pieces *pieces)
{
	size_t first = piece->first;
	size_t end = piece->first + piece->nr;

	for (size_t i = first + 1; i <= end; i++) {
		if (i < end && !search->is_point[i]) {
			continue;
		}
		if (i - first >= 2 * CHANGEPOINT_LEAST) {
			*vec_push(&pieces->list) =
				(struct piece){ first, i - first, piece->depth + 1 };
		}
		first = i;
	}
}

static void cut_all(struct search *search)
{
	struct pieces pieces = { 0 };

	*vec_push(&pieces.list) = (struct piece){ 0, search->nr, 0 };
	while (pieces.list.nr > 0) {
		struct piece piece = pieces.list.at[--pieces.list.nr];

		if (cut_piece(search, &piece) && piece.depth < MOST_DEPTH) {
			push_pieces(search, &piece, &pieces);
		}
	}
	vec_release(&pieces.list);
}

/* The points as a list, with an end at both sides, while they still move. */
struct stand {
	size_t at;
	double ln_p;
	bool is_stale; /* itself or a neighbour has moved */
};

struct stands {
	VEC(struct stand) list;
};

/* Moves a point to the best place between its neighbours. */
static void stand_again(struct search *search, struct stand *stand)
{
	size_t first = stand[-1].at;
	struct interval interval = { first, stand[1].at - first, search->orders[0] };
	struct split_limits limits = { first + CHANGEPOINT_LEAST, stand[1].at - CHANGEPOINT_LEAST,
				       0 };
	struct split split;

	split_sort(search->values, &interval, search->orders[1]);
	split = split_best(search->values, &interval, &limits, search->ranks);
	stand->ln_p = ln_p_of(search, &split);
	stand->is_stale = false;
	if (split.at > 0 && split.at != stand->at) {
		stand->at = split.at;
		stand[-1].is_stale = stand[1].is_stale = true;
	}
}

/* Of neighbours that are not significant the least significant one goes first, so that the others
 * can stand on the longer level.  Whether any went. */
static bool drop_weak(const struct search *search, struct stands *stands, bool is_last)
{
	struct stand *all = stands->list.at;
	double before = all[0].ln_p;
	size_t nr = 1;

	for (size_t i = 1; i + 1 < stands->list.nr; i++) {
		double here = all[i].ln_p;
		bool is_weakest = here >= before && here > all[i + 1].ln_p;

		before = here;
		if (here > search->ln_level && (is_last || is_weakest)) {
			all[nr - 1].is_stale = all[i + 1].is_stale = true;
		} else {
			all[nr++] = all[i];
		}
	}
	all[nr++] = all[stands->list.nr - 1];
	if (nr == stands->list.nr) {
		return false;
	}
	stands->list.nr = nr;
	return true;
}

static void settle(struct search *search, struct stands *stands)
{
	bool is_moving = true;

	for (int round = 0; is_moving && round < MOST_ROUNDS; round++) {
		is_moving = false;
		for (size_t i = 1; i + 1 < stands->list.nr; i++) {
			if (stands->list.at[i].is_stale) {
				stand_again(search, &stands->list.at[i]);
				is_moving = true;
			}
		}
		is_moving |= drop_weak(search, stands, false);
	}
	drop_weak(search, stands, true);
}

static double median_of(const double *values, size_t nr, double *room)
{
	memcpy(room, values, nr * sizeof(*room));
	summary_sort(room, nr);
	return summary_median(room, nr);
}

/* Each value less the median of its level, outliers cut off, 0 on levels that are too short. */
static void fill_residuals(const struct search *search, const struct stands *stands,
			   double *ret_residuals)
{
	for (size_t i = 0; i + 1 < stands->list.nr; i++) {
		size_t first = stands->list.at[i].at;
		size_t nr = stands->list.at[i + 1].at - first;
		double *level = ret_residuals + first;
		double median = median_of(search->values + first, nr, search->ranks);
		double most;

		for (size_t j = 0; j < nr; j++) {
			level[j] = search->values[first + j] - median;
			search->ranks[j] = fabs(level[j]);
		}
		summary_sort(search->ranks, nr);
		most = 4 * summary_median(search->ranks, nr);
		for (size_t j = 0; j < nr; j++) {
			level[j] = most > 0 ? fmax(fmin(level[j] / most, 1), -1) : 0;
		}
	}
}

/* Where each residual is `share` of the one before, plus noise, a mean varies by (1 + share) /
 * (1 - share) more.  A level of m values hides (1 + 4 share) / m of the share, about: its median
 * follows its values. */
static double memory_of(const struct search *search, const struct stands *stands)
{
	double *residuals = mem_array(search->nr, sizeof(*residuals));
	double products = 0;
	double squares = 0;
	double levels = (double)(stands->list.nr - 1);
	double nr = (double)search->nr;
	double share = 0;

	fill_residuals(search, stands, residuals);
	for (size_t i = 1; i < search->nr; i++) {
		products += residuals[i] * residuals[i - 1];
		squares += residuals[i] * residuals[i];
	}
	free(residuals);
	if (squares > 0) {
		share = products / squares;
		share = (share + levels / nr) / (1 - 4 * levels / nr);
	}
	return fmin(fmax((1 + share) / (1 - share), 1), MOST_MEMORY);
}

/* The places that ranks found stay the ends of the levels while all move. */
static void place_all(const struct search *search, struct stands *stands)
{
	struct stand *all = stands->list.at;
	const double *values = search->values;
	size_t first = 0;

	for (size_t i = 1; i + 1 < stands->list.nr; i++) {
		size_t at = all[i].at;
		struct split_limits limits = { all[i - 1].at + CHANGEPOINT_LEAST,
					       all[i + 1].at - CHANGEPOINT_LEAST, 0 };

		all[i].at = split_place(values, &limits,
					median_of(values + first, at - first, search->ranks),
					median_of(values + at, all[i + 1].at - at, search->ranks));
		first = at;
	}
}

static void tell(const struct search *search, const struct stands *stands,
		 struct changepoints *ret_found)
{
	for (size_t i = 1; i + 1 < stands->list.nr; i++) {
		const struct stand *stand = &stands->list.at[i];
		const double *values = search->values;
		size_t first = stand[-1].at;

		*vec_push(&ret_found->points) = (struct changepoint){
			.at = stand->at,
			.before = median_of(values + first, stand->at - first, search->ranks),
			.after = median_of(values + stand->at, stand[1].at - stand->at,
					   search->ranks),
			.p = exp(stand->ln_p),
		};
	}
}

static void search_init(struct search *search, const double *values, size_t nr)
{
	/* Intervals of one length lie one over the other twice. */
	*search = (struct search){
		.values = values,
		.nr = nr,
		.memory = 1,
		.orders = { mem_array(2 * nr + 1, sizeof(uint32_t)),
			    mem_array(2 * nr + 1, sizeof(uint32_t)) },
		.ranks = mem_array(nr + 1, sizeof(double)),
		.is_point = mem_array(nr + 1, sizeof(bool)),
	};
}

static void search_release(struct search *search)
{
	free(search->orders[0]);
	free(search->orders[1]);
	free(search->ranks);
	free(search->is_point);
}

/* All points of the search, as if values did not know of their neighbours. */
static void list_stands(const struct search *search, struct stands *ret_stands)
{
	*vec_push(&ret_stands->list) = (struct stand){ 0, -INFINITY, false };
	for (size_t i = 1; i < search->nr; i++) {
		if (search->is_point[i]) {
			*vec_push(&ret_stands->list) = (struct stand){ i, 0, true };
		}
	}
	*vec_push(&ret_stands->list) = (struct stand){ search->nr, -INFINITY, false };
}

void changepoint_find(const double *values, size_t nr, double level, struct changepoints *ret_found)
{
	struct search search;
	struct stands stands = { 0 };

	*ret_found = (struct changepoints){ .memory = 1 };
	if (nr < 2 * CHANGEPOINT_LEAST) {
		return;
	}
	search_init(&search, values, nr);
	search.ln_level = log(fmin(10 * level, 1));
	cut_all(&search);
	list_stands(&search, &stands);
	settle(&search, &stands);
	search.ln_level = log(level);
	search.memory = ret_found->memory = memory_of(&search, &stands);
	for (size_t i = 1; i + 1 < stands.list.nr; i++) {
		stands.list.at[i].is_stale = true;
	}
	settle(&search, &stands);
	place_all(&search, &stands);
	tell(&search, &stands, ret_found);
	vec_release(&stands.list);
	search_release(&search);
}

void changepoint_release(struct changepoints *found)
{
	vec_release(&found->points);
}

static size_t lowest(const struct changepoint_question *question)
{
	return question->near > question->reach ? question->near - question->reach : 0;
}

/* The places in question and what surrounds them, up to the next other points. */
static struct interval surroundings(size_t nr, const struct changepoints *found,
				    const struct changepoint_question *question)
{
	size_t low = smaller(lowest(question), nr);
	size_t high = smaller(question->near + question->reach, nr);
	size_t first = low > SURROUNDINGS ? low - SURROUNDINGS : 0;
	size_t end = smaller(high + SURROUNDINGS, nr);

	for (size_t i = 0; i < found->points.nr; i++) {
		size_t at = found->points.at[i].at;

		if (at < low && at > first) {
			first = at;
		} else if (at > high && at < end) {
			end = at;
		}
	}
	return (struct interval){ .first = first, .nr = end - first };
}

/* Within the interval, which is long enough. */
static struct split_limits limits_of(const struct interval *whole,
				     const struct changepoint_question *question)
{
	size_t least = whole->first + CHANGEPOINT_LEAST;

	return (struct split_limits){
		.least = least > lowest(question) ? least : lowest(question),
		.most = smaller(question->near + question->reach,
				whole->first + whole->nr - CHANGEPOINT_LEAST),
		.direction = question->after > question->before ? 1 : -1,
	};
}

/* The share of the jump in question that the found one has. */
static double share_of(const struct changepoint *point, const struct changepoint_question *question)
{
	if (fmin(fmin(point->before, point->after), fmin(question->before, question->after)) > 0) {
		return log(point->after / point->before) / log(question->after / question->before);
	}
	return (point->after - point->before) / (question->after - question->before);
}

bool changepoint_was_there(const double *values, size_t nr, const struct changepoints *found,
			   const struct changepoint_question *question,
			   struct changepoint *ret_point)
{
	struct interval whole = surroundings(nr, found, question);
	struct split_limits limits;
	struct search search;
	struct split split;

	*ret_point = (struct changepoint){ 0, (double)NAN, (double)NAN, 1 };
	if (whole.nr < 2 * CHANGEPOINT_LEAST || !(fabs(question->after - question->before) > 0)) {
		return false;
	}
	limits = limits_of(&whole, question);
	search_init(&search, values + whole.first, whole.nr);
	whole.order = search.orders[0];
	split_sort(values, &whole, search.orders[1]);
	split = split_best(values, &whole, &limits, search.ranks);
	if (split.at > 0) {
		/* One direction is in question, but several places. */
		double ln_p = split_ln_p(&split) / found->memory - M_LN2 +
			      log((double)(limits.most - limits.least + 1));

		ret_point->at = split.at;
		ret_point->before = median_of(values + whole.first, split.a, search.ranks);
		ret_point->after = median_of(values + split.at, split.b, search.ranks);
		ret_point->p = fmin(exp(ln_p), 1);
	}
	search_release(&search);
	return ret_point->p <= THERE_P && share_of(ret_point, question) >= THERE_SHARE;
}
