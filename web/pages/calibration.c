/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calibration.h"

#include "lib/stats/calibrate.h"
#include "web/handlers.h"

/* {hits, nr} gets the share with its interval, and both as text. */
static void add_rate(struct json *counts)
{
	int64_t hits = json_int(json_get(counts, "hits"), 0);
	int64_t nr = json_int(json_get(counts, "nr"), 0);
	struct rate rate = rate_of((size_t)hits, (size_t)nr);
	scoped(free) char *text =
		nr == 0 ? mem_strdup("none yet")
			: mem_printf("%.2f %% (%.2f to %.2f %%), %" PRId64 " of %" PRId64,
				     100 * rate.share, 100 * rate.low, 100 * rate.high, hits, nr);

	json_put_number(counts, "share", rate.share);
	json_put_number(counts, "low", rate.low);
	json_put_number(counts, "high", rate.high);
	json_put_text(counts, "text", text);
}

bool calibration_document(struct request *request, struct json **ret_document, struct err *err)
{
	const struct json *rates;

	if (!page_query(request, Q_PAGE_CALIBRATION, NO_ARGS, ret_document, err)) {
		return false;
	}
	rates = json_get(*ret_document, "rates");
	for (size_t i = 0; i < json_size(rates); i++) {
		add_rate(json_get(json_at(rates, i), "jobs"));
		add_rate(json_get(json_at(rates, i), "metrics"));
	}
	return true;
}

bool get_calibration(struct request *request, struct reply *reply, struct err *err)
{
	struct json *document;

	if (!calibration_document(request, &document, err)) {
		return false;
	}
	page_title(document, "Error rates");
	reply_document(reply, document);
	return true;
}
