/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem.h - memory that is always there, and memory that dies together.
 *
 * Running out of memory aborts (docs/decisions/0003): state is rows, the supervisor restarts us.
 * An arena holds everything of one tick, request or parse, and is freed at once:
 *
 *	scoped(arena_free) struct arena *arena = arena_new();
 *	char *name = arena_strdup(arena, text);
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "base.h"

/* All of these never give NULL; free() what they give.  New blocks are zeroed; what mem_resize()
 * adds to a block is not. */
void *mem_alloc(size_t size_bytes);
void *mem_array(size_t nr, size_t size_bytes);
void *mem_resize(void *take_block, size_t nr, size_t size_bytes);
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t length);
char *mem_printf(const char *format, ...) PRINTF_LIKE(1, 2);

struct arena;

/* Empty; takes memory from the heap in chunks, as it is asked for pieces. */
struct arena *arena_new(void);
struct arena *arena_free(struct arena *arena);
DEFINE_SCOPED(arena_free, struct arena *)

/* Zeroed, aligned for any type; lives as long as the arena. */
void *arena_alloc(struct arena *arena, size_t size_bytes);
void *arena_array(struct arena *arena, size_t nr, size_t size_bytes);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

/* A typed growable array:
 * VEC(struct job) jobs = {0}; *vec_push(&jobs) = job; vec_release(&jobs); */
#define VEC(type)            \
	struct {             \
		type *at;    \
		size_t nr;   \
		size_t room; \
	}

/* A pointer to the new last element, whose content is undefined. */
#define vec_push(vec)                                                                       \
	__extension__({                                                                     \
		if ((vec)->nr == (vec)->room) {                                             \
			(vec)->room = (vec)->room ? 2 * (vec)->room : 8;                    \
			(vec)->at = mem_resize((vec)->at, (vec)->room, sizeof(*(vec)->at)); \
		}                                                                           \
		&(vec)->at[(vec)->nr++];                                                    \
	})

#define vec_release(vec)                     \
	do {                                 \
		free((vec)->at);             \
		(vec)->at = NULL;            \
		(vec)->nr = (vec)->room = 0; \
	} while (0)

#endif
