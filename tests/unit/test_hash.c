/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/hash.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "tests/t.h"

/* FIPS 180-4's examples; the empty message from NIST's test vectors. */
static const struct {
	const char *message;
	const char *text;
} vectors[] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
};

static void matches_fips(void)
{
	for (size_t i = 0; i < countof(vectors); i++) {
		struct hash hash = hash_of(vectors[i].message, strlen(vectors[i].message));
		char text[HASH_TEXT_BYTES];

		hash_format(&hash, text);
		CHECK_TEXT(text, vectors[i].text);
	}
}

static void streams_a_million(void)
{
	struct hash_stream *stream = hash_stream_new();
	struct hash hash;
	char text[HASH_TEXT_BYTES];

	for (int i = 0; i < 125000; i++) {
		hash_stream_add(stream, "aaaaaaaa", 8);
	}
	CHECK(hash_stream_free(stream, &hash) == NULL);
	hash_format(&hash, text);
	CHECK_TEXT(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	CHECK(hash_stream_free(NULL, &hash) == NULL);
}

static void knows_its_text(void)
{
	char text[HASH_TEXT_BYTES + 1];

	snprintf(text, sizeof(text), "%s", vectors[0].text);
	CHECK(is_hash_text(text));
	text[63] = '\0';
	CHECK(!is_hash_text(text));
	text[63] = 'A';
	CHECK(!is_hash_text(text));
	snprintf(text, sizeof(text), "%s0", vectors[0].text);
	CHECK(!is_hash_text(text));
	CHECK(!is_hash_text(""));
}

static void makes_tokens(void)
{
	scoped(free) char *one = token_new();
	scoped(free) char *two = token_new();

	CHECK(str_has_prefix(one, "pm_"));
	CHECK(is_hash_text(one + 3));
	CHECK(strcmp(one, two) != 0);
}

static const struct t_case cases[] = {
	{ "SHA-256 gives the published values", matches_fips },
	{ "a million letters hash in pieces as published", streams_a_million },
	{ "a hash's text is 64 lower-case hexadecimal digits", knows_its_text },
	{ "a token is 'pm_' and 64 random digits", makes_tokens },
};

T_MAIN(cases)
