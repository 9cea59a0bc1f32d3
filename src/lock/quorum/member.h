/* SPDX-License-Identifier: MIT */
/* The members of a cluster, as a client has them: whether each answers, and is the member that the
 * others know. Inside src/lock/quorum. */
#ifndef DBL_LOCK_QUORUM_MEMBER_H
#define DBL_LOCK_QUORUM_MEMBER_H

#include "lock/quorum/own.h"

/* ---- member.c -------------------------------------------------------------------------------- */

/* Its locks, once it is open, and votes in the cluster. On a worker of the member's, or the opening
 * thread. */
int dbl_member_ready(struct dbl_quorum_member *, struct dblock_error *err);

/* What a member is asked for, as the member that it is now. */
struct dbl_question {
	struct dbl_ballot ballot;
	int64_t sent;    /* not before that, */
	int64_t losses;  /* on the connections of then, */
	uint64_t serial; /* to the member that it was */
};

/* As dbl_member_ready(); then the question may be put. */
int dbl_member_question(struct dbl_quorum_member *, int64_t token, struct dbl_question *,
			struct dblock_error *err);

/* It has refused the question. True: it votes under another epoch by now, and is to be asked again.
 */
bool dbl_member_has_moved(struct dbl_quorum_member *, const struct dbl_question *);

/* Under the mutex: it was the same connection that was asked: not a copy's. */
bool dbl_member_is_same(const struct dbl_quorum_member *, const struct dbl_question *);

/* Has its row read, which says whether it is still the member that it was. On a worker of it. One
 * round trip. */
int dbl_member_look(struct dbl_quorum_member *, struct dblock_error *err);

/* Likewise, after it was asked something without its epoch, which counts if that has said it too. */
int dbl_member_look_after(struct dbl_quorum_member *, const struct dbl_question *,
			  struct dblock_error *err);

/* dbl_member_look() as a job. */
void dbl_member_watch(struct dbl_quorum_member *);

/* The member was heard, whatever it said; or nothing is known of it, as there was no memory. */
static inline bool dbl_member_answers(int rc)
{
	return rc != DBLOCK_E_NO_ANSWER && rc != DBLOCK_E_UNSURE && rc != DBLOCK_E_UNAVAILABLE;
}

/* A job begins to wait, or has ended; `answered`: the member did. */
void dbl_member_begin(struct dbl_quorum_member *);
void dbl_member_end(struct dbl_quorum_member *, bool answered);

/* It has kept its callers waiting for long: nobody waits for it until it answers. */
bool dbl_member_is_slow(struct dbl_quorum_member *);

/* Not 0: it does not answer, and is being asked already, which will tell when it does: another
 * request is not worth while, and fails with this. */
int dbl_member_pass_over(struct dbl_quorum_member *, struct dblock_error *err);

/* The error is about a name as members know it: this makes it the caller's. */
void dbl_member_tell(struct dblock_error *err);

/* ---- cluster.c: under the mutex -------------------------------------------------------------- */

/* Is it, by its row, which was asked for at that time, a member as the others know it? If the row
 * says more than was known, others may be members no more from then on. */
int dbl_cluster_agree(struct dbl_quorum_member *, const struct dbl_membership *, int64_t sent,
		      struct dblock_error *err);

/* It was asked at that time, and has said that it votes under its epoch. */
void dbl_member_proved(struct dbl_quorum_member *, int64_t sent);

/* So long, by now, its votes count, us: cluster.c says why. */
int64_t dbl_member_left(const struct dbl_quorum_member *);

#endif
