/* SPDX-License-Identifier: MIT */
/* What goes wrong in a world: chosen by its seed, so that each kind meets each other one, also
 * alone. */
#ifndef TESTS_SIM_FAULTS_H
#define TESTS_SIM_FAULTS_H

#include <stdint.h>

struct world;

struct faults {
	/* Of each request, so many in a thousand: */
	int refuse;     /* never leave */
	int drop;       /* get lost on the way */
	int hold;       /* arrive when their sender has given up; */
	int hold_op;    /* of one kind of statement, many do */
	int lose_reply; /* are carried out, and their answer gets lost */
	int slow;       /* take up to a second */
	/* Of each reading of a clock, and of each mutex taken: */
	int preempt; /* the thread does not run for a while */
	int yield;   /* another thread runs first */
	/* Every so often one of these kinds of events. */
	unsigned kinds;
	int64_t interval; /* us */
};

/* Choose, and let them begin. */
void faults_begin(struct world *);

/* Everything works again, and goes on working. */
void faults_end(struct world *);

#endif
