/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>

#include "tests/t.h"
#include "web/parked.h"

static void leaves_in_the_order_of_arrival(void)
{
	struct parked_entry entries[3] = { 0 };
	struct parked *parked = parked_new();

	for (size_t i = 0; i < 3; i++) {
		CHECK(parked_enter(parked, &entries[i]));
	}
	for (size_t i = 0; i < 3; i++) {
		CHECK(parked_take(parked) == &entries[i]);
	}
	parked_close(parked);
	CHECK(parked_take(parked) == NULL);
	CHECK(!parked_enter(parked, &entries[0]));
	parked_free(parked);
}

static void sleep_for(struct parked *parked, struct parked_entry *entry, enum bell topic, int ms)
{
	CHECK(parked_enter(parked, entry));
	CHECK(parked_take(parked) == entry);
	parked_sleep(parked, entry, topic, mono_after(mono_now(), SPAN_MS(ms)));
}

static void wakes_who_sleeps_on_that_bell(void)
{
	struct parked_entry lease = { 0 };
	struct parked_entry plan = { 0 };
	struct parked *parked = parked_new();

	sleep_for(parked, &plan, BELL_PLAN, 60000);
	sleep_for(parked, &lease, BELL_LEASE, 60000);
	parked_wake(parked, BELL_LEASE);
	CHECK(parked_take(parked) == &lease);
	CHECK(!lease.is_last_look);
	parked_close(parked);
	CHECK(parked_take(parked) == &plan);
	CHECK(plan.is_last_look);
	CHECK(parked_take(parked) == NULL);
	parked_free(parked);
}

static void wakes_at_the_deadline(void)
{
	struct parked_entry late = { 0 };
	struct parked_entry soon = { 0 };
	struct parked *parked = parked_new();
	struct mono start = mono_now();

	sleep_for(parked, &late, BELL_LEASE, 200);
	sleep_for(parked, &soon, BELL_LEASE, 50);
	CHECK(parked_take(parked) == &soon);
	CHECK(soon.is_last_look);
	CHECK(parked_take(parked) == &late);
	CHECK(span_seconds(mono_between(start, mono_now())) >= 0.2);
	parked_close(parked);
	parked_free(parked);
}

static void loses_no_bell_between_look_and_sleep(void)
{
	struct parked_entry entry = { 0 };
	struct parked *parked = parked_new();

	CHECK(parked_enter(parked, &entry));
	CHECK(parked_take(parked) == &entry);
	parked_wake(parked, BELL_LEASE); /* while it looked and found nothing */
	parked_sleep(parked, &entry, BELL_LEASE, mono_after(mono_now(), SPAN_S(60)));
	CHECK(parked_take(parked) == &entry);
	CHECK(!entry.is_last_look);
	parked_close(parked);
	parked_sleep(parked, &entry, BELL_LEASE, mono_after(mono_now(), SPAN_S(60)));
	CHECK(parked_take(parked) == &entry);
	CHECK(entry.is_last_look);
	parked_free(parked);
}

/* Each thread takes, and puts to sleep again what has not had enough of it. */
#define NR_VISITORS 500
#define NR_TURNS    20

struct visitor {
	struct parked_entry entry;
	int nr_turns;
};

static void *serve(void *data)
{
	struct parked *parked = data;
	struct parked_entry *entry;

	while ((entry = parked_take(parked))) {
		struct visitor *visitor = container_of(entry, struct visitor, entry);

		if (++visitor->nr_turns < NR_TURNS) {
			parked_sleep(parked, entry, BELL_LEASE, mono_after(mono_now(), SPAN_S(60)));
		}
	}
	return NULL;
}

static void serves_many_with_few_threads(void)
{
	static struct visitor visitors[NR_VISITORS];
	struct parked *parked = parked_new();
	pthread_t threads[4];
	int nr_wrong = 0;

	for (size_t i = 0; i < countof(threads); i++) {
		pthread_create(&threads[i], NULL, serve, parked);
	}
	for (size_t i = 0; i < NR_VISITORS; i++) {
		CHECK(parked_enter(parked, &visitors[i].entry));
	}
	for (int i = 0; i < 200; i++) {
		parked_wake(parked, BELL_LEASE);
		span_sleep(SPAN_MS(1));
	}
	parked_close(parked);
	for (size_t i = 0; i < countof(threads); i++) {
		pthread_join(threads[i], NULL);
	}
	for (size_t i = 0; i < NR_VISITORS; i++) {
		nr_wrong += visitors[i].nr_turns != NR_TURNS;
	}
	CHECK_INT(nr_wrong, 0);
	parked_free(parked);
}

static const struct t_case cases[] = {
	{ "who is ready leaves first come, first served", leaves_in_the_order_of_arrival },
	{ "a bell wakes who sleeps on it, and nobody else", wakes_who_sleeps_on_that_bell },
	{ "a deadline wakes for the last look, the nearest first", wakes_at_the_deadline },
	{ "a bell that rings between look and sleep is not lost",
	  loses_no_bell_between_look_and_sleep },
	{ "a few threads serve hundreds of sleepers and lose none", serves_many_with_few_threads },
};
T_MAIN(cases)
