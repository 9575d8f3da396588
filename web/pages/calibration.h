/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calibration.h - how often a commit differs from itself, which is how often we are wrong. */
#ifndef WEB_PAGES_CALIBRATION_H
#define WEB_PAGES_CALIBRATION_H

#include "page.h"

/* The document of /calibration.  Blocks; as page_query. */
MUST_CHECK bool calibration_document(struct request *request, struct json **ret_document,
				     struct err *err);

#endif
