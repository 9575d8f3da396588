/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include "address.h"
#include "heads.h"
#include "lib/base/str.h"
#include "mirror.h"
#include "remote.h"

/* What libgit2's callbacks see of a visit. */
struct visit {
	uint64_t limit_bytes;
	bool is_over;
	bool has_tried_key;
};

static int check_size(const git_indexer_progress *progress, void *payload)
{
	struct visit *visit = payload;

	visit->is_over = progress->received_bytes > visit->limit_bytes;
	return visit->is_over ? GIT_EUSER : 0;
}

static int give_key(git_credential **ret_key, const char *address UNUSED, const char *user,
		    unsigned int kinds, void *payload)
{
	struct visit *visit = payload;

	/* It would ask again for ever. */
	if ((kinds & GIT_CREDENTIAL_SSH_KEY) && user && !visit->has_tried_key) {
		visit->has_tried_key = true;
		return git_credential_ssh_key_from_agent(ret_key, user);
	}
	git_error_set_str(GIT_ERROR_NET, "it wants to know who we are, and we have nothing to say");
	return GIT_EAUTH;
}

static bool set_callbacks(git_remote_callbacks *callbacks, struct visit *visit)
{
	if (git_remote_init_callbacks(callbacks, GIT_REMOTE_CALLBACKS_VERSION) != 0) {
		return false;
	}
	callbacks->transfer_progress = check_size;
	callbacks->credentials = give_key;
	callbacks->payload = visit;
	return true;
}

/* What goes wrong with a remote is its own fault, unless our disk or our limits are to blame. */
static bool fail_remote(struct err *err, int code, bool is_connecting, const char *what,
			const char *address)
{
	const git_error *last = git_error_last();
	bool is_ours = !is_connecting && last && last->klass == GIT_ERROR_OS;

	vcs_fail(err, code, "%s '%s'", what, address);
	if (err && err->kind != ERR_DENIED && !is_ours) {
		err->kind = ERR_REMOTE;
	}
	return false;
}

static bool make_remote(git_repository *repo, const char *address, git_remote **ret_remote,
			struct err *err)
{
	git_remote_create_options options;
	enum vcs_address kind;
	int code = git_remote_create_options_init(&options, GIT_REMOTE_CREATE_OPTIONS_VERSION);

	if (!vcs_address_check(address, &kind, err)) {
		return false;
	}
	if (kind != VCS_NETWORK) {
		return err_set(err, ERR_INPUT, "'%s' is local: it is opened, not fetched", address);
	}
	/* The address that was checked is the one that is followed. */
	options.flags = GIT_REMOTE_CREATE_SKIP_INSTEADOF | GIT_REMOTE_CREATE_SKIP_DEFAULT_FETCHSPEC;
	options.repository = repo;
	if (code == 0) {
		code = git_remote_create_with_opts(ret_remote, address, &options);
	}
	return code == 0 || vcs_fail(err, code, "prepare '%s'", address);
}

static bool connect_to(git_repository *repo, const char *address, struct visit *visit,
		       git_remote **ret_remote, struct err *err)
{
	scoped(git_remote_free) git_remote *remote = NULL;
	git_remote_connect_options options;
	int code = git_remote_connect_options_init(&options, GIT_REMOTE_CONNECT_OPTIONS_VERSION);

	if (!make_remote(repo, address, &remote, err)) {
		return false;
	}
	if (code != 0 || !set_callbacks(&options.callbacks, visit)) {
		return vcs_fail(err, code, "prepare '%s'", address);
	}
	options.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
	options.proxy_opts.type = GIT_PROXY_AUTO;
	code = git_remote_connect_ext(remote, GIT_DIRECTION_FETCH, &options);
	if (code != 0) {
		return fail_remote(err, code, true, "connect to", address);
	}
	*ret_remote = move(&remote);
	return true;
}

static const git_remote_head *peeled(const git_remote_head **found, size_t nr, size_t i)
{
	size_t length = strlen(found[i]->name);
	const char *next = i + 1 < nr ? found[i + 1]->name : "";

	/* "refs/tags/v1" of an annotated tag is followed by "refs/tags/v1^{}", its commit. */
	if (strncmp(next, found[i]->name, length) == 0 && strcmp(next + length, "^{}") == 0) {
		return found[i + 1];
	}
	return found[i];
}

