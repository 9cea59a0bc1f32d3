/* SPDX-License-Identifier: MIT */
/*
 * A lock that is held on a majority of several databases: opening and closing a client of such.
 * What its calls do is in a table, as with any client (core/calls.h).
 *
 *   acquire.c   the calls: propose, wait in line, propose again
 *   line.c      waiting in line at one member
 *   ballot.c    one proposal: who votes, at which token, and is that a majority's?
 *   voter.c     what is to be done next to one member's vote,
 *   act.c       and doing that, on a worker of that member
 *   vote.c      the statements
 *   hold.c      what is held: until when, who is told of a loss, members that are asked again
 *   loss.c      why it was lost
 *   release.c   giving back
 *   extend.c    leases that are made longer
 *   by_token.c  releasing and extending a lease from elsewhere
 *   member.c    a member: opening it, and whether it answers
 *   cluster.c   and whether it is the one that the others know
 *   close.c     closing all members
 *
 * A cluster is made, looked at and changed without such a client:
 *
 *   membership.c    a member's row, which says of which cluster it is
 *   roster.c        the members that it names
 *   init.c          all rows are written, or none
 *   roll.c          the databases that whoever changes it was given
 *   replace.c       another database takes a member's place
 *   participants.c  and who takes part in that
 *   status.c        what each member says
 */
#ifndef DBL_LOCK_QUORUM_H
#define DBL_LOCK_QUORUM_H

#include "lock/core/context.h"
#include "lock/core/name.h"
#include "lock/quorum/membership.h"

/* Opens and closes the clients of members; `ctx` is whoever opens the quorum's client. */
struct dbl_quorum_opener {
	int (*open)(void *ctx, unsigned i, struct dbl_locks **, struct dblock_error *err);
	void (*close)(void *ctx, unsigned i);
	void *ctx;
};

/* Open at least a majority of n members within the timeout (us); the others as soon as they answer.
 * A ttl that was given is not longer than the cluster's max_ttl; else it becomes as short as that.
 * *home is what the calls of the client are made on, and these are counted in the tally.
 * DBLOCK_E_INVALID: a member is none, or one of another cluster. */
int dbl_quorum_open(struct dbl_locks **home, const struct dbl_env *, struct dbl_tally *, unsigned n,
		    int64_t ttl, bool ttl_given, int64_t timeout, const struct dbl_quorum_opener *,
		    struct dblock_error *err);

/* Gives back what is held, and closes the members, all at once: one that does not answer takes the
 * timeout at most. */
void dbl_quorum_close(struct dbl_locks *home);

/* DBLOCK_E_INVALID: a call is inside. */
int dbl_quorum_check_unused(struct dbl_locks *home, struct dblock_error *err);

/* What members call a lock of that name. DBLOCK_E_INVALID: then it is too long. */
int dbl_quorum_name(char there[DBL_NAME_MAX + 1], const char *name, struct dblock_error *err);

/* As dbl_shutdown(). */
void dbl_quorum_shutdown(struct dbl_locks *home);

#endif
