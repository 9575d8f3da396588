/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refname.h - which names of branches and tags we let in.
 *
 * The rules of git-check-ref-format, and more: a name must not look like an option, must be valid
 * UTF-8 without hidden characters, and at most 250 bytes.  Pure.
 */
#ifndef VCS_REFNAME_H
#define VCS_REFNAME_H

#include "lib/base/base.h"

#define VCS_REFNAME_MAX_BYTES 250

/* Why a name, as a person writes it ("topic/x"), is refused: static text; NULL: it is fine. */
const char *vcs_refname_refusal(const char *name);

#endif
