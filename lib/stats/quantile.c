/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "quantile.h"

#include <math.h>

#include "dist.h"

/* Below, quantiles grow too fast; few metrics are there. */
#define LEAST_DF 4.0

void quantile_init(struct quantile *quantile, double p)
{
	double values[QUANTILE_NODES];

	*quantile = (struct quantile){ .p = p };
	for (int i = 0; i < QUANTILE_NODES; i++) {
		double place = cos(M_PI * (i + 0.5) / QUANTILE_NODES);

		values[i] = dist_t_quantile(p, 2 * LEAST_DF / (place + 1));
	}
	for (int i = 0; i < QUANTILE_NODES; i++) {
		for (int j = 0; j < QUANTILE_NODES; j++) {
			quantile->parts[i] += values[j] * (i ? 2.0 : 1.0) / QUANTILE_NODES *
					      cos(M_PI * i * (j + 0.5) / QUANTILE_NODES);
		}
	}
}

/* Clenshaw's sum, on -1 .. 1 for 1 / df from 0 to 1 / LEAST_DF. */
double quantile_at(const struct quantile *quantile, double df)
{
	double place = 2 * LEAST_DF / df - 1;
	double sum = 0;
	double last = 0;

	if (!(df >= LEAST_DF)) {
		return dist_t_quantile(quantile->p, df);
	}
	for (int i = QUANTILE_NODES - 1; i > 0; i--) {
		double next = 2 * place * sum - last + quantile->parts[i];

		last = sum;
		sum = next;
	}
	return place * sum - last + quantile->parts[0];
}
