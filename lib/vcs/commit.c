/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include "commit.h"

#include <errno.h>
#include <iconv.h>
#include <strings.h>

#include "changes.h"
#include "header.h"

/* text
 *
 * The encoding's name comes from the commit, and iconv_open() loads modules by name, not all of
 * them written with care: only the names in this table reach it.
 */

static const char *const encodings[] = {
	"BIG5",        "EUC-JP",     "EUC-KR",       "GB18030",      "GBK",          "ISO-8859-1",
	"ISO-8859-15", "ISO-8859-2", "ISO-8859-5",   "ISO-8859-7",   "ISO-8859-9",   "KOI8-R",
	"KOI8-U",      "SHIFT_JIS",  "WINDOWS-1250", "WINDOWS-1251", "WINDOWS-1252",
};

static iconv_t decoder_open(struct slice encoding)
{
	const char *from = "UTF-8";

	for (size_t i = 0; i < countof(encodings); i++) {
		if (encoding.length == strlen(encodings[i]) &&
		    strncasecmp(encoding.at, encodings[i], encoding.length) == 0) {
			from = encodings[i];
		}
	}
	return iconv_open("UTF-8", from);
}

/* Every byte is a character here, so this cannot fail. */
static void append_latin1(struct str *text, struct slice line)
{
	for (size_t i = 0; i < line.length; i++) {
		unsigned char byte = (unsigned char)line.at[i];

		if (byte < 0x80) {
			str_append_char(text, (char)byte);
		} else {
			str_append_char(text, (char)(0xc0 | byte >> 6));
			str_append_char(text, (char)(0x80 | (byte & 0x3f)));
		}
	}
}

static bool append_decoded(struct str *text, struct slice line, iconv_t decoder)
{
	size_t room = 4 * line.length + 1;
	scoped(free) char *buffer = mem_alloc(room);
	char *in = (char *)(uintptr_t)line.at;
	char *out = buffer;
	size_t left = line.length;

	if (decoder == (iconv_t)-1) {
		return false;
	}
	iconv(decoder, NULL, NULL, NULL, NULL);
	if (iconv(decoder, &in, &left, &out, &room) == (size_t)-1) {
		return false;
	}
	str_append_bytes(text, buffer, (size_t)(out - buffer));
	return true;
}

static bool is_ascii(struct slice line)
{
	for (size_t i = 0; i < line.length; i++) {
		if ((unsigned char)line.at[i] >= 0x80) {
			return false;
		}
	}
	return true;
}

static void append_line(struct str *text, struct slice line, iconv_t decoder)
{
	if (is_ascii(line)) {
		str_append_bytes(text, line.at, line.length);
	} else if (!append_decoded(text, line, decoder)) {
		append_latin1(text, line);
	}
}

/* The slice cut to a limit, not within a UTF-8 character. */
static struct slice shorten(struct slice text, size_t limit_bytes)
{
	if (text.length > limit_bytes) {
		text.length = limit_bytes;
		while (text.length > 0 && ((unsigned char)text.at[text.length] & 0xc0) == 0x80) {
			text.length--;
		}
	}
	return text;
}

static const char *clean(struct arena *arena, const struct str *text, bool keep_lines,
			 size_t limit_bytes)
{
	scoped(str_release) struct str fit = STR_INIT;

	str_append_clean(&fit, text->at, text->length, keep_lines, limit_bytes);
	return arena_strndup(arena, fit.at, fit.length);
}

static const char *clean_name(struct arena *arena, struct slice name, iconv_t decoder)
{
	scoped(str_release) struct str text = STR_INIT;

	append_line(&text, shorten(name, VCS_NAME_MAX_BYTES), decoder);
	return clean(arena, &text, false, VCS_NAME_MAX_BYTES);
}

static bool is_blank(struct slice line)
{
	for (size_t i = 0; i < line.length; i++) {
		if (!strchr(" \t\r\f\v", line.at[i]) || line.at[i] == '\0') {
			return false;
		}
	}
	return true;
}

static const char *read_subject(struct arena *arena, struct slice message, iconv_t decoder)
{
	scoped(str_release) struct str text = STR_INIT;
	struct slice rest = shorten(message, (size_t)2 * VCS_SUBJECT_MAX_BYTES);
	struct slice line;

	while (slice_line(&rest, &line)) {
		if (!is_blank(line)) {
			str_append(&text, text.length > 0 ? " " : "");
			append_line(&text, line, decoder);
		} else if (text.length > 0) {
			break;
		}
	}
	while (text.length > 0 && strchr(" \r\t", text.at[text.length - 1])) {
		str_truncate(&text, text.length - 1);
	}
	return clean(arena, &text, false, VCS_SUBJECT_MAX_BYTES);
}

static const char *read_message(struct arena *arena, struct slice message, iconv_t decoder)
{
	scoped(str_release) struct str text = STR_INIT;
	struct slice rest = shorten(message, VCS_MESSAGE_MAX_BYTES);
	struct slice line;

	while (slice_line(&rest, &line)) {
		append_line(&text, line, decoder);
		str_append_char(&text, '\n');
	}
	return clean(arena, &text, true, VCS_MESSAGE_MAX_BYTES);
}

/* people and times */

#define WALL_MAX_S (INT64_MAX / 1000000000)

