/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mail.h - the text of a report mail, from the comparison document and the facts around it.
 *
 *	scoped(str_release) struct str body = STR_INIT;
 *	mail_body(view, facts, &body);          // view may be NULL: a build that failed
 *
 * In this order: one line with what, how much and how sure; the table (lkp.h) with the headlines
 * first, at most MAIL_MAX_ROWS rows; a line for each headline with interval and runs; what was
 * compared; what ran; how to credit a fix; links; the tables of other parameters; the applied
 * stack; the signature.  The words are in templates/report.txt.
 *
 * Subjects, names and logs are hostile: they are put on one line, cleaned and cut.  The body is
 * valid UTF-8 of at most MAIL_MAX_BYTES, each line of at most MAIL_MAX_LINE_BYTES, ended by '\n'.
 *
 * The facts, all of which may be absent:
 *
 *	{ "robot": { "name", "address", "url" },
 *	  "message_id": of this mail, without <>;  "archive": address it will be found under,
 *	  "first": text, instead of the first line from the view,
 *	  "confirmed": { "found", "fresh": runs as "8+8", "nr_builds", "is_several",
 *		"nr_rebuilds", "nr_false": none where nothing was rebuilt },
 *	  "commit": { "id", "subject" },  "base": { "id", "subject", "how" },
 *	  "tree": { "name", "url", "branch" },  "patch": { "subject", "link" },
 *	  "benchmark": { "name", "summary" },  "machine": text,
 *	  "parameters": [{ "name", "value" }],
 *	  "culprit": of a bisection { "what", "posterior", "runs", "commits", "metric",
 *		"parent", "this": runs and value as "4 runs 93.80", "reverted": what came of it },
 *	  "notes": [text],  "stack": { "branch", "commits": [{ "id", "subject" }] }, newest first,
 *	  "log": { "name", "line", "link", "excerpt": lines, see mail_excerpt() },
 *	  "links": { "report", "cumulative", "reproduce" } }
 */
#ifndef REPORT_MAIL_H
#define REPORT_MAIL_H

#include "view.h"

#define MAIL_MAX_BYTES      40000
#define MAIL_MAX_LINE_BYTES 998 /* RFC 5322, without the line end */
#define MAIL_MAX_ROWS       20

/* Appends the body. */
void mail_body(const struct view *view, const struct json *facts, struct str *out);

/* Appends the subject of a mail that is no reply: "[linux:master] 5e4f3a2b1c0d: fio.write_iops
 * 7.4% regression".  One clean line. */
void mail_subject(const struct view *view, const struct json *facts, struct str *out);

/* Appends what to show of a log: the lines around the first one that speaks of an error, else the
 * last ones; clean and of bounded length.  Gives the number of the line that is the reason, from
 * 1; 0: none was found.  `bytes` may be anything. */
size_t mail_excerpt(const char *bytes, size_t length, struct str *out);

#endif
