/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A document that view_read() takes can wear every format, on clean lines, and make a mail that
 * keeps its bounds. */
#include "lib/report/format.h"
#include "lib/report/mail.h"
#include "lib/report/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void write_all(const struct view *view, const struct format_options *options)
{
	const struct format *format;

	for (size_t i = 0; (format = format_at(i)); i++) {
		scoped(str_release) struct str out = STR_INIT;

		format->write(view, options, &out);
		for (size_t j = 0; j < out.length; j++) {
			if ((unsigned char)out.at[j] < 0x20 && out.at[j] != '\n') {
				bug("%s: a control character at %zu", format->name, j);
			}
		}
	}
}

static void write_mail(const struct view *view)
{
	scoped(json_free) struct json *facts = json_new_object();
	scoped(str_release) struct str mail = STR_INIT;

	mail_body(view, facts, &mail);
	if (mail.length > MAIL_MAX_BYTES) {
		bug("a mail of %zu bytes", mail.length);
	}
	for (const char *at = mail.at; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		if (strcspn(at, "\n") > MAIL_MAX_LINE_BYTES) {
			bug("a line of %zu bytes", strcspn(at, "\n"));
		}
	}
	str_truncate(&mail, 0);
	mail_subject(view, facts, &mail);
	if (strchr(mail.at, '\n')) {
		bug("a subject of two lines");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(json_free) struct json *document = NULL;
	scoped(json_free) struct json *again = NULL;
	scoped(view_free) struct view *view = NULL;

	if (!json_parse("fuzz", (const char *)bytes, length, &document, NULL) ||
	    !view_read(document, &view, NULL)) {
		return 0;
	}
	write_all(view, &(struct format_options){ 0 });
	write_all(view, &(struct format_options){ .is_all = true });
	write_all(view, &(struct format_options){ .is_all = true, .limit_rows = 2 });
	write_mail(view);
	again = view_json(view);
	view_decorate(view, again);
	view_scale(view);
	return 0;
}
