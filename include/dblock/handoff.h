/* SPDX-License-Identifier: MIT */
/**
 * @file handoff.h  One process acquires a lock, and another one keeps it.
 *
 * The holder offers its lock by dblock_handoff_offer(), which makes a text, the ticket, and sends that to the
 * other process: by a pipe, the environment, an argument. That one calls dblock_handoff_accept() with a client of
 * its own, on the same database, and has the lock, which nobody else had in between and those who wait
 * for it still wait for. Its token is larger than the first holder's, whose writes are fenced from then
 * on. The first holder calls dblock_release(), when the other one has told it, or dblock_handoff_wait()
 * has: that frees the handle, and the lock if nobody has accepted it.
 *
 * Until it is accepted the lock lives and dies with the first holder's client: keep that open.
 */
#ifndef DBLOCK_HANDOFF_H
#define DBLOCK_HANDOFF_H

#include <dblock/lock.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Room for a ticket, with the byte that ends it: a name, and a number in front of it. */
#define DBLOCK_TICKET_SIZE 280

/**
 * Offers a lock to another process. The caller has it no more: dblock_valid() is false, and
 * dblock_loss_of() says DBLOCK_LOSS_HANDED_OFF, without a call of `lost`; all that is left to do with
 * the handle is dblock_handoff_wait() and dblock_release(). Until that release nobody has the lock but
 * who accepts it, as long as this client's session lives. Who knows the ticket can accept the lock, once.
 *
 * @param ticket  DBLOCK_TICKET_SIZE bytes, to be filled in: printable, without line breaks
 * @retval DBLOCK_OK         it is offered
 * @retval DBLOCK_LOST       it had been lost before
 * @retval DBLOCK_E_INVALID  an argument is NULL; or the lock is not one that can be offered: held in
 *                           another mode than exclusive, with others, more than once, with a lease
 *                           (whoever knows its token can extend it), a minimum hold, a slot (once.h),
 *                           or by a transaction (tx.h)
 * @retval DBLOCK_E_FORKED   the handle belongs to the parent process
 * The handle stays the caller's. Thread-safe; does not block; no round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_handoff_offer(struct dblock_lock *lock, char *ticket,
						     struct dblock_error *err);

/**
 * Waits until a lock that was offered has been accepted, for which it looks again and again.
 *
 * @param wait_ms  how long at most; 0: DBLOCK_FOREVER; DBLOCK_NO_WAIT: looks once
 * @retval DBLOCK_OK         it has been accepted: release the handle, and the other one keeps the lock
 * @retval DBLOCK_TIMEOUT    not yet: wait again, or release it
 * @retval DBLOCK_LOST       this client's session ended, somebody took the lock away, or the database
 *                           has forgotten it (a failover): it may have been accepted before
 * @retval DBLOCK_CANCELED   dblock_shutdown()
 * @retval DBLOCK_E_INVALID  lock is NULL, or was not offered
 * @retval DBLOCK_E_*        the database could not be asked: error.h
 * Blocks. A round trip for each look, and one more at the end: after 1 ms, then after twice as long as
 * before, up to 100 ms.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_handoff_wait(struct dblock_lock *lock, int64_t wait_ms,
						    struct dblock_error *err);

/**
 * Takes over the lock that is offered by a ticket, with a larger token. It is held like any other
 * from then on: by this client's session, and by `options->owner` or the calling thread.
 *
 * @param client   on the same database, and the same tables, as the one that offers it; it may be the
 *                 same client
 * @param ticket   from dblock_handoff_offer()
 * @param options  of dblock_acquire(), or NULL: owner, value (NULL: as it was), settle_ms, lost,
 *                 release_requested, and their arguments; the others have to be as they were initialised
 * @param lock     the handle, to be released; NULL unless this succeeds
 * @retval DBLOCK_OK         accepted
 * @retval DBLOCK_STALE      the ticket is used up: it was accepted already, or released; or its holder's
 *                           session is over, or somebody is taking the lock away
 * @retval DBLOCK_LOST       accepted, but the answer came so late that this client's session was over: it
 *                           was given back, and nobody holds it
 * @retval DBLOCK_E_INVALID  client, ticket or lock is no such thing, or an option does not apply
 * @retval DBLOCK_E_UNSURE   the answer was lost: if it was accepted, it is given back with a later
 *                           heartbeat; if not, it can be again
 * @retval DBLOCK_E_*        as dblock_try()
 * Thread-safe. Blocks for the client's timeout_ms at most. One round trip; if the reply is lost, it is
 * asked again, which does the same once.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_handoff_accept(struct dblock_client *client,
						      const char *ticket,
						      const struct dblock_acquire_options *options,
						      struct dblock_lock **lock,
						      struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
