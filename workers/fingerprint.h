/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fingerprint.h - what this machine is, as far as it moves numbers.
 *
 * {"lasting": {...}, "passing": {...}}.  `lasting` makes the machine's epoch (proto_epoch_hash()):
 * results of two epochs are not compared.  What changes by itself from minute to minute is only
 * recorded, in `passing`.  A fact that this machine does not tell is absent, which is a value, too.
 */
#ifndef WORKERS_FINGERPRINT_H
#define WORKERS_FINGERPRINT_H

#include "lib/base/json.h"
#include "lib/base/mem.h"
#include "lib/spec/spec.h"

/* All of it.  Runs the compiler and others to ask for their versions: about 20 ms. */
struct json *fingerprint_read(void);

/* The files below /proc, /sys and /etc in place of this machine's, for tests: `root` goes before
 * each path, no program is asked. */
struct json *fingerprint_read_files(const char *root);

/* "gcc (Debian 12.2.0-14) 12.2.0; GNU ld ...; GNU Make 4.3": what a build depends on besides its
 * sources.  `compiler` NULL: cc.  In the arena. */
const char *fingerprint_toolchain(struct arena *arena, const char *compiler);

/* {"rt-tests": "2.4-1", ...}: versions of the Debian packages that the job needs; null: not
 * installed, or there is no dpkg here. */
struct json *fingerprint_packages(const struct spec *spec);

/* Reads the kernel's id of this boot; "unknown" where it has none.  In the arena. */
const char *fingerprint_boot_id(struct arena *arena);

#endif
