/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "belief_grid.h"

#include <math.h>

/* A run is an outlier so often, and deviates so much more then. */
#define OUTLIER_SHARE 0.05
#define OUTLIER_TIMES 5.0

/* The largest step in sd, and how much a step on the grid grows to the next. */
#define LARGEST_STEP 12.0
#define STEP_GROWTH  1.15

/* The grid ends so many sd beyond the outermost value, but not so far from the middle one; it is
 * laid anew when a value comes nearer to an end than the least margin. */
#define MARGIN       3.5
#define LEAST_MARGIN 2.0
#define FARTHEST     18.0

/* sd on a grid: so many points, so many deviations apart.  It is laid again when the number of runs
 * has grown by half, from the first number on. */
#define NR_SD        5
#define SD_STEP      1.1
#define KNOWN_DF     1000.0
#define GUESS_DF     2.0
#define FIRST_LAYOUT 8

/* The arcsine of the root of a share of failures deviates by half a radian a run, whatever the
 * share. */
#define ARC_SD 0.5

/* What is believed of the share of boots where it is not known. */
static const struct {
	double share, prior;
} shares[] = { { 0, 0.4 }, { 0.2, 0.4 }, { 0.8, 0.2 } };

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of one machine's values, clipped; false where it has none. */
static bool ends_of(const struct belief *belief, size_t machine, double margin, double *ret_low,
		    double *ret_high)
{
	scoped(free) double *values = mem_array(belief->runs.nr + 1, sizeof(double));
	size_t nr = 0;

	for (size_t i = 0; i < belief->runs.nr; i++) {
		if (belief->runs.at[i].machine == machine) {
			values[nr++] = belief->runs.at[i].value;
		}
	}
	if (nr == 0) {
		return false;
	}
	qsort(values, nr, sizeof(double), compare_values);
	*ret_low = fmax(values[0] - margin * belief->sd, values[nr / 2] - FARTHEST * belief->sd);
	*ret_high =
		fmin(values[nr - 1] + margin * belief->sd, values[nr / 2] + FARTHEST * belief->sd);
	return true;
}

static void lay_levels(struct belief *belief)
{
	double low, high, range = 2 * MARGIN * belief->sd;

	if (belief->options.values == BISECT_PASS_FAIL) {
		/* arcsine of the root of the share of failures: flat there is Beta(1/2, 1/2) */
		belief->width = M_PI_2 / BELIEF_GRID;
		for (size_t i = 0; i < belief->nr_machines; i++) {
			belief->machines[i].low = belief->width / 2;
		}
		return;
	}
	for (size_t i = 0; i < belief->nr_machines; i++) {
		if (ends_of(belief, i, MARGIN, &low, &high)) {
			range = fmax(range, high - low);
		}
	}
	belief->width = range / (BELIEF_GRID - 1);
	for (size_t i = 0; i < belief->nr_machines; i++) {
		if (ends_of(belief, i, MARGIN, &low, &high)) {
			belief->machines[i].low = (low + high - range) / 2;
		}
	}
}

/* The mean and the deviation of ln sd, as believed now. */
static void expect_sd(const struct belief *belief, double *ret_mean, double *ret_deviation)
{
	const struct bisect_options *options = &belief->options;
	double df = options->sd_df > 0 ? options->sd_df : GUESS_DF;
	double mean = 0, square = 0, nr = (double)belief->runs.nr;

	*ret_mean = log(options->sd);
	*ret_deviation = sqrt(1 / (2 * df));
	if (belief->hypotheses.nr == 0) {
		return;
	}
	for (size_t i = 0; i < belief->hypotheses.nr; i++) {
		const struct belief_hypothesis *hypothesis = &belief->hypotheses.at[i];
		double ln_sd = log(belief->noises.at[hypothesis->noise].sd);
		double p = exp(hypothesis->ln_p);

		mean += p * ln_sd;
		square += p * ln_sd * ln_sd;
	}
	*ret_mean = mean;
	*ret_deviation = fmax(sqrt(fmax(square - mean * mean, 0)), sqrt(1 / (2 * (df + nr))));
}

/* Of ln sd, given sd_df earlier deviations: scaled inverse chi square. */
static double ln_prior_of_sd(const struct bisect_options *options, double sd)
{
	double df = options->sd_df > 0 ? options->sd_df : GUESS_DF;
	double ratio = options->sd / sd;

	return df * log(ratio) - df * ratio * ratio / 2;
}

static void add_noise(struct belief *belief, double sd, double ln_prior)
{
	double known = belief->options.boot_share;

	if (known >= 0) {
		*vec_push(&belief->noises) =
			(struct belief_noise){ .sd = sd, .share = known, .ln_prior = ln_prior };
		return;
	}
	for (size_t i = 0; i < countof(shares); i++) {
		*vec_push(&belief->noises) =
			(struct belief_noise){ .sd = sd,
					       .share = shares[i].share,
					       .ln_prior = ln_prior + log(shares[i].prior) };
	}
}

