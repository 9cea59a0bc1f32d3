/* SPDX-License-Identifier: MIT */
/* Who takes part when a member is replaced. Inside src/lock/quorum. */
#ifndef DBL_LOCK_QUORUM_PARTICIPANTS_H
#define DBL_LOCK_QUORUM_PARTICIPANTS_H

#include "lock/quorum/roll.h"

struct dbl_participants {
	struct dbl_roll roll;               /* who cannot be reached is NULL there; and */
	unsigned at;                        /* which of these is the newcomer: to be set before */
	bool stays[DBL_QUORUM_MAX];         /* it is a member, and not the one that is replaced */
	unsigned n_stay;                    /* a majority of all, at least */
	const struct dbl_membership *known; /* one of these, of the latest epoch */
	int64_t max_ttl;                    /* the longest of theirs */
};

/* Reads what each of them is. DBLOCK_E_INVALID: they are not those of one cluster, in the order of
 * their numbers, or one was given twice. Or why too few others are there. */
int dbl_participants_read(struct dbl_participants *, struct dblock_error *err);

#endif
