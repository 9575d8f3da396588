/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/build.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "tests/t.h"
#include "workers/cache.h"

#define KEY       "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER_KEY "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* A place, a source folder with one file, a job with the build text given. */
struct bench {
	struct arena *arena;
	struct place *place;
	struct spec *spec;
	struct json *params;
	char *source, *counter;
	struct job job;
};

static void put(const char *folder, const char *name, const char *text)
{
	scoped(free) char *path = mem_printf("%s/%s", folder, name);
	struct err err = ERR_INIT;

	CHECK_DONE(str_write_file(path, text, strlen(text), 0644, &err), &err);
}

static void bench_init(struct bench *bench, const char *build)
{
	scoped(str_release) struct str text = STR_INIT;
	scoped(free) char *state = t_folder();
	char *folder = t_folder();
	struct err err = ERR_INIT;

	*bench = (struct bench){ .arena = arena_new(), .source = t_folder() };
	bench->counter = mem_printf("%s/counter", folder);
	put(bench->source, "main.c", "one\n");
	/* `note` counts the builds: a file outside of the tree, named by a parameter. */
	str_printf(&text,
		   "name: tiny\nsummary: tiny\nparams: {counter: '%s'}\n"
		   "build: |\n  echo built >>\"$PARAM_counter\"\n  %s\n"
		   "run: 'true'\ntimeout: 60s\n"
		   "metrics: [{name: a, unit: s, better: lower, headline: true, lines: a}]\n",
		   bench->counter, build);
	CHECK_DONE(spec_parse("job", text.at, text.length, &bench->spec, &err), &err);
	CHECK_DONE(place_open(state, NULL, &bench->place, &err), &err);
	bench->params = json_new_object();
	json_put_text(bench->params, "counter", bench->counter);
	bench->job = (struct job){
		.benchmark = "tiny",
		.spec = bench->spec,
		.params = bench->params,
		.source.folder = bench->source,
		.build_key = KEY,
		.folder = folder,
	};
}

static void bench_release(struct bench *bench)
{
	free((void *)(uintptr_t)bench->job.folder);
	free(bench->source);
	free(bench->counter);
	json_free(bench->params);
	spec_free(bench->spec);
	place_close(bench->place);
	arena_free(bench->arena);
}
DEFINE_SCOPED_EMBEDDED(bench_release, struct bench)

static struct build make(struct bench *bench, struct failure *failure)
{
	struct build build = { 0 };
	struct err err = ERR_INIT;

	CHECK_DONE(build_make(bench->place, &bench->job, bench->arena, &build, failure, &err),
		   &err);
	return build;
}

static int64_t nr_builds(const struct bench *bench)
{
	struct stat status;

	return stat(bench->counter, &status) == 0 ? status.st_size / 6 : 0;
}

static char *staged(const struct bench *bench, const struct build *build, const char *name)
{
	scoped(str_release) struct str text = STR_INIT;
	const char *folder = "";
	struct err err = ERR_INIT;

	CHECK_DONE(build_stage(bench->place, build, bench->arena, &folder, &err), &err);
	CHECK_DONE(str_read_file(&text, arena_printf(bench->arena, "%s/%s", folder, name), 65536,
				 &err),
		   &err);
	return arena_strdup(bench->arena, text.at);
}

static void builds_once(void)
{
	scoped(bench_release) struct bench bench;
	struct failure failure;

	bench_init(&bench, "cat main.c >made; pwd >>made");
	struct build first = make(&bench, &failure);

	CHECK_TEXT(failure.reason, NULL);
	CHECK(!first.is_cached);
	CHECK_TEXT(first.place, "source");
	struct build second = make(&bench, &failure);

	CHECK(second.is_cached);
	CHECK_TEXT(second.artefact, first.artefact);
	CHECK_NEAR(second.wall_s, first.wall_s, 1e-9);
	CHECK_INT(nr_builds(&bench), 1);
	/* It runs where it was built. */
	CHECK_TEXT(staged(&bench, &second, "made"),
		   arena_printf(bench.arena, "one\n%s/work/source\n", bench.place->root));
	bench.job.build_key = OTHER_KEY;
	make(&bench, &failure);
	CHECK_INT(nr_builds(&bench), 2);
	bench.job.compiler = "gcc";
	make(&bench, &failure);
	CHECK_INT(nr_builds(&bench), 3);
}

