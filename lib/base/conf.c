/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf.h"

#include <limits.h>

#include "conf_syntax.h"
#include "conf_value.h"
#include "mem.h"

/* Files count up from 1; the command line beats them all. */
#define COMMAND_LINE INT_MAX

/* The values of one key under one header, all from the same source. */
struct setting {
	const struct conf_key *row;
	const char *name;
	int source;
	VEC(const char *) values;
};

/* The names under which a section stands. */
struct section {
	const char *section;
	VEC(const char *) names;
};

struct conf {
	struct arena *arena;
	const struct conf_key *keys;
	size_t nr_keys;
	int nr_files;
	VEC(struct setting) settings;
	VEC(struct section) sections;
};

/* rows */

static const struct conf_key *find_section(const struct conf *conf, const char *section)
{
	for (size_t i = 0; i < conf->nr_keys; i++) {
		if (strcmp(conf->keys[i].section, section) == 0) {
			return &conf->keys[i];
		}
	}
	return NULL;
}

static const struct conf_key *find_row(const struct conf *conf, const char *section,
				       const char *key)
{
	for (size_t i = 0; i < conf->nr_keys; i++) {
		const struct conf_key *row = &conf->keys[i];

		if (strcmp(row->section, section) == 0 && strcmp(row->key, key) == 0) {
			return row;
		}
	}
	return NULL;
}

/* "unknown WHAT 'wrong'", and the nearest of the names. */
static bool fail_unknown(const char *what, const char *wrong, const char *nearest, struct err *err)
{
	return err_set(err, ERR_INPUT, "unknown %s '%.40s'%s%s%s", what, wrong,
		       nearest ? ", did you mean '" : "", nearest ? nearest : "",
		       nearest ? "'" : "");
}

/* Gives the section's text in the table, which outlives the file's. */
static bool check_header(const struct conf *conf, const char *section, const char *name,
			 const char **ret_section, struct err *err)
{
	const struct conf_key *row = find_section(conf, section);

	if (!row) {
		return fail_unknown("section", section,
				    str_nearest(section, &conf->keys[0].section, conf->nr_keys,
						sizeof(conf->keys[0])),
				    err);
	}
	if (*name && !(row->flags & CONF_NAMED)) {
		return err_set(err, ERR_INPUT, "section '%s' takes no name", section);
	}
	if (!*name && (row->flags & CONF_NAMED)) {
		return err_set(err, ERR_INPUT, "section '%s' needs a name", section);
	}
	*ret_section = row->section;
	return true;
}

static bool find_key(const struct conf *conf, const char *section, const char *key,
		     const struct conf_key **ret_row, struct err *err)
{
	const struct conf_key *row = find_row(conf, section, key);
	VEC(const char *) names = { 0 };
	const char *nearest;

	if (row) {
		*ret_row = row;
		return true;
	}
	for (size_t i = 0; i < conf->nr_keys; i++) {
		if (strcmp(conf->keys[i].section, section) == 0) {
			*vec_push(&names) = conf->keys[i].key;
		}
	}
	nearest = str_nearest(key, names.at, names.nr, sizeof(*names.at));
	vec_release(&names);
	return fail_unknown("key", key, nearest, err);
}

/* storing */

/* `section` is kept by address. */
static void note_name(struct conf *conf, const char *section, const char *name)
{
	struct section *found = NULL;

	for (size_t i = 0; i < conf->sections.nr; i++) {
		if (strcmp(conf->sections.at[i].section, section) == 0) {
			found = &conf->sections.at[i];
		}
	}
	for (size_t i = 0; found && i < found->names.nr; i++) {
		if (strcmp(found->names.at[i], name) == 0) {
			return;
		}
	}
	if (!found) {
		found = vec_push(&conf->sections);
		*found = (struct section){ .section = section };
	}
	*vec_push(&found->names) = arena_strdup(conf->arena, name);
}

static struct setting *find_setting(const struct conf *conf, const struct conf_key *row,
				    const char *name)
{
	for (size_t i = 0; i < conf->settings.nr; i++) {
		struct setting *setting = &conf->settings.at[i];

		if (setting->row == row && strcmp(setting->name, name) == 0) {
			return setting;
		}
	}
	return NULL;
}

static bool store(struct conf *conf, const struct conf_key *row, const char *name,
		  const char *value, int source, struct err *err)
{
	struct setting *setting = find_setting(conf, row, name);

	if (!setting) {
		setting = vec_push(&conf->settings);
		*setting = (struct setting){ .row = row,
					     .name = arena_strdup(conf->arena, name),
					     .source = source };
	}
	if (source < setting->source) {
		return true;
	}
	if (source == setting->source && setting->values.nr > 0 && !(row->flags & CONF_REPEATED)) {
		if (source != COMMAND_LINE) {
			return err_set(err, ERR_INPUT, "given twice");
		}
		setting->values.nr = 0;
	}
	if (source > setting->source) {
		setting->source = source;
		setting->values.nr = 0;
	}
	*vec_push(&setting->values) = arena_strdup(conf->arena, value);
	return true;
}

static bool add_entry(struct conf *conf, const struct conf_reader *reader,
		      const struct conf_entry *entry, struct err *err)
{
	const struct conf_key *row = NULL;
	const char *section = NULL;
	const char *at = entry->key_at;
	struct err why = ERR_INIT;

	if (entry->kind == CONF_HEADER) {
		if (!check_header(conf, entry->section, entry->name, &section, &why)) {
			return conf_reader_fail(reader, at, err, "%s", why.message);
		}
		note_name(conf, section, entry->name);
		return true;
	}
	if (find_key(conf, entry->section, entry->key, &row, &why)) {
		if (conf_value_check(row, entry->value, &why) &&
		    store(conf, row, entry->name, entry->value, conf->nr_files, &why)) {
			return true;
		}
		err_wrap(&why, "'%s'", entry->key);
		at = entry->value_at;
	}
	return conf_reader_fail(reader, at, err, "%s", why.message);
}

