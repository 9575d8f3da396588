/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * visit.h - one request and its answer on their way through the server; internal to it.
 *
 *	             file body only         body read            the answer is made
 *	(new) ──> READING ─> ADMITTING ─> READING ──> WORKING ─────────────────────> ANSWERED
 *	                         │                     ^    │ parked: looks again         ^
 *	                         │                     └────┘                             │
 *	                         └─ refused; also a bad path, an unknown parameter, ... ──┘
 *
 * Only the MHD thread touches a visit in READING and ANSWERED, and only one handler thread while
 * it is suspended in ADMITTING and WORKING; the hand-over goes through the lock of web/parked.
 */
#ifndef WEB_VISIT_H
#define WEB_VISIT_H

#include "parked.h"
#include "request.h"

struct MHD_Connection;

enum visit_state { VISIT_READING, VISIT_ADMITTING, VISIT_WORKING, VISIT_ANSWERED };

struct visit {
	struct parked_entry entry;
	struct MHD_Connection *connection;
	enum visit_state state;
	struct request request;
	struct reply reply;
	struct str body; /* a JSON body, while it comes in */
	int64_t nr_body_bytes;
	int64_t content_length; /* as announced; 0: not */
};

struct visit *visit_new(const struct site *site);
struct visit *visit_free(struct visit *visit);
DEFINE_SCOPED(visit_free, struct visit *)

/* Reading, on the MHD thread: none of these blocks but for the write of body bytes to a file. */

/* After the fields of the request are set: finds the route and checks what needs no database.  The
 * visit is ANSWERED, ADMITTING or goes on READING. */
void visit_start(struct visit *visit, const char *path, const struct fields *query);
void visit_take_body(struct visit *visit, const char *bytes, size_t length);

/* Working, on a handler thread. */

/* Sets the answer or opens the upload.  False: the request wants to sleep on reply.topic. */
MUST_CHECK bool visit_work(struct visit *visit);

/* Makes the failure the answer. */
void visit_fail(struct visit *visit, const struct err *err);

#endif
