/* SPDX-License-Identifier: MIT */
/*
 * Who is to have a lock next: a pure function of its queue. Inside src/lock.
 *
 *                     wanted   shared  update  exclusive  permits
 *   held  shared                yes     yes       -          -
 *         update                yes      -        -          -
 *         exclusive              -       -        -          -
 *         permits                -       -        -       as long as there are enough
 *
 * In order of the queue, as far as it goes: the first who cannot have it stops all behind it, so
 * nobody starves, neither readers nor writers, nor who wants many permits among those who want few.
 * A wait for several names is granted by its own client, when it is first on all of them; until
 * then a name where it is first is kept for it. Only an upgrade goes before the queue: nobody else
 * could have the lock before it anyway, as its holder would not let go.
 *
 * "Update" is a reader that may become a writer: there is one at a time, so two of them never wait
 * for each other (Gray and Reuter, Transaction Processing, 7.8: update mode locks).
 */
#ifndef DBL_LOCK_GRANT_POLICY_H
#define DBL_LOCK_GRANT_POLICY_H

#include "lock/queue/queue_rows.h"

#define DBL_GRANTS_MAX 64 /* at once */

enum dbl_decision_kind {
	DBL_DECIDE_NOTHING, /* who is next has to wait; or nobody waits */
	DBL_DECIDE_NAME,    /* make the name known, and look again */
	DBL_DECIDE_EXPEL,   /* delete what the dead hold, and look again */
	DBL_DECIDE_NOTIFY,  /* a wait for several names is first here: it is to look at them all */
	DBL_DECIDE_HAND_OVER, /* to the one that is to have it alone (hand_over), or free it */
	DBL_DECIDE_GRANT      /* to rows of the queue */
};

struct dbl_decision {
	enum dbl_decision_kind what;
	unsigned grants[DBL_GRANTS_MAX],
		n;      /* GRANT: indexes of the rows; RING: the first of them */
	int64_t served; /* GRANT: up to this ticket */
	bool others;    /* GRANT: somebody waits still */
};

void dbl_policy_decide(const struct dbl_queue *, struct dbl_decision *);

/* For the wait with this nonce, which stands first in the queue, and could have the lock now: grant
 * it that, and nothing else. */
void dbl_policy_first(const struct dbl_queue *, int64_t nonce, struct dbl_decision *);

/* It gives the lock to the row with this nonce. */
bool dbl_decision_grants(const struct dbl_decision *, const struct dbl_queue *, int64_t nonce);

/* Somebody who is alive, and before that ticket, uses the name as another kind of lock: as a
 * semaphore, or of another capacity, or as one that is held alone or shared. NULL: nobody does.
 * Also where the lock's own row holds it: then *alone. */
const struct dbl_row *dbl_queue_misfit(const struct dbl_queue *, int64_t ticket, int64_t mode,
				       int64_t capacity, bool *alone);

/* DBLOCK_E_INVALID, since that row (NULL: the lock's own) is a misfit; the words say what the name
 * is in use as. */
int dbl_queue_refuse(const char *name, const struct dbl_row *, struct dblock_error *err);

/* A holder has this nonce. */
bool dbl_queue_has(const struct dbl_queue *, int64_t nonce);

/* The upgrade of another grant came before the one with this ticket: each waits for the other's
 * holder to let go. One of the same grant is what an earlier call could not take back: its session
 * will. */
bool dbl_queue_other_upgrade(const struct dbl_queue *, int64_t ticket, int64_t upgrades);

#endif