static void scale_priors(struct belief *belief)
{
	double most = -INFINITY, sum = 0;

	for (size_t i = 0; i < belief->noises.nr; i++) {
		most = fmax(most, belief->noises.at[i].ln_prior);
	}
	for (size_t i = 0; i < belief->noises.nr; i++) {
		sum += exp(belief->noises.at[i].ln_prior - most);
	}
	for (size_t i = 0; i < belief->noises.nr; i++) {
		belief->noises.at[i].ln_prior -= most + log(sum);
	}
}

static void lay_noises(struct belief *belief)
{
	const struct bisect_options *options = &belief->options;
	double mean, deviation;

	if (options->values == BISECT_PASS_FAIL) {
		belief->sd = ARC_SD;
		belief->noises.nr = 0;
		*vec_push(&belief->noises) = (struct belief_noise){ .sd = ARC_SD };
		return;
	}
	expect_sd(belief, &mean, &deviation);
	belief->sd = exp(mean);
	belief->noises.nr = 0;
	if (options->sd_df >= KNOWN_DF) {
		add_noise(belief, options->sd, 0);
	}
	for (int i = 0; i < NR_SD && options->sd_df < KNOWN_DF; i++) {
		double sd = exp(mean + SD_STEP * deviation * (i - (NR_SD - 1) / 2));

		add_noise(belief, sd, ln_prior_of_sd(options, sd));
	}
	scale_priors(belief);
}

void belief_grid_lay(struct belief *belief)
{
	lay_noises(belief);
	lay_levels(belief);
	for (size_t i = 0; i < belief->nr_machines; i++) {
		struct belief_machine *machine = &belief->machines[i];

		free(machine->boot_ln);
		machine->boot_ln = mem_array(belief->noises.nr * BELIEF_SIGHT, sizeof(float));
	}
	belief->next_layout = FIRST_LAYOUT;
	while (belief->next_layout <= belief->runs.nr) {
		belief->next_layout += belief->next_layout / 2;
	}
}

bool belief_grid_is_outgrown(const struct belief *belief, const struct bisect_run *run)
{
	double low, high, first;

	if (belief->noises.nr == 0) {
		return true;
	}
	if (belief->options.values == BISECT_PASS_FAIL) {
		return false;
	}
	if (belief->runs.nr >= belief->next_layout) {
		return true;
	}
	first = belief->machines[run->machine].low;
	return ends_of(belief, run->machine, LEAST_MARGIN, &low, &high) &&
	       (low < first - belief->width || high > first + BELIEF_GRID * belief->width);
}

/* A step of D sd has the density 1 / D between the least and the largest, both ways alike: a step
 * on the grid stands for those around it.  Of shares of failures every pair is as probable. */
void belief_steps(const struct belief *belief, struct belief_steps *ret_steps)
{
	const struct bisect_options *options = &belief->options;
	bool is_share = options->values == BISECT_PASS_FAIL;
	double unit = is_share ? ARC_SD : options->sd;
	double least = fmax(options->smallest * unit / belief->width, 0.5);
	double largest = LARGEST_STEP * unit / belief->width;
	double edge = least, sum = 0;

	ret_steps->nr = 0;
	for (int step = (int)fmax(1, round(least)); step < BELIEF_GRID;) {
		int next = (int)fmax(step + 1, round(step * STEP_GROWTH));
		double upper = sqrt((double)step * next);
		double weight = is_share ? (BELIEF_GRID - step) * (double)(next - step)
					 : log(fmax(upper, edge) / edge);

		if (!is_share && edge >= largest) {
			break;
		}
		edge = fmax(upper, edge);
		for (int sign = -1; sign <= 1; sign += 2) {
			ret_steps->at[ret_steps->nr].step = (int16_t)(sign * step);
			ret_steps->at[ret_steps->nr++].ln_prior = log(weight);
			sum += weight;
		}
		step = next;
	}
	sum = is_share ? sum : 2 * log(largest / least);
	for (size_t i = 0; i < ret_steps->nr; i++) {
		ret_steps->at[i].ln_prior -= log(sum);
	}
}

static float ln_likelihood(double value, double level, double sd)
{
	float z = (float)((value - level) / sd);
	float core = (float)(1 - OUTLIER_SHARE) * expf(-0.5F * z * z);
	float tail = (float)(OUTLIER_SHARE / OUTLIER_TIMES) *
		     expf(-0.5F * z * z / (float)(OUTLIER_TIMES * OUTLIER_TIMES));

	return logf(core + tail + 1e-30F) - (float)log(sd * sqrt(2 * M_PI));
}

