/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast change points are found and how well: `tests/bench/changepoint [FOLDER]`.  FOLDER holds
 * numpy-asv-i7/values.csv (see series.h) and auto_steps.csv: series, row, commit, relative change.
 *
 * The peer is the weighted t of a well-known alert system: 12 values on each side whose weights
 * fall linearly with their distance, |t| > 7 and the largest around.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "lib/base/mem.h"
#include "lib/stats/changepoint.h"
#include "random.h"
#include "series.h"

#define LEVEL    0.01
#define NEAR     5
#define WINDOW   12
#define PEER_T   7.0
#define SHUFFLES 10
#define DRAWN    400

struct places {
	VEC(size_t) list;
};

static void find_ours(const double *values, size_t nr, struct places *ret_places)
{
	struct changepoints found;

	changepoint_find(values, nr, LEVEL, &found);
	for (size_t i = 0; i < found.points.nr; i++) {
		*vec_push(&ret_places->list) = found.points.at[i].at;
	}
	changepoint_release(&found);
}

/* Mean and variance of WINDOW values, by weights that fall from the one at `near`. */
static void weigh(const double *near, int step, double *ret_mean, double *ret_variance)
{
	double total = 0;
	double sum = 0;
	double squares = 0;

	for (int i = 0; i < WINDOW; i++) {
		double weight = (double)(WINDOW - i) / WINDOW;

		total += weight;
		sum += weight * near[i * step];
	}
	*ret_mean = sum / total;
	for (int i = 0; i < WINDOW; i++) {
		double distance = near[i * step] - *ret_mean;

		squares += (double)(WINDOW - i) / WINDOW * distance * distance;
	}
	*ret_variance = squares / total * WINDOW / (WINDOW - 1);
}

static void find_peer(const double *values, size_t nr, struct places *ret_places)
{
	double *t = mem_array(nr + 1, sizeof(*t));

	for (size_t i = WINDOW; i + WINDOW <= nr; i++) {
		double mean[2];
		double variance[2];

		weigh(values + i - 1, -1, &mean[0], &variance[0]);
		weigh(values + i, 1, &mean[1], &variance[1]);
		t[i] = fabs(mean[1] - mean[0]) / sqrt((variance[0] + variance[1]) / WINDOW + 1e-30);
	}
	for (size_t i = WINDOW; i + WINDOW <= nr; i++) {
		bool is_top = t[i] > PEER_T;

		for (size_t j = i - WINDOW + 1; j < i + WINDOW && j < nr; j++) {
			is_top &= t[j] <= t[i];
		}
		if (is_top) {
			*vec_push(&ret_places->list) = i;
		}
	}
	free(t);
}

static const struct way {
	const char *name;
	void (*find)(const double *values, size_t nr, struct places *ret_places);
} ways[] = {
	{ "ranks", find_ours },
	{ "windowed t", find_peer },
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What a drawn history is made of. */
struct draw {
	double memory, outliers, step;
	size_t every; /* so many values a step comes, up and down; 0: none */
	size_t nr;
};

static double *draw(const struct draw *kind, struct rng *rng)
{
	double *values = mem_array(kind->nr + 1, sizeof(*values));
	double noise = rng_normal(rng);

	for (size_t i = 0; i < kind->nr; i++) {
		bool is_up = kind->every && i / kind->every % 2;

		noise = kind->memory * noise +
			sqrt(1 - kind->memory * kind->memory) * rng_normal(rng);
		values[i] = noise + (is_up ? kind->step : 0) +
			    (rng_share(rng) < kind->outliers ? 10 : 0);
	}
	return values;
}

static void show_speed(void)
{
	for (size_t nr = 1000; nr <= 1000000; nr *= 10) {
		struct draw kind = { .nr = nr, .step = 3, .every = 300, .outliers = 0.02 };
		struct rng rng;
		struct places places = { 0 };
		double *values;
		double start;
		size_t rounds = 1000000 / nr;

		rng_init(&rng, nr);
		values = draw(&kind, &rng);
		start = seconds();
		for (size_t i = 0; i < rounds; i++) {
			places.list.nr = 0;
			find_ours(values, nr, &places);
		}
		printf("%8zu values: %6.0f ns a value, %zu points of %zu\n", nr,
		       (seconds() - start) / (double)(nr * rounds) * 1e9, places.list.nr,
		       (nr - 1) / kind.every);
		vec_release(&places.list);
		free(values);
	}
}

static bool has_near(const struct places *places, size_t at)
{
	for (size_t i = 0; i < places->list.nr; i++) {
		if (places->list.at[i] + NEAR >= at && places->list.at[i] <= at + NEAR) {
			return true;
		}
	}
	return false;
}

static void show_drawn(const char *what, const struct draw *kind)
{
	for (size_t way = 0; way < countof(ways); way++) {
		size_t nr_false = 0;
		size_t nr_found = 0;
		size_t nr_true = 0;
		size_t nr_series_false = 0;

		for (uint64_t seed = 1; seed <= DRAWN; seed++) {
			struct rng rng;
			struct places places = { 0 };
			double *values;
			size_t nr_here = 0;

			rng_init(&rng, seed);
			values = draw(kind, &rng);
			ways[way].find(values, kind->nr, &places);
			for (size_t at = kind->every; kind->every && at < kind->nr;
			     at += kind->every) {
				nr_here += has_near(&places, at);
				nr_true++;
			}
			nr_found += nr_here;
			nr_false += places.list.nr > nr_here ? places.list.nr - nr_here : 0;
			nr_series_false += places.list.nr > nr_here;
			vec_release(&places.list);
			free(values);
		}
		printf("%-38s %-10s", what, ways[way].name);
		if (nr_true) {
			printf(" found %5.1f %%", 100 * (double)nr_found / (double)nr_true);
		}
		printf(" false %5.3f a series, in %.1f %% of series\n", (double)nr_false / DRAWN,
		       100 * (double)nr_series_false / DRAWN);
	}
}

static void shuffle(double *values, size_t nr, struct rng *rng)
{
	for (size_t i = nr; i > 1; i--) {
		size_t j = rng_draw(rng) % i;
		double swap = values[i - 1];

		values[i - 1] = values[j];
		values[j] = swap;
	}
}

static void show_shuffled(const struct columns *columns)
{
	for (size_t way = 0; way < countof(ways); way++) {
		size_t nr_false = 0;
		size_t nr = 0;
		struct rng rng;

		rng_init(&rng, 1);
		for (size_t i = 0; i < SHUFFLES * columns->nr; i++) {
			struct column *column = &columns->at[i / SHUFFLES];
			size_t nr_values = column->logs.nr;
			double *values = mem_array(nr_values + 1, sizeof(*values));
			struct places places = { 0 };

			memcpy(values, column->logs.at, nr_values * sizeof(*values));
			shuffle(values, nr_values, &rng);
			ways[way].find(values, nr_values, &places);
			nr_false += places.list.nr > 0;
			nr++;
			vec_release(&places.list);
			free(values);
		}
		printf("%-38s %-10s false in %.1f %% of %zu series\n", "real, shuffled",
		       ways[way].name, 100 * (double)nr_false / (double)nr, nr);
	}
}

struct step {
	size_t column, row;
};

struct steps {
	VEC(struct step) list;
};

static bool read_steps(const char *path, struct steps *ret_steps)
{
	FILE *file = fopen(path, "re");
	char line[200];
	struct step step;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "s%zu,%zu,", &step.column, &step.row) == 2) {
			*vec_push(&ret_steps->list) = step;
		}
	}
	if (file) {
		fclose(file);
	}
	return ret_steps->list.nr > 0;
}

