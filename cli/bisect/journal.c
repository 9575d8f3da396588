/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "lib/base/str.h"

#define SCHEMA      1
#define LIMIT_BYTES ((size_t)1 << 30)

static bool write_line(int fd, const struct json *json, struct err *err)
{
	scoped(free) char *text = json_write(json, FORM_COMPACT);
	scoped(free) char *line = mem_printf("%s\n", text);
	const char *at = line;
	size_t left = strlen(line);

	while (left > 0) {
		ssize_t put = write(fd, at, left);

		if (put < 0 && errno != EINTR) {
			return err_set_errno(err, ERR_BROKEN, errno, "write the journal");
		}
		at += put > 0 ? put : 0;
		left -= put > 0 ? (size_t)put : 0;
	}
	return fdatasync(fd) == 0 || err_set_errno(err, ERR_BROKEN, errno, "sync the journal");
}

static bool take_line(struct journal *journal, struct json *take_line, struct err *err)
{
	struct journal_entry entry = { .line = take_line };

	entry.commit = json_text(json_get(take_line, "commit"));
	entry.run = json_get(take_line, "run");
	entry.place = json_int(json_get(take_line, "place"), 0);
	entry.took_s = json_number(json_get(take_line, "took_s"), 0);
	*vec_push(&journal->entries) = entry;
	return (entry.commit && json_kind(entry.run) == KIND_OBJECT) ||
	       err_set(err, ERR_INPUT, "no run");
}

/* Line 0 is the first. */
static bool read_line(struct journal *journal, size_t number, const char *line, size_t length,
		      struct err *err)
{
	scoped(json_free) struct json *json = NULL;

	if (!json_parse("journal", line, length, &json, err)) {
		return false;
	}
	if (number > 0) {
		return take_line(journal, move(&json), err);
	}
	return json_int(json_get(json, "schema"), 0) == SCHEMA ||
	       err_set(err, ERR_INPUT, "'schema': expected %d", SCHEMA);
}

/* Gives the length of the whole lines. */
static bool read_lines(struct journal *journal, const char *path, size_t *ret_length,
		       struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;
	size_t from = 0;

	if (!str_read_regular(&text, path, LIMIT_BYTES, err)) {
		return false;
	}
	for (size_t number = 0;; number++) {
		const char *line = text.at + from;
		const char *end = memchr(line, '\n', text.length - from);

		if (!end) {
			*ret_length = from;
			return true;
		}
		if (!read_line(journal, number, line, (size_t)(end - line), err)) {
			return err_wrap(err, "%s:%zu", path, number + 1);
		}
		from += (size_t)(end - line) + 1;
	}
}

static bool write_header(struct journal *journal, const struct json *recipe, struct err *err)
{
	scoped(json_free) struct json *json = json_new_object();

	json_put_int(json, "schema", SCHEMA);
	json_put(json, "recipe", json_clone(recipe));
	return write_line(journal->fd, json, err);
}

bool journal_open(const char *path, const struct json *recipe, struct journal **ret_journal,
		  struct err *err)
{
	scoped(journal_close) struct journal *journal = mem_alloc(sizeof(*journal));
	size_t length = 0;

	journal->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (journal->fd < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "open '%s'", path);
	}
	if (!read_lines(journal, path, &length, err)) {
		return false;
	}
	if (ftruncate(journal->fd, (off_t)length) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "cut '%s'", path);
	}
	if (length == 0 && !write_header(journal, recipe, err)) {
		return false;
	}
	*ret_journal = move(&journal);
	return true;
}

struct journal *journal_close(struct journal *journal)
{
	if (journal) {
		for (size_t i = 0; i < journal->entries.nr; i++) {
			json_free(journal->entries.at[i].line);
		}
		vec_release(&journal->entries);
		if (journal->fd >= 0) {
			close(journal->fd);
		}
		free(journal);
	}
	return NULL;
}

bool journal_append(struct journal *journal, const char *commit, size_t place, double took_s,
		    struct json *take_run, struct err *err)
{
	scoped(json_free) struct json *line = json_new_object();

	json_put_text(line, "commit", commit);
	json_put_int(line, "place", (int64_t)place);
	json_put_number(line, "took_s", took_s);
	json_put(line, "run", take_run);
	return write_line(journal->fd, line, err) && take_line(journal, move(&line), err);
}
