/* SPDX-License-Identifier: MIT */
/*
 * Grants of ours that were taken away: by a break, or a release by token from elsewhere. The other
 * side is revoke.h.
 *
 *   who takes it away            database                         who holds it
 *   revoke ----------------->  a row in dblock_revocation,
 *                              for that session
 *   datagram, if it is on the same machine --------------------->  beats soon
 *                                           <--------------------  heartbeat: "anything of mine?"
 *                                           <--------------------  revocations: what, by whom?
 *                                                                  it is LOST; only then the
 *                                                                  answer puts the deadline off
 *                                           <--------------------  revocation_told
 *                              free         <--------------------  its holder releases it
 *   sees that it is over                    <--------------------  revocation_delete
 *
 * So an answer that put a deadline off was sent before the row was there, or the grant is LOST: who
 * has seen the row for a whole ttl knows that the grant is of no use any more, whatever has become
 * of its holder.
 *
 * A lease does not end with its session, and who takes it away may mark one that is over by then.
 * So each session of its holder's process looks for it, whichever was marked, and then says for
 * itself that it knows: until all that live have, nobody frees it. Nobody else need bring that on.
 *
 * What is read is kept as long as it stands: a grant whose answer is still on its way finds it when
 * it is published. Inside src/lock.
 */
#ifndef DBL_LOCK_REVOKED_H
#define DBL_LOCK_REVOKED_H

#include "lock/handle/loss.h"

struct dbl_revocation;

/* Read what is taken away from that session of ours, and act on it; on the heartbeat thread. Not 0:
 * it could not be read, or not kept: no deadline may be put off. */
int dbl_revoked_read(void *locks, struct dbl_link *, const char *session, int64_t deadline,
		     struct dblock_error *err);

/* Say there what we have been told, and forget what is over: rides with the heartbeat. */
void dbl_revoked_finish(struct dbl_locks *, struct dbl_link *, int64_t deadline);

/* A handle that was lost by that has been released: settle soon. */
void dbl_revoked_released(struct dblock_lock *);

/* Under locks->mutex: a grant that has just become known may have been taken away already. */
void dbl_revoked_check(struct dblock_lock *);

/* One of our own, taken away by ourselves: it is LOST when this returns. *ours was true where that
 * is known, though it may still be on its way; else it says whether it was found, and if not,
 * nothing was done. *told: who has it, or is about to, finds it LOST. E_NOMEM. */
int dbl_revoked_own(struct dbl_locks *, const char *name, enum dblock_loss_cause, int64_t token,
		    int64_t nonce, bool *ours, bool *told, struct dblock_error *err);

/* Somebody rang. */
void dbl_revoked_notified(struct dbl_locks *);

/* The client goes away. */
void dbl_revoked_free(struct dbl_watchdog *);

#endif
