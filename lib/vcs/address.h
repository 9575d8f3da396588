/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * address.h - where a repository may be, and which addresses we never follow.
 *
 * Only https, git and ssh go out; only a path or file:// is local.  Everything else that git would
 * accept ("ext::sh -c ...", an option as a host, a password in the address) is refused here, before
 * any library sees it.  Pure.
 */
#ifndef VCS_ADDRESS_H
#define VCS_ADDRESS_H

#include "lib/base/str.h"

enum vcs_address {
	VCS_LOCAL,   /* polled in the process: vcs_open(), vcs_mirror_open() */
	VCS_NETWORK, /* touched only in a child that is killed at its deadline: remote.h */
};

#define VCS_ADDRESS_MAX_BYTES 2048

/* ERR_INPUT: malformed; ERR_DENIED: a kind of address that we do not follow. */
MUST_CHECK bool vcs_address_check(const char *address, enum vcs_address *ret_kind, struct err *err);

/* Appends the path of a local address, with the escapes of file:// undone.
 * ERR_INPUT, ERR_DENIED as above, and ERR_INPUT for an address that is not local. */
MUST_CHECK bool vcs_address_path(const char *address, struct str *path, struct err *err);

#endif