static void equal_sources_give_equal_artefacts(void)
{
	scoped(bench_release) struct bench bench;
	struct failure failure;

	bench_init(&bench, "stat -c %Y main.c >made; echo $SOURCE_DATE_EPOCH >>made");
	struct build one = make(&bench, &failure);

	bench.job.build_key = OTHER_KEY;
	struct build same = make(&bench, &failure);

	CHECK_TEXT(same.artefact, one.artefact);
	CHECK_TEXT(staged(&bench, &same, "made"), "946684800\n946684800\n");
	put(bench.source, "main.c", "two\n");
	bench.job.build_key = "2123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	struct build other = make(&bench, &failure);

	CHECK(strcmp(other.artefact, one.artefact) != 0);
}

/* What the docs promise a build of each layout. */
static void tells_the_layout(void)
{
	static const char *const keys[] = {
		KEY, OTHER_KEY, "2123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	};
	static const char *const told[] = { "0 <>\n", "1 <>\n",
					    "2 <-falign-functions=64 -falign-loops=32>\n" };
	scoped(bench_release) struct bench bench;
	struct failure failure;

	bench_init(&bench, "echo \"$PATCHMETER_LAYOUT <$PATCHMETER_LAYOUT_CFLAGS>\" >made");
	for (size_t i = 0; i < countof(keys); i++) {
		bench.job.build_key = keys[i];
		bench.job.layout = (int64_t)i;
		struct build build = make(&bench, &failure);

		CHECK_TEXT(staged(&bench, &build, "made"), told[i]);
	}
}

/* Sources that do not reach the binary do not reach the artefact. */
static void keeps_only_what_is_left_out(void)
{
	scoped(bench_release) struct bench bench;
	struct failure failure;

	bench_init(&bench, "grep -v comment main.c >\"$PATCHMETER_OUT\"/made");
	struct build one = make(&bench, &failure);

	CHECK_TEXT(one.place, "out");
	CHECK_TEXT(staged(&bench, &one, "made"), "one\n");
	CHECK(access(arena_printf(bench.arena, "%s/tree/main.c", one.folder), F_OK) != 0);
	put(bench.source, "main.c", "one\ncomment\n");
	bench.job.build_key = OTHER_KEY;
	struct build same = make(&bench, &failure);

	CHECK_TEXT(same.artefact, one.artefact);
}

static void remembers_failure_with_its_log(void)
{
	scoped(bench_release) struct bench bench;
	scoped(str_release) struct str log = STR_INIT;
	struct failure failure;
	struct err err = ERR_INIT;

	bench_init(&bench, "echo main.c is wrong >&2; exit 7");
	make(&bench, &failure);
	CHECK_TEXT(failure.reason, "build-failed");
	CHECK_TEXT(failure.detail, "build exited with 7");
	make(&bench, &failure);
	CHECK_TEXT(failure.reason, "build-failed");
	CHECK_INT(failure.exit_code, 7);
	CHECK_INT(nr_builds(&bench), 1);
	CHECK_DONE(str_read_file(&log, arena_printf(bench.arena, "%s/build.log", bench.job.folder),
				 65536, &err),
		   &err);
	CHECK_TEXT(log.at, "main.c is wrong\n");
}

static void does_not_remember_bad_luck(void)
{
	scoped(bench_release) struct bench bench;
	struct failure failure;

	bench_init(&bench, "kill -KILL $$");
	make(&bench, &failure);
	CHECK_TEXT(failure.reason, "build-failed");
	CHECK_INT(failure.signal, 9);
	make(&bench, &failure);
	CHECK_INT(nr_builds(&bench), 2);
}

/* A job that could write into the cache must not change what the next one runs. */
static void rebuilds_what_was_touched(void)
{
	scoped(bench_release) struct bench bench;
	struct failure failure;

	bench_init(&bench, "cp main.c made");
	struct build build = make(&bench, &failure);

	put(arena_printf(bench.arena, "%s/tree", build.folder), "made", "bad\n");
	build = make(&bench, &failure);
	CHECK(!build.is_cached);
	CHECK_INT(nr_builds(&bench), 2);
	CHECK_TEXT(staged(&bench, &build, "made"), "one\n");
	put(arena_printf(bench.arena, "%s/tree", build.folder), "planted", "bad\n");
	build = make(&bench, &failure);
	CHECK_INT(nr_builds(&bench), 3);
	CHECK(truncate(arena_printf(bench.arena, "%s/entry.json", build.folder), 3) == 0);
	struct err err = ERR_INIT;
	struct build again = { 0 };

	CHECK_DONE(build_make(bench.place, &bench.job, bench.arena, &again, &failure, &err), &err);
	CHECK_INT(nr_builds(&bench), 4);
}

static void runs_do_not_see_each_other(void)
{
	scoped(bench_release) struct bench bench;
	struct failure failure;
	struct err err = ERR_INIT;
	const char *folder = NULL;

	bench_init(&bench, "cp main.c made");
	struct build build = make(&bench, &failure);

	CHECK_DONE(build_stage(bench.place, &build, bench.arena, &folder, &err), &err);
	put(folder, "made", "bad\n");
	put(folder, "left", "x\n");
	CHECK_TEXT(staged(&bench, &build, "made"), "one\n");
	CHECK(access(arena_printf(bench.arena, "%s/left", folder), F_OK) != 0);
	build = make(&bench, &failure);
	CHECK(build.is_cached);
}

static int nr_entries(const struct bench *bench)
{
	DIR *folder = opendir(place_path(bench->place, bench->arena, "cache"));
	struct dirent *entry;
	int nr = 0;

	while ((entry = readdir(folder))) {
		nr += entry->d_name[0] != '.';
	}
	closedir(folder);
	return nr;
}

static void trims_the_least_used(void)
{
	static const char *const keys[] = {
		"3123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"4123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"5123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	};
	scoped(bench_release) struct bench bench;
	struct failure failure;
	struct err err = ERR_INIT;

	bench_init(&bench, "head -c 1000000 /dev/zero | tr '\\0' x >made");
	bench.place->cache_limit_bytes = 2500000;
	for (int i = 0; i < 2; i++) {
		bench.job.build_key = keys[i];
		make(&bench, &failure);
	}
	bench.job.build_key = keys[0];
	CHECK(make(&bench, &failure).is_cached); /* now the second is the oldest */
	bench.job.build_key = keys[2];
	make(&bench, &failure);
	CHECK_INT(nr_entries(&bench), 2);
	bench.job.build_key = keys[0];
	CHECK(make(&bench, &failure).is_cached);
	/* What a crash left half made goes, too; one in use stays above the limit. */
	CHECK_DONE(make_folders(place_path(bench.place, bench.arena, "cache/new.x/tree"), &err),
		   &err);
	bench.place->cache_limit_bytes = 0;
	bench.job.build_key = keys[1];
	CHECK(!make(&bench, &failure).is_cached);
	CHECK_INT(nr_entries(&bench), 1);
	CHECK(make(&bench, &failure).is_cached);
}

static const struct t_case cases[] = {
	{ "a build is made once a key and compiler, and stands where it was made", builds_once },
	{ "equal sources give equal artefacts", equal_sources_give_equal_artefacts },
	{ "a build is told its layout, and the flags that make it", tells_the_layout },
	{ "only what a build leaves out for runs is kept and hashed", keeps_only_what_is_left_out },
	{ "a build that fails by itself is remembered with its log",
	  remembers_failure_with_its_log },
	{ "a build that was killed is tried again", does_not_remember_bad_luck },
	{ "an entry that was touched counts as none", rebuilds_what_was_touched },
	{ "each run gets a fresh copy", runs_do_not_see_each_other },
	{ "the cache keeps its limit by dropping what was not used for longest",
	  trims_the_least_used },
};
T_MAIN(cases)
