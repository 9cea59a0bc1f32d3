/* SPDX-License-Identifier: MIT */
/* The events to come, soonest first; of two at one time, the one that was put in first. */
#ifndef TESTS_SIM_QUEUE_H
#define TESTS_SIM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct world;

struct event {
	int64_t at;
	uint64_t order;
	void (*happen)(struct world *, void *what, uint64_t number);
	void *what;
	uint64_t number;
};

struct queue {
	struct event *heap;
	size_t n, room;
	uint64_t order;
};

void queue_put(struct queue *, const struct event *);
bool queue_take(struct queue *, struct event *); /* false: it is empty */
void queue_clear(struct queue *);                /* keeps its memory */

#endif
