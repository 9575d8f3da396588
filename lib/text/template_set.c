/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "template_set.h"

#include "lib/base/mem.h"

struct entry {
	const char *name; /* the template's own */
	struct template *template;
};

struct template_set {
	VEC(struct entry) entries; /* sorted by name */
};

/* The suffix says what a file is. */
static const struct {
	const char *suffix;
	enum template_mode mode;
} suffixes[] = {
	{ ".html", TEMPLATE_HTML },
	{ ".txt", TEMPLATE_PLAIN },
};

struct template_set *template_set_new(void)
{
	return mem_alloc(sizeof(struct template_set));
}

struct template_set *template_set_free(struct template_set *set)
{
	if (set) {
		for (size_t i = 0; i < set->entries.nr; i++) {
			template_free(set->entries.at[i].template);
		}
		vec_release(&set->entries);
		free(set);
	}
	return NULL;
}

/* Where the name is, or belongs. */
static size_t find(const struct template_set *set, const char *name, bool *ret_is_there)
{
	size_t low = 0;
	size_t high = set->entries.nr;

	*ret_is_there = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(name, set->entries.at[middle].name);

		if (order == 0) {
			*ret_is_there = true;
			return middle;
		}
		if (order < 0) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return low;
}

const struct template *template_set_get(const struct template_set *set, const char *name)
{
	bool is_there = false;
	size_t at = set ? find(set, name, &is_there) : 0;

	return is_there ? set->entries.at[at].template : NULL;
}

bool template_set_add(struct template_set *set, const char *name, const char *bytes, size_t length,
		      enum template_mode mode, struct err *err)
{
	struct template *template = NULL;
	bool is_there;
	size_t at = find(set, name, &is_there);

	if (is_there) {
		return err_set(err, ERR_CONFLICT, "there are two templates called '%s'", name);
	}
	if (!template_parse(name, bytes, length, mode, &template, err)) {
		return false;
	}
	*vec_push(&set->entries) = (struct entry){ 0 };
	memmove(&set->entries.at[at + 1], &set->entries.at[at],
		(set->entries.nr - 1 - at) * sizeof(*set->entries.at));
	set->entries.at[at] = (struct entry){ template_name(template), template };
	return true;
}

/* Passes over a file whose suffix is not one of ours. */
static bool add_file(struct template_set *set, const char *file, const char *bytes, size_t length,
		     struct err *err)
{
	for (size_t i = 0; i < countof(suffixes); i++) {
		if (str_has_suffix(file, suffixes[i].suffix)) {
			scoped(free) char *name =
				mem_strndup(file, strlen(file) - strlen(suffixes[i].suffix));

			return template_set_add(set, name, bytes, length, suffixes[i].mode, err);
		}
	}
	return true;
}

bool template_set_add_files(struct template_set *set, const struct template_file *files,
			    size_t nr_files, struct err *err)
{
	for (size_t i = 0; i < nr_files; i++) {
		if (!add_file(set, files[i].name, files[i].text, files[i].length, err)) {
			return false;
		}
	}
	return true;
}

bool template_set_check(const struct template_set *set, struct err *err)
{
	for (size_t i = 0; i < set->entries.nr; i++) {
		const struct template *template = set->entries.at[i].template;
		const char *name;

		for (size_t j = 0; (name = template_partial(template, j)); j++) {
			const struct template *partial = template_set_get(set, name);

			if (!partial || template_mode(partial) != template_mode(template)) {
				return err_set(err, ERR_ABSENT,
					       "template '%s': there is no partial '%s' %s",
					       template_name(template), name,
					       partial ? "of its mode" : "in the set");
			}
		}
	}
	return true;
}
