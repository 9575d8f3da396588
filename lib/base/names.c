/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names.h"

#include "mem.h"

/* An open hash table of numbers into the list of texts; 0 is an empty place. */
struct names {
	struct arena *arena;
	VEC(const char *) texts;
	uint32_t *places;
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

/* FNV-1a */
static size_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *text; text++) {
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3;
	}
	return (size_t)(hash ^ hash >> 32);
}

/* Where the text stands or would stand. */
static size_t place_of(const struct names *names, const char *text)
{
	size_t place = hash_of(text) & (names->nr_places - 1);

	while (names->places[place] != 0 &&
	       strcmp(names->texts.at[names->places[place] - 1], text) != 0) {
		place = (place + 1) & (names->nr_places - 1);
	}
	return place;
}

static void grow(struct names *names)
{
	free(names->places);
	names->nr_places *= 2;
	names->places = mem_array(names->nr_places, sizeof(*names->places));
	for (size_t i = 0; i < names->texts.nr; i++) {
		names->places[place_of(names, names->texts.at[i])] = (uint32_t)i + 1;
	}
}

uint32_t names_number(struct names *names, const char *text)
{
	size_t place = place_of(names, text);

	if (names->places[place] == 0) {
		*vec_push(&names->texts) = arena_strdup(names->arena, text);
		names->places[place] = (uint32_t)names->texts.nr;
		if (2 * names->texts.nr > names->nr_places) {
			grow(names);
		}
		return (uint32_t)names->texts.nr;
	}
	return names->places[place];
}

uint32_t names_find(const struct names *names, const char *text)
{
	return names->places[place_of(names, text)];
}

uint32_t names_nr(const struct names *names)
{
	return (uint32_t)names->texts.nr;
}
