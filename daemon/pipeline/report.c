/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report - a finding becomes a mail, and the mail a file in the outbox.
 *
 *	finding new ──> reported, mail drafted ──> written (the file is there)
 *	                                       ──> suppressed (nobody can be told)
 *	either ──it cannot be done──> put off, with a reason, and tried again
 *
 * The Message-ID follows from what is told, so a killed tick cannot tell it twice.
 */
#include "pipeline.h"

#include "daemon/comparison.h"
#include "daemon/crash.h"
#include "daemon/mail/compose.h"
#include "facts.h"
#include "lib/base/hash.h"
#include "lib/base/str.h"
#include "lib/report/mail.h"

/* drafting ----------------------------------------------------------------------------------- */

/* The same finding gives the same id, whichever daemon tells it. */
static const char *make_message_id(struct tick *tick, const struct rows *finding)
{
	const char *told =
		arena_printf(tick->arena, "%s %s %s %s %s %s %s %s", rows_text(finding, 0, "tree"),
			     rows_text(finding, 0, "ref"), rows_text(finding, 0, "tip_oid"),
			     rows_text(finding, 0, "oid"), rows_text(finding, 0, "cell_hash"),
			     rows_text(finding, 0, "role"), rows_text(finding, 0, "about"),
			     rows_text(finding, 0, "kind"));
	struct hash hash = hash_of(told, strlen(told));
	char text[HASH_TEXT_BYTES];

	hash_format(&hash, text);
	return arena_printf(tick->arena, "%.32s@%s", text, tick->settings->message_domain);
}

/* [{address, name, why}]: the author, or nobody where the commit names no address. */
static struct json *choose_recipients(const struct rows *finding)
{
	const char *address = rows_text(finding, 0, "author_email");
	struct json *list = json_new_array();

	if (is_mail_address(address)) {
		struct json *author = json_new_object();

		json_put_text(author, "address", address);
		json_put_text(author, "name", rows_text(finding, 0, "author_name"));
		json_put_text(author, "why", "author of the commit");
		json_append(list, author);
	}
	return list;
}

static bool store_draft(struct tick *tick, const struct rows *finding, const struct view *view,
			const struct json *facts, struct err *err)
{
	scoped(str_release) struct str subject = STR_INIT;
	scoped(str_release) struct str body = STR_INIT;
	scoped(json_free) struct json *recipients = choose_recipients(finding);
	scoped(free) char *recipients_text = json_write(recipients, FORM_COMPACT);
	scoped(json_free) struct json *document = view_json(view);
	scoped(free) char *document_text = json_write(document, FORM_COMPACT);
	int64_t id = rows_int(finding, 0, "id");

	mail_subject(view, facts, &subject);
	mail_body(view, facts, &body);
	return db_begin(tick->db, err) &&
	       db_exec(tick->db, Q_MAIL_DRAFT,
		       ARGS(arg_int(id), arg_int(rows_int(finding, 0, "stack_id")),
			    arg_text(rows_text(finding, 0, "mail")),
			    arg_text(json_text(json_get(facts, "message_id"))),
			    arg_text(recipients_text), arg_text(subject.at), arg_text(body.at),
			    arg_text(document_text)),
		       NULL, err) &&
	       db_exec(tick->db, Q_FINDING_REPORTED,
		       ARGS(arg_int(id), arg_id(rows_int(finding, 0, "along_id"))), NULL, err) &&
	       db_commit(tick->db, "report", err);
}

static bool draft(struct tick *tick, const struct rows *finding, struct err *err)
{
	scoped(comparison_free) struct comparison *comparison = NULL;
	scoped(comparison_free) struct comparison *failing = NULL;
	scoped(view_free) struct view *view = NULL;
	scoped(json_free) struct json *facts = NULL;
	bool is_failure = strcmp(rows_text(finding, 0, "about"), "failure") == 0;
	int64_t cell = rows_int(finding, 0, "cell_id");
	int64_t failing_id = rows_int(finding, 0, "failing_id");

	if (!comparison_load(tick->db, cell, rows_int(finding, 0, "comparison_id"), &comparison,
			     err) ||
	    !comparison_load_verdicts(tick->db, comparison, err) ||
	    (failing_id && !comparison_load(tick->db, cell, failing_id, &failing, err)) ||
	    !facts_gather(tick, finding, comparison, &facts, err)) {
		return false;
	}
	view = comparison_view(is_failure ? NULL : comparison, failing ? failing : comparison);
	json_put_text(facts, "message_id", make_message_id(tick, finding));
	return store_draft(tick, finding, view, facts, err);
}

/* writing ------------------------------------------------------------------------------------ */

