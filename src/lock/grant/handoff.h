/* SPDX-License-Identifier: MIT */
/*
 * A grant that its holder offers to another client, and that one's accepting it. The ticket is the name
 * and the grant's nonce, which nobody else knows and which is never used again: whoever accepts it puts
 * a nonce and a session of its own in its place, by one conditional statement. So the grant is at each
 * moment one client's, who knows of it, and dies with that one. (To write it into the receiver's row
 * would leave it with a session that may not want it any more.) Inside src/lock.
 */
#ifndef DBL_LOCK_GRANT_HANDOFF_H
#define DBL_LOCK_GRANT_HANDOFF_H

#include "lock/handle/lock.h"

/* As dblock_handoff_offer(). */
int dbl_lock_offer(struct dblock_lock *, char *ticket, struct dblock_error *err);

/* As dblock_handoff_wait(), until that time. */
int dbl_lock_await_acceptance(struct dblock_lock *, int64_t until, struct dblock_error *err);

/* It was offered: its release is no loss, whoever has it then. */
static inline bool dbl_lock_is_offered(const struct dblock_lock *lock)
{
	return atomic_load(&lock->cause) == DBLOCK_LOSS_HANDED_OFF;
}

/* The name in a ticket, and its number; NULL: it is no ticket. */
const char *dbl_ticket_read(const char *ticket, int64_t *nonce);

/* As dblock_handoff_accept(); the spec has the ticket's name. */
int dbl_lock_accept(struct dbl_locks *, const struct dbl_acquire_spec *, int64_t nonce,
		    struct dblock_lock **out, struct dblock_error *err);

#endif
