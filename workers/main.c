/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patchmeter-worker - builds and measures: for a daemon, or with `run` for a person.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent.h"
#include "build.h"
#include "fingerprint.h"
#include "lib/base/log.h"
#include "lib/base/option.h"
#include "lib/vcs/vcs.h"
#include "offline.h"

#define EXIT_USAGE        2

struct options {
	const char *server, *token_path, *state, *name, *group, *user;
	int64_t settle_s, build_limit_s, cache_gib;
	bool is_once, is_help, is_protocol, is_fingerprint, is_version;
};

static const char *usage_text =
	"usage: patchmeter-worker [options] --server URL --token-file FILE --state DIR\n"
	"       patchmeter-worker run [options] JOB.yaml\n\n";

static bool parse_options(int *argc, char **argv, struct options *options, struct err *err)
{
	const struct option_row rows[] = {
		{ "server", 0, "URL", "address of the daemon", OPTION_TEXT, &options->server },
		{ "token-file", 0, "FILE", "holds this worker's token; mode 0600", OPTION_TEXT,
		  &options->token_path },
		{ "state", 0, "DIR", "mirrors, builds, and the run at hand", OPTION_TEXT,
		  &options->state },
		{ "name", 0, "NAME", "of the machine (its host name)", OPTION_TEXT,
		  &options->name },
		{ "group", 0, "GROUP", "of machines like it (default)", OPTION_TEXT,
		  &options->group },
		{ "user", 0, "NAME", "run jobs as this user", OPTION_TEXT, &options->user },
		{ "settle", 0, "SECONDS", "wait so long at most for a quiet machine (10)",
		  OPTION_INT, &options->settle_s },
		{ "build-limit", 0, "SECONDS", "end a build that takes longer (7200)", OPTION_INT,
		  &options->build_limit_s },
		{ "cache", 0, "GIB", "keep builds up to this size (10)", OPTION_INT,
		  &options->cache_gib },
		{ "once", 0, NULL, "end after one lease", OPTION_FLAG, &options->is_once },
		{ "fingerprint", 0, NULL, "print what this machine is, as JSON", OPTION_FLAG,
		  &options->is_fingerprint },
		{ "protocol", 0, NULL, "print the protocol's tables", OPTION_FLAG,
		  &options->is_protocol },
		{ "version", 0, NULL, "print the version", OPTION_FLAG, &options->is_version },
		{ "help", 'h', NULL, "print this", OPTION_FLAG, &options->is_help },
	};
	scoped(str_release) struct str help = STR_INIT;

	if (!option_parse(rows, countof(rows), false, argc, argv, err)) {
		return false;
	}
	if (options->is_help) {
		option_describe(rows, countof(rows), &help);
		printf("%s%s", usage_text, help.at);
		return true;
	}
	if (options->is_protocol || options->is_fingerprint || options->is_version) {
		return true;
	}
	if (*argc > 1) {
		return err_set(err, ERR_INPUT, "'%s': no such verb", argv[1]);
	}
	if (!options->server || !options->token_path || !options->state) {
		return err_set(err, ERR_INPUT, "needs --server, --token-file and --state");
	}
	return true;
}

/* Signals come as a readable descriptor, which every blocking call here can wait for besides. */
static int open_stop_fd(void)
{
	sigset_t set;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0) {
		bug("no descriptor for signals");
	}
	return fd;
}

static const char *host_name(char *name, size_t size)
{
	if (gethostname(name, size - 1) != 0 || !is_proto_file_name(name)) {
		return "worker";
	}
	return name;
}

/* Parts in the order of their needs: the heart is forked before there is anything to inherit. */
static bool work(const struct options *options, int stop_fd, struct err *err)
{
	static const struct rlimit no_core = { 0, 0 };
	char host[64] = "";
	const struct agent_settings settings = {
		.name = options->name ? options->name : host_name(host, sizeof(host)),
		.group = options->group ? options->group : "default",
		.settle_s = (int)options->settle_s,
		.build_limit_s = (int)options->build_limit_s,
		.is_once = options->is_once,
		.stop_fd = stop_fd,
	};
	scoped(str_release) struct str token = STR_INIT;
	scoped(beat_free) struct beat *beat = NULL;
	scoped(client_free) struct client *client = NULL;
	scoped(place_close) struct place *place = NULL;
	struct client_settings address = { .base_url = options->server };
	bool done;

	setrlimit(RLIMIT_CORE, &no_core); /* a core would hold the token */
	if (!client_read_token(options->token_path, &token, err)) {
		return false;
	}
	address.token = token.at;
	done = beat_start(&address, &beat, err) && client_new(&address, &client, err) &&
	       place_open(options->state, options->user, &place, err);
	explicit_bzero(token.at, token.length);
	if (!done) {
		return false;
	}
	place->cache_limit_bytes = (uint64_t)options->cache_gib << 30;
	return agent_run(&settings, place, client, beat, err);
}

static void print_protocol(void)
{
	scoped(str_release) struct str text = STR_INIT;

	proto_describe(&text);
	fputs(text.at, stdout);
}

static void print_fingerprint(void)
{
	scoped(json_free) struct json *json = fingerprint_read();
	scoped(free) char *text = json_write(json, FORM_PRETTY);

	puts(text);
}

static int run(int argc, char **argv, int stop_fd)
{
	struct options options = {
		.settle_s = 10,
		.build_limit_s = BUILD_LIMIT_S,
		.cache_gib = 10,
	};
	struct err err = ERR_INIT;

	if (!parse_options(&argc, argv, &options, &err)) {
		fprintf(stderr, "patchmeter-worker: %s\n%s", err.message,
			"'patchmeter-worker --help' lists the options\n");
		return EXIT_USAGE;
	}
	if (options.is_help) {
		return 0;
	}
	if (options.is_version) {
		puts("patchmeter-worker " PATCHMETER_VERSION);
	} else if (options.is_protocol) {
		print_protocol();
	} else if (options.is_fingerprint) {
		print_fingerprint();
	} else if (!work(&options, stop_fd, &err)) {
		log_line(LOG_ERROR, "kind=%s msg='%s'", err_face(err.kind)->name, err.message);
		return err_face(err.kind)->exit_code;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	int stop_fd = open_stop_fd();
	int exit_code;

	if (!vcs_init(&err)) {
		fprintf(stderr, "patchmeter-worker: %s\n", err.message);
		return err_face(err.kind)->exit_code;
	}
	if (argc > 1 && strcmp(argv[1], "run") == 0) {
		exit_code = offline_main(argc - 1, argv + 1, stop_fd);
	} else {
		exit_code = run(argc, argv, stop_fd);
	}
	vcs_shutdown();
	close(stop_fd);
	return exit_code;
}
