/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"

#include <limits.h>
#include <unistd.h>

#include "lib/base/mem.h"

char *program_path(const char *relative)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
	const char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;

	return slash ? mem_printf("%.*s/%s", (int)(slash - path), path, relative)
		     : mem_strdup(relative);
}
