/* SPDX-License-Identifier: MIT */
/* Carrying out what the policy decides for a queue. Anybody may, at any time: each statement is
 * conditional on what the decision was made from. Inside src/lock. */
#ifndef DBL_LOCK_ADVANCE_H
#define DBL_LOCK_ADVANCE_H

#include "lock/queue/grant_policy.h"

/* What came of carrying out a decision, for the one who waits with `nonce` (0: nobody). */
struct dbl_advanced {
	bool done;     /* else things have changed: look again */
	int64_t token; /* it has been granted; 0: not */
};

/* Carry out the decision, and ring there. One round trip, more if a channel has to be notified. */
int dbl_advance_by(struct dbl_locks *, const char *name, const struct dbl_queue *,
		   const struct dbl_decision *, int64_t nonce, int64_t deadline,
		   struct dbl_advanced *, struct dblock_error *err);

/* The arguments of `grant` for a decision: the tickets are written to `tickets`. */
#define DBL_TICKETS_MAX ((size_t)DBL_GRANTS_MAX * 42)
#define DBL_GRANT_ARGS  8
void dbl_advance_grant_args(const char *name, const struct dbl_queue *, const struct dbl_decision *,
			    char tickets[DBL_TICKETS_MAX], struct dbl_value args[DBL_GRANT_ARGS]);

/* Read the queue, and carry out the decision, until there is nothing to do. One round trip if so.
 */
int dbl_queue_advance(struct dbl_locks *, const char *name, int64_t deadline,
		      struct dblock_error *err);

/* Rows may hold the lock: does anybody, still, by what a try may go by? 0: nobody does.
 * DBLOCK_BUSY: somebody; the words say who. */
int dbl_advance_clear(struct dbl_locks *, const char *name, struct dbl_queue *, int64_t deadline,
		      struct dblock_error *err);

/* The first holder that a try may declare dead, by the database's clock. */
bool dbl_advance_find_expired(struct dbl_locks *, const struct dbl_queue *, struct dbl_snapshot *);

/* Declare a holder's session dead, or end its lease: the action for its sight. One round trip. */
int dbl_advance_declare(struct dbl_locks *, const char *name, const struct dbl_snapshot *,
			enum dbl_action, int64_t deadline, struct dblock_error *err);

#endif
