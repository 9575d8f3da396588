/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "site.h"

#include <unistd.h>

#include "daemon/db/db.h"
#include "daemon/pipeline/pipeline.h"
#include "daemon/store/store.h"
#include "lib/base/hash.h"
#include "lib/base/log.h"
#include "web/assets.h"
#include "web/server.h"

#define NR_HANDLERS 4

/* An upload that nobody went on with for so long belongs to a lease that is long lost. */
#define OLD_UPLOAD_S 86400

struct site_parts {
	struct arena *arena;
	struct pool *pool;
	struct store *store;
	struct template_set *pages;
	struct site site;
	struct server *server;
	const char *url;
	const char *url_path; /* removed at the end; NULL: not written yet */
};

/* Made once; only their hashes are in the database. */
static const struct {
	const char *file;
	const char *scope;
} tokens[] = {
	{ "worker.token", "worker" }, /* of the workers on this machine */
	{ "admin.token", "admin" },   /* of whoever may read the folder */
};

static bool ensure_token(struct site_parts *site, const char *data, size_t index, struct db *db,
			 struct err *err)
{
	const char *path = arena_printf(site->arena, "%s/%s", data, tokens[index].file);
	scoped(str_release) struct str text = STR_INIT;
	struct err absent = ERR_INIT;
	struct hash hash;

	if (!str_read_file(&text, path, 256, &absent)) {
		scoped(free) char *token = token_new();

		if (absent.kind != ERR_ABSENT) {
			return err_set(err, absent.kind, "%s", absent.message);
		}
		str_printf(&text, "%s\n", token);
		if (!str_write_file(path, text.at, text.length, 0600, err)) {
			return false;
		}
	}
	while (text.length > 0 && (unsigned char)text.at[text.length - 1] <= ' ') {
		str_truncate(&text, text.length - 1);
	}
	hash = hash_of(text.at, text.length);
	return db_exec(db, Q_TOKEN_ENSURE,
		       ARGS(arg_bytes(hash.at, sizeof(hash.at)), arg_text(tokens[index].scope),
			    arg_text(tokens[index].file)),
		       NULL, err);
}

static bool ensure_tokens(struct site_parts *site, const char *data, struct db *db, struct err *err)
{
	for (size_t i = 0; i < countof(tokens); i++) {
		if (!ensure_token(site, data, i, db, err)) {
			return false;
		}
	}
	return true;
}

/* Where people without a name for this host reach it: what stands in "listen", with the true
 * port. */
static const char *make_url(const struct settings *settings, const struct server *server,
			    struct arena *arena)
{
	const char *colon = strrchr(settings->listen, ':');
	int length = colon ? (int)(colon - settings->listen) : (int)strlen(settings->listen);

	return arena_printf(arena, "http://%.*s:%d", length, settings->listen, server_port(server));
}

static bool tell_where(struct site_parts *site, const struct settings *settings, struct err *err)
{
	const char *path = arena_printf(site->arena, "%s/" SITE_URL_FILE, settings->data);
	const char *line = arena_printf(site->arena, "%s\n", site->url);

	if (!str_write_file(path, line, strlen(line), 0644, err)) {
		return false;
	}
	site->url_path = path;
	log_line(LOG_INFO, "msg='ready' url='%s'", site->url);
	return true;
}

bool site_open(const struct settings *settings, const char *conninfo, struct db *db,
	       struct site_parts **ret_site, struct err *err)
{
	scoped(site_close) struct site_parts *site = mem_alloc(sizeof(*site));
	struct server_config config = { .listen = settings->listen, .nr_threads = NR_HANDLERS };

	site->arena = arena_new();
	if (!ensure_tokens(site, settings->data, db, err) ||
	    !pool_open(conninfo, NR_HANDLERS, &site->pool, err) ||
	    !store_open(path_store(settings, site->arena), &site->store, err) ||
	    !assets_pages(&site->pages, err)) {
		return false;
	}
	store_sweep(site->store, OLD_UPLOAD_S);
	site->site = (struct site){ .pool = site->pool,
				    .store = site->store,
				    .pages = site->pages,
				    .data = settings->data };
	config.site = &site->site;
	if (!server_open(&config, &site->server, err)) {
		return false;
	}
	site->url = make_url(settings, site->server, site->arena);
	if (!tell_where(site, settings, err)) {
		return false;
	}
	*ret_site = move(&site);
	return true;
}

const char *site_url(const struct site_parts *site)
{
	return site->url;
}

struct server *site_server(const struct site_parts *site)
{
	return site->server;
}

struct site_parts *site_close(struct site_parts *site)
{
	if (!site) {
		return NULL;
	}
	if (site->url_path) {
		unlink(site->url_path);
	}
	server_close(site->server);
	template_set_free(site->pages);
	store_close(site->store);
	pool_close(site->pool);
	arena_free(site->arena);
	free(site);
	return NULL;
}
