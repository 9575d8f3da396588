/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * matrix.h - the variants of a job, and the identity of each.
 *
 * Every list of `params` is an axis.  Variants come in the order of nested loops over the lists as
 * they stand: the first list varies slowest, the last one fastest.  The list of a sweep is no axis;
 * it stands in its one variant as a whole.
 *
 * The identity of what is measured is {benchmark, compiler, config, group, params, rootfs}, written
 * in JSON's canonical form; its SHA-256 is the cell.  The commit is no part of it.
 *
 *	const struct setting setting = { .compiler = "gcc-12", .group = "laptops" };
 *	scoped(json_free) struct json *identity = matrix_identity(spec, 0, &setting);
 *	char cell[HASH_TEXT_BYTES];
 *	matrix_cell(identity, cell);
 */
#ifndef SPEC_MATRIX_H
#define SPEC_MATRIX_H

#include "lib/base/hash.h"
#include "spec.h"

#define MATRIX_LIMIT 1000 /* variants of one job */

/* With what and on what a job runs; NULL where it does not matter. */
struct setting {
	const char *compiler;
	const char *config;
	const char *rootfs;
	const char *group;
};

/* The number of variants, at least 1; above MATRIX_LIMIT some number above it. */
size_t matrix_size(const struct spec *spec);

/* The parameters of variant `index` (below matrix_size): {name: "value"}, a sweep's as an array. */
struct json *matrix_params(const struct spec *spec, size_t index);

/* The identity document of the variant: what a lease carries as `variant`. */
struct json *matrix_identity(const struct spec *spec, size_t index, const struct setting *setting);

/* SHA-256 of the canonical form. */
void matrix_cell(const struct json *identity, char cell[HASH_TEXT_BYTES]);

/* What a build depends on besides the commit and the toolchain, as a hash: the text of `build`, the
 * parameters that it names, compiler and config.  Variants with equal hashes share a build. */
void matrix_build(const struct spec *spec, const struct json *identity, char hash[HASH_TEXT_BYTES]);

#endif
