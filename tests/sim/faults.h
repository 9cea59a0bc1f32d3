/* SPDX-License-Identifier: MIT */
/* The faults of a world: its seed chooses them, so that each kind meets each other one, and also
 * comes alone. */
#ifndef TESTS_SIM_FAULTS_H
#define TESTS_SIM_FAULTS_H

#include <stdint.h>

struct world;

struct faults {
	/* Of a thousand requests so many */
	int refuse;     /* never leave */
	int drop;       /* get lost on the way */
	int hold;       /* arrive when their sender has given up */
	int hold_op;    /* likewise, of one kind of statement */
	int lose_reply; /* are carried out, and their answer gets lost */
	int slow;       /* take up to a second */
	/* At so many of a thousand readings of a clock, and mutexes taken: */
	int preempt; /* the thread does not run for a while */
	int yield;   /* another thread runs first */
	/* From time to time one of these kinds of events comes. */
	unsigned kinds;
	int64_t interval; /* us */
};

/* Chooses the faults, and lets them begin. */
void faults_begin(struct world *);

/* Ends them: everything works again, and goes on working. */
void faults_end(struct world *);

/* Draws a statement whose late copy could do harm, if the library did not reckon with it. */
int faults_any_op(struct world *);

#endif
