/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever the bytes of a commit are, what comes out is clean, bounded UTF-8 and a possible
 * time. */
#include "lib/vcs/commit.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_text(const char *text, bool keep_lines, size_t limit_bytes)
{
	scoped(str_release) struct str clean = STR_INIT;

	str_append_clean(&clean, text, strlen(text), keep_lines, limit_bytes);
	if (strcmp(clean.at, text) != 0) {
		bug("not clean, or above %zu bytes: '%s'", limit_bytes, text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(arena_free) struct arena *arena = arena_new();
	struct vcs_commit commit;

	if (!vcs_commit_parse((const char *)bytes, length, arena, &commit, NULL)) {
		return 0;
	}
	check_text(commit.author_name, false, VCS_NAME_MAX_BYTES);
	check_text(commit.author_email, false, VCS_NAME_MAX_BYTES);
	check_text(commit.subject, false, VCS_SUBJECT_MAX_BYTES);
	check_text(commit.message, true, VCS_MESSAGE_MAX_BYTES);
	if (!is_vcs_id_text(commit.tree.text) || commit.author_time.ns < 0 ||
	    commit.commit_time.ns < 0 ||
	    (*commit.author_email && !strchr(commit.author_email, '@'))) {
		bug("tree '%s', times %" PRId64 " and %" PRId64 ", address '%s'", commit.tree.text,
		    commit.author_time.ns, commit.commit_time.ns, commit.author_email);
	}
	return 0;
}
