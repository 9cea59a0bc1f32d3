/* SPDX-License-Identifier: MIT */
/*
 * The states of a grant, as its handle sees them.
 *
 *            granted             its term is over, or the
 *    ASKED ----------> HELD ---- database says it is not ours ----> LOST
 *      |                |                                             |
 *      | refused        | released                                    | released
 *      v                v                                             v
 *     DONE <------------+---------------------------------------------+
 *
 * LOST never goes back to HELD: who gets the lock again gets another handle. A handle that is HELD
 * has a token and a term with a deadline.
 */
#ifndef DBL_LOCK_STATE_H
#define DBL_LOCK_STATE_H

#include <stdint.h>

#include "base/sm.h"

enum dbl_grant_state { DBL_ASKED, DBL_HELD, DBL_LOST, DBL_DONE };

struct dblock_lock;

/* ASKED: also again, as long as nobody else has seen the handle. */
void dbl_grant_begin(struct dblock_lock *);

/* Only these three move a grant. It is granted, from ASKED: else DBLOCK_E_BUG. */
int dbl_grant_hold(struct dblock_lock *, struct dblock_error *err);

/* It is given back, for good: once. */
void dbl_grant_done(struct dblock_lock *);

/* To LOST, or DONE, where another thread, or a transaction, may have moved it before: true if it
 * moved, by this call. */
bool dbl_grant_try(struct dblock_lock *, enum dbl_grant_state to);

/* Still HELD, and for how long (us)? 0 if not. A term that is seen to be over makes it LOST. */
int64_t dbl_grant_left(struct dblock_lock *);

#endif