static bool close_mail(struct tick *tick, int64_t id, const char *state, const char *detail,
		       struct err *err)
{
	return db_begin(tick->db, err) &&
	       db_exec(tick->db, Q_MAIL_CLOSE, ARGS(arg_int(id), arg_text(state), arg_text(detail)),
		       NULL, err) &&
	       db_commit(tick->db, "report", err);
}

static size_t read_recipients(struct tick *tick, const struct json *list,
			      struct recipient **ret_recipients)
{
	size_t nr = json_size(list);
	struct recipient *recipients = arena_array(tick->arena, nr, sizeof(*recipients));

	for (size_t i = 0; i < nr; i++) {
		recipients[i].name = json_text(json_get(json_at(list, i), "name"));
		recipients[i].address = json_text(json_get(json_at(list, i), "address"));
	}
	*ret_recipients = recipients;
	return nr;
}

/* Temporary name, fsync, rename; writing it a second time gives the same file. */
static bool write_file(struct tick *tick, const struct letter *letter, const char *file,
		       struct err *err)
{
	scoped(str_release) struct str bytes = STR_INIT;
	const char *path =
		arena_printf(tick->arena, "%s/%s", path_outbox(tick->settings, tick->arena), file);

	if (!compose(letter, &bytes, err)) {
		return false;
	}
	crash_point("outbox", "before-rename");
	if (!str_write_file(path, bytes.at, bytes.length, 0644, err)) {
		return false;
	}
	crash_point("outbox", "after-rename");
	return true;
}

static bool write_mail(struct tick *tick, const struct rows *rows, struct err *err)
{
	scoped(json_free) struct json *list = NULL;
	const char *text = rows_text(rows, 0, "recipients");
	const char *file = arena_printf(tick->arena, "%s.eml", rows_text(rows, 0, "message_id"));
	int64_t id = rows_int(rows, 0, "id");
	struct recipient *recipients;
	struct letter letter = { .from = tick->settings->mail_from,
				 .subject = rows_text(rows, 0, "subject"),
				 .message_id = rows_text(rows, 0, "message_id"),
				 .date_s = rows_int(rows, 0, "created_s"),
				 .body = rows_text(rows, 0, "body"),
				 .is_dry_run = strcmp(rows_text(rows, 0, "mode"), "on") != 0 };

	if (!json_parse("recipients", text, strlen(text), &list, err)) {
		return false;
	}
	letter.nr_to = read_recipients(tick, list, &recipients);
	letter.to = recipients;
	if (letter.nr_to == 0) {
		return close_mail(tick, id, "suppressed",
				  "the author has no address that can be used", err);
	}
	return write_file(tick, &letter, file, err) && close_mail(tick, id, "written", file, err);
}

/* one at a time ------------------------------------------------------------------------------ */

struct step {
	const char *what;
	enum query find, put_off;
	bool (*tell)(struct tick *tick, const struct rows *rows, struct err *err);
};

/* One that cannot be told must not hold up those behind it: its row says why, and it waits. */
static bool put_off(struct tick *tick, const struct step *step, int64_t id,
		    const struct err *trouble, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	const char *reason = arena_strdup(tick->arena, trouble->message);
	struct event event = { .kind = "trouble",
			       .detail = arena_printf(tick->arena, "%s %" PRId64 ": %s", step->what,
						      id, reason) };

	db_rollback(tick->db);
	if (!db_begin(tick->db, err) ||
	    !db_query(tick->db, step->put_off, ARGS(arg_int(id), arg_text(reason)), &rows, err)) {
		return false;
	}
	if (rows_nr(rows) > 0) {
		event.stack = rows_int(rows, 0, "stack_id");
	}
	return (rows_nr(rows) == 0 || event_add(tick->db, &event, err)) &&
	       db_commit(tick->db, "report", err);
}

static bool take_step(struct tick *tick, const struct step *step, const struct rows *rows,
		      struct err *err)
{
	struct err trouble = ERR_INIT;

	if (step->tell(tick, rows, &trouble)) {
		return true;
	}
	if (err_face(trouble.kind)->is_retryable) { /* the database's */
		*err = trouble;
		return false;
	}
	return put_off(tick, step, rows_int(rows, 0, "id"), &trouble, err);
}

bool tick_report(struct tick *tick, bool *ret_more, struct err *err)
{
	static const struct step steps[] = {
		{ "mail", Q_MAIL_DRAFTED, Q_MAIL_PUT_OFF, write_mail },
		{ "finding", Q_REPORT_FINDING, Q_FINDING_PUT_OFF, draft },
	};

	for (size_t i = 0; i < countof(steps); i++) {
		scoped(rows_free) struct rows *rows = NULL;

		if (!db_query(tick->db, steps[i].find, NO_ARGS, &rows, err)) {
			return false;
		}
		if (rows_nr(rows) > 0) {
			*ret_more = true;
			return take_step(tick, &steps[i], rows, err);
		}
	}
	return true;
}