struct person {
	struct slice name;
	struct slice email;
	int64_t time_s;
	bool is_time_odd;
};

static struct slice trim(const char *from, const char *to)
{
	while (from < to && (*from == ' ' || *from == '\t')) {
		from++;
	}
	while (from < to && (to[-1] == ' ' || to[-1] == '\t')) {
		to--;
	}
	return (struct slice){ from, (size_t)(to - from) };
}

/* Years before 1970 and beyond what struct wall can hold exist in the wild as forgeries alone. */
static void parse_time(struct slice text, struct person *person)
{
	char digits[32] = "";
	char *end;
	long long seconds;

	memcpy(digits, text.at, text.length < sizeof(digits) ? text.length : sizeof(digits) - 1);
	seconds = strtoll(digits, &end, 10);
	person->is_time_odd = end == digits || seconds < 0 || seconds > WALL_MAX_S;
	person->time_s = seconds < 0 ? 0 : seconds > WALL_MAX_S ? WALL_MAX_S : seconds;
}

/* No more than a look: whether mail may go there is decided where mail is sent. */
static bool is_like_address(struct slice text)
{
	const char *at = text.length ? memchr(text.at, '@', text.length) : NULL;

	for (size_t i = 0; i < text.length; i++) {
		if (text.at[i] <= ' ' || text.at[i] > '~' || strchr("<>()[],;:\\\"", text.at[i])) {
			return false;
		}
	}
	return at && at > text.at && at + 1 < text.at + text.length &&
	       text.length <= VCS_NAME_MAX_BYTES;
}

static struct person parse_person(struct slice line)
{
	const char *end = line.at + line.length;
	const char *open = line.length ? memchr(line.at, '<', line.length) : NULL;
	const char *close = open ? memchr(open, '>', (size_t)(end - open)) : NULL;
	const char *last = line.length ? memrchr(line.at, '>', line.length) : NULL;
	struct person person = { .is_time_odd = true };

	person.name = trim(line.at, open ? open : end);
	if (close && is_like_address(trim(open + 1, close))) {
		person.email = trim(open + 1, close);
	}
	if (last) {
		parse_time(trim(last + 1, end), &person);
	}
	return person;
}

static struct wall wall_of(const struct person *person)
{
	return (struct wall){ person->time_s * 1000000000 };
}

/* the commit */

static void fill(const struct commit_header *header, struct arena *arena, struct vcs_commit *commit)
{
	struct person author = parse_person(header->author);
	struct person committer = parse_person(header->committer);
	iconv_t decoder = decoder_open(header->encoding);
	size_t nr = header->links.nr_parents;

	vcs_id_from(&commit->tree, &header->links.tree);
	commit->nr_parents = nr;
	for (size_t i = 0; i < nr && i < VCS_PARENTS_KEPT; i++) {
		vcs_id_from(&commit->parents[i], &header->links.parents[i]);
	}
	commit->author_name = clean_name(arena, author.name, decoder);
	commit->author_email = clean_name(arena, author.email, decoder);
	commit->author_time = wall_of(&author);
	commit->commit_time = wall_of(&committer);
	commit->is_author_time_odd = author.is_time_odd;
	commit->is_commit_time_odd = committer.is_time_odd;
	commit->subject = read_subject(arena, header->message, decoder);
	commit->message = read_message(arena, header->message, decoder);
	commit->is_message_cut = header->message.length > VCS_MESSAGE_MAX_BYTES;
	if (decoder != (iconv_t)-1) {
		iconv_close(decoder);
	}
}

bool vcs_commit_parse(const char *bytes, size_t length, struct arena *arena,
		      struct vcs_commit *ret_commit, struct err *err)
{
	struct vcs_commit commit = { 0 };
	struct commit_header header;

	if (!commit_header_parse(bytes, length, &header, err)) {
		return false;
	}
	fill(&header, arena, &commit);
	*ret_commit = commit;
	return true;
}

static const char *const *clean_paths(struct arena *arena, const struct changes *changes)
{
	const char **paths = arena_array(arena, changes->nr_paths, sizeof(*paths));

	for (size_t i = 0; i < changes->nr_paths; i++) {
		scoped(str_release) struct str text = STR_INIT;

		str_append(&text, changes->paths[i]);
		paths[i] = clean(arena, &text, false, text.length);
	}
	return paths;
}

bool vcs_commit_read(struct vcs *vcs, const struct vcs_id *id, struct arena *arena,
		     struct vcs_commit *ret_commit, struct err *err)
{
	scoped(git_odb_object_free) git_odb_object *object = NULL;
	struct vcs_commit commit = { 0 };
	struct changes changes;
	git_oid oid;

	vcs_id_to(id, &oid);
	if (!commit_object_read(vcs, &oid, &object, err) ||
	    !vcs_commit_parse(git_odb_object_data(object), git_odb_object_size(object), arena,
			      &commit, err) ||
	    !changes_read(vcs, &oid, arena, &changes, err)) {
		return err_wrap(err, "commit '%s'", id->text);
	}
	commit.id = *id;
	commit.paths = clean_paths(arena, &changes);
	commit.nr_paths = changes.nr_paths;
	commit.nr_changed = changes.nr;
	commit.is_docs_only = changes.is_docs_only;
	*ret_commit = commit;
	return true;
}
