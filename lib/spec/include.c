/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "include.h"

#include "lib/base/str.h"

/* The files on the way from the first one down to this one. */
struct chain {
	const char *name; /* within the folder */
	const struct chain *up;
	int nr;
};

static const char *const joined[] = { "params", "needs" };

static bool is_joined(const char *name)
{
	for (size_t i = 0; i < countof(joined); i++) {
		if (strcmp(joined[i], name) == 0) {
			return true;
		}
	}
	return false;
}

static void append(struct node *map, struct node **tail, struct node *member)
{
	*(*tail ? &(*tail)->next : &map->first) = member;
	*tail = member;
	map->nr++;
}

/* A map of the defaults' members, each replaced where `map` has it too, then the rest of `map`. */
static const struct node *join(struct arena *arena, const struct node *map,
			       const struct node *defaults, bool is_top)
{
	struct node *both = arena_alloc(arena, sizeof(*both));
	struct node *tail = NULL;

	*both = *map;
	both->first = NULL;
	both->nr = 0;
	for (const struct node *old = defaults->first; old; old = old->next) {
		const struct node *new = node_get(map, old->name);
		struct node *member = arena_alloc(arena, sizeof(*member));

		if (is_top && new &&new->kind == NODE_MAP &&
		    old->kind == NODE_MAP &&is_joined(old->name)) {
			new = join(arena, new, old, false);
		}
		*member = new ? *new : *old;
		member->next = NULL;
		append(both, &tail, member);
	}
	for (const struct node *new = map->first; new; new = new->next) {
		if (!node_get(defaults, new->name)) {
			struct node *member = arena_alloc(arena, sizeof(*member));

			*member = *new;
			member->next = NULL;
			append(both, &tail, member);
		}
	}
	return both;
}

static bool check_include(const struct chain *chain, const struct node *include, struct err *err)
{
	if (include->kind != NODE_TEXT || include->text[0] == '\0' || include->text[0] == '.' ||
	    strchr(include->text, '/')) {
		return node_refuse(include, err, "the name of a file in the same folder");
	}
	for (const struct chain *file = chain; file; file = file->up) {
		if (strcmp(file->name, include->text) == 0) {
			return node_fail(include, err, "'%.40s' includes itself; expected no cycle",
					 include->text);
		}
	}
	if (chain->nr == INCLUDE_LIMIT_FILES) {
		return node_fail(include, err,
				 "more than %d files include each other; expected fewer",
				 INCLUDE_LIMIT_FILES);
	}
	return true;
}

static bool read_tree(struct arena *arena, const char *path, const struct node **ret_root,
		      struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;

	if (str_read_regular(&text, path, NODE_LIMIT_BYTES, err)) {
		return node_read_yaml(arena, path, text.at, text.length, ret_root, err);
	}
	if (err && err->kind == ERR_TOO_BIG) {
		err_set(err, ERR_TOO_BIG, "%s:1:1: more than %d bytes; expected a smaller file",
			path, NODE_LIMIT_BYTES);
	}
	return false;
}

static bool read_file(struct arena *arena, const char *folder, const struct chain *chain,
		      const struct node **ret_root, struct err *err)
{
	const char *path = arena_printf(arena, "%s%s", folder, chain->name);
	const struct node *root = NULL;
	const struct node *include;
	const struct node *defaults = NULL;

	if (!read_tree(arena, path, &root, err)) {
		return false;
	}
	include = node_get(root, "include");
	if (!include) {
		*ret_root = root;
		return true;
	}
	if (!check_include(chain, include, err)) {
		return false;
	}
	if (!read_file(arena, folder, &(struct chain){ include->text, chain, chain->nr + 1 },
		       &defaults, err)) {
		if (err && err->kind == ERR_ABSENT) {
			node_fail(include, err, "%s", err->message);
		}
		return false;
	}
	assert(defaults);
	if (defaults->kind != NODE_MAP) {
		return node_refuse(defaults, err, "a map of keys and values");
	}
	*ret_root = join(arena, root, defaults, true);
	return true;
}

bool include_read(struct arena *arena, const char *path, const struct node **ret_root,
		  struct err *err)
{
	const char *slash = strrchr(path, '/');
	const char *folder = slash ? arena_strndup(arena, path, (size_t)(slash + 1 - path)) : "";
	struct chain first = { slash ? slash + 1 : path, NULL, 1 };

	return read_file(arena, folder, &first, ret_root, err);
}
