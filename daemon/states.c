/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "states.h"

#define MACHINE(variable, enum_name, state_list, move_list) \
	static const struct fsm variable = {                \
		.name = enum_name,                          \
		.states = state_list,                       \
		.nr_states = countof(state_list),           \
		.moves = move_list,                         \
		.nr_moves = countof(move_list),             \
	}

/* clang-format off */
static const char *const repository_states[] = { "idle", "unreachable", "removed" };
static const struct fsm_move repository_moves[] = {
	{ "idle",        "unreachable", "a look failed" },
	{ "unreachable", "unreachable", "it failed again" },
	{ "unreachable", "idle",        "it answers again" },
	{ "idle",        "removed",     "no longer in the configuration" },
	{ "unreachable", "removed",     "no longer in the configuration" },
	{ "removed",     "idle",        "in the configuration again" },
};
MACHINE(repository, "repository_state", repository_states, repository_moves);

static const char *const head_states[] = { "live", "missing", "gone", "refused" };
static const struct fsm_move head_moves[] = {
	{ "live",    "missing", "not seen once" },
	{ "missing", "gone",    "not seen twice in a row" },
	{ "missing", "live",    "seen again" },
	{ "gone",    "live",    "seen again" },
	{ "live",    "refused", "its name is unfit" },
	{ "refused", "live",    "its name is fit now" },
	{ "missing", "refused", "its name is unfit" },
	{ "gone",    "refused", "its name is unfit" },
};
MACHINE(head, "head_state", head_states, head_moves);

static const char *const stack_states[] = { "new",  "building",   "measuring", "confirming",
					    "done", "superseded", "refused" };
static const struct fsm_move stack_moves[] = {
	{ "new",       "building",   "builds are queued" },
	{ "new",       "refused",    "a job of its tree is wrong" },
	{ "building",  "measuring",  "every build has ended" },
	{ "measuring", "confirming", "every comparison has ended, something was found" },
	{ "measuring", "done",       "every comparison has ended, nothing was found" },
	{ "confirming", "done",      "every confirmation has ended" },
	{ "done",      "confirming", "its bisection, asked for again, found a commit" },
	{ "new",       "superseded", "a newer version of the branch" },
	{ "building",  "superseded", "a newer version of the branch" },
	{ "measuring", "superseded", "a newer version of the branch" },
	{ "confirming", "superseded", "a newer version of the branch" },
};
MACHINE(stack, "stack_state", stack_states, stack_moves);

static const char *const build_states[] = { "wanted", "done", "failed" };
static const struct fsm_move build_moves[] = {
	{ "wanted", "done",   "a worker built it" },
	{ "wanted", "failed", "it does not build, or the lab lost it three times" },
	{ "failed", "wanted", "another stack asks for it, and it was the lab's fault" },
};
MACHINE(build, "build_state", build_states, build_moves);

static const char *const comparison_states[] = { "waiting", "measuring", "deciding", "done",
						 "cancelled" };
static const struct fsm_move comparison_moves[] = {
	{ "waiting",   "measuring", "its first blocks are queued" },
	{ "waiting",   "done",      "same binary, or missing: a fresh build failed" },
	{ "waiting",   "cancelled", "over the budget, or superseded" },
	{ "measuring", "deciding",  "judged" },
	{ "measuring", "done",      "missing: its blocks failed" },
	{ "measuring", "cancelled", "superseded" },
	{ "deciding",  "measuring", "not clear yet: more blocks" },
	{ "deciding",  "done",      "clear, or the last look" },
	{ "deciding",  "cancelled", "superseded" },
	{ "done",      "measuring", "its head stands out from both neighbours: once more" },
	{ "cancelled", "waiting",   "another stack asks for it" },
};
MACHINE(comparison, "comparison_state", comparison_states, comparison_moves);

static const char *const want_states[] = { "open", "met", "cancelled" };
static const struct fsm_move want_moves[] = {
	{ "open", "met",       "its blocks are queued" },
	{ "open", "cancelled", "superseded" },
};
MACHINE(want, "want_state", want_states, want_moves);

static const char *const block_states[] = { "open", "done", "void" };
static const struct fsm_move block_moves[] = {
	{ "open", "done", "each of its runs counts" },
	{ "open", "void", "a run failed for good, the machine changed, superseded" },
};
MACHINE(block, "block_state", block_states, block_moves);

