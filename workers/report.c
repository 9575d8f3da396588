/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "tree.h"

#define NAME "finish.json"

/* --- writing --- */

/* Hash and size of a file that is on the disk for good. */
static bool take_file(const char *path, struct arena *arena, struct proto_file *ret_file,
		      struct err *err)
{
	struct hash_stream *stream = hash_stream_new();
	char *hex = arena_alloc(arena, HASH_TEXT_BYTES);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char bytes[65536];
	struct hash hash;
	int64_t size = 0;
	ssize_t got = -1;

	while (fd >= 0 && (got = read(fd, bytes, sizeof(bytes))) > 0) {
		hash_stream_add(stream, bytes, (size_t)got);
		size += got;
	}
	hash_stream_free(stream, &hash);
	if (fd < 0 || got < 0 || fsync(fd) != 0) {
		int error_number = errno;

		if (fd >= 0) {
			close(fd);
		}
		return err_set_errno(err, ERR_BROKEN, error_number, "read '%s'", path);
	}
	close(fd);
	hash_format(&hash, hex);
	ret_file->size = size;
	ret_file->sha256 = hex;
	return true;
}

static bool take_files(const char *folder, struct arena *arena, struct proto_files *ret_files,
		       struct err *err)
{
	scoped(tree_free) struct tree *tree = NULL;
	struct proto_file *files;
	size_t nr = 0;

	if (!tree_read(folder, NAME, &tree, err)) {
		return false;
	}
	files = arena_array(arena, tree_nr(tree), sizeof(*files));
	for (size_t i = 0; i < tree_nr(tree); i++) {
		const char *name = tree_name(tree, i);

		if (!is_tree_file(tree, i) || !is_proto_file_name(name)) {
			continue;
		}
		files[nr].name = arena_strdup(arena, name);
		if (!take_file(arena_printf(arena, "%s/%s", folder, name), arena, &files[nr],
			       err)) {
			return false;
		}
		nr++;
	}
	*ret_files = (struct proto_files){ files, nr };
	return true;
}

bool report_write(const char *folder, const struct proto_finish *finish, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(free) char *path = mem_printf("%s/" NAME, folder);
	struct proto_finish whole = *finish;
	scoped(json_free) struct json *json = NULL;
	scoped(free) char *text = NULL;

	if (!take_files(folder, arena, &whole.files, err)) {
		return false;
	}
	json = proto_encode(&proto_finish_message, &whole);
	text = json_write(json, FORM_COMPACT);
	return str_write_file(path, text, strlen(text), 0600, err);
}

/* --- delivering --- */

bool is_report(const char *folder)
{
	scoped(free) char *path = mem_printf("%s/" NAME, folder);

	return access(path, F_OK) == 0;
}

/* The record's texts live in the arena; it has no JSON members. */
static bool read_report(const char *folder, struct arena *arena, struct proto_finish *ret_finish,
			struct err *err)
{
	char *path = arena_printf(arena, "%s/" NAME, folder);
	scoped(json_free) struct json *json = NULL;

	return json_read_file(path, PROTO_JSON_LIMIT_BYTES, &json, err) &&
	       proto_decode(&proto_finish_message, json, arena, ret_finish, err);
}

bool report_upload(struct client *client, const struct proto_lease *lease, const char *folder,
		   struct span patience, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	struct proto_finish finish;

	if (!read_report(folder, arena, &finish, err)) {
		return false;
	}
	for (size_t i = 0; i < finish.files.nr; i++) {
		const struct proto_file *file = &finish.files.at[i];
		const struct client_file sent = {
			.lease = lease->lease,
			.secret = lease->secret,
			.path = arena_printf(arena, "%s/%s", folder, file->name),
			.file = *file,
		};

		if (!client_put_file(client, &sent, patience, err)) {
			return false;
		}
	}
	return true;
}

bool report_finish(struct client *client, const struct proto_lease *lease, const char *folder,
		   struct span patience, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *answer = NULL;
	struct proto_finish finish;
	struct proto_finished finished;
	const struct client_call call = { .id = PROTO_CALL_FINISH,
					  .number = lease->lease,
					  .request = &finish,
					  .patience = patience };

	return read_report(folder, arena, &finish, err) &&
	       client_call(client, &call, arena, &finished, &answer, err);
}
