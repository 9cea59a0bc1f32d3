/* SPDX-License-Identifier: MIT */
/* A client without a heartbeat thread: it runs, statement by statement, what a test tells it to. */
#ifndef TESTS_SUPPORT_PUPPET_H
#define TESTS_SUPPORT_PUPPET_H

#include "sql/db.h"
#include "support/kit.h"

struct puppet {
	struct dbl_target target;
	struct dbl_db *db;
	char id[33]; /* its session's */
	int64_t beat, ttl;
	int64_t nonce, token;  /* of the last grant */
	int64_t place, ticket; /* nonce and ticket of the last place in a queue */
	int priority;          /* of the next one */
	int64_t answers[2];    /* the first integers of the last row */
	int rows;              /* the number of rows */
	enum dbl_op op;        /* its last operation */
};

/* Connects, and writes a session's row. The tables must exist. */
struct puppet *puppet_new(const struct dbl_env *env, int64_t ttl_ms);

/* One that cites such a mark: see base/mark.h. */
struct puppet *puppet_citing(const struct dbl_env *env, int64_t ttl_ms, const char *mark);

/* Ends its session: whatever it still holds is free. */
void puppet_free(struct puppet *);

/* Runs one operation; returns the rows changed. A failure fails the test. */
int64_t puppet_run(struct puppet *, enum dbl_op, struct dbl_args args);

/* Takes a lock that is free, or that a dead session still has; false: it is held. */
bool puppet_takes(struct puppet *, const char *name);

/* Sends a heartbeat; false: the session is over. */
bool puppet_beats(struct puppet *);

/* Declares its session dead, as seen with this heartbeat and ttl; true: that did it. */
bool puppet_is_dead(struct puppet *, int64_t beat, int64_t ttl);

/* ---- in the queue; nobody wakes a puppet ---------------------------------------------------- */

/* Joins the queue, without announcing it. */
void puppet_enqueue(struct puppet *, const char *name);

/* Announces that the queue has changed: that somebody has left. */
void puppet_announce(struct puppet *, const char *name);

/* Joins the queue, and announces it. */
void puppet_queues(struct puppet *, const char *name);

/* Does the same, with a lease (0: none) and a value. */
void puppet_queues_for(struct puppet *, const char *name, int64_t lease_ms, const char *value);

/* Leaves the queue again, without announcing it. */
void puppet_dequeue(struct puppet *, const char *name);

/* Gives back what its place was granted; false: it was not granted. */
bool puppet_gives_back(struct puppet *, const char *name);

/* The outcome of a hand-over. */
struct puppet_winner {
	int rc;         /* 0, or DBLOCK_E_BLOCKED: any other fails the test */
	bool done;      /* false: it was not its turn, or the queue has just changed */
	int64_t token;  /* the new token, */
	int64_t holder; /* and its holder's nonce; 0: the lock is free */
};

/* Ends the puppet's grant, and gives the lock to the first in the queue. Any thread may call this.
 */
struct puppet_winner puppet_hands_over(struct puppet *, const char *name);

/* Does the same for a grant that came by this ticket, as the usual case of a hand-over does. */
struct puppet_winner puppet_passes_on(struct puppet *, const char *name, int64_t ticket);

/* Takes it beside others, for so many permits of a capacity (0: in another mode), as the usual case of an
 * acquire does. Its nonce is p->place. Any thread may call this. */
struct puppet_winner puppet_enters(struct puppet *, const char *name, enum dblock_mode mode,
				   int64_t weight, int64_t capacity);

/* Begins a transaction for all that it does until the commit. */
void puppet_begin(struct puppet *);
void puppet_commit(struct puppet *);

#endif
