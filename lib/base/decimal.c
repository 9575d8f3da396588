/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "decimal.h"

#include <math.h>

#include "str.h"

/* A number in parts: mantissa * 10^exponent. */
struct parts {
	const char *at, *end;
	uint64_t mantissa;
	int64_t exponent;
	bool is_exact; /* no digit was left out */
};

static char peek(const struct parts *parts)
{
	return *(parts->at < parts->end ? parts->at : "");
}

static bool is_digit(char character)
{
	return character >= '0' && character <= '9';
}

/* At least one digit; each moves the exponent by `step`. */
static bool read_digits(struct parts *parts, int64_t step)
{
	const char *at = parts->at;
	uint64_t mantissa = parts->mantissa;
	int64_t nr = 0;

	if (!is_digit(peek(parts))) {
		return false;
	}
	for (; at < parts->end && is_digit(*at); at++) {
		if (mantissa > (UINT64_MAX - 9) / 10) {
			parts->is_exact = false;
			continue;
		}
		mantissa = 10 * mantissa + (uint64_t)(*at - '0');
		nr++;
	}
	parts->at = at;
	parts->mantissa = mantissa;
	parts->exponent += nr * step;
	return true;
}

static bool read_exponent(struct parts *parts)
{
	struct parts digits = { .at = parts->at + 1, .end = parts->end, .is_exact = true };
	bool is_negative = peek(&digits) == '-';

	if (is_negative || peek(&digits) == '+') {
		digits.at++;
	}
	if (!read_digits(&digits, 0)) {
		return false;
	}
	parts->at = digits.at;
	if (digits.mantissa > 1000000) {
		parts->is_exact = false;
	} else {
		parts->exponent +=
			is_negative ? -(int64_t)digits.mantissa : (int64_t)digits.mantissa;
	}
	return true;
}

static bool make_fast(const struct parts *parts, double *ret_value)
{
	static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

	if (!parts->is_exact || parts->mantissa > UINT64_C(1) << 53 || parts->exponent < -22 ||
	    parts->exponent > 22) {
		return false;
	}
	*ret_value = parts->exponent < 0 ? (double)parts->mantissa / powers[-parts->exponent]
					 : (double)parts->mantissa * powers[parts->exponent];
	return true;
}

static double make_slow(const char *bytes, size_t length)
{
	scoped(str_release) struct str text = STR_INIT;

	/* No program of ours calls setlocale(), so strtod() reads the C locale's form. */
	str_append_bytes(&text, bytes, length);
	return strtod(text.at, NULL);
}

size_t decimal_read(const char *bytes, size_t left, double *ret_value)
{
	struct parts parts = { .at = bytes, .end = bytes + left, .is_exact = true };
	bool is_negative = peek(&parts) == '-';
	double value;
	size_t length;

	parts.at += is_negative;
	if (peek(&parts) == '0') {
		parts.at++;
	} else if (!read_digits(&parts, 0)) {
		return 0;
	}
	if (peek(&parts) == '.') {
		parts.at++;
		if (!read_digits(&parts, -1)) {
			return 0;
		}
	}
	if ((peek(&parts) | 0x20) == 'e' && !read_exponent(&parts)) {
		return 0;
	}
	length = (size_t)(parts.at - bytes);
	if (make_fast(&parts, &value)) {
		*ret_value = is_negative ? -value : value;
	} else {
		*ret_value = make_slow(bytes, length);
	}
	return length;
}

#define MOST_DIGITS 3

/* A sign, 12 digits, a point. */
#define MOST_BYTES 16

/* Up to `end`; gives the length.  0: it is not certain how printf rounds, which is rare. */
static size_t write_back(double value, int digits, bool has_plus, char *end)
{
	static const double scales[MOST_DIGITS + 1] = { 1, 10, 100, 1000 };
	double scaled = fabs(value) * scales[digits];
	uint64_t whole = scaled < 1e12 ? (uint64_t)scaled : 0;
	double rest = scaled - (double)whole;
	char *at = end;

	if (!(scaled < 1e12) || fabs(rest - 0.5) < 1e-3) {
		return 0;
	}
	whole += rest > 0.5;
	for (int i = 0; whole > 0 || i <= digits; i++) {
		if (i == digits && i > 0) {
			*--at = '.';
		}
		*--at = (char)('0' + whole % 10);
		whole /= 10;
	}
	if (signbit(value) || has_plus) {
		*--at = signbit(value) ? '-' : '+';
	}
	return (size_t)(end - at);
}

size_t decimal_write(double value, int digits, bool has_plus, char *text, size_t room)
{
	char bytes[MOST_BYTES];
	size_t length;
	int printed;

	assert(digits >= 0 && digits <= MOST_DIGITS && room > 0);
	length = write_back(value, digits, has_plus, bytes + sizeof(bytes));
	if (length > 0 && length < room) {
		memcpy(text, bytes + sizeof(bytes) - length, length);
		text[length] = '\0';
		return length;
	}
	printed = snprintf(text, room, has_plus ? "%+.*f" : "%.*f", digits, value);
	return (size_t)printed < room ? (size_t)printed : room - 1;
}

/* 10^15 and more digits are printed with an exponent or not exactly. */
#define SHORT_LIMIT 1e15
#define SHORT_LEAST 1e-4

size_t decimal_write_short(double value, char text[DECIMAL_SHORT_BYTES])
{
	static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };
	double size = fabs(value);
	char bytes[DECIMAL_SHORT_BYTES];
	char *at = bytes + sizeof(bytes);

	for (int digits = 0; size >= SHORT_LEAST && digits < (int)countof(powers); digits++) {
		double scaled = size * powers[digits] + 0.5;
		uint64_t whole = scaled < SHORT_LIMIT ? (uint64_t)scaled : 0;
		double back = (double)whole / powers[digits];

		if (whole == 0 || back < size || back > size) {
			continue;
		}
		for (int i = 0; whole > 0 || i <= digits; i++, whole /= 10) {
			if (i == digits && i > 0) {
				*--at = '.';
			}
			*--at = (char)('0' + whole % 10);
		}
		if (value < 0) {
			*--at = '-';
		}
		break;
	}
	memcpy(text, at, (size_t)(bytes + sizeof(bytes) - at));
	return (size_t)(bytes + sizeof(bytes) - at);
}
