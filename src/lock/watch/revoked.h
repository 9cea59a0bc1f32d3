/* SPDX-License-Identifier: MIT */
/*
 * Grants of ours that were taken away: by a break, or a release by token from elsewhere. The side
 * that takes them away is admin/revoke.h. Inside src/lock.
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
 * So a heartbeat's reply that put a deadline off was sent before the row was there, or the grant is
 * LOST: a client that has seen the row for a whole ttl knows that the grant is of no use any more,
 * whatever has become of its holder.
 *
 * A lease does not end with its session, and its revocation may name one that is over by then. So
 * each session of the holder's process looks for it, whichever is named, and then writes that it
 * knows: nobody frees the lease until all sessions that live have done so.
 *
 * A revocation is kept here while its row stands, so that a grant whose reply is still on its way
 * meets it when it is published.
 */
#ifndef DBL_LOCK_REVOKED_H
#define DBL_LOCK_REVOKED_H

#include "lock/handle/loss.h"

struct dbl_revocation;

/* Read what is taken away from that session of ours, and apply it; on the heartbeat thread, one
 * round trip. Not 0: it could not be read, or there is no memory: no deadline may be put off. */
int dbl_revoked_read(void *locks, struct dbl_link *, const char *session, int64_t deadline,
		     struct dblock_error *err);

/* After a heartbeat, on its thread: write that we know of each, and delete those that are over. */
void dbl_revoked_finish(struct dbl_locks *, struct dbl_link *, int64_t deadline);

/* A handle has been released: if it was lost by a revocation, look soon whether that is over. */
void dbl_revoked_released(struct dblock_lock *);

/* Under locks->mutex: a grant that is new here is LOST if it was taken away before. */
void dbl_revoked_check(struct dblock_lock *);

/* A client takes a grant of its own away: it is LOST when this returns. The caller sets *ours if it
 * knows the grant to be this client's; else *ours is set if it is found here, and if not, nothing
 * is done. *told: the thread that has the grant, or awaits its reply, finds it LOST. E_NOMEM. */
int dbl_revoked_own(struct dbl_locks *, const char *name, enum dblock_loss_cause, int64_t token,
		    int64_t nonce, bool *ours, bool *told, struct dblock_error *err);

/* A datagram says that a grant of ours was taken away: the session beats soon. */
void dbl_revoked_notified(struct dbl_locks *);

/* Free all that is kept, as the client is closed. */
void dbl_revoked_free(struct dbl_watchdog *);

#endif
