/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fetch.h"

#include <sys/resource.h>

#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/proc/proc.h"
#include "lib/vcs/mirror.h"
#include "lib/vcs/remote.h"

#define FETCH_LIMIT_BYTES  (UINT64_C(8) << 30)
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FETCH_MEMORY_BYTES RLIM_INFINITY /* the shadow memory alone is larger than any limit */
#else
#define FETCH_MEMORY_BYTES (UINT64_C(4) << 30)
#endif
#define REPLY_LIMIT_BYTES  (UINT64_C(64) << 20)

/* the child ---------------------------------------------------------------------------------- */

static struct json *describe(const struct vcs_heads *heads)
{
	struct json *reply = json_new_object();
	struct json *list = json_new_array();

	json_put(reply, "heads", list);
	for (size_t i = 0; i < heads->nr; i++) {
		struct json *head = json_new_object();

		json_put_text(head, "name", heads->at[i].name);
		json_put_text(head, "oid", heads->at[i].id.text);
		json_put_text(head, "refusal", heads->at[i].refusal);
		json_append(list, head);
	}
	return reply;
}

static bool visit(int argc, char **argv, struct json **ret_reply, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(vcs_close) struct vcs *mirror = NULL;
	struct vcs_remote remote = {
		.address = argv[2],
		.globs = (const char *const *)argv + 3,
		.nr_globs = (size_t)argc - 3,
		.limit_bytes = FETCH_LIMIT_BYTES,
	};
	struct vcs_heads heads;

	if (!vcs_mirror_open(argv[1], NULL, &mirror, err) ||
	    !vcs_remote_fetch(mirror, &remote, arena, &heads, err)) {
		return false;
	}
	*ret_reply = describe(&heads);
	return true;
}

int fetch_child(int argc, char **argv)
{
	scoped(json_free) struct json *reply = NULL;
	scoped(free) char *text = NULL;
	struct err err = ERR_INIT;

	if (argc < 4) {
		fputs("usage: patchmeterd fetch-child MIRROR ADDRESS GLOB...\n", stderr);
		return 2;
	}
	if (!visit(argc, argv, &reply, &err)) {
		reply = json_new_object();
		json_put_int(reply, "kind", err.kind);
		json_put_text(reply, "message", err.message);
	}
	text = json_write(reply, FORM_COMPACT);
	puts(text);
	return 0;
}

/* the parent --------------------------------------------------------------------------------- */

static bool run_child(const struct fetch *fetch, struct str *reply, struct err *err)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", NULL };
	const struct proc_limit limits[] = { { RLIMIT_AS, FETCH_MEMORY_BYTES } };
	scoped(free) const char **argv = mem_array(fetch->nr_globs + 5, sizeof(*argv));
	struct proc_spec spec = { .argv = argv,
				  .env = env,
				  .cwd = "/",
				  .output_limit_bytes = REPLY_LIMIT_BYTES,
				  .deadline = SPAN_S(FETCH_LIMIT_S),
				  .nice = 5,
				  .limits = limits,
				  .nr_limits = countof(limits),
				  .stop_fd = fetch->stop_fd };
	struct proc_result result;

	argv[0] = "/proc/self/exe";
	argv[1] = "fetch-child";
	argv[2] = fetch->mirror;
	argv[3] = fetch->address;
	for (size_t i = 0; i < fetch->nr_globs; i++) {
		argv[4 + i] = fetch->globs[i];
	}
	if (!proc_capture(&spec, reply, &result, err)) {
		return false;
	}
	if (result.end == PROC_TIMED_OUT) {
		return err_set(err, ERR_TIMEOUT, "fetch '%s': no end after %d s", fetch->address,
			       FETCH_LIMIT_S);
	}
	if (result.end == PROC_STOPPED) {
		return err_set(err, ERR_BUSY, "fetch '%s': stopped", fetch->address);
	}
	if (result.end != PROC_EXITED || result.exit_code != 0) {
		return err_set(err, ERR_REMOTE, "fetch '%s': the child %s", fetch->address,
			       proc_end_name(result.end));
	}
	return true;
}

static bool read_head(const struct json *json, struct arena *arena, struct vcs_head *ret_head,
		      struct err *err)
{
	const char *name;
	const char *oid;
	const char *refusal = json_text(json_get(json, "refusal"));

	if (!json_need_text(json, "name", &name, err) || !json_need_text(json, "oid", &oid, err)) {
		return false;
	}
	ret_head->name = arena_strdup(arena, name);
	ret_head->refusal = refusal ? arena_strdup(arena, refusal) : NULL;
	return refusal || vcs_id_parse(oid, &ret_head->id, err);
}

bool fetch_heads(const struct fetch *fetch, struct arena *arena, struct vcs_heads *ret_heads,
		 struct err *err)
{
	scoped(str_release) struct str reply = STR_INIT;
	scoped(json_free) struct json *json = NULL;
	const struct json *list;
	struct vcs_heads heads;

	if (!run_child(fetch, &reply, err) ||
	    !json_parse("fetch-child", reply.at, reply.length, &json, err)) {
		return false;
	}
	list = json_get(json, "heads");
	if (!list) {
		int64_t kind = json_int(json_get(json, "kind"), ERR_REMOTE);
		const char *message = json_text(json_get(json, "message"));

		return err_set(
			err, kind > ERR_NONE && kind < ERR_KINDS ? (enum err_kind)kind : ERR_REMOTE,
			"%s", message ? message : "no message");
	}
	heads.nr = json_size(list);
	heads.at = arena_array(arena, heads.nr, sizeof(*heads.at));
	for (size_t i = 0; i < heads.nr; i++) {
		if (!read_head(json_at(list, i), arena, &heads.at[i], err)) {
			return false;
		}
	}
	*ret_heads = heads;
	return true;
}
