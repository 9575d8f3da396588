/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.h - SHA-256, and the random bytes of tokens (only nettle user).
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "err.h"

#define HASH_BYTES      32
#define HASH_TEXT_BYTES 65 /* lower-case hexadecimal and NUL */

struct hash {
	uint8_t at[HASH_BYTES];
};

/* The hash of bytes in memory, and its text. */
struct hash hash_of(const void *bytes, size_t length);
void hash_format(const struct hash *hash, char text[HASH_TEXT_BYTES]);

/* For what does not fit in memory: hash_stream_new, any number of hash_stream_add, then
 * hash_stream_free, which gives the hash and accepts NULL (then *ret_hash is untouched). */
struct hash_stream;
struct hash_stream *hash_stream_new(void);
void hash_stream_add(struct hash_stream *stream, const void *bytes, size_t length);
struct hash_stream *hash_stream_free(struct hash_stream *stream, struct hash *ret_hash);

/* Exactly 64 lower-case hexadecimal digits. */
bool is_hash_text(const char *text);

/* Fills with random bytes of the kernel.  Blocks only before the pool is initialised at boot. */
void random_bytes(void *bytes, size_t length);

/* "pm_" and 64 random hexadecimal digits; free() it. */
char *token_new(void);

#endif
