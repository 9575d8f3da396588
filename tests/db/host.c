/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host - the web server and the dispatch stage without the rest of the daemon, for tests.
 *
 *	host CONNINFO DATA [max-per-address]
 *	host --routes
 *
 * The second prints the table of routes, a line a row, with tabs between its columns.
 *
 * Migrates, prepares every statement, prints its port, and then does what lines on stdin say:
 * "dispatch" runs that stage until it has nothing more to do.  Bells from the database wake parked
 * requests, as in the daemon.  The end of stdin ends it.
 */
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "daemon/db/lease.h"
#include "daemon/db/migrate.h"
#include "daemon/store/store.h"
#include "lib/base/clock.h"
#include "lib/vcs/vcs.h"
#include "web/assets.h"
#include "web/auth.h"
#include "web/routes.h"
#include "web/server.h"

#define NR_THREADS 4

static bool dispatch(struct db *db, struct err *err)
{
	bool is_more = true;

	while (is_more) {
		if (!lease_expire(db, &is_more, err) || !lease_strand(db, err)) {
			db_rollback(db);
			return false;
		}
	}
	puts("done");
	return fflush(stdout) == 0;
}

static bool obey(struct db *db, bool *ret_is_end, struct err *err)
{
	char line[64] = "";
	ssize_t length = read(STDIN_FILENO, line, sizeof(line) - 1);

	*ret_is_end = length <= 0;
	return strcmp(line, "dispatch\n") != 0 || dispatch(db, err);
}

/* The database went away: waits until it is back, as the daemon's loop does. */
static void hear_again(struct db *listener)
{
	struct err err = ERR_INIT;

	for (int i = 0; i < 300 && !db_heal(listener, &err); i++) {
		span_sleep(SPAN_MS(100));
	}
}

static bool loop(struct server *server, struct db *listener, struct db *db, struct err *err)
{
	bool is_end = false;

	while (!is_end) {
		struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
					{ .fd = db_socket(listener), .events = POLLIN } };
		unsigned topics = 0;

		if (poll(fds, 2, -1) < 0) {
			continue;
		}
		if (fds[1].revents && !db_notified(listener, &topics, err)) {
			hear_again(listener);
		}
		if (topics & BELL_BIT(BELL_LEASE)) {
			server_wake(server, BELL_LEASE);
		}
		if (fds[0].revents && !obey(db, &is_end, err)) {
			return false;
		}
	}
	return true;
}

static bool run(const char *conninfo, const char *data, unsigned max_per_address, struct err *err)
{
	scoped(db_close) struct db *db = NULL;
	scoped(db_close) struct db *listener = NULL;
	scoped(pool_close) struct pool *pool = NULL;
	scoped(store_close) struct store *store = NULL;
	scoped(template_set_free) struct template_set *pages = NULL;
	scoped(server_close) struct server *server = NULL;
	scoped(free) char *store_folder = mem_printf("%s/store", data);
	struct site site = { .data = data };
	struct server_config config = { .listen = "127.0.0.1:0",
					.nr_threads = NR_THREADS,
					.max_per_address = max_per_address,
					.idle_s = 5,
					.site = &site };
	int nr_applied;

	if (!db_open(conninfo, &db, err) || !migrate_up(db, &nr_applied, err) ||
	    !db_prepare_all(db, err) || !db_open(conninfo, &listener, err) ||
	    !db_listen(listener, err) || !pool_open(conninfo, NR_THREADS, &pool, err) ||
	    !store_open(store_folder, &store, err) || !assets_pages(&pages, err)) {
		return false;
	}
	site.pool = pool;
	site.store = store;
	site.pages = pages;
	if (!server_open(&config, &server, err)) {
		return false;
	}
	printf("%d\n", server_port(server));
	fflush(stdout);
	return loop(server, listener, db, err);
}

static void print_routes(void)
{
	static const char *const bodies[] = {
		[BODY_NONE] = "none", [BODY_JSON] = "json", [BODY_FILE] = "file"
	};

	for (size_t i = 0; i < nr_routes; i++) {
		printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\n", routes[i].method, routes[i].pattern,
		       scope_name(routes[i].scope), bodies[routes[i].body], routes[i].query,
		       routes[i].template ? routes[i].template : "", routes[i].doc);
	}
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;

	if (argc == 2 && strcmp(argv[1], "--routes") == 0) {
		print_routes();
		return 0;
	}
	signal(SIGPIPE, SIG_IGN);
	if (argc < 3 || !vcs_init(&err) ||
	    !run(argv[1], argv[2], argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0, &err)) {
		fprintf(stderr, "host: %s\n", err.message);
		return 1;
	}
	vcs_shutdown();
	return 0;
}