struct conf *conf_new(const struct conf_key *keys, size_t nr_keys)
{
	struct conf *conf = mem_alloc(sizeof(*conf));
	struct err err = ERR_INIT;

	for (size_t i = 0; i < nr_keys; i++) {
		if (keys[i].fallback && !conf_value_check(&keys[i], keys[i].fallback, &err)) {
			bug("fallback of '%s.%s': %s", keys[i].section, keys[i].key, err.message);
		}
	}
	conf->arena = arena_new();
	conf->keys = keys;
	conf->nr_keys = nr_keys;
	return conf;
}

struct conf *conf_free(struct conf *conf)
{
	if (!conf) {
		return NULL;
	}
	for (size_t i = 0; i < conf->settings.nr; i++) {
		vec_release(&conf->settings.at[i].values);
	}
	for (size_t i = 0; i < conf->sections.nr; i++) {
		vec_release(&conf->sections.at[i].names);
	}
	vec_release(&conf->settings);
	vec_release(&conf->sections);
	arena_free(conf->arena);
	free(conf);
	return NULL;
}

bool conf_parse(struct conf *conf, const char *file, const char *text, struct err *err)
{
	scoped(conf_reader_release) struct conf_reader reader;
	struct conf_entry entry;

	conf_reader_init(&reader, file, text);
	conf->nr_files++;
	while (conf_reader_next(&reader, &entry, err)) {
		if (entry.kind == CONF_END) {
			return true;
		}
		if (!add_entry(conf, &reader, &entry, err)) {
			return false;
		}
	}
	return false;
}

bool conf_read(struct conf *conf, const char *path, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;

	return conf_read_text(path, &text, err) && conf_parse(conf, path, text.at, err);
}

bool conf_set(struct conf *conf, const char *assignment, struct err *err)
{
	const char *equals = strchr(assignment, '=');
	scoped(free) char *path =
		mem_strndup(assignment, equals ? (size_t)(equals - assignment) : 0);
	char *key = strrchr(path, '.');
	char *name = strchr(path, '.');
	const struct conf_key *row = NULL;
	const char *section = NULL;

	if (!equals || !key) {
		return err_set(err, ERR_INPUT,
			       "'%s': expected SECTION.KEY=VALUE or SECTION.NAME.KEY=VALUE",
			       assignment);
	}
	/* A name may hold dots of its own: the key begins behind the last one. */
	*key++ = '\0';
	if (name + 1 < key) {
		*name++ = '\0';
	} else {
		name = path + strlen(path);
	}
	if (!check_header(conf, path, name, &section, err) ||
	    !find_key(conf, path, key, &row, err) || !conf_value_check(row, equals + 1, err)) {
		return err_wrap(err, "'%s'", assignment);
	}
	if (*name) {
		note_name(conf, section, name);
	}
	return store(conf, row, name, equals + 1, COMMAND_LINE, err);
}

/* asking */

static const struct conf_key *need_row(const struct conf *conf, const char *section,
				       const char *key)
{
	const struct conf_key *row = find_row(conf, section, key);

	if (!row) {
		bug("no row for '%s.%s'", section, key);
	}
	return row;
}

const char *conf_text(const struct conf *conf, const char *section, const char *name,
		      const char *key)
{
	const struct conf_key *row = need_row(conf, section, key);
	const struct setting *setting = find_setting(conf, row, name);

	return setting ? setting->values.at[setting->values.nr - 1] : row->fallback;
}

int64_t conf_int(const struct conf *conf, const char *section, const char *name, const char *key)
{
	const char *text = conf_text(conf, section, name, key);
	int64_t value = 0;

	if (text && !str_to_int(text, INT64_MIN, INT64_MAX, &value, NULL)) {
		bug("'%s.%s' is not of type CONF_INT", section, key);
	}
	return value;
}

bool conf_bool(const struct conf *conf, const char *section, const char *name, const char *key)
{
	const char *text = conf_text(conf, section, name, key);
	bool value = false;

	if (text && !conf_value_bool(text, &value, NULL)) {
		bug("'%s.%s' is not of type CONF_BOOL", section, key);
	}
	return value;
}

int64_t conf_seconds(const struct conf *conf, const char *section, const char *name,
		     const char *key)
{
	const char *text = conf_text(conf, section, name, key);
	int64_t value = 0;

	if (text && !conf_value_seconds(text, 0, INT64_MAX, &value, NULL)) {
		bug("'%s.%s' is not of type CONF_DURATION", section, key);
	}
	return value;
}

const char *const *conf_list(const struct conf *conf, const char *section, const char *name,
			     const char *key, size_t *ret_nr)
{
	const struct setting *setting = find_setting(conf, need_row(conf, section, key), name);

	*ret_nr = setting ? setting->values.nr : 0;
	return setting ? setting->values.at : NULL;
}

const char *const *conf_names(const struct conf *conf, const char *section, size_t *ret_nr)
{
	for (size_t i = 0; i < conf->sections.nr; i++) {
		const struct section *found = &conf->sections.at[i];

		if (strcmp(found->section, section) == 0) {
			*ret_nr = found->names.nr;
			return found->names.at;
		}
	}
	*ret_nr = 0;
	return NULL;
}
