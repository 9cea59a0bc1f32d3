/* SPDX-License-Identifier: MIT */
/*
 * The vote of one member: its database grants the lock to a request id (nonce), at a token. Who has
 * the votes of a majority holds the lock. A member's vote is an ordinary exclusive lock there, of a
 * name that no other client can ask for; so its queue, its sessions and its reaper are what they
 * are for any lock. Inside src/lock/quorum.
 */
#ifndef DBL_LOCK_QUORUM_VOTE_H
#define DBL_LOCK_QUORUM_VOTE_H

#include "lock/handle/lock.h"
#include "lock/queue/snapshot.h"

/* What a member is asked to vote for. */
struct dbl_ballot {
	int64_t token;
	const char *identity; /* of the cluster, */
	int64_t epoch;        /* under this one */
};

/* Ask for the member's vote, at that token or a larger one. 0: *part is the grant there;
 * DBLOCK_BUSY: it votes for somebody else; DBLOCK_E_INVALID: it does not vote under that epoch. One
 * round trip where nobody is in the way. Who is, is over once it has been watched for its ttl: the
 * database's clock, by which a try goes, is not asked, since those of a majority may be set at one
 * time. */
int dbl_vote_ask(struct dbl_locks *, const struct dbl_acquire_spec *, const struct dbl_ballot *,
		 struct dbl_watch *, struct dblock_lock **part, struct dblock_error *err);

/* Watch who has its vote. One round trip. */
int dbl_vote_look(struct dbl_locks *, const char *name, struct dbl_watch *,
		  struct dblock_error *err);

/* The member has voted at that token, and for nobody since. False: or it does not answer. One round trip. */
bool dbl_vote_is_free(struct dbl_locks *, const char *name, int64_t token);

/* Have the member confirm its vote, at that token, which is not below the grant's own. DBLOCK_LOST:
 * it has not. Then, and where the answer is lost, it is ours at the old token or at the new one:
 * it can only be kept as it is, or released. One round trip. */
int dbl_vote_confirm(struct dblock_lock *part, const struct dbl_ballot *, struct dblock_error *err);

#endif
