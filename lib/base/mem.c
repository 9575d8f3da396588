/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mem.h"

#include <stdarg.h>
#include <stdio.h>

/* Most ticks and requests fit in one chunk. */
#define CHUNK_BYTES ((size_t)8192)

static void *not_null(void *block)
{
	if (!block) {
		fputs("out of memory\n", stderr);
		abort();
	}
	return block;
}

void *mem_alloc(size_t size_bytes)
{
	return not_null(calloc(1, size_bytes ? size_bytes : 1));
}

void *mem_array(size_t nr, size_t size_bytes)
{
	return not_null(calloc(nr ? nr : 1, size_bytes ? size_bytes : 1));
}

void *mem_resize(void *take_block, size_t nr, size_t size_bytes)
{
	return not_null(reallocarray(take_block, nr ? nr : 1, size_bytes ? size_bytes : 1));
}

char *mem_strdup(const char *text)
{
	return not_null(strdup(text));
}

char *mem_strndup(const char *text, size_t length)
{
	return not_null(strndup(text, length));
}

char *mem_printf(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0) {
		text = NULL;
	}
	va_end(args);
	return not_null(text);
}

struct chunk {
	struct chunk *next;
	max_align_t room[];
};

struct arena {
	struct chunk *chunk;
	char *at;
	size_t left_bytes;
};

struct arena *arena_new(void)
{
	return mem_alloc(sizeof(struct arena));
}

struct arena *arena_free(struct arena *arena)
{
	if (!arena) {
		return NULL;
	}
	while (arena->chunk) {
		struct chunk *next = arena->chunk->next;

		free(arena->chunk);
		arena->chunk = next;
	}
	free(arena);
	return NULL;
}

/* Texts stand side by side: tables of them are most of what some arenas hold. */
static void *take(struct arena *arena, size_t size_bytes, size_t align)
{
	size_t skip = -(uintptr_t)arena->at & (align - 1);
	void *block;

	if (size_bytes > SIZE_MAX / 2) {
		not_null(NULL);
	}
	if (size_bytes == 0) {
		size_bytes = 1;
	}
	if (skip + size_bytes > arena->left_bytes) {
		size_t room = size_bytes > CHUNK_BYTES ? size_bytes : CHUNK_BYTES;
		struct chunk *chunk = mem_alloc(sizeof(*chunk) + room);

		chunk->next = arena->chunk;
		arena->chunk = chunk;
		arena->at = (char *)chunk->room;
		arena->left_bytes = room;
		skip = 0;
	}
	block = arena->at + skip;
	arena->at += skip + size_bytes;
	arena->left_bytes -= skip + size_bytes;
	return block;
}

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
	return take(arena, size_bytes, _Alignof(max_align_t));
}

void *arena_array(struct arena *arena, size_t nr, size_t size_bytes)
{
	size_t total;

	if (__builtin_mul_overflow(nr, size_bytes, &total)) {
		not_null(NULL);
	}
	return arena_alloc(arena, total);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	char *copy = take(arena, length + 1, 1);

	memcpy(copy, text, length);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	va_list again;
	char *text;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0) {
		bug("format '%s'", format);
	}
	text = arena_alloc(arena, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}
