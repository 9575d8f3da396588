/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote.h - repositories on the network: what they have, and getting it.
 *
 * libgit2 1.5 knows no time-outs: a silent host holds the call for ever.  So these two functions
 * are called only in a child process, which has limits on time and memory and is killed at its
 * deadline; a mirror takes that well.  One child visits many remotes.
 *
 *	if (!vcs_remote_fetch(mirror, address, globs, nr_globs, limit_bytes, arena, &heads, err))
 *		return false;
 *	... tell the parent heads.at[i].name, .id, .refusal
 *
 * Only addresses that vcs_address_check() takes are followed, redirects are not.  Certificates and
 * ssh host keys are checked; ssh uses the agent's keys; a host that asks for a password is denied.
 */
#ifndef VCS_REMOTE_H
#define VCS_REMOTE_H

#include "vcs.h"

/* Lists heads as vcs_heads() does.  Blocks without limit.  ERR_REMOTE: unreachable or talks
 * nonsense; ERR_DENIED: it wants a password, or the address is of a kind that we do not follow;
 * ERR_INPUT; ERR_TOO_BIG; ERR_BROKEN. */
MUST_CHECK bool vcs_remote_heads(const char *address, const char *const *globs, size_t nr_globs,
				 struct arena *arena, struct vcs_heads *ret_heads, struct err *err);

/* The same, and brings the commits of the heads that are not refused into the mirror, with all
 * their history, and pins them.  Where the mirror has them this costs no more than the list.  A
 * head that turns out to be no commit, or to be incomplete, is refused with the reason.
 * ERR_TOO_BIG also above `limit_bytes` received. */
MUST_CHECK bool vcs_remote_fetch(struct vcs *mirror, const char *address, const char *const *globs,
				 size_t nr_globs, uint64_t limit_bytes, struct arena *arena,
				 struct vcs_heads *ret_heads, struct err *err);

#endif
