/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fingerprint.h"

#include <ctype.h>
#include <sys/utsname.h>

#include "lib/base/hash.h"
#include "lib/base/str.h"
#include "lib/proc/proc.h"

#define FILE_LIMIT_BYTES ((size_t)4 << 20)
#define ASK_S            20

static const char *const ask_env[] = {
	"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL
};

/* --- files --- */

/* Facts that are the first line of a file. */
static const struct {
	const char *name;
	const char *path;
	bool is_lasting;
} facts[] = {
	{ "kernel", "/proc/sys/kernel/osrelease", true },
	{ "kernel_build", "/proc/sys/kernel/version", true },
	{ "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", true },
	{ "frequency_driver", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", true },
	{ "frequency_max_khz", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", true },
	{ "no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", true },
	{ "boost", "/sys/devices/system/cpu/cpufreq/boost", true },
	{ "smt", "/sys/devices/system/cpu/smt/control", true },
	{ "idle_driver", "/sys/devices/system/cpu/cpuidle/current_driver", true },
	{ "isolated", "/sys/devices/system/cpu/isolated", true },
	{ "online", "/sys/devices/system/cpu/online", true },
	{ "nodes", "/sys/devices/system/node/online", true },
	{ "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource", true },
	{ "huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled", true },
	{ "address_randomization", "/proc/sys/kernel/randomize_va_space", true },
	{ "numa_balancing", "/proc/sys/kernel/numa_balancing", true },
	{ "swappiness", "/proc/sys/vm/swappiness", true },
	{ "system", "/etc/debian_version", true },
	{ "hypervisor", "/sys/hypervisor/type", true },
	{ "boot_id", "/proc/sys/kernel/random/boot_id", false },
	{ "load", "/proc/loadavg", false },
	{ "pressure", "/proc/pressure/cpu", false },
};

static bool read_file(const char *root, const char *path, struct str *text)
{
	scoped(free) char *full = mem_printf("%s%s", root, path);

	return str_read_file(text, full, FILE_LIMIT_BYTES, NULL);
}

static void put_line(struct json *object, const char *name, const char *text, size_t length)
{
	scoped(str_release) struct str line = STR_INIT;

	while (length > 0 && isspace((unsigned char)text[length - 1])) {
		length--;
	}
	str_append_clean(&line, text, length, false, 2000);
	json_put_text(object, name, line.at);
}

static void put_facts(const char *root, struct json *lasting, struct json *passing)
{
	for (size_t i = 0; i < countof(facts); i++) {
		scoped(str_release) struct str text = STR_INIT;

		if (read_file(root, facts[i].path, &text)) {
			put_line(facts[i].is_lasting ? lasting : passing, facts[i].name, text.at,
				 strcspn(text.at, "\n"));
		}
	}
}

/* The words of the kernel's command line that move numbers.  Not the rest: an address or a seed of
 * this very boot would make an epoch of each boot, and a secret would be shown to everybody. */
static const char *const kernel_words[] = { "audit",
					    "clocksource",
					    "cpuidle.*",
					    "cpuidle_haltpoll.*",
					    "default_hugepagesz",
					    "hugepages",
					    "hugepagesz",
					    "idle",
					    "init_on_*",
					    "intel_idle.*",
					    "intel_pstate",
					    "irqaffinity",
					    "isolcpus",
					    "kvm.*",
					    "l1tf",
					    "lsm",
					    "maxcpus",
					    "mds",
					    "mem",
					    "memmap",
					    "mitigations",
					    "no_turbo",
					    "nohz",
					    "nohz_full",
					    "nokaslr",
					    "nopti",
					    "nosmt",
					    "nospectre_*",
					    "nr_cpus",
					    "numa_balancing",
					    "page_poison",
					    "preempt",
					    "processor.*",
					    "pti",
					    "rcu_nocbs",
					    "retbleed",
					    "security",
					    "selinux",
					    "apparmor",
					    "slab_*",
					    "slub_debug",
					    "spec_*",
					    "spectre_*",
					    "srbds",
					    "threadirqs",
					    "transparent_hugepage",
					    "tsc",
					    "tsx*",
					    "amd_pstate",
					    "skew_tick",
					    "kasan",
					    "kfence.*",
					    "debug_pagealloc" };

static bool is_kernel_word(const char *word, size_t length)
{
	scoped(free) char *name = mem_strndup(word, length);

	name[strcspn(name, "=")] = '\0';
	for (size_t i = 0; i < countof(kernel_words); i++) {
		if (str_matches(kernel_words[i], name)) {
			return true;
		}
	}
	return false;
}

static void put_kernel_words(const char *root, struct json *lasting)
{
	scoped(str_release) struct str text = STR_INIT;
	scoped(str_release) struct str words = STR_INIT;

	if (!read_file(root, "/proc/cmdline", &text)) {
		return;
	}
	for (const char *at = text.at; *at; at += strspn(at, " \n")) {
		size_t length = strcspn(at, " \n");

		if (length > 0 && is_kernel_word(at, length)) {
			str_printf(&words, "%s%.*s", words.length ? " " : "", (int)length, at);
		}
		at += length;
	}
	put_line(lasting, "kernel_command_line", words.at, words.length);
}

/* The value of "NAME : value" or "NAME: value", as /proc/cpuinfo and /proc/meminfo have them. */
static const char *find_value(const char *text, const char *name, size_t *ret_length)
{
	size_t name_length = strlen(name);

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *at = line + name_length;

		if (strncmp(line, name, name_length) != 0) {
			continue;
		}
		at += strspn(at, " \t");
		if (*at == ':') {
			at++;
			at += strspn(at, " \t");
			*ret_length = strcspn(at, "\n");
			return at;
		}
	}
	return NULL;
}

static int64_t count_lines(const char *text, const char *name)
{
	int64_t nr = 0;
	size_t length;

	for (const char *at = text; (at = find_value(at, name, &length));) {
		nr++;
		at += length;
		at += *at == '\n';
	}
	return nr;
}

/* The first processor speaks for all; their number is told.  Flags are long, so only their hash. */
static void put_processor(const char *root, struct json *lasting)
{
	static const struct {
		const char *name;
		const char *key;
	} rows[] = {
		{ "processor", "model name" },
		{ "processor_vendor", "vendor_id" },
		{ "processor_family", "cpu family" },
		{ "processor_model", "model" },
		{ "processor_stepping", "stepping" },
		{ "microcode", "microcode" },
		{ "cache", "cache size" },
	};
	scoped(str_release) struct str text = STR_INIT;
	const char *value;
	size_t length;

	if (!read_file(root, "/proc/cpuinfo", &text)) {
		return;
	}
	for (size_t i = 0; i < countof(rows); i++) {
		value = find_value(text.at, rows[i].key, &length);
		if (value) {
			put_line(lasting, rows[i].name, value, length);
		}
	}
	value = find_value(text.at, "flags", &length);
	if (value) {
		struct hash hash = hash_of(value, length);
		char hex[HASH_TEXT_BYTES];

		hash_format(&hash, hex);
		json_put_text(lasting, "processor_flags", hex);
	}
	json_put_int(lasting, "processors", count_lines(text.at, "processor"));
}

/* Rounded to 64 MiB: what the kernel keeps for itself differs a little from boot to boot. */
static void put_memory(const char *root, struct json *lasting)
{
	const int64_t step_kib = INT64_C(64) << 10;
	scoped(str_release) struct str text = STR_INIT;
	const char *value;
	size_t length;

	if (read_file(root, "/proc/meminfo", &text) &&
	    (value = find_value(text.at, "MemTotal", &length))) {
		int64_t kib = strtoll(value, NULL, 10);

		json_put_int(lasting, "memory_mib", (kib + step_kib / 2) / step_kib * 64);
	}
}

static void put_mitigations(const char *root, struct json *lasting)
{
	static const char *const names[] = {
		"gather_data_sampling",
		"indirect_target_selection",
		"itlb_multihit",
		"l1tf",
		"mds",
		"meltdown",
		"mmio_stale_data",
		"reg_file_data_sampling",
		"retbleed",
		"spec_rstack_overflow",
		"spec_store_bypass",
		"spectre_v1",
		"spectre_v2",
		"srbds",
		"tsa",
		"tsx_async_abort",
		"vmscape",
	};
	struct json *mitigations = json_new_object();

	for (size_t i = 0; i < countof(names); i++) {
		scoped(free) char *path =
			mem_printf("/sys/devices/system/cpu/vulnerabilities/%s", names[i]);
		scoped(str_release) struct str text = STR_INIT;

		if (read_file(root, path, &text)) {
			put_line(mitigations, names[i], text.at, text.length);
		}
	}
	json_put(lasting, "mitigations", mitigations);
}

/* --- programs --- */

/* The first line that a program prints; false where it cannot be asked. */
static bool ask(const char *const *argv, struct str *line)
{
	scoped(str_release) struct str text = STR_INIT;
	struct proc_spec spec = { .argv = argv, .env = ask_env, .deadline = SPAN_S(ASK_S) };
	struct proc_result result;

	if (!proc_capture(&spec, &text, &result, NULL) || result.end != PROC_EXITED ||
	    result.exit_code != 0) {
		return false;
	}
	str_append_clean(line, text.at, strcspn(text.at, "\n"), false, 300);
	return true;
}

const char *fingerprint_toolchain(struct arena *arena, const char *compiler)
{
	const char *const programs[] = { compiler ? compiler : "cc", "ld", "make" };
	scoped(str_release) struct str text = STR_INIT;

	for (size_t i = 0; i < countof(programs); i++) {
		const char *const argv[] = { programs[i], "--version", NULL };

		if (i > 0) {
			str_append(&text, "; ");
		}
		if (!ask(argv, &text)) {
			str_printf(&text, "no %s", programs[i]);
		}
	}
	return arena_strdup(arena, text.at);
}

struct json *fingerprint_packages(const struct spec *spec)
{
	struct json *packages = json_new_object();

	for (size_t i = 0; i < spec->packages.nr; i++) {
		const char *const argv[] = {
			"dpkg-query",         "--show", "--showformat=${Version}\n", "--",
			spec->packages.at[i], NULL
		};
		scoped(str_release) struct str version = STR_INIT;

		json_put_text(packages, spec->packages.at[i],
			      ask(argv, &version) && version.length > 0 ? version.at : NULL);
	}
	return packages;
}

static void put_programs(struct json *lasting)
{
	static const char *const libc[] = { "ldd", "--version", NULL };
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(str_release) struct str line = STR_INIT;

	json_put_text(lasting, "toolchain", fingerprint_toolchain(arena, NULL));
	if (ask(libc, &line)) {
		json_put_text(lasting, "libc", line.at);
	}
}

/* --- together --- */

struct json *fingerprint_read_files(const char *root)
{
	struct json *fingerprint = json_new_object();
	struct json *lasting = json_new_object();
	struct json *passing = json_new_object();

	put_facts(root, lasting, passing);
	put_kernel_words(root, lasting);
	put_processor(root, lasting);
	put_memory(root, lasting);
	put_mitigations(root, lasting);
	json_put(fingerprint, "lasting", lasting);
	json_put(fingerprint, "passing", passing);
	return fingerprint;
}

struct json *fingerprint_read(void)
{
	struct json *fingerprint = fingerprint_read_files("");
	struct json *lasting = json_get(fingerprint, "lasting");
	struct utsname name;

	if (uname(&name) == 0) {
		json_put_text(lasting, "architecture", name.machine);
	}
	put_programs(lasting);
	return fingerprint;
}

const char *fingerprint_boot_id(struct arena *arena)
{
	scoped(str_release) struct str text = STR_INIT;

	if (!read_file("", "/proc/sys/kernel/random/boot_id", &text)) {
		return "unknown";
	}
	str_truncate(&text, strcspn(text.at, "\n"));
	return arena_strdup(arena, text.at);
}