static bool list_heads(git_remote *far, const struct vcs_remote *remote, struct arena *arena,
		       struct vcs_heads *ret_heads, struct err *err)
{
	scoped(head_list_release) struct head_list list = { .arena = arena };
	const git_remote_head **found;
	size_t nr;
	int code = git_remote_ls(&found, &nr, far);

	if (code != 0) {
		return fail_remote(err, code, true, "list", remote->address);
	}
	for (size_t i = 0; i < nr; i++) {
		if (!str_has_suffix(found[i]->name, "^{}") &&
		    is_wanted_ref(found[i]->name, remote->globs, remote->nr_globs) &&
		    !head_list_add(&list, found[i]->name, &peeled(found, nr, i)->oid, err)) {
			return err_wrap(err, "list '%s'", remote->address);
		}
	}
	*ret_heads = head_list_end(&list);
	return true;
}

static bool download(git_remote *remote, const git_strarray *names, struct visit *visit,
		     struct err *err)
{
	git_fetch_options options;
	int code = git_fetch_options_init(&options, GIT_FETCH_OPTIONS_VERSION);

	if (code != 0 || !set_callbacks(&options.callbacks, visit)) {
		return vcs_fail(err, code, "prepare to fetch");
	}
	options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
	options.update_fetchhead = 0;
	options.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
	options.proxy_opts.type = GIT_PROXY_AUTO;
	code = git_remote_download(remote, names, &options);
	if (visit->is_over) {
		return err_set(err, ERR_TOO_BIG, "fetch '%s': more than %" PRIu64 " bytes",
			       git_remote_url(remote), visit->limit_bytes);
	}
	return code == 0 || fail_remote(err, code, false, "fetch", git_remote_url(remote));
}

/* A name is used as a refspec here: it has passed vcs_refname_refusal(). */
static bool download_missing(struct vcs *mirror, git_remote *remote, const struct vcs_heads *heads,
			     struct visit *visit, struct arena *arena, struct err *err)
{
	char **names = arena_array(arena, heads->nr, sizeof(*names));
	git_strarray missing = { names, 0 };

	for (size_t i = 0; i < heads->nr; i++) {
		const struct vcs_head *head = &heads->at[i];

		if (!head->refusal && !vcs_has_commit(mirror, &head->id)) {
			const char *prefix =
				str_has_prefix(head->name, "refs/") ? "" : "refs/heads/";

			names[missing.count++] = arena_printf(arena, "%s%s", prefix, head->name);
		}
	}
	return missing.count == 0 || download(remote, &missing, visit, err);
}

/* One bad branch does not keep the others out. */
static bool pin_each(struct vcs *mirror, struct vcs_heads *heads, struct arena *arena,
		     struct err *err)
{
	for (size_t i = 0; i < heads->nr; i++) {
		struct vcs_head *head = &heads->at[i];
		struct err reason = ERR_INIT;

		if (head->refusal || vcs_mirror_pin(mirror, &head->id, 1, &reason)) {
			continue;
		}
		if (reason.kind == ERR_BROKEN || reason.kind == ERR_BUSY) {
			return err_set(err, reason.kind, "%s", reason.message);
		}
		head->refusal = arena_strdup(arena, reason.message);
	}
	return true;
}

static bool pin_all(struct vcs *mirror, struct vcs_heads *heads, struct arena *arena,
		    struct err *err)
{
	struct vcs_id *ids = arena_array(arena, heads->nr, sizeof(*ids));
	size_t nr = 0;

	for (size_t i = 0; i < heads->nr; i++) {
		if (!heads->at[i].refusal) {
			ids[nr++] = heads->at[i].id;
		}
	}
	return vcs_mirror_pin(mirror, ids, nr, NULL) || pin_each(mirror, heads, arena, err);
}

bool vcs_remote_fetch(struct vcs *mirror, const struct vcs_remote *remote, struct arena *arena,
		      struct vcs_heads *ret_heads, struct err *err)
{
	scoped(git_remote_free) git_remote *far = NULL;
	struct visit visit = { .limit_bytes = remote->limit_bytes };
	struct vcs_heads heads = { 0 };

	if (!connect_to(mirror->repo, remote->address, &visit, &far, err) ||
	    !list_heads(far, remote, arena, &heads, err) ||
	    !download_missing(mirror, far, &heads, &visit, arena, err) ||
	    !pin_all(mirror, &heads, arena, err)) {
		return false;
	}
	*ret_heads = heads;
	return true;
}
