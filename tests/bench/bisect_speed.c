/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU time of one decision, an answer and what to run next, among 1000 commits after 60 runs, and
 * the memory of the whole process.  A step of half an sd: 60 runs are far from enough.
 */
#include <sys/resource.h>

#include "lib/stats/bisect.h"
#include "random.h"

#define COMMITS 1000
#define RUNS    60
#define ROUNDS  20

#define MOST_MS 5.0
#define MOST_MB 16.0

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double peak_mb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

struct setting {
	const char *what;
	bool is_share_unknown;
	bool has_jumps;
	size_t nr_machines;
};

static const struct setting settings[] = {
	{ "one machine", false, false, 1 },
	{ "boot share unknown", true, false, 1 },
	{ "boot share unknown, jumps", true, true, 1 },
	{ "the same, four machines", true, true, 4 },
};

static struct bisect_options options_of(const struct setting *setting)
{
	struct bisect_options options = bisect_defaults(COMMITS);

	options.sd = 1;
	options.sd_df = 12;
	options.boot_share = setting->is_share_unknown ? -1 : 0;
	options.jumps = setting->has_jumps ? 0.01 : 0;
	return options;
}

/* The time of each decision goes to ret_ms[0..RUNS-1]; gives how many there were. */
static size_t play(const struct setting *setting, uint64_t seed, double *ret_ms)
{
	struct bisect_options options = options_of(setting);
	scoped(bisect_free) struct bisect *bisect = bisect_new(&options);
	struct rng rng;

	rng_init(&rng, seed);
	for (size_t i = 0; i < RUNS; i++) {
		struct bisect_answer answer;
		struct bisect_next next;
		struct bisect_run run = { .machine = i % setting->nr_machines, .boot = i };
		double began = cpu_ms();

		bisect_answer(bisect, &answer);
		if (answer.state != BISECT_OPEN) {
			return i;
		}
		bisect_next(bisect, run.machine, &next);
		ret_ms[i] = cpu_ms() - began;
		run.commit = next.commit;
		run.value = 100 + (next.commit > COMMITS / 3 ? 0.5 : 0) + rng_normal(&rng);
		bisect_add(bisect, &run);
	}
	return RUNS;
}

/* The mean over the rounds, where it has come to so many runs, and the slowest. */
static void measure(const struct setting *setting)
{
	double sum = 0;
	double worst = 0;
	double nr = 0;

	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		double ms[RUNS];

		if (play(setting, seed, ms) == RUNS) {
			sum += ms[RUNS - 1];
			worst = fmax(worst, ms[RUNS - 1]);
			nr++;
		}
	}
	if (nr < 1) {
		bug("no bisection lasted for %d runs", RUNS);
	}
	printf("%-28s < %g ms %8.2f ms, slowest %.2f of %.0f%s\n", setting->what, MOST_MS, sum / nr,
	       worst, nr, sum / nr < MOST_MS ? "  reached" : "  MISSED");
}

int main(void)
{
	double mb;

	printf("one decision, %d commits, %d runs\n", COMMITS, RUNS);
	for (size_t i = 0; i < countof(settings); i++) {
		measure(&settings[i]);
	}
	mb = peak_mb();
	printf("%-28s < %g MB %7.1f MB%s\n", "memory of the process", MOST_MB, mb,
	       mb < MOST_MB ? "  reached" : "  MISSED");
	return 0;
}
