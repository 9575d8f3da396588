/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plot.h - the samples of a headline metric as dots, one line a side.
 *
 * C works out numbers, web/templates/plot.html draws.  To each row of a comparison document that
 * is a headline and has samples is added
 *
 *	"plot": { "sides": [{ "name", "is_head", "y", "dots": [{ "x" }], "mean" }],
 *		  "low", "high" }
 *
 * with x between 10 and 390 and y the height of the line; "low" and "high" are the texts at the
 * ends of the axis.  Without JavaScript, and with the table beside it for who cannot see it.
 */
#ifndef WEB_PAGES_PLOT_H
#define WEB_PAGES_PLOT_H

#include "lib/base/json.h"

/* `view`: as view_decorate() left it. */
void plot_add(struct json *view);

#endif
