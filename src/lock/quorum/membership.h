/* SPDX-License-Identifier: MIT */
/* As which member of which cluster a database votes: its row of dblock_quorum. Inside src/lock/quorum. */
#ifndef DBL_LOCK_QUORUM_MEMBERSHIP_H
#define DBL_LOCK_QUORUM_MEMBERSHIP_H

#include "link/link.h"

enum { DBL_CLUSTER_MAX = 63, DBL_QUORUM_MAX = 9, DBL_ROSTER_SIZE = DBL_QUORUM_MAX * 33 + 1 };

enum dbl_member_state { DBL_MEMBER_NEW, DBL_MEMBER_VOTES, DBL_MEMBER_CLOSED };

struct dbl_membership {
	char cluster[DBL_CLUSTER_MAX + 1]; /* "": it is no member */
	char identity[33];                 /* of the cluster: a random number, in hex */
	int64_t epoch, members, number, state;
	char history[33];             /* the database's newest when it became a member, */
	char roster[DBL_ROSTER_SIZE]; /* and that of each member, by number */
	int64_t max_ttl;              /* us */
	char newest[33];              /* the database's newest history */
};

/* Its history is that of the server which the link leads to now. Two round trips; four where a history begins. */
int dbl_membership_read(struct dbl_link *, int64_t deadline, struct dbl_membership *,
			struct dblock_error *err);

/* Does it vote in that cluster under that epoch? */
bool dbl_membership_votes(const struct dbl_membership *, const char *identity, int64_t epoch);

/* Fail, and say why it does not vote, or, if it does, that it does so in another cluster or epoch. */
int dbl_membership_refuse(const struct dbl_membership *, struct dblock_error *err);

#endif