static size_t place_of_row(const struct column *column, size_t row)
{
	size_t i = 0;

	while (i < column->rows.nr && column->rows.at[i] < row) {
		i++;
	}
	return i;
}

static void show_steps(const struct columns *columns, const struct steps *steps)
{
	for (size_t way = 0; way < countof(ways); way++) {
		size_t nr_found = 0;
		size_t nr_points = 0;

		for (size_t i = 0; i < columns->nr; i++) {
			struct places places = { 0 };
			const struct column *column = &columns->at[i];

			ways[way].find(column->logs.at, column->logs.nr, &places);
			nr_points += places.list.nr;
			for (size_t j = 0; j < steps->list.nr; j++) {
				const struct step *step = &steps->list.at[j];

				nr_found += step->column == i &&
					    has_near(&places, place_of_row(column, step->row));
			}
			vec_release(&places.list);
		}
		printf("%-38s %-10s found %5.1f %% of %zu, %.1f points a series\n",
		       "real, steps above 5 %", ways[way].name,
		       100 * (double)nr_found / (double)steps->list.nr, steps->list.nr,
		       (double)nr_points / (double)columns->nr);
	}
}

static void show_real(const char *folder)
{
	struct columns columns;
	struct steps steps = { 0 };
	scoped(free) char *values = mem_printf("%s/numpy-asv-i7/values.csv", folder);
	scoped(free) char *known = mem_printf("%s/numpy-asv-i7/auto_steps.csv", folder);

	if (!columns_read(values, &columns) || !read_steps(known, &steps)) {
		printf("no real histories in '%s': give the folder that holds them\n", folder);
		columns_release(&columns);
		return;
	}
	show_shuffled(&columns);
	show_steps(&columns, &steps);
	vec_release(&steps.list);
	columns_release(&columns);
}

int main(int argc, char **argv)
{
	show_drawn("noise", &(struct draw){ .nr = 800 });
	show_drawn("noise, 100 values", &(struct draw){ .nr = 100 });
	show_drawn("noise, memory 0.3", &(struct draw){ .nr = 800, .memory = 0.3 });
	show_drawn("noise, memory 0.6", &(struct draw){ .nr = 800, .memory = 0.6 });
	show_drawn("noise, 5 % outliers at 10 sd", &(struct draw){ .nr = 800, .outliers = 0.05 });
	show_drawn("2 sd, every 50 of 400, outliers",
		   &(struct draw){ .nr = 400, .outliers = 0.05, .step = 2, .every = 50 });
	show_drawn("4 sd, every 20 of 400, outliers",
		   &(struct draw){ .nr = 400, .outliers = 0.05, .step = 4, .every = 20 });
	show_drawn("4 sd, every 20 of 400, memory 0.3",
		   &(struct draw){ .nr = 400, .memory = 0.3, .step = 4, .every = 20 });
	show_drawn("1 sd, once in 800, outliers",
		   &(struct draw){ .nr = 800, .outliers = 0.05, .step = 1, .every = 400 });
	show_real(argc > 1 ? argv[1] : "");
	show_speed();
	return 0;
}
