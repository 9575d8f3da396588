/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two files of the store share; for them alone. */
#ifndef STORE_STORE_PARTS_H
#define STORE_STORE_PARTS_H

#include "store.h"

struct store {
	char *folder;
	char *incoming;
};

/* Where the file with that hash is; free() it. */
char *store_path(const struct store *store, const char *hash);

MUST_CHECK bool store_make_folders(const struct store *store, const char *hash, struct err *err);
MUST_CHECK bool store_sync_folder(const char *path, struct err *err);

#endif