static const char *const run_states[] = { "queued", "leased", "finished", "done",
					  "failed", "lost",   "cancelled" };
static const struct fsm_move run_moves[] = {
	{ "queued",   "leased",    "a machine took it" },
	{ "leased",   "finished",  "the worker is through" },
	{ "leased",   "queued",    "the lease expired, tries are left" },
	{ "leased",   "lost",      "the lease expired for the last time" },
	{ "finished", "done",      "it counts" },
	{ "finished", "failed",    "it has a reason" },
	{ "queued",   "cancelled", "its block is void, or superseded" },
	{ "leased",   "cancelled", "its block is void, or superseded" },
};
MACHINE(run, "run_state", run_states, run_moves);

static const char *const lease_states[] = { "live", "done", "expired", "cancelled" };
static const struct fsm_move lease_moves[] = {
	{ "live", "done",      "the worker finished" },
	{ "live", "expired",   "not renewed in time" },
	{ "live", "cancelled", "the run is not wanted any more" },
};
MACHINE(lease, "lease_state", lease_states, lease_moves);

static const char *const bisection_states[] = { "open",	   "confirming", "concluded",
						"inconclusive", "unchanged",  "unmeasurable",
						"stopped",	"invalidated" };
static const struct fsm_move bisection_moves[] = {
	{ "open",         "confirming",   "one commit explains it, or one set that does not build" },
	{ "open",         "inconclusive", "its budget has ended: a set of commits is left" },
	{ "open",         "unchanged",    "the ends do not differ" },
	{ "open",         "unmeasurable", "an end cannot be measured, or its runs get lost" },
	{ "confirming",   "concluded",    "found again on fresh builds, or by an operator" },
	{ "confirming",   "inconclusive", "not found again" },
	{ "confirming",   "unmeasurable", "the fresh builds or their runs failed" },
	{ "open",         "stopped",      "by an operator" },
	{ "confirming",   "stopped",      "by an operator" },
	{ "open",         "concluded",    "by an operator, who names the culprit" },
	{ "inconclusive", "concluded",    "by an operator, who names the culprit" },
	{ "unchanged",    "concluded",    "by an operator, who names the culprit" },
	{ "unmeasurable", "concluded",    "by an operator, who names the culprit" },
	{ "stopped",      "concluded",    "by an operator, who names the culprit" },
	{ "invalidated",  "concluded",    "by an operator, who names the culprit" },
	{ "inconclusive", "open",         "by an operator, with more runs" },
	{ "unchanged",    "open",         "by an operator, with more runs" },
	{ "unmeasurable", "open",         "by an operator, with more runs" },
	{ "stopped",      "open",         "by an operator, with more runs" },
	{ "open",         "invalidated",  "by an operator, or a newer version of the branch" },
	{ "confirming",   "invalidated",  "by an operator, or a newer version of the branch" },
	{ "concluded",    "invalidated",  "by an operator" },
	{ "inconclusive", "invalidated",  "by an operator" },
	{ "unchanged",    "invalidated",  "by an operator" },
	{ "unmeasurable", "invalidated",  "by an operator" },
	{ "stopped",      "invalidated",  "by an operator" },
};
MACHINE(bisection, "bisection_state", bisection_states, bisection_moves);

static const char *const finding_states[] = { "unconfirmed", "new", "reported", "suppressed" };
static const struct fsm_move finding_moves[] = {
	{ "unconfirmed", "new",        "found again on fresh builds" },
	{ "unconfirmed", "suppressed", "not found again, or superseded" },
	{ "suppressed", "unconfirmed", "its bisection, asked for again, found it once more" },
	{ "new", "reported",   "a mail tells it" },
	{ "new", "suppressed", "nobody is to be told" },
};
MACHINE(finding, "finding_state", finding_states, finding_moves);

static const char *const mail_states[] = { "drafted", "written", "suppressed" };
static const struct fsm_move mail_moves[] = {
	{ "drafted", "written",    "its file is in the outbox" },
	{ "drafted", "suppressed", "it has no recipient that can be used" },
};
MACHINE(mail, "mail_state", mail_states, mail_moves);
/* clang-format on */

const struct fsm *const state_machines[] = {
	&repository, &head, &stack, &build,     &comparison, &want,
	&block,      &run,  &lease, &bisection, &finding,    &mail,
};
const size_t nr_state_machines = countof(state_machines);
