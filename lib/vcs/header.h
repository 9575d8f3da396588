/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header.h - the lines at the start of a commit object (private to this folder).
 *
 * libgit2 has a parser too, which refuses commits whose author line is odd.  A robot must be able
 * to walk past any commit that git walks past, so the links are read by us, and nothing else is
 * required of the rest.
 */
#ifndef VCS_HEADER_H
#define VCS_HEADER_H

#include "private.h"

#include "commit.h"

struct slice {
	const char *at;
	size_t length;
};

struct commit_links {
	git_oid tree;
	git_oid parents[VCS_PARENTS_KEPT];
	size_t nr_parents; /* all of them */
};

struct commit_header {
	struct commit_links links;
	struct slice author;    /* "NAME <EMAIL> SECONDS ZONE", if well-formed; empty: none */
	struct slice committer; /* likewise */
	struct slice encoding;
	struct slice message;
};

/* The slices point into `bytes`.  ERR_INPUT: no tree, or a malformed link. */
MUST_CHECK bool commit_header_parse(const char *bytes, size_t length,
				    struct commit_header *ret_header, struct err *err);

/* Reads a commit of the repository, at most COMMIT_MAX_BYTES of it.  ERR_ABSENT; ERR_INPUT: not a
 * commit or malformed; ERR_TOO_BIG; ERR_BROKEN. */
#define COMMIT_MAX_BYTES (16u << 20)
MUST_CHECK bool commit_object_read(struct vcs *vcs, const git_oid *oid, git_odb_object **ret_object,
				   struct err *err);
MUST_CHECK bool commit_links_read(struct vcs *vcs, const git_oid *oid,
				  struct commit_links *ret_links, struct err *err);

/* Takes the line, without its end, off the front of *rest.  False at the end. */
bool slice_line(struct slice *rest, struct slice *ret_line);

#endif
