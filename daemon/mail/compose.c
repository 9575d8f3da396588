/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compose.h"

#include <gmime/gmime.h>

#define ADDRESS_LIMIT_BYTES 254
#define LOCAL_LIMIT_BYTES   64
#define LINE_LIMIT_BYTES    998
#define SUBJECT_LIMIT_BYTES 300
#define NAME_LIMIT_BYTES    100

void compose_init(void)
{
	g_mime_init();
}

static bool is_dotted(const char *text, size_t length, const char *signs)
{
	bool is_after_dot = true;

	for (size_t i = 0; i < length; i++) {
		bool is_plain =
			(text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') ||
			(text[i] >= '0' && text[i] <= '9') || (text[i] && strchr(signs, text[i]));

		if (!is_plain && (text[i] != '.' || is_after_dot)) {
			return false;
		}
		is_after_dot = text[i] == '.';
	}
	return length > 0 && !is_after_dot;
}

bool is_mail_address(const char *text)
{
	const char *at = strrchr(text, '@');

	return at && strlen(text) <= ADDRESS_LIMIT_BYTES && at - text <= LOCAL_LIMIT_BYTES &&
	       is_dotted(text, (size_t)(at - text), "!#$%&'*+/=?^_`{|}~-") &&
	       is_dotted(at + 1, strlen(at + 1), "-") && at[1] != '-';
}

static bool has_long_line(const char *body)
{
	for (const char *at = body; *at;) {
		size_t length = strcspn(at, "\n");

		if (length > LINE_LIMIT_BYTES) {
			return true;
		}
		at += length + (at[length] == '\n');
	}
	return false;
}

/* Clean, and with nothing in it that a reader would take for an encoded word: what "=?utf-8?q?=0A?="
 * hides is not to come to light in somebody's mailbox. */
static void append_words(struct str *words, const char *text, size_t limit_bytes)
{
	scoped(str_release) struct str clean = STR_INIT;
	const char *rest;
	const char *found;

	str_append_clean(&clean, text, strlen(text), false, limit_bytes);
	for (rest = clean.at; (found = strstr(rest, "=?")); rest = found + 1) {
		str_append_bytes(words, rest, (size_t)(found - rest));
		str_append(words, "= ");
	}
	str_append(words, rest);
}

static void set_subject(GMimeMessage *message, const char *subject)
{
	scoped(str_release) struct str words = STR_INIT;

	append_words(&words, subject, SUBJECT_LIMIT_BYTES);
	g_mime_message_set_subject(message, words.at, "UTF-8");
}

static bool is_one_mailbox(InternetAddressList *list)
{
	InternetAddress *first = list && internet_address_list_length(list) == 1
					 ? internet_address_list_get_address(list, 0)
					 : NULL;

	return first && INTERNET_ADDRESS_IS_MAILBOX(first) &&
	       is_mail_address(internet_address_mailbox_get_addr(INTERNET_ADDRESS_MAILBOX(first)));
}

static bool set_people(GMimeMessage *message, const struct letter *letter, struct err *err)
{
	InternetAddressList *from = internet_address_list_parse(NULL, letter->from);

	if (!is_one_mailbox(from)) {
		g_clear_object(&from);
		return err_set(err, ERR_INPUT, "sender '%s': expected 'Name <address>'",
			       letter->from);
	}
	internet_address_list_append(g_mime_message_get_from(message), from);
	g_object_unref(from);
	for (size_t i = 0; i < letter->nr_to; i++) {
		scoped(str_release) struct str name = STR_INIT;

		if (!is_mail_address(letter->to[i].address)) {
			return err_set(err, ERR_INPUT, "recipient '%.80s' is not an address",
				       letter->to[i].address);
		}
		if (letter->to[i].name) {
			append_words(&name, letter->to[i].name, NAME_LIMIT_BYTES);
		}
		g_mime_message_add_mailbox(message, GMIME_ADDRESS_TYPE_TO,
					   name.length ? name.at : NULL, letter->to[i].address);
	}
	return letter->nr_to > 0 || err_set(err, ERR_INPUT, "no recipient");
}

static void set_headers(GMimeMessage *message, const struct letter *letter)
{
	static const char *const robot[][2] = {
		{ "Auto-Submitted", "auto-generated" },
		{ "Precedence", "bulk" },
		{ "X-Mailer", "patchmeter" },
	};
	GMimeObject *object = GMIME_OBJECT(message);
	GDateTime *date = g_date_time_new_from_unix_utc(letter->date_s);

	g_mime_message_set_date(message, date);
	g_date_time_unref(date);
	g_mime_message_set_message_id(message, letter->message_id);
	set_subject(message, letter->subject);
	if (letter->reply_to_id) {
		char *id = g_strdup_printf("<%s>", letter->reply_to_id);

		g_mime_object_set_header(object, "In-Reply-To", id, NULL);
		g_mime_object_set_header(object, "References", id, NULL);
		g_free(id);
	}
	for (size_t i = 0; i < countof(robot); i++) {
		g_mime_object_set_header(object, robot[i][0], robot[i][1], NULL);
	}
	if (letter->is_dry_run) {
		g_mime_object_set_header(object, "X-Patchmeter-Dry-Run", "yes", NULL);
	}
}

static void set_body(GMimeMessage *message, const char *body)
{
	GMimeTextPart *part = g_mime_text_part_new_with_subtype("plain");
	GMimeStream *stream = g_mime_stream_mem_new_with_buffer(body, strlen(body));
	GMimeDataWrapper *content =
		g_mime_data_wrapper_new_with_stream(stream, GMIME_CONTENT_ENCODING_DEFAULT);

	/* Not g_mime_text_part_set_text(), which would write a lone plus-minus sign in Latin-1. */
	g_mime_text_part_set_charset(part, "utf-8");
	g_mime_part_set_content(GMIME_PART(part), content);
	g_object_unref(content);
	g_object_unref(stream);
	g_mime_part_set_content_encoding(
		GMIME_PART(part), has_long_line(body) ? GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE
						      : GMIME_CONTENT_ENCODING_8BIT);
	g_mime_message_set_mime_part(message, GMIME_OBJECT(part));
	g_object_unref(part);
}

bool compose(const struct letter *letter, struct str *ret_bytes, struct err *err)
{
	GMimeMessage *message = g_mime_message_new(TRUE);
	GMimeFormatOptions *options = g_mime_format_options_new();
	bool is_done = set_people(message, letter, err);

	if (is_done) {
		char *text;

		set_headers(message, letter);
		set_body(message, letter->body);
		g_mime_format_options_set_newline_format(options, GMIME_NEWLINE_FORMAT_UNIX);
		text = g_mime_object_to_string(GMIME_OBJECT(message), options);
		str_append(ret_bytes, text);
		g_free(text);
	}
	g_mime_format_options_free(options);
	g_object_unref(message);
	return is_done;
}
