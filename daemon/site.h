/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site.h - the role "web": pool, store, pages and server, put together.
 *
 * Also keeps the files by which others find the daemon, in its data folder: `url` (where it
 * listens, written when it is ready), `worker.token` and `admin.token` (mode 0600).
 */
#ifndef DAEMON_SITE_H
#define DAEMON_SITE_H

#include "daemon/settings.h"

struct site_parts;
struct server;

/* The name of the file with the url, in the data folder. */
#define SITE_URL_FILE "url"

/* `db` is used only during the call.  Blocks.  ERR_BUSY: the address is taken. */
MUST_CHECK bool site_open(const struct settings *settings, const char *conninfo, struct db *db,
			  struct site_parts **ret_site, struct err *err);
/* Where it listens, "http://127.0.0.1:8080"; lives as long as the site. */
const char *site_url(const struct site_parts *site);
struct server *site_server(const struct site_parts *site);
struct site_parts *site_close(struct site_parts *site);
DEFINE_SCOPED(site_close, struct site_parts *)

#endif
