/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "str.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decimal.h"
#include "mem.h"

char str_empty[1];

void str_init(struct str *str)
{
	*str = (struct str)STR_INIT;
}

void str_release(struct str *str)
{
	if (str->room) {
		free(str->at);
	}
	str_init(str);
}

static void reserve(struct str *str, size_t more)
{
	size_t need;

	if (__builtin_add_overflow(str->length, more + 1, &need)) {
		bug("string of %zu and %zu bytes", str->length, more);
	}
	if (need <= str->room) {
		return;
	}
	if (need < 2 * str->room) {
		need = 2 * str->room;
	}
	if (need < 64) {
		need = 64;
	}
	str->at = mem_resize(str->room ? str->at : NULL, need, 1);
	str->at[str->length] = '\0';
	str->room = need;
}

void str_append_bytes(struct str *str, const void *bytes, size_t length)
{
	if (length == 0) {
		return;
	}
	reserve(str, length);
	memcpy(str->at + str->length, bytes, length);
	str->length += length;
	str->at[str->length] = '\0';
}

void str_append(struct str *str, const char *text)
{
	str_append_bytes(str, text, strlen(text));
}

void str_append_char(struct str *str, char character)
{
	str_append_bytes(str, &character, 1);
}

void str_append_int(struct str *str, int64_t value)
{
	char text[24];
	char *at = text + sizeof(text);
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

	do {
		*--at = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (value < 0) {
		*--at = '-';
	}
	str_append_bytes(str, at, (size_t)(text + sizeof(text) - at));
}

void str_append_blanks(struct str *str, size_t nr)
{
	reserve(str, nr);
	memset(str->at + str->length, ' ', nr);
	str->length += nr;
	str->at[str->length] = '\0';
}

void str_append_quoted(struct str *str, const char *text)
{
	str_append_char(str, '\'');
	for (const char *at = text; *at; at++) {
		if (*at == '\'') {
			str_append(str, "'\\''");
		} else {
			str_append_char(str, *at);
		}
	}
	str_append_char(str, '\'');
}

void str_printf(struct str *str, const char *format, ...)
{
	va_list args;
	int length;

	reserve(str, 32);
	va_start(args, format);
	length = vsnprintf(str->at + str->length, str->room - str->length, format, args);
	va_end(args);
	if (length < 0) {
		bug("format '%s'", format);
	}
	if ((size_t)length >= str->room - str->length) {
		reserve(str, (size_t)length);
		va_start(args, format);
		vsnprintf(str->at + str->length, (size_t)length + 1, format, args);
		va_end(args);
	}
	str->length += (size_t)length;
}

void str_truncate(struct str *str, size_t length)
{
	if (length < str->length) {
		str->length = length;
		str->at[length] = '\0';
	}
}

#define DRAIN_BYTES 65536

void str_drain(struct str *str)
{
	if (str->sink && str->length >= DRAIN_BYTES) {
		fwrite(str->at, 1, str->length, str->sink);
		str_truncate(str, 0);
	}
}

char *str_detach(struct str *str)
{
	char *text;

	reserve(str, 0);
	text = str->at;
	str_init(str);
	return text;
}

static bool open_to_read(const char *path, int flags, int *ret_fd, struct err *err)
{
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC | flags);
	return *ret_fd >= 0 || err_set_errno(err, errno == ENOENT ? ERR_ABSENT : ERR_BROKEN, errno,
					     "open '%s'", path);
}

/* Closes it. */
static bool read_all(struct str *str, int fd, const char *path, size_t limit_bytes, struct err *err)
{
	size_t before = str->length;
	ssize_t got;
	int error_number;

	do {
		reserve(str, 65536);
		got = read(fd, str->at + str->length, 65536);
		if (got > 0) {
			str->length += (size_t)got;
			str->at[str->length] = '\0';
		}
	} while ((got > 0 && str->length - before <= limit_bytes) || (got < 0 && errno == EINTR));
	error_number = errno;
	close(fd);
	if (got < 0) {
		str_truncate(str, before);
		return err_set_errno(err, ERR_BROKEN, error_number, "read '%s'", path);
	}
	if (str->length - before > limit_bytes) {
		str_truncate(str, before);
		return err_set(err, ERR_TOO_BIG, "read '%s': larger than %zu bytes", path,
			       limit_bytes);
	}
	return true;
}

