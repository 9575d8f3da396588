/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "series.h"

#include <math.h>
#include <stdio.h>

#include "lib/stats/summary.h"

#define HALF_WINDOW 15
#define FAR_OUT     25.0

/* The number before the next comma or line end, NAN for an empty field; moves *place past it. */
static double next_field(char **place)
{
	char *end;
	double value = strtod(*place, &end);

	value = end == *place ? (double)NAN : value;
	end += strcspn(end, ",\n");
	*place = *end == ',' ? end + 1 : end;
	return value;
}

static void read_row(char *line, size_t row, struct columns *columns)
{
	char *place = line;

	next_field(&place);
	next_field(&place);
	for (size_t i = 0; i < columns->nr; i++) {
		double value = next_field(&place);

		if (value > 0) {
			*vec_push(&columns->at[i].logs) = log(value);
			*vec_push(&columns->at[i].rows) = row;
		}
	}
}

static double median_around(const double *values, size_t nr, size_t at)
{
	double window[2 * HALF_WINDOW + 1];
	size_t first = at < HALF_WINDOW ? 0 : at - HALF_WINDOW;
	size_t last = at + HALF_WINDOW >= nr ? nr - 1 : at + HALF_WINDOW;

	memcpy(window, values + first, (last - first + 1) * sizeof(double));
	summary_sort(window, last - first + 1);
	return summary_median(window, last - first + 1);
}

/* False for a benchmark that hardly varies. */
static bool make_residuals(const struct column *column, struct lab_series *ret_series)
{
	size_t nr = column->logs.nr;
	double *residuals = mem_array(nr + 1, sizeof(*residuals));
	scoped(free) double *sizes = mem_array(nr + 1, sizeof(*sizes));
	double sd;

	for (size_t i = 0; i < nr; i++) {
		residuals[i] = column->logs.at[i] - median_around(column->logs.at, nr, i);
		sizes[i] = fabs(residuals[i]);
	}
	summary_sort(sizes, nr);
	sd = nr > 0 ? 1.4826 * summary_median(sizes, nr) : 0;
	for (size_t i = 0; i < nr; i++) {
		residuals[i] = fmin(fmax(residuals[i] / sd, -FAR_OUT), FAR_OUT);
	}
	*ret_series = (struct lab_series){ residuals, nr };
	if (!(sd > 1e-4)) {
		free(residuals);
		return false;
	}
	return true;
}

static size_t count_columns(const char *header)
{
	size_t nr = 0;

	for (; *header; header++) {
		nr += *header == ',';
	}
	return nr > 0 ? nr - 1 : 0;
}

bool columns_read(const char *path, struct columns *ret_columns)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	*ret_columns = (struct columns){ 0 };
	if (!file) {
		return false;
	}
	ret_columns->nr = getline(&line, &room, file) > 0 ? count_columns(line) : 0;
	ret_columns->at = mem_array(ret_columns->nr + 1, sizeof(*ret_columns->at));
	for (size_t row = 0; getline(&line, &room, file) > 0; row++) {
		read_row(line, row, ret_columns);
	}
	free(line);
	fclose(file);
	return true;
}

void columns_release(struct columns *columns)
{
	for (size_t i = 0; i < columns->nr; i++) {
		vec_release(&columns->at[i].logs);
		vec_release(&columns->at[i].rows);
	}
	free(columns->at);
}

bool series_read(const char *path, struct series *ret_series)
{
	struct columns columns;

	*ret_series = (struct series){ 0 };
	if (!columns_read(path, &columns)) {
		return false;
	}
	ret_series->at = mem_array(columns.nr + 1, sizeof(*ret_series->at));
	for (size_t i = 0; i < columns.nr; i++) {
		ret_series->nr += make_residuals(&columns.at[i], &ret_series->at[ret_series->nr]);
	}
	columns_release(&columns);
	return true;
}

void series_release(struct series *series)
{
	for (size_t i = 0; i < series->nr; i++) {
		free((void *)(uintptr_t)series->at[i].values);
	}
	free(series->at);
}
