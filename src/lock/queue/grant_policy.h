/* SPDX-License-Identifier: MIT */
/*
 * Who is granted a lock next: a pure function of its queue. Inside src/lock.
 *
 *                     wanted   shared  update  exclusive  permits
 *   held  shared                yes     yes       -          -
 *         update                yes      -        -          -
 *         exclusive              -       -        -          -
 *         permits                -       -        -       as long as there are enough
 *
 * Grants go in the order of the queue: the first waiter that cannot have the lock stops all behind
 * it, so nobody starves, neither readers nor writers, nor who wants many permits among those who
 * want few. A wait for several names is granted by its own client, once it is first on all of them;
 * until then a name where it is first is reserved for it. A wait for any one of several names is granted
 * the first that it may have, alone in a decision, as it leaves other queues by that. Only an upgrade goes before the queue:
 * nobody else could have the lock before it anyway, as its holder would not let go.
 *
 * Where somebody waits with a priority the order is that of rank.h, and all grants are to rows: the last ticket
 * that is served says nothing then, and stays.
 *
 * How many permits there are each holder says, and all say the same; or it is stored in the lock's row, and
 * may change: then that counts, and who asks for more, or names another number, is passed over, and told.
 *
 * "Update" is a reader that may become a writer: there is one at a time, so two of them never wait
 * for each other (Gray and Reuter, Transaction Processing, 7.8: update mode locks).
 */
#ifndef DBL_LOCK_GRANT_POLICY_H
#define DBL_LOCK_GRANT_POLICY_H

#include "lock/queue/queue_rows.h"

#define DBL_GRANTS_MAX 64 /* in one decision */

enum dbl_decision_kind {
	DBL_DECIDE_NOTHING,   /* the next waiter has to wait; or nobody waits */
	DBL_DECIDE_NAME,      /* the name's row is missing: make it, and look again */
	DBL_DECIDE_EXPEL,     /* delete the rows of holders that are over, and look again */
	DBL_DECIDE_NOTIFY,    /* a wait for several names is first: it is to look at all */
	DBL_DECIDE_ANY,       /* grant to a wait for any one of several names, if it has got none */
	DBL_DECIDE_HAND_OVER, /* grant to the one that wants the lock alone, or free it */
	DBL_DECIDE_GRANT      /* grant to rows of the queue */
};

struct dbl_decision {
	enum dbl_decision_kind what;
	unsigned grants[DBL_GRANTS_MAX],
		n;      /* GRANT: indexes of the rows; NOTIFY, ANY: the first of them */
	int64_t served; /* GRANT, ANY: the last ticket that is granted to */
	bool others;    /* GRANT, ANY: somebody still waits, or may; */
	bool ranked;    /* with a priority */
};

void dbl_policy_decide(const struct dbl_queue *, struct dbl_decision *);

/* The decision to grant to the wait with this nonce, and to nobody else: it is first in the queue,
 * and can have the lock now. */
void dbl_policy_first(const struct dbl_queue *, int64_t nonce, struct dbl_decision *);

/* The decision grants to the row with this nonce. */
bool dbl_decision_grants(const struct dbl_decision *, const struct dbl_queue *, int64_t nonce);

/* The row waits for its turn: not if its session is dead, nor what is left of an upgrade, nor if what it
 * wants is never to be had. */
bool dbl_queue_awaits(const struct dbl_queue *, const struct dbl_row *);

/* A row that is certainly alive, comes before that ticket, and uses the name as another kind of
 * lock: as a semaphore, or of another capacity, or not as one. NULL: there is none. *alone: the
 * lock's own row is held, and by another kind. */
const struct dbl_row *dbl_queue_misfit(const struct dbl_queue *, int64_t ticket, int64_t mode,
				       int64_t capacity, bool *alone);

/* Fails with DBLOCK_E_INVALID, as that row (NULL: the lock's own) is a misfit; the message says
 * what the name is used as. */
int dbl_queue_refuse(const char *name, const struct dbl_row *, struct dblock_error *err);

/* Fails with DBLOCK_E_INVALID if so many permits are never to be had, as the lock's stored capacity is
 * less, or another one than is named; or one is to be followed (capacity 0 or less), and none is stored. A
 * stored capacity of 0 is waited for. */
int dbl_queue_check_permits(const struct dbl_queue *, const char *name, int64_t weight,
			    int64_t capacity, struct dblock_error *err);

/* A holder has this nonce. */
bool dbl_queue_has(const struct dbl_queue *, int64_t nonce);

/* Another grant's upgrade has come before this ticket: each waits for the other's holder to let go.
 * An upgrade of the same grant is left from an earlier call, and its session will take it back. */
bool dbl_queue_other_upgrade(const struct dbl_queue *, int64_t ticket, int64_t upgrades);

#endif
