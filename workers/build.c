/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
#include "fingerprint.h"
#include "lib/base/str.h"
#include "lib/vcs/export.h"
#include "script.h"

#define SOURCE_LIMIT_BYTES (UINT64_C(8) << 30)

/* Equal means: the same sources, the same build script, the same compiler, linker and make. */
static char *cache_key(const struct job *job, const char *toolchain, struct arena *arena)
{
	char *text = arena_printf(arena, "%s %s", job->build_key, toolchain);
	struct hash hash = hash_of(text, strlen(text));
	char *key = arena_alloc(arena, HASH_TEXT_BYTES);

	hash_format(&hash, key);
	return key;
}

/* --- sources --- */

static bool export_commit(const struct job *job, const char *folder, struct err *err)
{
	scoped(vcs_close) struct vcs *vcs = NULL;
	struct vcs_id id;

	return make_folders(folder, err) && vcs_open(job->source.repository, &vcs, err) &&
	       vcs_id_parse(job->commit, &id, err) &&
	       vcs_export(vcs, &id, folder, SOURCE_LIMIT_BYTES, err);
}

static bool copy_folder(const char *from, const char *to, struct err *err)
{
	scoped(tree_free) struct tree *tree = NULL;
	const struct owner nobody = { 0 };

	return tree_read(from, ".git", &tree, err) && tree_copy(tree, to, &nobody, err);
}

/* All sources get one time, and the owner that builds them. */
static bool settle_source(const struct place *place, const char *folder, struct err *err)
{
	scoped(tree_free) struct tree *tree = NULL;

	return tree_read(folder, NULL, &tree, err) && tree_settle(tree, &place->owner, err);
}

static bool place_source(const struct place *place, const struct job *job, struct arena *arena,
			 struct err *err)
{
	const char *folder = place_path(place, arena, "work/source");

	if (job->source.repository) {
		if (!export_commit(job, folder, err)) {
			return err_wrap(err, "export '%s'", job->commit);
		}
	} else if (job->source.folder) {
		if (!copy_folder(job->source.folder, folder, err)) {
			return false;
		}
	} else if (!make_folders(folder, err)) {
		return false;
	}
	return settle_source(place, folder, err);
}

/* --- building --- */

static void name_build_failure(struct failure *failure)
{
	if (strcmp(failure->reason, "timeout") == 0) {
		failure->reason = "build-timeout";
	} else if (strcmp(failure->reason, "cancelled") != 0) {
		failure->reason = "build-failed";
	}
}

static bool run_build(const struct place *place, const struct job *job, const char *log_path,
		      struct arena *arena, struct cache_entry *entry, struct err *err)
{
	const struct script script = {
		.name = "build",
		.text = job->spec->build,
		.cwd = place_path(place, arena, "work/source"),
		.stdout_path = log_path,
		.deadline = SPAN_S(job->build_limit_s),
		.out = place_path(place, arena, "work/out"),
		.is_build = true,
	};
	struct proc_result result;

	if (!script.text) {
		return write_loose(log_path, "", 0, err);
	}
	if (!script_run(&script, place, job, arena, &result, &entry->failure, err)) {
		return false;
	}
	entry->build.wall_s = span_seconds(result.elapsed);
	if (entry->failure.reason) {
		name_build_failure(&entry->failure);
	}
	return true;
}

static bool take_artefact(const struct place *place, struct arena *arena, struct build *build,
			  struct err *err)
{
	scoped(tree_free) struct tree *out = NULL;
	scoped(tree_free) struct tree *source = NULL;
	char *hex = arena_alloc(arena, HASH_TEXT_BYTES);
	struct hash hash;
	bool is_out;

	if (!tree_read(place_path(place, arena, "work/out"), NULL, &out, err)) {
		return false;
	}
	is_out = tree_nr(out) > 0;
	build->place = is_out ? "out" : "source";
	if (!is_out && !tree_read(place_path(place, arena, "work/source"), NULL, &source, err)) {
		return false;
	}
	if (!tree_hash(is_out ? out : source, &hash, err)) {
		return false;
	}
	hash_format(&hash, hex);
	build->artefact = hex;
	return true;
}

/* What another try on this machine would not change. */
static bool is_lasting(const struct cache_entry *entry)
{
	return !entry->failure.reason ||
	       (strcmp(entry->failure.reason, "build-failed") == 0 && entry->failure.exit_code > 0);
}

static bool make(const struct place *place, const struct job *job, const char *key,
		 struct arena *arena, struct cache_entry *entry, struct err *err)
{
	const char *log_path = place_path(place, arena, "work/build.log");
	const char *folder;

	if (!place_clear_work(place, err) || !place_source(place, job, arena, err) ||
	    !place_make_job_folder(place, place_path(place, arena, "work/out"), err) ||
	    !run_build(place, job, log_path, arena, entry, err)) {
		return false;
	}
	if (!entry->failure.reason && !take_artefact(place, arena, &entry->build, err)) {
		return false;
	}
	if (!is_lasting(entry)) {
		return true; /* the log stays in work/ */
	}
	folder = entry->failure.reason ? NULL
				       : place_path(place, arena, "work/%s", entry->build.place);
	return cache_publish(place, key, folder, log_path, arena, entry, err) &&
	       cache_trim(place, key, err);
}

static bool copy_log(const struct place *place, const struct job *job,
		     const struct cache_entry *entry, struct arena *arena, struct err *err)
{
	const char *from = entry->build.folder
				   ? arena_printf(arena, "%s/build.log", entry->build.folder)
				   : place_path(place, arena, "work/build.log");
	const char *to = arena_printf(arena, "%s/build.log", job->folder);
	scoped(str_release) struct str text = STR_INIT;

	if (!job->spec->build) {
		return true;
	}
	return str_read_file(&text, from, PROTO_FILE_LIMIT_BYTES, err) &&
	       write_loose(to, text.at, text.length, err);
}

bool build_make(const struct place *place, const struct job *job, struct arena *arena,
		struct build *ret_build, struct failure *ret_failure, struct err *err)
{
	const char *toolchain = fingerprint_toolchain(arena, job->compiler);
	const char *key = cache_key(job, toolchain, arena);
	struct cache_entry entry = { 0 };
	bool is_found = false;

	if (!cache_find(place, key, arena, &entry, &is_found, err)) {
		return false;
	}
	if (!is_found) {
		entry = (struct cache_entry){ .build.toolchain = toolchain };
		if (!make(place, job, key, arena, &entry, err)) {
			return false;
		}
	}
	if (!copy_log(place, job, &entry, arena, err)) {
		return false;
	}
	*ret_build = entry.build;
	*ret_failure = entry.failure;
	return true;
}

bool build_stage(const struct place *place, const struct build *build, struct arena *arena,
		 const char **ret_folder, struct err *err)
{
	scoped(tree_free) struct tree *tree = NULL;
	const char *to = place_path(place, arena, "work/%s", build->place);

	if (!tree_read(arena_printf(arena, "%s/tree", build->folder), NULL, &tree, err) ||
	    !place_clear_work(place, err) || !tree_copy(tree, to, &place->owner, err)) {
		return false;
	}
	*ret_folder = to;
	return true;
}
