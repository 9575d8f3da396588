/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lkp_class.h"

#include <fnmatch.h>

/* All patterns are of fnmatch(3) and match the whole name. */
static const char *const failures[] = {
	"dmesg*",  "kmsg*",  "last_state*", "stderr*", "*.fail",
	"*.error", "*.warn", "*killed_by*", "*.pass",  "*kmemleak*unreferenced*"
};

/* Measures of time in what looks like a failure. */
static const char *const no_failures[] = { "*.time.*", "*.timestamp:*", "*.bootstage:*" };

/* What its compare leaves out, but for what reports may show. */
static const char *const noise[] = {
	"aim7.cpu*",
	"aim7.jobs-per-min-per-task*",
	"aim7.jti*",
	"aim7.real*",
	"boot-meminfo.*",
	"boot-slabinfo.*",
	"boot-time.*",
	"buddyinfo.*",
	"cpuidle.*",
	"diskstats.*",
	"dmesg.backtrace*",
	"dmesg.boot_failures*",
	"dmesg.boot_successes*",
	"dmesg.bootstage*",
	"dmesg.calltrace*",
	"dmesg.page_allocation_failure*",
	"dmesg.timestamp:*",
	"interrupts.*",
	"iostat.*",
	"kmsg.bootstage:*",
	"kmsg.timestamp:*",
	"last_state.?*.exit_code*",
	"last_state.OOM*",
	"last_state.exit_fail*",
	"last_state.post_run*",
	"last_state.soft_timeout*",
	"last_state.wget_*",
	"lock_stat.*",
	"max_iostat.*",
	"meminfo.*",
	"mpstat.*",
	"numa-meminfo.*",
	"numa-numastat.*",
	"numa-vmstat.*",
	"pagetypeinfo.*",
	"perf-profile?*",
	"perf-stat.*",
	"proc-vmstat.*",
	"sched_debug.*",
	"slabinfo.*",
	"softirqs.*",
	"time.*",
	"turbostat.*",
	"uptime.*",
	"vmstat.*",
	"zoneinfo.*",
};

static const char *const reported[] = {
	"boot-meminfo?*", "boot-slabinfo?*", "boot-time?*", "cpuidle?*",      "iostat?*",
	"lock_stat?*",    "meminfo?*",       "mpstat?*",    "numa-meminfo?*", "numa-numastat?*",
	"numa-vmstat?*",  "perf-profile?*",  "perf-stat?*", "proc-vmstat?*",  "sched_debug?*",
	"time?*",         "turbostat?*",     "uptime?*",    "vmstat?*",
};

static const char *const performance[] = {
	"time?*",
	"*.time?*",
	"lock_stat?*?contentions*",
	"boot-meminfo.DirectMap*",
	"boot-meminfo.KernelStack*",
	"boot-meminfo.Mem[FT]*",
	"boot-meminfo.PageTables*",
	"boot-meminfo.Slab*",
	"boot-meminfo.VmallocUsed*",
	"boot-memory.*",
	"boot-slabinfo.*",
	"boot-time.*",
	"energy.*",
	"interrupts.CAL:Function_call_interrupts*",
	"iostat.*",
	"perf-c2c.HITM.total*",
	"perf-profile.children.cycles-pp.native_queued_spin_lock_slowpath*",
	"perf-stat.*",
	"pmeter.*",
	"proc-vmstat.*",
	"turbostat.%Busy*",
	"turbostat.Bzy_MHz*",
	"turbostat.C1%*",
	"turbostat.C1E%*",
	"turbostat.CorWatt*",
	"turbostat.Pk*",
	"turbostat.POLL%*",
	"turbostat.RAMWatt*",
	"turbostat.SYS%LPI*",
	"vmstat.cpu.*",
	"vmstat.io.*",
	"vmstat.swap.*",
	"vmstat.system.*",
};

/* Names that are no test program's: of monitors and logs. */
static const char *const monitors[] = {
	"boot-meminfo",  "boot-memory",      "boot-slabinfo", "boot-time",   "buddyinfo",
	"cpuidle",       "diskstats",        "dmesg",         "energy",      "interrupts",
	"iostat",        "kernel-selftests", "kmsg",          "last_state",  "latency_stats",
	"lock_stat",     "max_iostat",       "meminfo",       "mpstat",      "numa-meminfo",
	"numa-numastat", "numa-vmstat",      "pagetypeinfo",  "perf-c2c",    "perf-profile",
	"perf-sched",    "perf-stat",        "pmeter",        "proc-vmstat", "sched_debug",
	"slabinfo",      "softirqs",         "stderr",        "time",        "turbostat",
	"uptime",        "vmstat",           "zoneinfo",
};

/* Suites of functions, whose numbers are no performance. */
static const char *const suites[] = {
	"blktests",       "cpu-hotplug", "kselftests",  "kunit",
	"kvm-unit-tests", "locktorture", "ltp",         "mdadm-selftests",
	"ndctl",          "nfs-test",    "packetdrill", "perf-sanity-tests",
	"piglit",         "rcuscale",    "rcutorture",  "rdma-pyverb",
	"suspend",        "trinity",     "v4l2",        "xfstests",
};

/* A percentage is compared by its difference. */
static const char *const absolute[] = { "perf-profile*", "*%" };

