/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hash.h"

#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <sys/random.h>

#include "mem.h"

struct hash_stream {
	struct sha256_ctx state;
};

struct hash_stream *hash_stream_new(void)
{
	struct hash_stream *stream = mem_alloc(sizeof(*stream));

	sha256_init(&stream->state);
	return stream;
}

void hash_stream_add(struct hash_stream *stream, const void *bytes, size_t length)
{
	sha256_update(&stream->state, length, bytes);
}

struct hash_stream *hash_stream_free(struct hash_stream *stream, struct hash *ret_hash)
{
	if (stream) {
		if (ret_hash) {
			sha256_digest(&stream->state, HASH_BYTES, ret_hash->at);
		}
		free(stream);
	}
	return NULL;
}

struct hash hash_of(const void *bytes, size_t length)
{
	struct hash hash;
	struct hash_stream *stream = hash_stream_new();

	hash_stream_add(stream, bytes, length);
	hash_stream_free(stream, &hash);
	return hash;
}

static void format_hex(const uint8_t *bytes, size_t length, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < length; i++) {
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 0xf];
	}
	*text = '\0';
}

void hash_format(const struct hash *hash, char text[HASH_TEXT_BYTES])
{
	format_hex(hash->at, HASH_BYTES, text);
}

bool is_hash_text(const char *text)
{
	return strspn(text, "0123456789abcdef") == HASH_TEXT_BYTES - 1 &&
	       strlen(text) == HASH_TEXT_BYTES - 1;
}

void random_bytes(void *bytes, size_t length)
{
	uint8_t *at = bytes;

	while (length > 0) {
		ssize_t got = getrandom(at, length, 0);

		if (got > 0) {
			at += got;
			length -= (size_t)got;
		}
	}
}

char *token_new(void)
{
	uint8_t secret[32];
	char text[HASH_TEXT_BYTES];

	random_bytes(secret, sizeof(secret));
	format_hex(secret, sizeof(secret), text);
	return mem_printf("pm_%s", text);
}
