/* SPDX-License-Identifier: MIT */
/*
 * The waiters in the queue, as the server knows them, for the rule C6 of check.h: a waiter whose
 * row was announced before another's row was there is granted the lock first, or, if one of them has a
 * priority, whose rank says so by far enough for clocks that go at different rates. If he is not, his
 * session must have looked expired. Whether it did at that moment cannot be told afterwards of a
 * session that has been revived since, so those do not count; and nothing counts if the database's
 * clock is set, or commits are lost.
 */
#ifndef TESTS_SIM_IN_QUEUE_H
#define TESTS_SIM_IN_QUEUE_H

#include "sim/letter.h"

enum { WAITS_MAX = 256, REVIVALS_MAX = 256 };

struct queue_rows {
	struct {
		int name;
		int64_t nonce, ticket;
		int64_t priority, since; /* by the world's time */
		char session[33];
		bool announced; /* every decision from now on has seen it, */
		bool silent;    /* but for one that was read before it joined behind two others */
		bool upgrades;
		bool over; /* granted; or rightly passed over */
	} waits[WAITS_MAX];
	int n_waits;
	/* Sessions that looked expired once, and were alive. */
	char revived[REVIVALS_MAX][33];
	int n_revived;
};

struct world;

/* A heartbeat is about to be carried out. */
void line_before(struct world *, const struct letter *);

void line_carried_out(struct world *, const struct letter *);

/* The wait with that nonce has been granted the name. */
void line_granted(struct world *, int name, int64_t nonce);

/* Somebody has got the lock who did not stand in the queue. */
void line_passed(struct world *, int name);

#endif