static const struct floor {
	const char *pattern;
	int floor;
} floors[] = {
	{ "*?time?elapsed_time*", 10 },
	{ "*?time?user_time", 10 },
	{ "*?time?system_time", 10 },
	{ "*?time?m[ai][jn]or_page_faults", 1000 },
	{ "*?time?voluntary_context_switches", 1000 },
	{ "*?time?involuntary_context_switches", 1000 },
	{ "*?time?swaps", 1000 },
	{ "*?time?file_system_inputs", 10000 },
	{ "*?time?file_system_outputs", 10000 },
	{ "*?time?socket_messages_sent", 10000 },
	{ "*?time?socket_messages_received", 10000 },
	{ "proc-vmstat?allocstall", 100 },
	{ "proc-vmstat?compact_fail", 100 },
	{ "proc-vmstat?compact_stall", 100 },
	{ "proc-vmstat?pgmigrate_fail", 100 },
	{ "proc-vmstat?htlb_buddy_alloc_fail", 100 },
	{ "proc-vmstat?kswapd_*_wmark_hit_quickly", 100 },
	{ "*vmstat*nr_*", 100 },
	{ "iostat*?[rw]/s", 50 },
	{ "iostat*?[rw]kB/s", 100 },
	{ "iostat*?avgrq-sz", 200 },
	{ "iostat*?await", 50 },
	{ "iostat*?[rw]_await", 50 },
	{ "iostat*?util", 10 },
	{ "vmstat?io?b[io]", 100 },
	{ "vmstat?system?in", 100 },
	{ "vmstat?system?cs", 100 },
	{ "vmstat?cpu?sy", 50 },
	{ "vmstat?cpu?us", 10 },
	{ "vmstat?cpu?id", 10 },
	{ "vmstat?cpu?wa", 10 },
	{ "vmstat?cpu?st", 10 },
	{ "xfstests*?seconds", 10 },
	{ "perf-profile?*", 1 },
	{ "perf-c2c?HITM?total", 3000 },
	{ "interrupts?*", 100 },
};

/* Where no floor of its own is given: the largest sample or the difference has to be above. */
static const struct general {
	const char *pattern;
	int max;
	int delta;
} general[] = {
	{ "iostat*", 1, 0 },
	{ "pagetypeinfo*", 0, 100 },
	{ "buddyinfo*", 0, 100 },
	{ "slabinfo*", 0, 100 },
	{ "proc-vmstat*", 1000, 0 },
	{ "*meminfo*", 1000, 0 },
	{ "lock_stat*time*", 0, 1000 },
	{ "lock_stat*", 0, 10000 },
	{ "interrupts*", 10000, 0 },
	{ "softirqs*", 10000, 0 },
};

static const struct direction {
	const char *pattern;
	int direction;
} directions[] = {
	{ "*.jobs-per-min", 1 },   { "*.numa*.seconds", -1 }, { "fio.*_iops", 1 },
	{ "fio.*_bw_MBps", 1 },    { "*.throughput", 1 },     { "kbuild.buildtime*", -1 },
	{ "*.Throughput*", 1 },    { "*.ops_per_sec", 1 },    { "*.per_process_ops", 1 },
	{ "*.per_thread_ops", 1 },
};

static bool is_like(const char *pattern, const char *name)
{
	return fnmatch(pattern, name, FNM_NOESCAPE) == 0;
}

static bool is_among(const char *const *patterns, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++) {
		if (is_like(patterns[i], name)) {
			return true;
		}
	}
	return false;
}

#define IS_AMONG(patterns, name) is_among(patterns, countof(patterns), name)

static bool has_program(const char *const *programs, size_t nr, const char *name)
{
	size_t length = strcspn(name, ".");

	for (size_t i = 0; i < nr; i++) {
		if (strlen(programs[i]) == length && memcmp(programs[i], name, length) == 0) {
			return true;
		}
	}
	return false;
}

bool lkp_class_is_test(const char *name)
{
	return strchr(name, '.') && !has_program(monitors, countof(monitors), name);
}

static bool is_kpi(const char *name)
{
	return lkp_class_is_test(name) && strncmp(strchr(name, '.'), ".time.", 6) != 0 &&
	       strcmp(name, "vm-scalability.stddev") != 0 &&
	       strcmp(name, "unixbench.incomplete_result") != 0;
}

static int direction_of(const char *name)
{
	for (size_t i = 0; i < countof(directions); i++) {
		if (is_like(directions[i].pattern, name)) {
			return directions[i].direction;
		}
	}
	return 0;
}

struct lkp_class lkp_class_of(const char *name)
{
	bool is_test = lkp_class_is_test(name);

	return (struct lkp_class){
		.is_failure = IS_AMONG(failures, name) && !IS_AMONG(no_failures, name),
		.is_performance = IS_AMONG(performance, name) ||
				  (is_test && !has_program(suites, countof(suites), name)),
		.is_shown = !IS_AMONG(noise, name),
		.is_reported = IS_AMONG(reported, name),
		.is_absolute = IS_AMONG(absolute, name),
		.is_profile = is_like("perf-profile.*", name),
		.is_kpi = is_kpi(name),
		.direction = is_test ? direction_of(name) : 0,
	};
}

bool lkp_class_is_large(const char *name, double delta, double max)
{
	for (size_t i = 0; i < countof(floors); i++) {
		if (is_like(floors[i].pattern, name)) {
			/* Half a floor of 1 is none: its division is of whole numbers. */
			return max >= floors[i].floor && delta >= floors[i].floor / 2;
		}
	}
	for (size_t i = 0; i < countof(general); i++) {
		if (is_like(general[i].pattern, name)) {
			return general[i].max ? max > general[i].max : delta > general[i].delta;
		}
	}
	return true;
}