bool str_read_file(struct str *str, const char *path, size_t limit_bytes, struct err *err)
{
	int fd;

	return open_to_read(path, 0, &fd, err) && read_all(str, fd, path, limit_bytes, err);
}

bool str_read_regular(struct str *str, const char *path, size_t limit_bytes, struct err *err)
{
	struct stat kind;
	int fd;

	if (!open_to_read(path, O_NONBLOCK | O_NOCTTY, &fd, err)) {
		return false;
	}
	if (fstat(fd, &kind) != 0 || !S_ISREG(kind.st_mode)) {
		close(fd);
		return err_set(err, ERR_INPUT, "read '%s': not a regular file", path);
	}
	return read_all(str, fd, path, limit_bytes, err);
}

static bool write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t put = write(fd, bytes, length);

		if (put < 0 && errno == EINTR) {
			continue;
		}
		if (put <= 0) {
			return false;
		}
		bytes += put;
		length -= (size_t)put;
	}
	return true;
}

static bool sync_folder_of(const char *path)
{
	scoped(free) char *copy = mem_strdup(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done;

	if (fd < 0) {
		return false;
	}
	done = fsync(fd) == 0;
	close(fd);
	return done;
}

bool str_write_file(const char *path, const void *bytes, size_t length, unsigned mode,
		    struct err *err)
{
	scoped(free) char *temporary = mem_printf("%s.XXXXXX", path);
	int fd = mkostemp(temporary, O_CLOEXEC);

	if (fd < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "create '%s'", temporary);
	}
	if (!write_all(fd, bytes, length) || fchmod(fd, (mode_t)mode) != 0 || fsync(fd) != 0) {
		int error_number = errno;

		close(fd);
		unlink(temporary);
		return err_set_errno(err, ERR_BROKEN, error_number, "write '%s'", path);
	}
	if (close(fd) != 0 || rename(temporary, path) != 0 || !sync_folder_of(path)) {
		int error_number = errno;

		unlink(temporary);
		return err_set_errno(err, ERR_BROKEN, error_number, "write '%s'", path);
	}
	return true;
}

bool str_to_int(const char *text, int64_t min, int64_t max, int64_t *ret_value, struct err *err)
{
	char *end;
	long long value;
	const char *digits = *text == '-' ? text + 1 : text;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (*digits < '0' || *digits > '9' || *end != '\0' || errno == EINVAL) {
		return err_set(err, ERR_INPUT, "'%.40s' is not a whole number", text);
	}
	if (errno == ERANGE || value < min || value > max) {
		return err_set(err, ERR_INPUT, "'%.40s' is outside %" PRId64 " to %" PRId64, text,
			       min, max);
	}
	*ret_value = value;
	return true;
}

bool str_to_double(const char *text, double *ret_value, struct err *err)
{
	char *end;
	double value;

	/* No program of ours calls setlocale(), so strtod() reads the C locale's form. */
	if (text[strspn(text, "+-0123456789.eE")] != '\0' || *text == '\0') {
		return err_set(err, ERR_INPUT, "'%.40s' is not a number", text);
	}
	value = strtod(text, &end);
	if (*end != '\0') {
		return err_set(err, ERR_INPUT, "'%.40s' is not a number", text);
	}
	if (!isfinite(value)) {
		return err_set(err, ERR_INPUT, "'%.40s' is too large", text);
	}
	*ret_value = value;
	return true;
}

void str_append_number(struct str *str, double value)
{
	char text[32];
	double back;
	size_t length = decimal_write_short(value, text);

	if (length > 0) {
		str_append_bytes(str, text, length);
		return;
	}
	/* 15 digits are always true, 17 always enough. */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		back = strtod(text, NULL);
		if (memcmp(&back, &value, sizeof(back)) == 0) {
			break;
		}
	}
	str_append(str, text);
}

