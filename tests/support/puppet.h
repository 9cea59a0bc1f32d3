/* SPDX-License-Identifier: MIT */
/* A client without a heartbeat thread: it does, statement by statement, what a test tells it to. */
#ifndef TESTS_SUPPORT_PUPPET_H
#define TESTS_SUPPORT_PUPPET_H

#include "sql/db.h"
#include "support/kit.h"

struct puppet {
	struct dbl_target target;
	struct dbl_db *db;
	char id[33]; /* of its session */
	int64_t beat, ttl;
	int64_t nonce, token;  /* of its last grant */
	int64_t place, ticket; /* nonce and ticket of its last place in a queue */
	int64_t answers[2];    /* the first integers of the last row that came */
	int rows;              /* how many came */
	enum dbl_op op;        /* what it did last */
};

/* Connect, and write a session's row. The tables must be there. */
struct puppet *puppet_new(const struct dbl_env *env, int64_t ttl_ms);

/* Ends its session: whatever it still holds is free. */
void puppet_free(struct puppet *);

/* Run one operation; returns the rows changed. A failure fails the test. */
int64_t puppet_run(struct puppet *, enum dbl_op, struct dbl_args args);

/* Take a lock that is free, or what is left of a dead one's; false: it is held. */
bool puppet_takes(struct puppet *, const char *name);

/* A heartbeat; false: the session is over. */
bool puppet_beats(struct puppet *);

/* Declare its session dead, as seen with this heartbeat and ttl; true: that did it. */
bool puppet_is_dead(struct puppet *, int64_t beat, int64_t ttl);

/* ---- in the queue; nobody wakes a puppet ---------------------------------------------------- */

/* Join the queue, without a word about it. */
void puppet_enqueue(struct puppet *, const char *name);

/* Say that the queue has changed: that somebody has left. */
void puppet_announce(struct puppet *, const char *name);

/* Join it, and say so. */
void puppet_queues(struct puppet *, const char *name);

/* The same, with a lease (0: none) and a value. */
void puppet_queues_for(struct puppet *, const char *name, int64_t lease_ms, const char *value);

/* Leave the queue again, without a word. */
void puppet_dequeue(struct puppet *, const char *name);

/* Give back what its place was granted; false: it was not. */
bool puppet_gives_back(struct puppet *, const char *name);

/* What a hand-over came to. */
struct puppet_winner {
	int rc;         /* 0, or DBLOCK_E_LOCKED: nothing else is let pass */
	bool done;      /* else it was not its turn, or the queue has just changed */
	int64_t token;  /* new, */
	int64_t holder; /* and its nonce; 0: it is free */
};

/* End the puppet's grant, and give the lock to who is first. Any thread. */
struct puppet_winner puppet_hands_over(struct puppet *, const char *name);

/* What it does from here on is one transaction, or was. */
void puppet_begin(struct puppet *);
void puppet_commit(struct puppet *);

#endif
