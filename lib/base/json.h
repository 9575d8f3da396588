/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - JSON documents: read with limits, build, write.
 *
 * A `struct json` is a value.  json_parse() and json_new_*() give one that the caller owns
 * (scoped(json_free)); json_get() and json_at() lend one that lives as long as its parent;
 * a parameter called take_* moves into the parent.  Lookups accept NULL, so chains need one check:
 *
 *	const char *name = json_text(json_get(json_get(doc, "machine"), "name"));  // NULL if absent
 *
 * Numbers are finite: NaN and infinity cannot be put in and are input errors when read; put a
 * missing number with json_new_null().  Texts and names that are put are cleaned to valid
 * UTF-8.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "err.h"

struct json;

enum json_kind { KIND_NULL, KIND_BOOL, KIND_NUMBER, KIND_TEXT, KIND_ARRAY, KIND_OBJECT };

struct json *json_free(struct json *json);
DEFINE_SCOPED(json_free, struct json *)

/* Reads one document.  ERR_INPUT names `what`, the byte offset, and the fault: also for duplicate
 * names, numbers out of range, nesting over 128, NULs in texts and anything after the value. */
MUST_CHECK bool json_parse(const char *what, const char *bytes, size_t length,
			   struct json **ret_json, struct err *err);
/* The same for a file of at most `limit_bytes`. */
MUST_CHECK bool json_read_file(const char *path, size_t limit_bytes, struct json **ret_json,
			       struct err *err);

/* building; never fail */
struct json *json_new_object(void);
struct json *json_new_array(void);
struct json *json_new_text(const char *text);
struct json *json_new_word(const char *word); /* lasts forever, as a literal: not copied */
struct json *json_new_text_bytes(const char *bytes, size_t length);
struct json *json_new_number(double value); /* not finite: null */
struct json *json_new_int(int64_t value);
struct json *json_new_bool(bool value);
struct json *json_new_null(void);
struct json *json_clone(const struct json *json); /* deep */

/* Sets a member of an object, or appends to an array; a wrong container is a bug.  A name that is
 * there is replaced in its place. */
void json_put(struct json *object, const char *name, struct json *take_value);
void json_put_text(struct json *object, const char *name, const char *text); /* NULL: null */
void json_put_word(struct json *object, const char *name, const char *word); /* NULL: null */
void json_put_number(struct json *object, const char *name, double value);
void json_put_int(struct json *object, const char *name, int64_t value);
void json_put_bool(struct json *object, const char *name, bool value);
void json_append(struct json *array, struct json *take_value);
void json_remove(struct json *object, const char *name);

/* reading; NULL and wrong types give the stated default */
enum json_kind json_kind(const struct json *json);                  /* KIND_NULL */
struct json *json_get(const struct json *object, const char *name); /* NULL */
struct json *json_at(const struct json *array, size_t index);       /* NULL */
size_t json_size(const struct json *json);                          /* members or elements; 0 */
const char *json_text(const struct json *json);                     /* NULL */
double json_number(const struct json *json, double otherwise);
int64_t json_int(const struct json *json, int64_t otherwise); /* also for 3.0 */
bool json_bool(const struct json *json, bool otherwise);
bool is_json_int(const struct json *json);

/* Walks an object's members: for (void *it = json_first(o); it; it = json_next(o, it)).  A member
 * and its name last until the object is changed. */
void *json_first(const struct json *object);
void *json_next(const struct json *object, void *member);
const char *json_member_name(void *member);
struct json *json_member_value(void *member);

/* Checked access for messages: ERR_INPUT "'name': expected a text". */
MUST_CHECK bool json_need_text(const struct json *object, const char *name, const char **ret_text,
			       struct err *err);

enum json_form {
	FORM_COMPACT,   /* no blanks; members in the order they were put */
	FORM_CANONICAL, /* no blanks; members sorted by name: equal values give equal bytes */
	FORM_PRETTY     /* two blanks a level, for people */
};

/* free() the text.  A number is the shortest decimal text that reads back as the same. */
char *json_write(const struct json *json, enum json_form form);

#endif