bool str_has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_has_suffix(const char *text, const char *suffix)
{
	size_t length = strlen(text);
	size_t tail = strlen(suffix);

	return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

#define DISTANCE_BYTES 64

/* The least number of inserted, left out and changed bytes; longer texts are never near. */
static size_t distance(const char *a, const char *b)
{
	size_t length = strlen(b);
	size_t row[DISTANCE_BYTES + 1];

	if (strlen(a) > DISTANCE_BYTES || length > DISTANCE_BYTES) {
		return SIZE_MAX;
	}
	for (size_t j = 0; j <= length; j++) {
		row[j] = j;
	}
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			size_t changed = diagonal + (a[i - 1] != b[j - 1]);
			size_t one_more = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

			diagonal = row[j];
			row[j] = changed < one_more ? changed : one_more;
		}
	}
	return row[length];
}

const char *str_nearest(const char *text, const char *const *first, size_t nr, size_t stride_bytes)
{
	size_t least = strlen(text) / 3 + 1; /* a third may be wrong */
	const char *nearest = NULL;

	for (size_t i = 0; i < nr; i++) {
		const char *name;
		size_t edits;

		memcpy(&name, (const char *)first + i * stride_bytes, sizeof(const char *));
		edits = distance(text, name);
		if (edits < strlen(name) && (edits < least || (edits == least && !nearest))) {
			least = edits;
			nearest = name;
		}
	}
	return nearest;
}

/* Greedy with one backtrack point: linear times the number of stars, no recursion. */
bool str_matches(const char *glob, const char *text)
{
	const char *star = NULL;
	const char *resume = NULL;

	while (*text) {
		if (*glob == '*') {
			star = glob++;
			resume = text;
		} else if (*glob == '?' || *glob == *text) {
			glob++;
			text++;
		} else if (star) {
			glob = star + 1;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*glob == '*') {
		glob++;
	}
	return *glob == '\0';
}

size_t str_decode(const char *bytes, size_t left, uint32_t *ret_code)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *at = (const unsigned char *)bytes;
	size_t length = at[0] < 0x80 ? 1 : at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
	uint32_t code = at[0];

	if (at[0] >= 0xf8 || (at[0] >= 0x80 && at[0] < 0xc0) || length > left) {
		return 0;
	}
	if (length > 1) {
		code &= 0x7fU >> length;
	}
	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80) {
			return 0;
		}
		code = code << 6 | (at[i] & 0x3fU);
	}
	if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
		return 0;
	}
	*ret_code = code;
	return length;
}

static bool is_hidden(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c ||
	       (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x2069) || code == 0xfeff;
}

/* How many bytes from `at` on are printable ASCII: most of what is ever cleaned. */
static size_t plain_run(const char *at, const char *end, size_t limit_bytes)
{
	size_t length = 0;
	size_t most = (size_t)(end - at) < limit_bytes ? (size_t)(end - at) : limit_bytes;

	while (length < most && at[length] >= 0x20 && at[length] < 0x7f) {
		length++;
	}
	return length;
}

void str_append_clean(struct str *str, const char *bytes, size_t length, bool keep_lines,
		      size_t limit_bytes)
{
	const char *at = bytes;
	const char *end = bytes + length;

	while (at < end) {
		size_t run = plain_run(at, end, limit_bytes);
		uint32_t code = 0;
		size_t size;
		bool is_kept;
		size_t written;

		str_append_bytes(str, at, run);
		limit_bytes -= run;
		at += run;
		if (at == end) {
			return;
		}
		size = str_decode(at, (size_t)(end - at), &code);
		is_kept = size > 0 &&
			  (!is_hidden(code) || (keep_lines && (code == '\n' || code == '\t')));
		written = is_kept ? size : 3;
		if (written > limit_bytes) {
			return;
		}
		limit_bytes -= written;
		str_append_bytes(str, is_kept ? at : "\xef\xbf\xbd", written);
		at += size ? size : 1;
	}
}
