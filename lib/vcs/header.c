/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "header.h"

bool slice_line(struct slice *rest, struct slice *ret_line)
{
	const char *end;

	if (rest->length == 0) {
		return false;
	}
	end = memchr(rest->at, '\n', rest->length);
	*ret_line = (struct slice){ rest->at, end ? (size_t)(end - rest->at) : rest->length };
	rest->at += ret_line->length + (end ? 1 : 0);
	rest->length -= ret_line->length + (end ? 1 : 0);
	return true;
}

/* The value of a line "KEY VALUE". */
static bool has_key(struct slice line, const char *key, struct slice *ret_value)
{
	size_t length = strlen(key);

	if (line.length <= length || memcmp(line.at, key, length) != 0 || line.at[length] != ' ') {
		return false;
	}
	*ret_value = (struct slice){ line.at + length + 1, line.length - length - 1 };
	return true;
}

static bool parse_id(struct slice value, git_oid *ret_oid)
{
	struct vcs_id id = { 0 };

	if (value.length != VCS_ID_BYTES - 1) {
		return false;
	}
	memcpy(id.text, value.at, value.length);
	if (!is_vcs_id_text(id.text)) {
		return false;
	}
	vcs_id_to(&id, ret_oid);
	return true;
}

static void parse_rest(struct slice *rest, struct commit_header *header)
{
	struct {
		const char *key;
		struct slice *place;
	} fields[] = {
		{ "author", &header->author },
		{ "committer", &header->committer },
		{ "encoding", &header->encoding },
	};
	struct slice line;
	struct slice value;

	while (slice_line(rest, &line) && line.length > 0) {
		for (size_t i = 0; i < countof(fields); i++) {
			if (!fields[i].place->at && has_key(line, fields[i].key, &value)) {
				*fields[i].place = value;
			}
		}
	}
}

bool commit_header_parse(const char *bytes, size_t length, struct commit_header *ret_header,
			 struct err *err)
{
	struct commit_header header = { 0 };
	struct slice rest = { bytes, length };
	struct slice line;
	struct slice value;

	if (!slice_line(&rest, &line) || !has_key(line, "tree", &value) ||
	    !parse_id(value, &header.links.tree)) {
		return err_set(err, ERR_INPUT, "malformed commit: its first line names no tree");
	}
	for (;;) {
		struct slice after = rest;
		git_oid parent;

		if (!slice_line(&after, &line) || !has_key(line, "parent", &value)) {
			break;
		}
		if (!parse_id(value, &parent)) {
			return err_set(err, ERR_INPUT, "malformed commit: parent %zu is no id",
				       header.links.nr_parents + 1);
		}
		if (header.links.nr_parents < VCS_PARENTS_KEPT) {
			header.links.parents[header.links.nr_parents] = parent;
		}
		header.links.nr_parents++;
		rest = after;
	}
	parse_rest(&rest, &header);
	header.message = rest;
	*ret_header = header;
	return true;
}

bool commit_object_read(struct vcs *vcs, const git_oid *oid, git_odb_object **ret_object,
			struct err *err)
{
	scoped(git_odb_object_free) git_odb_object *object = NULL;
	git_object_t type;
	size_t size;
	int code = git_odb_read_header(&size, &type, vcs->odb, oid);

	if (code == 0 && type != GIT_OBJECT_COMMIT) {
		return err_set(err, ERR_INPUT, "'%s' is not a commit", git_oid_tostr_s(oid));
	}
	if (code == 0 && size > COMMIT_MAX_BYTES) {
		return err_set(err, ERR_TOO_BIG, "commit '%s' has %zu bytes", git_oid_tostr_s(oid),
			       size);
	}
	if (code != 0 || (code = git_odb_read(&object, vcs->odb, oid)) != 0) {
		return vcs_fail(err, code, "read commit '%s'", git_oid_tostr_s(oid));
	}
	*ret_object = move(&object);
	return true;
}

bool commit_links_read(struct vcs *vcs, const git_oid *oid, struct commit_links *ret_links,
		       struct err *err)
{
	scoped(git_odb_object_free) git_odb_object *object = NULL;
	struct commit_header header;

	if (!commit_object_read(vcs, oid, &object, err) ||
	    !commit_header_parse(git_odb_object_data(object), git_odb_object_size(object), &header,
				 err)) {
		return false;
	}
	*ret_links = header.links;
	return true;
}
