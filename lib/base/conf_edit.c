/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf.h"
#include "conf_syntax.h"
#include "mem.h"

static void fd_close(int *fd)
{
	if (*fd >= 0) {
		close(*fd);
	}
}
DEFINE_SCOPED_EMBEDDED(fd_close, int)

/* One editor at a time: the lock is the folder's, since the file is another one after each edit,
 * and goes with the descriptor.  Blocks while another edits. */
static bool lock_folder(const char *path, int *ret_fd, struct err *err)
{
	const char *slash = strrchr(path, '/');
	scoped(free) char *folder =
		slash ? mem_strndup(path, (size_t)(slash - path) + 1) : mem_strdup(".");
	scoped(fd_close) int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "lock folder '%s'", folder);
	}
	*ret_fd = fd;
	fd = -1;
	return true;
}

/* Keeps the file's mode; a new one is for all to read. */
static bool write_text(const char *path, const struct str *text, struct err *err)
{
	struct stat status;
	unsigned mode = stat(path, &status) == 0 ? status.st_mode & 0777U : 0644;

	return str_write_file(path, text->at, text->length, mode, err);
}

/* Appends what stands in front of a section that goes, without the empty line that
 * conf_file_add() made there. */
static void keep_before(struct str *rest, const char *from, const char *to)
{
	str_append_bytes(rest, from, (size_t)(to - from));
	if (str_has_suffix(rest->at, "\n\n")) {
		str_truncate(rest, rest->length - 1);
	}
}

/* Copies the text without the section's lines.  Where it comes first, the empty line behind it goes
 * too. */
static bool cut_section(const char *file, const char *text, const char *section, const char *name,
			struct str *ret_rest, bool *ret_was_there, struct err *err)
{
	scoped(conf_reader_release) struct conf_reader reader;
	struct conf_entry entry;
	const char *kept = text;
	bool is_inside = false;

	*ret_was_there = false;
	conf_reader_init(&reader, file, text);
	while (conf_reader_next(&reader, &entry, err)) {
		if (entry.kind == CONF_END) {
			str_append(ret_rest, kept);
			return true;
		}
		if (entry.kind == CONF_HEADER) {
			is_inside = strcmp(entry.section, section) == 0 &&
				    strcmp(entry.name, name) == 0;
		}
		if (!is_inside) {
			continue;
		}
		if (entry.kind == CONF_HEADER) {
			keep_before(ret_rest, kept, entry.start);
			*ret_was_there = true;
		}
		kept = entry.end;
		kept += ret_rest->length == 0 && *kept == '\n';
	}
	return false;
}

bool conf_file_add(const char *path, const char *section, const char *name,
		   const char *const *keys_and_values, size_t nr_pairs, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;
	scoped(str_release) struct str rest = STR_INIT;
	scoped(fd_close) int lock = -1;
	struct err why = ERR_INIT;
	bool is_there;

	if (!lock_folder(path, &lock, err)) {
		return false;
	}
	if (!conf_read_text(path, &text, &why) && why.kind != ERR_ABSENT) {
		return err_set(err, why.kind, "%s", why.message);
	}
	if (!cut_section(path, text.at, section, name, &rest, &is_there, err)) {
		return false;
	}
	if (is_there) {
		return err_set(err, ERR_CONFLICT, "'%s' has a section %s '%s' already", path,
			       section, name);
	}
	if (text.length > 0) {
		str_append(&text, str_has_suffix(text.at, "\n") ? "\n" : "\n\n");
	}
	if (!conf_write_header(&text, section, name, err)) {
		return false;
	}
	for (size_t i = 0; i < nr_pairs; i++) {
		if (!conf_write_value(&text, keys_and_values[2 * i], keys_and_values[2 * i + 1],
				      err)) {
			return false;
		}
	}
	return write_text(path, &text, err);
}

bool conf_file_remove(const char *path, const char *section, const char *name, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;
	scoped(str_release) struct str rest = STR_INIT;
	scoped(fd_close) int lock = -1;
	bool was_there;

	if (!lock_folder(path, &lock, err) || !conf_read_text(path, &text, err) ||
	    !cut_section(path, text.at, section, name, &rest, &was_there, err)) {
		return false;
	}
	if (!was_there) {
		return err_set(err, ERR_ABSENT, "'%s' has no section %s '%s'", path, section, name);
	}
	return write_text(path, &rest, err);
}
