/* SPDX-License-Identifier: MIT */
/*
 * Who stands in the queue, as the server knows: C6. Somebody whose row was announced before
 * another's was there is granted it first. Where he is not, his session must have looked expired:
 * but whether it did when that was decided cannot be told afterwards of one that has since been
 * revived, so those do not count; nor does it count where the database's clock is set, or commits
 * are lost.
 */
#ifndef TESTS_SIM_IN_QUEUE_H
#define TESTS_SIM_IN_QUEUE_H

#include "sim/letter.h"

enum { WAITS_MAX = 256, REVIVALS_MAX = 256 };

struct queue_rows {
	struct {
		int name;
		int64_t nonce, ticket;
		char session[33];
		bool announced; /* whoever decides from now on has seen it */
		bool upgrades;
		bool over; /* granted; or passed over, and rightly so */
	} waits[WAITS_MAX];
	int n_waits;
	/* Sessions that looked expired once, and lived. */
	char revived[REVIVALS_MAX][33];
	int n_revived;
};

struct world;

/* A heartbeat is about to be carried out. */
void line_before(struct world *, const struct letter *);

void line_carried_out(struct world *, const struct letter *);

/* The wait with that nonce has been granted the name. */
void line_granted(struct world *, int name, int64_t nonce);

/* Somebody has got it who did not stand in the queue before that ticket. */
void line_passed(struct world *, int name, int64_t ticket);

#endif
