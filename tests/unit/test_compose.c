/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/mail/compose.h"

#include "tests/t.h"

static const struct recipient author = { "A. U. Thor", "author@example.org" };

static struct letter plain_letter(void)
{
	return (struct letter){
		.from = "Robot <robot@example.org>",
		.to = &author,
		.nr_to = 1,
		.subject = "[tree:topic] 1a2b3c4d5e: hackbench.time +3.2% regression",
		.message_id = "finding-7@example.org",
		.date_s = 1796083199,
		.body = "Hello,\n\n  12.3 \xc2\xb1 1%\n",
	};
}

static char *composed(const struct letter *letter)
{
	scoped(str_release) struct str bytes = STR_INIT;
	struct err err = ERR_INIT;

	compose_init();
	CHECK_DONE(compose(letter, &bytes, &err), &err);
	return str_detach(&bytes);
}

/* How often a line begins with this, in the headers. */
static int nr_headers(const char *mail, const char *start)
{
	const char *end = strstr(mail, "\n\n");
	int nr = 0;

	for (const char *at = mail; at && at < end; at = strchr(at, '\n')) {
		at += *at == '\n';
		nr += strncmp(at, start, strlen(start)) == 0;
	}
	return nr;
}

/* Written by hand after RFC 5322 and 2045; the date is `date -u -R -d @1796083199`. */
static void is_plain_and_exact(void)
{
	struct letter letter = plain_letter();
	scoped(free) char *mail = composed(&letter);
	static const char *const headers[] = {
		"From: Robot <robot@example.org>\n",
		"To: \"A. U. Thor\" <author@example.org>\n",
		"Subject: [tree:topic] 1a2b3c4d5e: hackbench.time +3.2% regression\n",
		"Date: Mon, 30 Nov 2026 23:59:59 +0000\n",
		"Message-Id: <finding-7@example.org>\n",
		"Auto-Submitted: auto-generated\n",
		"Precedence: bulk\n",
		"MIME-Version: 1.0\n",
		"Content-Type: text/plain; charset=utf-8\n",
		"Content-Transfer-Encoding: 8bit\n",
	};

	for (size_t i = 0; i < countof(headers); i++) {
		CHECK_TEXT(nr_headers(mail, headers[i]) == 1 ? headers[i] : mail, headers[i]);
	}
	CHECK_INT(nr_headers(mail, "X-Patchmeter-Dry-Run"), 0);
	CHECK_INT(nr_headers(mail, "In-Reply-To"), 0);
	CHECK_TEXT(strstr(mail, "\n\n") + 2, letter.body);
}

static void answers_in_the_thread(void)
{
	struct letter letter = plain_letter();
	scoped(free) char *mail = NULL;

	letter.reply_to_id = "patch-1@example.org";
	letter.is_dry_run = true;
	mail = composed(&letter);
	CHECK_INT(nr_headers(mail, "In-Reply-To: <patch-1@example.org>\n"), 1);
	CHECK_INT(nr_headers(mail, "References: <patch-1@example.org>\n"), 1);
	CHECK_INT(nr_headers(mail, "X-Patchmeter-Dry-Run: yes\n"), 1);
}

static void has_no_line_over_the_limit(void)
{
	struct letter letter = plain_letter();
	scoped(str_release) struct str body = STR_INIT;
	scoped(free) char *mail = NULL;

	for (int i = 0; i < 999; i++) {
		str_append_char(&body, 'x');
	}
	str_append_char(&body, '\n');
	letter.body = body.at;
	mail = composed(&letter);
	CHECK_INT(nr_headers(mail, "Content-Transfer-Encoding: quoted-printable\n"), 1);
	for (const char *at = mail; *at; at += strcspn(at, "\n") + 1) {
		CHECK(strcspn(at, "\n") <= 998);
	}
}

static void lets_nothing_hostile_through(void)
{
	static const char *const subjects[] = {
		"x\nBcc: victim@example.org\n\nbody",
		"x\r\nBcc: victim@example.org",
		"=?utf-8?q?=0ABcc:_victim@example.org?=",
		"x\xff\xe2\x80\xae\x1b[2J",
	};

	for (size_t i = 0; i < countof(subjects); i++) {
		struct recipient to = { subjects[i], author.address };
		struct letter letter = plain_letter();
		scoped(free) char *mail = NULL;

		letter.subject = subjects[i];
		letter.to = &to;
		mail = composed(&letter);
		CHECK_INT(nr_headers(mail, "Bcc"), 0);
		CHECK_INT(nr_headers(mail, "Subject: "), 1);
		CHECK_INT(nr_headers(mail, "To: "), 1);
		CHECK(strpbrk(mail, "\r\x1b\xff") == NULL);
		CHECK(strstr(mail, "=?utf-8?q?=0A") == NULL);
	}
}

static void knows_addresses(void)
{
	static const char *const good[] = { "a@b", "a.b+c@example.org", "x@a-b.example.org" };
	static const char *const bad[] = {
		"",
		"a",
		"@b",
		"a@",
		"a@b@c",
		".a@b",
		"a.@b",
		"a..b@c",
		"a@b.",
		"a@-b",
		"\"a b\"@c",
		"a b@c",
		"a@b\nBcc: c@d",
		"a@b>,<c@d",
		"a@[127.0.0.1]",
		"\xc3\xa9@b",
	};

	for (size_t i = 0; i < countof(good); i++) {
		CHECK_TEXT(is_mail_address(good[i]) ? good[i] : NULL, good[i]);
	}
	for (size_t i = 0; i < countof(bad); i++) {
		CHECK_TEXT(is_mail_address(bad[i]) ? bad[i] : NULL, NULL);
	}
}

static void refuses_without_somebody(void)
{
	static const struct recipient nobody = { NULL, "not an address" };
	struct letter letter = plain_letter();
	scoped(str_release) struct str bytes = STR_INIT;
	struct err err = ERR_INIT;

	compose_init();
	letter.nr_to = 0;
	CHECK_FAILS(compose(&letter, &bytes, &err), &err, ERR_INPUT, "no recipient");
	letter.nr_to = 1;
	letter.to = &nobody;
	CHECK_FAILS(compose(&letter, &bytes, &err), &err, ERR_INPUT, "'not an address'");
	letter.to = &author;
	letter.from = "nobody";
	CHECK_FAILS(compose(&letter, &bytes, &err), &err, ERR_INPUT, "sender 'nobody'");
	CHECK_TEXT(bytes.at, "");
}

static const struct t_case cases[] = {
	{ "a mail has its headers once and its body byte by byte", is_plain_and_exact },
	{ "an answer stands in its thread, a dry run says so", answers_in_the_thread },
	{ "a long line is encoded", has_no_line_over_the_limit },
	{ "a hostile subject or name stays in its header", lets_nothing_hostile_through },
	{ "an address is plain or none", knows_addresses },
	{ "a mail to or from nobody is refused", refuses_without_somebody },
};

T_MAIN(cases)