static float ln_share(bool has_failed, double arc)
{
	double root = has_failed ? sin(arc) : cos(arc);

	return logf((float)fmax(root * root, 1e-12));
}

static float exp_shifted(const float *ln, float *ret_likelihood)
{
	float most = -INFINITY;

	for (size_t i = 0; i < BELIEF_SIGHT; i++) {
		most = fmaxf(most, ln[i]);
	}
	for (size_t i = 0; i < BELIEF_SIGHT; i++) {
		ret_likelihood[i] = expf(ln[i] - most);
	}
	return most;
}

/* The level of a boot scatters around that of its machine. */
static void blur(float *likelihood, double deviation)
{
	float from[BELIEF_SIGHT], kernel[BELIEF_GRID];
	int reach = (int)fmin(ceil(3 * deviation), BELIEF_GRID - 1);
	float sum = 0;

	memcpy(from, likelihood, sizeof(from));
	for (int i = 0; i <= reach; i++) {
		kernel[i] = (float)exp(-0.5 * (i / deviation) * (i / deviation));
		sum += kernel[i] * (i ? 2 : 1);
	}
	for (int g = 0; g < BELIEF_SIGHT; g++) {
		float blurred = kernel[0] * from[g];

		for (int i = 1; i <= reach; i++) {
			blurred += kernel[i] *
				   (from[g - i < 0 ? 0 : g - i] +
				    from[g + i >= BELIEF_SIGHT ? BELIEF_SIGHT - 1 : g + i]);
		}
		likelihood[g] = blurred / sum;
	}
}

void belief_sight(struct belief *belief, const struct bisect_run *run, size_t noise,
		  bool is_new_boot, struct belief_sight *ret_sight)
{
	const struct belief_noise *of = &belief->noises.at[noise];
	struct belief_machine *machine = &belief->machines[run->machine];
	float *boot_ln = machine->boot_ln + noise * BELIEF_SIGHT;
	bool is_share = belief->options.values == BISECT_PASS_FAIL;

	ret_sight->is_start = is_new_boot || of->share <= 0;
	for (int g = 0; g < BELIEF_SIGHT; g++) {
		double level = machine->low + (g - BELIEF_GRID) * belief->width;
		float ln = is_share ? ln_share(run->value > 0.5, level)
				    : ln_likelihood(run->value, level, of->sd);

		boot_ln[g] = ln + (ret_sight->is_start ? 0 : boot_ln[g]);
	}
	ret_sight->ln_scale = exp_shifted(boot_ln, ret_sight->likelihood);
	if (of->share > 0) {
		blur(ret_sight->likelihood, of->sd * sqrt(of->share) / belief->width);
	}
}

/* What is left of the grid for the base where the step must end on it, too. */
static void uniform(const struct belief *belief, int step, int *ret_first, int *ret_nr)
{
	bool is_share = belief->options.values == BISECT_PASS_FAIL;

	*ret_first = is_share && step < 0 ? -step : 0;
	*ret_nr = is_share ? BELIEF_GRID - abs(step) : BELIEF_GRID;
}

static void begin_boot(const struct belief *belief, struct belief_chain *chain,
		       const struct belief_move *move)
{
	float jumps = move->is_first ? 1 : (float)belief->options.jumps;
	int first, nr;

	uniform(belief, move->step, &first, &nr);
	if (move->is_first) {
		memset(chain->start, 0, sizeof(chain->start));
	} else {
		for (int g = 0; g < BELIEF_GRID; g++) {
			chain->start[g] = (1 - jumps) * chain->now[g];
		}
	}
	for (int g = first; g < first + nr; g++) {
		chain->start[g] += jumps / (float)nr;
	}
	chain->ln_boot = 0;
}

double belief_follow(const struct belief *belief, struct belief_chain *chain,
		     const struct belief_sight *sight, const struct belief_move *move)
{
	const float *likelihood = sight->likelihood + BELIEF_GRID + move->shift;
	float sums[8] = { 0 }, sum = 0;
	double before;

	if (sight->is_start) {
		begin_boot(belief, chain, move);
	}
	for (int g = 0; g < BELIEF_GRID; g += 8) {
		for (int i = 0; i < 8; i++) {
			chain->now[g + i] = chain->start[g + i] * likelihood[g + i];
			sums[i] += chain->now[g + i];
		}
	}
	for (int i = 0; i < 8; i++) {
		sum += sums[i];
	}
	for (int g = 0; g < BELIEF_GRID; g++) {
		chain->now[g] *= 1 / fmaxf(sum, 1e-35F);
	}
	before = chain->ln_boot;
	chain->ln_boot = log((double)sum) + sight->ln_scale;
	return chain->ln_boot - before;
}
