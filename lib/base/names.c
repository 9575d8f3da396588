/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names.h"

#include "mem.h"

struct place {
	uint32_t hash;
	uint32_t number; /* 0: empty */
};

/* An open hash table of numbers into the list of texts. */
struct names {
	struct arena *arena;
	VEC(const char *) texts;
	struct place *places;
	size_t nr_places; /* a power of two, at least twice the texts */
};

struct names *names_new(void)
{
	struct names *names = mem_alloc(sizeof(*names));

	names->arena = arena_new();
	names->nr_places = 64;
	names->places = mem_array(names->nr_places, sizeof(*names->places));
	return names;
}

struct names *names_free(struct names *names)
{
	if (names) {
		arena_free(names->arena);
		vec_release(&names->texts);
		free(names->places);
		free(names);
	}
	return NULL;
}

/* FNV-1a, but of eight bytes at a time: names of metrics are long and many. */
static uint32_t hash_of(const char *text)
{
	size_t left = strlen(text);
	uint64_t hash = 0xcbf29ce484222325;

	while (left > 0) {
		size_t length = left < sizeof(uint64_t) ? left : sizeof(uint64_t);
		uint64_t word = 0;

		memcpy(&word, text, length);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
		text += length;
		left -= length;
	}
	return (uint32_t)hash;
}

/* Where the text stands or would stand. */
static struct place *place_of(const struct names *names, const char *text, uint32_t hash)
{
	size_t mask = names->nr_places - 1;
	size_t at = hash & mask;

	while (names->places[at].number != 0 &&
	       (names->places[at].hash != hash ||
		strcmp(names->texts.at[names->places[at].number - 1], text) != 0)) {
		at = (at + 1) & mask;
	}
	return &names->places[at];
}

static void grow(struct names *names)
{
	scoped(free) struct place *old = names->places;
	size_t nr_old = names->nr_places;

	names->nr_places *= 2;
	names->places = mem_array(names->nr_places, sizeof(*names->places));
	for (size_t i = 0; i < nr_old; i++) {
		size_t at = old[i].hash & (names->nr_places - 1);

		if (old[i].number == 0) {
			continue;
		}
		while (names->places[at].number != 0) {
			at = (at + 1) & (names->nr_places - 1);
		}
		names->places[at] = old[i];
	}
}

uint32_t names_number(struct names *names, const char *text)
{
	uint32_t hash = hash_of(text);
	struct place *place = place_of(names, text, hash);
	uint32_t number = place->number;

	if (number == 0) {
		*vec_push(&names->texts) = arena_strdup(names->arena, text);
		number = (uint32_t)names->texts.nr;
		*place = (struct place){ hash, number };
		if (2 * names->texts.nr > names->nr_places) {
			grow(names);
		}
	}
	return number;
}

uint32_t names_find(const struct names *names, const char *text)
{
	return place_of(names, text, hash_of(text))->number;
}

const char *names_text(const struct names *names, uint32_t number)
{
	return names->texts.at[number - 1];
}

uint32_t names_nr(const struct names *names)
{
	return (uint32_t)names->texts.nr;
}
