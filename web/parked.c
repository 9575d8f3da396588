/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parked.h"

#include <pthread.h>

#include "lib/base/mem.h"

struct list {
	struct parked_entry *first;
	struct parked_entry **end; /* where the next one is hung in */
};

struct parked {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct list ready;
	struct list sleeping;
	struct mono nearest; /* no sleeper's deadline is earlier; exact after each look */
	uint64_t nr_wakes;
	bool is_closed;
};

static const struct mono never = { INT64_MAX };

static void list_init(struct list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

static void list_push(struct list *list, struct parked_entry *entry)
{
	entry->next = NULL;
	*list->end = entry;
	list->end = &entry->next;
}

static struct parked_entry *list_take(struct list *list)
{
	struct parked_entry *entry = list->first;

	if (entry) {
		list->first = entry->next;
		if (!list->first) {
			list->end = &list->first;
		}
		entry->next = NULL;
	}
	return entry;
}

struct parked *parked_new(void)
{
	struct parked *parked = mem_alloc(sizeof(*parked));
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&parked->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&parked->lock, NULL);
	list_init(&parked->ready);
	list_init(&parked->sleeping);
	parked->nearest = never;
	return parked;
}

struct parked *parked_free(struct parked *parked)
{
	if (parked) {
		assert(!parked->ready.first && !parked->sleeping.first);
		pthread_cond_destroy(&parked->changed);
		pthread_mutex_destroy(&parked->lock);
		free(parked);
	}
	return NULL;
}

/* Sorts the sleepers anew: who is rung for, late, or locked out gets ready.  Needs the lock. */
static void rouse(struct parked *parked, bool is_rung, enum bell topic)
{
	struct list sleepers = parked->sleeping;
	struct parked_entry *entry;

	list_init(&parked->sleeping);
	parked->nearest = never;
	if (sleepers.first) {
		while ((entry = list_take(&sleepers))) {
			entry->is_last_look = parked->is_closed || mono_is_past(entry->deadline);
			if (entry->is_last_look || (is_rung && entry->topic == topic)) {
				list_push(&parked->ready, entry);
				continue;
			}
			list_push(&parked->sleeping, entry);
			if (entry->deadline.ns < parked->nearest.ns) {
				parked->nearest = entry->deadline;
			}
		}
	}
	pthread_cond_broadcast(&parked->changed);
}

bool parked_enter(struct parked *parked, struct parked_entry *entry)
{
	bool is_open;

	pthread_mutex_lock(&parked->lock);
	is_open = !parked->is_closed;
	if (is_open) {
		list_push(&parked->ready, entry);
		pthread_cond_signal(&parked->changed);
	}
	pthread_mutex_unlock(&parked->lock);
	return is_open;
}

void parked_sleep(struct parked *parked, struct parked_entry *entry, enum bell topic,
		  struct mono deadline)
{
	pthread_mutex_lock(&parked->lock);
	entry->topic = topic;
	entry->deadline = deadline;
	if (parked->is_closed || entry->nr_wakes != parked->nr_wakes) {
		entry->is_last_look = parked->is_closed;
		list_push(&parked->ready, entry);
	} else {
		list_push(&parked->sleeping, entry);
		if (deadline.ns < parked->nearest.ns) {
			parked->nearest = deadline;
		}
	}
	/* also for a sleeper: a thread that waits for a later deadline must look again */
	pthread_cond_signal(&parked->changed);
	pthread_mutex_unlock(&parked->lock);
}

static void wait_for_change(struct parked *parked)
{
	struct timespec until = { .tv_sec = (time_t)(parked->nearest.ns / 1000000000),
				  .tv_nsec = (long)(parked->nearest.ns % 1000000000) };

	if (parked->nearest.ns == never.ns) {
		pthread_cond_wait(&parked->changed, &parked->lock);
	} else {
		pthread_cond_timedwait(&parked->changed, &parked->lock, &until);
	}
}

struct parked_entry *parked_take(struct parked *parked)
{
	struct parked_entry *entry;

	pthread_mutex_lock(&parked->lock);
	for (;;) {
		if (mono_is_past(parked->nearest)) {
			rouse(parked, false, NR_BELLS);
		}
		entry = list_take(&parked->ready);
		if (entry || parked->is_closed) {
			break;
		}
		wait_for_change(parked);
	}
	if (entry) {
		entry->nr_wakes = parked->nr_wakes;
	}
	pthread_mutex_unlock(&parked->lock);
	return entry;
}

void parked_wake(struct parked *parked, enum bell topic)
{
	pthread_mutex_lock(&parked->lock);
	parked->nr_wakes++;
	rouse(parked, true, topic);
	pthread_mutex_unlock(&parked->lock);
}

void parked_close(struct parked *parked)
{
	pthread_mutex_lock(&parked->lock);
	parked->is_closed = true;
	rouse(parked, false, NR_BELLS);
	pthread_mutex_unlock(&parked->lock);
}
