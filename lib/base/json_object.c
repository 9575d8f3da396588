/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An object is one block of members in the order they were put, each its value and then its name.
 * Names are kept with the member, not shared: most are shorter than the pointer to share them by.
 * Small objects are searched from front to back; larger ones have an index.
 */
#include "json_parts.h"
#include "mem.h"
#include "str.h"

#define INDEX_FROM 16 /* members */

struct member {
	struct json *value;
	uint8_t length; /* of the name; LONG_NAME: see its NUL */
	char name[];
};

#define LONG_NAME UINT8_MAX

/* Open addressing; at most half full. */
struct index {
	uint32_t mask;
	uint32_t slots[]; /* offset in the block plus 1; 0: free */
};

struct object {
	struct json head;
	uint32_t used, room; /* bytes of the block */
	char *block;
};

/* The block begins with the index' address: NULL in most. */
#define FIRST sizeof(struct index *)

static struct object *object_of(const struct json *json)
{
	return is_json_node_of(json, KIND_OBJECT) ? (struct object *)(uintptr_t)json : NULL;
}

static struct member *member_at(const struct object *object, size_t offset)
{
	return (struct member *)(void *)(object->block + offset);
}

static struct index **index_of(const struct object *object)
{
	return (struct index **)(void *)object->block;
}

static size_t size_for(size_t name_length)
{
	size_t align = _Alignof(struct member);

	return (offsetof(struct member, name) + name_length + 1 + align - 1) / align * align;
}

static size_t size_of(const struct member *member)
{
	return size_for(member->length < LONG_NAME ? member->length : strlen(member->name));
}

static bool is_named(const struct member *member, const char *name, size_t length)
{
	if (member->length != (length < LONG_NAME ? length : LONG_NAME)) {
		return false;
	}
	return length < LONG_NAME
		       ? member->name[0] == name[0] && memcmp(member->name, name, length) == 0
		       : strcmp(member->name, name) == 0;
}

/* FNV-1a */
static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261U;

	for (; *name; name++) {
		hash = (hash ^ (unsigned char)*name) * 16777619U;
	}
	return hash ^ hash >> 15;
}

struct json *json_new_object(void)
{
	return json_node_new(KIND_OBJECT, sizeof(struct object));
}

static void index_add(struct index *index, const struct object *object, uint32_t offset)
{
	uint32_t slot = hash_of(member_at(object, offset)->name) & index->mask;

	while (index->slots[slot] != 0) {
		slot = (slot + 1) & index->mask;
	}
	index->slots[slot] = offset + 1;
}

static void make_index(struct object *object)
{
	uint32_t nr_slots = 4 * INDEX_FROM;
	struct index *index;

	while (nr_slots < 4 * (uint64_t)object->head.nr) {
		nr_slots *= 2;
	}
	index = mem_alloc(sizeof(*index) + nr_slots * sizeof(index->slots[0]));
	index->mask = nr_slots - 1;
	for (uint32_t offset = FIRST; offset < object->used;) {
		index_add(index, object, offset);
		offset += (uint32_t)size_of(member_at(object, offset));
	}
	free(*index_of(object));
	*index_of(object) = index;
}

static struct member *find_by_index(const struct object *object, const char *name, size_t length)
{
	const struct index *index = *index_of(object);

	for (uint32_t slot = hash_of(name) & index->mask; index->slots[slot] != 0;
	     slot = (slot + 1) & index->mask) {
		struct member *member = member_at(object, index->slots[slot] - 1);

		if (is_named(member, name, length)) {
			return member;
		}
	}
	return NULL;
}

static struct member *find(const struct object *object, const char *name, size_t length)
{
	if (object->used == 0) {
		return NULL;
	}
	if (*index_of(object)) {
		return find_by_index(object, name, length);
	}
	for (size_t offset = FIRST; offset < object->used;) {
		struct member *member = member_at(object, offset);

		if (is_named(member, name, length)) {
			return member;
		}
		offset += size_of(member);
	}
	return NULL;
}

static void reserve(struct object *object, size_t more_bytes)
{
	size_t need = (object->used ? object->used : FIRST) + more_bytes;
	size_t room = 2 * (size_t)object->room + 40;

	if (need <= object->room) {
		return;
	}
	if (object->room == 0) {
		room = 72; /* four short members, and what malloc() gives without waste */
	}
	if (room < need) {
		room = need;
	}
	if (room > UINT32_MAX) {
		bug("a JSON object of %zu bytes", room);
	}
	object->block = mem_resize(object->block, room, 1);
	object->room = (uint32_t)room;
	if (object->used == 0) {
		*index_of(object) = NULL;
		object->used = FIRST;
	}
}

static void add(struct object *object, const char *name, size_t length, struct json *take_value)
{
	size_t size = size_for(length);
	uint32_t offset;
	struct member *member;

	reserve(object, size);
	offset = object->used;
	member = member_at(object, offset);
	member->value = take_value;
	member->length = (uint8_t)(length < LONG_NAME ? length : LONG_NAME);
	memcpy(member->name, name, length + 1);
	object->used += (uint32_t)size;
	object->head.nr++;
	if (object->head.nr == INDEX_FROM ||
	    (*index_of(object) && 2 * (uint64_t)object->head.nr > (*index_of(object))->mask)) {
		make_index(object);
	} else if (*index_of(object)) {
		index_add(*index_of(object), object, offset);
	}
}

void json_put(struct json *json, const char *name, struct json *take_value)
{
	scoped(str_release) struct str clean = STR_INIT;
	struct object *object = object_of(json);
	size_t length = strlen(name);
	struct member *member;

	if (is_json_text_mended(name, length, &clean)) {
		name = clean.at;
		length = clean.length;
	}
	if (!object || !take_value) {
		bug("cannot put '%s' into a JSON value of kind %d", name, json_kind(json));
	}
	member = find(object, name, length);
	if (member) {
		json_free(member->value);
		member->value = take_value;
	} else {
		add(object, name, length, take_value);
	}
}

void json_remove(struct json *json, const char *name)
{
	struct object *object = object_of(json);
	struct member *member = object ? find(object, name, strlen(name)) : NULL;
	size_t size;
	char *behind;

	if (!member) {
		return;
	}
	size = size_of(member);
	behind = (char *)member + size;
	json_free(member->value);
	memmove(member, behind, (size_t)(object->block + object->used - behind));
	object->used -= (uint32_t)size;
	object->head.nr--;
	if (*index_of(object)) {
		make_index(object);
	}
}

void json_release_members(struct json *json)
{
	struct object *object = object_of(json);

	for (void *it = json_first(json); it; it = json_next(json, it)) {
		json_free(json_member_value(it));
	}
	if (object->block) {
		free(*index_of(object));
		free(object->block);
	}
}

struct json *json_get(const struct json *json, const char *name)
{
	const struct object *object = object_of(json);
	const struct member *member = object ? find(object, name, strlen(name)) : NULL;

	return member ? member->value : NULL;
}

void *json_first(const struct json *json)
{
	const struct object *object = object_of(json);

	return object && object->head.nr > 0 ? member_at(object, FIRST) : NULL;
}

void *json_next(const struct json *json, void *member)
{
	const struct object *object = object_of(json);
	char *next = (char *)member + size_of(member);

	return next < object->block + object->used ? next : NULL;
}

const char *json_member_name(void *member)
{
	return ((struct member *)member)->name;
}

struct json *json_member_value(void *member)
{
	return ((struct member *)member)->value;
}
