/* SPDX-License-Identifier: MIT */
/* Carries out the grant policy's decision for a queue. Anybody may, at any time: each statement is
 * conditional on what the decision was made from. Inside src/lock. */
#ifndef DBL_LOCK_ADVANCE_H
#define DBL_LOCK_ADVANCE_H

#include "lock/queue/grant_policy.h"

/* What came of a decision for the call that waits with `nonce` (0: there is none). */
struct dbl_advanced {
	bool done;     /* else the queue has changed: look again */
	int64_t token; /* that the call was granted; 0: nothing */
	int64_t beat;  /* of its session, in the database that has granted it; or DBL_UNKNOWN */
};

/* Carries out the decision, and notifies whom it grants to. One round trip; more by a channel. */
int dbl_advance_by(struct dbl_locks *, const char *name, const struct dbl_queue *,
		   const struct dbl_decision *, int64_t nonce, int64_t deadline,
		   struct dbl_advanced *, struct dblock_error *err);

/* The same for a wait for any one of several names (DBL_DECIDE_ANY): in one transaction it is granted this one, and
 * loses its places in the queues of the others; if it has been granted another one by now, nothing is done. */
int dbl_advance_any(struct dbl_locks *, const char *name, const struct dbl_queue *,
		    const struct dbl_decision *, int64_t nonce, int64_t deadline,
		    struct dbl_advanced *, struct dblock_error *err);

/* The arguments of `grant` for a decision; `tickets` gets the text of one of them. */
#define DBL_TICKETS_MAX ((size_t)DBL_GRANTS_MAX * 42)
#define DBL_GRANT_ARGS  8
void dbl_advance_grant_args(const char *name, const struct dbl_queue *, const struct dbl_decision *,
			    char tickets[DBL_TICKETS_MAX], struct dbl_value args[DBL_GRANT_ARGS]);

/* Reads the queue, and carries out decisions until nothing is to be done. One round trip then. */
int dbl_queue_advance(struct dbl_locks *, const char *name, int64_t deadline,
		      struct dblock_error *err);

/* Ends the grants of rows that a try may find over. 0: no row holds the lock any more. DBLOCK_BUSY:
 * one does; the message says who. */
int dbl_advance_clear(struct dbl_locks *, const char *name, struct dbl_queue *, int64_t deadline,
		      struct dblock_error *err);

/* The first holder that a try may declare dead, by the database's clock. False: there is none. */
bool dbl_advance_find_expired(struct dbl_locks *, const struct dbl_queue *, struct dbl_snapshot *);

/* Declares the session of a row's holder dead, or ends its grant, by `action`. One round trip. */
int dbl_advance_declare(struct dbl_locks *, const char *name, const struct dbl_snapshot *,
			enum dbl_action, int64_t deadline, struct dblock_error *err);

#endif
