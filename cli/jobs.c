/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jobs.h"

#include <limits.h>
#include <unistd.h>

#define LEVELS_UP 4

static const char *const subfolders[] = { "jobs", "share/patchmeter/jobs" };

static bool is_job(struct str *path, const char *folder, const char *benchmark)
{
	str_truncate(path, 0);
	str_printf(path, "%s/%s/job.yaml", folder, benchmark);
	return access(path->at, F_OK) == 0;
}

static bool is_above(struct str *path, const char *place, const char *benchmark)
{
	for (size_t i = 0; i < countof(subfolders); i++) {
		scoped(free) char *folder = mem_printf("%s/%s", place, subfolders[i]);

		if (is_job(path, folder, benchmark)) {
			return true;
		}
	}
	return false;
}

static bool find_job(struct str *path, const char *benchmark)
{
	char place[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", place, sizeof(place) - 1);

	if (length <= 0) {
		return false;
	}
	place[length] = '\0';
	for (int level = 0; level < LEVELS_UP; level++) {
		char *slash = strrchr(place, '/');

		if (!slash) {
			return false;
		}
		*slash = '\0';
		if (is_above(path, place, benchmark)) {
			return true;
		}
	}
	return false;
}

bool jobs_path(const char *folder, const char *benchmark, struct str *ret_path, struct err *err)
{
	if (strchr(benchmark, '/')) {
		str_truncate(ret_path, 0);
		str_append(ret_path, benchmark);
		return true;
	}
	if (folder ? !is_job(ret_path, folder, benchmark) : !find_job(ret_path, benchmark)) {
		return err_set(err, ERR_ABSENT,
			       "no job '%s' in %s; expected the name of a folder there, or a path",
			       benchmark, folder ? folder : "the jobs folder");
	}
	return true;
}

bool jobs_read(const char *folder, const char *benchmark, struct spec **ret_spec, struct err *err)
{
	scoped(str_release) struct str path = STR_INIT;

	return jobs_path(folder, benchmark, &path, err) && spec_read(path.at, ret_spec, err);
}

const struct spec *jobs_find(const struct jobs *jobs, const char *benchmark)
{
	for (size_t i = 0; i < jobs->specs.nr; i++) {
		if (strcmp(jobs->specs.at[i]->name, benchmark) == 0) {
			return jobs->specs.at[i];
		}
	}
	return NULL;
}

void jobs_release(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->specs.nr; i++) {
		spec_free(jobs->specs.at[i]);
	}
	vec_release(&jobs->specs);
}
