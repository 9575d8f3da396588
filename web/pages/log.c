/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log.h"

#include <errno.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/text/plain.h"

bool log_read_end(int fd, int64_t size_bytes, struct str *str, bool *ret_is_cut, struct err *err)
{
	scoped(free) char *bytes = mem_alloc(LOG_SHOWN_BYTES);
	int64_t offset = size_bytes > LOG_SHOWN_BYTES ? size_bytes - LOG_SHOWN_BYTES : 0;
	size_t length = 0;
	const char *start = bytes;
	ssize_t nr;

	do {
		nr = pread(fd, bytes + length, LOG_SHOWN_BYTES - length, offset + (int64_t)length);
		length += nr > 0 ? (size_t)nr : 0;
	} while (nr > 0);
	if (nr < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "read a log");
	}
	if (offset > 0) {
		const char *line = memchr(bytes, '\n', length);

		start = line ? line + 1 : bytes;
	}
	plain_append(str, start, length - (size_t)(start - bytes));
	*ret_is_cut = offset > 0;
	return true;
}
