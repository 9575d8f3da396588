/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "checks.h"

#include <ctype.h>

#include "metrics.h"
#include "pattern.h"

#define LINE_LIMIT_BYTES 500
#define NAME_LIMIT_BYTES 64

static bool is_blank(const struct node *node)
{
	return node->kind != NODE_TEXT || node->text[strspn(node->text, " \t\n")] == '\0';
}

bool check_line(const struct node *node, struct err *err)
{
	if (is_blank(node) || strlen(node->text) > LINE_LIMIT_BYTES ||
	    strpbrk(node->text, "\n\t")) {
		return node_refuse(node, err, "one line of text, at most 500 bytes");
	}
	return true;
}

bool check_script(const struct node *node, struct err *err)
{
	return !is_blank(node) || node_refuse(node, err, "the text of a shell script");
}

bool check_list(const struct node *node, struct err *err, const char *expected)
{
	return (node->kind == NODE_LIST && node->nr > 0) || node_refuse(node, err, expected);
}

/* A letter or digit, then those and the marks: fit for file names, SQL, JSON and mails. */
static bool is_word(const struct node *node, const char *marks)
{
	const char *text = node->kind == NODE_TEXT ? node->text : "";

	if (!isalnum((unsigned char)text[0]) || strlen(text) > NAME_LIMIT_BYTES) {
		return false;
	}
	for (const char *at = text; *at; at++) {
		if (!isalnum((unsigned char)*at) && !strchr(marks, *at)) {
			return false;
		}
	}
	return true;
}

bool check_name(const struct node *node, struct err *err)
{
	return is_word(node, "._-") ||
	       node_refuse(node, err,
			   "at most 64 letters, digits and ._- with a letter or digit first");
}

bool check_metric_name(const struct node *node, struct err *err)
{
	if (!is_word(node, "._-/%")) {
		return node_refuse(
			node, err,
			"at most 64 letters, digits and ._-/% with a letter or digit first");
	}
	return !is_time_metric(node->text) ||
	       node_refuse(node, err, "a name that is not measured in every run anyway");
}

static bool is_one_of(const struct node *node, const char *const *words)
{
	while (node->kind == NODE_TEXT && *words) {
		if (strcmp(node->text, *words++) == 0) {
			return true;
		}
	}
	return false;
}

bool check_better(const struct node *node, struct err *err)
{
	static const char *const words[] = { "lower", "higher", NULL };

	return is_one_of(node, words) || node_refuse(node, err, "lower or higher");
}

bool check_from(const struct node *node, struct err *err)
{
	static const char *const words[] = { "stdout", "stderr", "file", NULL };

	return is_one_of(node, words) || node_refuse(node, err, "stdout, stderr or file");
}

bool check_estimator(const struct node *node, struct err *err)
{
	static const char *const words[] = { "mean", "hmean", "median", NULL };
	const char *text = node->kind == NODE_TEXT ? node->text : "";
	bool is_percentile = text[0] == 'p' && isdigit((unsigned char)text[1]) &&
			     isdigit((unsigned char)text[2]) && text[3] == '\0';

	return is_percentile || is_one_of(node, words) ||
	       node_refuse(node, err, "mean, hmean, median or a percentile such as p99");
}

bool check_pattern(const struct node *node, struct err *err)
{
	scoped(pattern_free) struct pattern *pattern = NULL;
	struct err fault = ERR_INIT;

	if (node->kind != NODE_TEXT) {
		return node_refuse(node, err, "a regular expression");
	}
	return pattern_new(node->text, &pattern, &fault) ||
	       node_fail(node, err, "'%s': %s", node->name, fault.message);
}

bool check_pointer(const struct node *node, struct err *err)
{
	const char *text = node->kind == NODE_TEXT ? node->text : "";
	bool is_right = text[0] == '/';

	for (; *text && is_right; text++) {
		is_right = *text != '~' || text[1] == '0' || text[1] == '1';
	}
	return is_right || node_refuse(node, err, "a JSON pointer such as /jobs/0/read/iops");
}
