/* SPDX-License-Identifier: MIT */
/*
 * The states of a grant, as its handle sees them.
 *
 *            granted          its validity ends, or the
 *    ASKED ----------> HELD ---- database says it is not ours ----> LOST
 *      |                |                                             |
 *      | refused        | released                                    | released
 *      v                v                                             v
 *     DONE <------------+---------------------------------------------+
 *
 * LOST never goes back to HELD: who gets the lock again gets another handle. A HELD grant has a
 * token, and a validity with a deadline.
 */
#ifndef DBL_LOCK_STATE_H
#define DBL_LOCK_STATE_H

#include <stdint.h>

#include "base/sm.h"

enum dbl_grant_state { DBL_ASKED, DBL_HELD, DBL_LOST, DBL_DONE };

struct dblock_lock;

/* Puts the grant into ASKED; also again, as long as nobody else has seen the handle. */
void dbl_grant_begin(struct dblock_lock *);

/* Only these three move a grant. This one moves it from ASKED to HELD; else DBLOCK_E_BUG. */
int dbl_grant_hold(struct dblock_lock *, struct dblock_error *err);

/* The grant is given back, for good; once. */
void dbl_grant_done(struct dblock_lock *);

/* Moves to LOST or DONE, where another thread or a transaction may have moved the grant before.
 * True: this call has moved it. */
bool dbl_grant_try(struct dblock_lock *, enum dbl_grant_state to);

/* us for which the grant is still HELD, or 0. A validity that is seen to be over makes it LOST. */
int64_t dbl_grant_left(struct dblock_lock *);

/* Why it is lost, as far as is known: an enum dblock_loss_cause, but not none. */
int dbl_grant_cause(struct dblock_lock *);

#endif
