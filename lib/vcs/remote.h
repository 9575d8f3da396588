/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote.h - repositories on the network: what they have, and getting it.
 *
 * libgit2 1.5 knows no time-outs: a silent host holds the call for ever.  So this is called only
 * in a child process, which has limits on time and memory and is killed at its deadline; a mirror
 * takes that well.  One child may visit many remotes.
 *
 *	struct vcs_remote remote = { address, globs, nr_globs, limit_bytes };
 *	if (!vcs_remote_fetch(mirror, &remote, arena, &heads, err))
 *		return false;
 *	... tell the parent heads.at[i].name, .id, .refusal
 *
 * Only addresses that vcs_address_check() takes are followed, redirects are not.  Certificates and
 * ssh host keys are checked; ssh uses the agent's keys; a host that asks for a password is denied.
 */
#ifndef VCS_REMOTE_H
#define VCS_REMOTE_H

#include "vcs.h"

struct vcs_remote {
	const char *address;
	const char *const *globs; /* as for vcs_heads() */
	size_t nr_globs;
	uint64_t limit_bytes; /* of what one fetch may bring */
};

/* Lists the heads as vcs_heads() does, brings the commits of those that are not refused into the
 * mirror, with all their history, and pins them.  Where the mirror has them this costs no more
 * than the list.  A head that turns out to be no commit, or to be incomplete, is refused with the
 * reason.  Blocks without limit.  ERR_REMOTE: unreachable or talks nonsense; ERR_DENIED: it wants
 * a password, or the address is of a kind that we do not follow; ERR_INPUT; ERR_TOO_BIG: above
 * `limit_bytes`, or VCS_HEADS_MAX; ERR_BROKEN. */
MUST_CHECK bool vcs_remote_fetch(struct vcs *mirror, const struct vcs_remote *remote,
				 struct arena *arena, struct vcs_heads *ret_heads, struct err *err);

#endif
