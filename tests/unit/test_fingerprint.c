/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/fingerprint.h"

#include "lib/base/str.h"
#include "lib/proto/proto.h"
#include "tests/t.h"
#include "workers/place.h"

#define CPUINFO                                                                          \
	"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"   \
	"model name\t: Some Processor 8480+\nstepping\t: 8\nmicrocode\t: 0x2b000461\n"   \
	"cpu MHz\t\t: 2000.117\ncache size\t: 107520 KB\nflags\t\t: fpu sse avx512f\n\n" \
	"processor\t: 1\nmodel name\t: Some Processor 8480+\ncpu MHz\t\t: 3812.004\n"

static void put(const char *root, const char *name, const char *text)
{
	scoped(free) char *path = mem_printf("%s%s", root, name);
	scoped(free) char *folder = mem_strndup(path, (size_t)(strrchr(path, '/') - path));
	struct err err = ERR_INIT;

	CHECK_DONE(make_folders(folder, &err), &err);
	CHECK_DONE(str_write_file(path, text, strlen(text), 0644, &err), &err);
}

static char *machine(void)
{
	char *root = t_folder();

	put(root, "/proc/cpuinfo", CPUINFO);
	put(root, "/proc/cmdline",
	    "root=/dev/sda1 isolcpus=2-3 mitigations=off token=secret quiet\n");
	put(root, "/proc/meminfo", "MemTotal:       24706616 kB\nMemFree:        100 kB\n");
	put(root, "/proc/loadavg", "0.10 0.20 0.30 1/100 4242\n");
	put(root, "/proc/sys/kernel/osrelease", "6.1.0-50-amd64\n");
	put(root, "/proc/sys/kernel/randomize_va_space", "2\n");
	put(root, "/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
	put(root, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	put(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
	put(root, "/sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
	return root;
}

static char *epoch_of(const char *root)
{
	scoped(json_free) struct json *json = fingerprint_read_files(root);
	struct hash hash = proto_epoch_hash(json);
	char text[HASH_TEXT_BYTES];

	hash_format(&hash, text);
	return mem_strdup(text);
}

static void tells_facts(void)
{
	scoped(free) char *root = machine();
	scoped(json_free) struct json *json = fingerprint_read_files(root);
	const struct json *lasting = json_get(json, "lasting");
	const struct json *passing = json_get(json, "passing");

	CHECK_TEXT(json_text(json_get(lasting, "processor")), "Some Processor 8480+");
	CHECK_INT(json_int(json_get(lasting, "processors"), 0), 2);
	CHECK_TEXT(json_text(json_get(lasting, "microcode")), "0x2b000461");
	CHECK_TEXT(json_text(json_get(lasting, "kernel")), "6.1.0-50-amd64");
	CHECK_TEXT(json_text(json_get(lasting, "governor")), "performance");
	CHECK_TEXT(json_text(json_get(json_get(lasting, "mitigations"), "meltdown")),
		   "Mitigation: PTI");
	/* 24706616 KiB are 24127.6 MiB: 377 times 64 */
	CHECK_INT(json_int(json_get(lasting, "memory_mib"), 0), 24128);
	/* printf 'fpu sse avx512f' | sha256sum */
	CHECK_TEXT(json_text(json_get(lasting, "processor_flags")),
		   "8c4e677ddcff768b6981cd7eab40a3a7669777bf5bc2656dba5686865759b15b");
	CHECK_TEXT(json_text(json_get(passing, "load")), "0.10 0.20 0.30 1/100 4242");
	/* Neither secrets, nor what is of one boot. */
	CHECK_TEXT(json_text(json_get(lasting, "kernel_command_line")),
		   "isolcpus=2-3 mitigations=off");
	CHECK(json_get(lasting, "no_turbo") == NULL);
	CHECK(json_get(lasting, "boot_id") == NULL);
}

static void passing_facts_make_no_epoch(void)
{
	scoped(free) char *root = machine();
	scoped(free) char *before = epoch_of(root);

	put(root, "/proc/cmdline", "root=/dev/sdb isolcpus=2-3 mitigations=off seed=4711\n");
	put(root, "/proc/loadavg", "9.99 9.99 9.99 9/999 9999\n");
	put(root, "/proc/sys/kernel/random/boot_id", "99999999-2222-3333-4444-555555555555\n");
	put(root, "/proc/meminfo", "MemTotal:       24706000 kB\nMemFree:        900 kB\n");
	put(root, "/proc/cpuinfo", CPUINFO "cpu MHz\t\t: 1.0\n");
	scoped(free) char *after = epoch_of(root);

	CHECK_TEXT(after, before);
}

static void lasting_facts_make_an_epoch(void)
{
	static const struct {
		const char *path, *text;
	} changes[] = {
		{ "/proc/sys/kernel/osrelease", "6.1.0-51-amd64\n" },
		{ "/proc/cmdline", "root=/dev/sda1 isolcpus=1 quiet\n" },
		{ "/proc/sys/kernel/randomize_va_space", "0\n" },
		{ "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n" },
		{ "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n" },
		{ "/sys/devices/system/cpu/vulnerabilities/meltdown", "Vulnerable\n" },
		{ "/proc/meminfo", "MemTotal:       12353308 kB\n" },
		{ "/proc/cpuinfo", "processor : 0\nmicrocode : 0x2b000590\n" },
	};

	for (size_t i = 0; i < countof(changes); i++) {
		scoped(free) char *root = machine();
		scoped(free) char *before = epoch_of(root);

		put(root, changes[i].path, changes[i].text);
		scoped(free) char *after = epoch_of(root);

		if (!CHECK(strcmp(before, after) != 0)) {
			printf("# %s\n", changes[i].path);
		}
	}
}

static void bears_absence(void)
{
	scoped(free) char *root = t_folder();
	scoped(json_free) struct json *json = fingerprint_read_files(root);

	CHECK(json_size(json_get(json, "lasting")) == 1); /* mitigations: {} */
	CHECK(json_size(json_get(json, "passing")) == 0);
}

static void asks_this_machine(void)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *json = fingerprint_read();
	scoped(json_free) struct json *again = fingerprint_read();
	struct hash one = proto_epoch_hash(json);
	struct hash two = proto_epoch_hash(again);

	CHECK(memcmp(&one, &two, sizeof(one)) == 0);
	CHECK(strlen(json_text(json_get(json_get(json, "lasting"), "kernel"))) > 2);
	CHECK(strstr(fingerprint_toolchain(arena, "no-such-compiler"), "no no-such-compiler; "));
	CHECK(strcmp(fingerprint_boot_id(arena), "unknown") != 0);
}

static void asks_for_packages(void)
{
	static const char job[] =
		"name: x\nsummary: y\nneeds:\n  packages: [dpkg, no-such-package]\n"
		"run: 'true'\nmetrics:\n  - {name: a, unit: s, better: lower, "
		"headline: true, lines: a}\n";
	scoped(spec_free) struct spec *spec = NULL;
	struct err err = ERR_INIT;

	if (!CHECK_DONE(spec_parse("job", job, strlen(job), &spec, &err), &err)) {
		return;
	}
	scoped(json_free) struct json *packages = fingerprint_packages(spec);

	if (!json_text(json_get(packages, "dpkg"))) {
		T_SKIP("no dpkg on this machine");
	}
	CHECK(json_text(json_get(packages, "dpkg"))[0] == '1');
	CHECK(json_size(packages) == 2);
	CHECK(json_text(json_get(packages, "no-such-package")) == NULL);
}

static const struct t_case cases[] = {
	{ "facts come from the files of the kernel", tells_facts },
	{ "what changes by itself makes no epoch", passing_facts_make_no_epoch },
	{ "kernel, microcode, governor and settings make an epoch", lasting_facts_make_an_epoch },
	{ "a machine that tells nothing has a fingerprint, too", bears_absence },
	{ "this machine's fingerprint is the same twice", asks_this_machine },
	{ "packages of a job are told with their versions", asks_for_packages },
};
T_MAIN(cases)
