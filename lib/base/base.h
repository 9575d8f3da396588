/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base.h - the dialect of C this project is written in.
 *
 * Every file includes it first.  It holds the few macros we allow ourselves and turns the
 * C library's traps into compile errors.
 *
 *	scoped(str_release) struct str line = STR_INIT;   // released when the scope ends
 *	scoped(repo_free) struct repo *repo = NULL;       // x_free(NULL) is fine
 *	return move(&repo);                               // hands ownership out, repo is NULL
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MUST_CHECK               __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, first) __attribute__((__format__(__printf__, text, first)))
#define UNUSED                   __attribute__((unused))

#define countof(array) (sizeof(array) / sizeof((array)[0]))

#define container_of(pointer, type, member) \
	((type *)(void *)(((char *)(pointer)) - offsetof(type, member)))

/* Calls `release` with the address of the variable when it goes out of scope.  For a heap
 * object `x_free(struct x *)` define the wrapper once, beside x_free:
 * DEFINE_SCOPED(x_free, struct x *). */
#define scoped(release) __attribute__((cleanup(release##_scoped)))

#define DEFINE_SCOPED(release, type)                        \
	static inline void release##_scoped(type *variable) \
	{                                                   \
		release(*variable);                         \
	}

/* The same for an embedded object with `x_release(struct x *)`. */
#define DEFINE_SCOPED_EMBEDDED(release, type)               \
	static inline void release##_scoped(type *variable) \
	{                                                   \
		release(variable);                          \
	}

/* Takes the value out of *place and leaves NULL there. */
#define move(place)                                     \
	__extension__({                                 \
		__typeof__(*(place)) moved_ = *(place); \
		*(place) = NULL;                        \
		moved_;                                 \
	})

/* scoped(free) fits a pointer of any type. */
static inline void free_scoped(void *place)
{
	void *block;

	memcpy(&block, place, sizeof(block));
	free(block);
}

/* Programmer error: says where and aborts.  Never for input, never for the environment. */
_Noreturn void bug_at(const char *file, int line, const char *format, ...) PRINTF_LIKE(3, 4);
#define bug(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)

/* Banned: no bound, hidden state, or a shell in between. */
#pragma GCC poison strcpy strcat sprintf vsprintf gets strtok asctime ctime localtime gmtime
#pragma GCC poison system popen tmpnam mktemp atoi atol atof

#endif
