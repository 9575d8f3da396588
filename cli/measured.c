/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measured.h"

#include "layout.h"
#include "lib/base/mem.h"

/* A text of a document that the API must have. */
static bool take_text(const struct json *document, const char *path, char **ret_text,
		      struct err *err)
{
	const char *text = json_text(layout_at(document, path));

	if (!text) {
		return err_set(err, ERR_REMOTE, "the answer has no '%s'", path);
	}
	*ret_text = mem_strdup(text);
	return true;
}

/* The document of "series:N" or "run:N". */
static bool read_numbered(struct online *online, const char *word, const char *api,
			  struct json **ret_document, struct err *err)
{
	scoped(str_release) struct str path = STR_INIT;
	const char *number = strchr(word, ':') + 1;
	int64_t value;

	if (!str_to_int(number, 1, INT64_MAX, &value, err)) {
		return err_wrap(err, "'%s'", word);
	}
	str_printf(&path, "%s%s", api, number);
	if (!online_document(online, path.at, ret_document, err)) {
		return err->kind == ERR_ABSENT ? err_set(err, ERR_ABSENT, "there is no '%s'", word)
					       : false;
	}
	return true;
}

static const struct json *find_named(const struct json *array, const char *member, const char *name)
{
	for (size_t i = 0; i < json_size(array); i++) {
		const char *text = json_text(json_get(json_at(array, i), member));

		if (text && strcmp(text, name) == 0) {
			return json_at(array, i);
		}
	}
	return NULL;
}

static bool find_branch(struct online *online, const char *word, char **ret_commit, struct err *err)
{
	scoped(json_free) struct json *document = NULL;
	const char *branch = strchr(word, ':') + 1;
	scoped(free) char *name = mem_strndup(word, (size_t)(branch - 1 - word));
	const struct json *tree;
	const struct json *head;

	if (!online_document(online, "/api/v1/repositories", &document, err)) {
		return false;
	}
	tree = find_named(json_get(document, "repositories"), "name", name);
	if (!tree) {
		return err_set(err, ERR_ABSENT,
			       "'%s': no tree '%s'; 'patchmeter ls repositories' lists them", word,
			       name);
	}
	head = find_named(json_get(tree, "heads"), "ref", branch);
	if (!head) {
		return err_set(err, ERR_ABSENT, "'%s': the tree has no such branch", word);
	}
	return take_text(head, "commit", ret_commit, err);
}

bool measured_ends(struct online *online, const char *word, char **ret_base, char **ret_tip,
		   struct err *err)
{
	scoped(json_free) struct json *document = NULL;
	scoped(free) char *base = NULL;

	if (!str_has_prefix(word, "series:")) {
		return err_set(err, ERR_INPUT, "'%s': expected two commits, or series:N", word);
	}
	if (!read_numbered(online, word, "/api/v1/series/", &document, err) ||
	    !take_text(document, "base.commit", &base, err) ||
	    !take_text(document, "tip.commit", ret_tip, err)) {
		return false;
	}
	*ret_base = move(&base);
	return true;
}

bool measured_commit(struct online *online, const char *word, char **ret_commit, struct err *err)
{
	scoped(json_free) struct json *document = NULL;
	scoped(free) char *base = NULL;

	if (is_measured_commit(word)) {
		*ret_commit = mem_strdup(word);
		return true;
	}
	if (str_has_prefix(word, "series:")) {
		return measured_ends(online, word, &base, ret_commit, err);
	}
	if (str_has_prefix(word, "run:")) {
		return read_numbered(online, word, "/api/v1/runs/", &document, err) &&
		       take_text(document, "commit", ret_commit, err);
	}
	if (strchr(word, ':')) {
		return find_branch(online, word, ret_commit, err);
	}
	return err_set(err, ERR_INPUT, "'%s': expected a commit, TREE:BRANCH, series:N or run:N",
		       word);
}

char *measured_path(const char *base, const char *head)
{
	struct str path = STR_INIT;

	str_append(&path, "/api/v1/compare?base=");
	online_append(&path, base);
	str_append(&path, "&head=");
	online_append(&path, head);
	str_append(&path, "&show=all");
	return str_detach(&path);
}
