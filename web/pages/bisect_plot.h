/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisect_plot.h - a bisection as a picture: the values of each commit, and below the posterior.
 *
 * C works out numbers, web/templates/bisect_plot.html draws, in a picture of 640 by 300.  To the
 * document of a bisection is added
 *
 *	"plot": { "dots": [{ "x", "y", "is_other" }],	is_other: on another machine than the first
 *		  "step", "set", "bars", "skips", "folds",	path data; "" where there is nothing
 *		  "low", "high", "p_high",	texts at the ends of both axes
 *		  "labels": [{ "x", "text", "anchor" }] }	of base, suspect and tip
 *
 * Rows stand side by side; a range that was not asked for takes the room of one.
 */
#ifndef WEB_PAGES_BISECT_PLOT_H
#define WEB_PAGES_BISECT_PLOT_H

#include "lib/base/json.h"

void bisect_plot_add(struct json *document);

#endif
