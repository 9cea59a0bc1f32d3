/* SPDX-License-Identifier: MIT */
/* What the files of a waiting acquire share: wait.c drives it, wait_steps.c has its phases,
 * wait_join.c those in which it joins the queue, wait_grant.c how it ends well, and wait_rows.c
 * those in which rows of the queue are what matters. */
#ifndef DBL_LOCK_WAIT_OWN_H
#define DBL_LOCK_WAIT_OWN_H

#include "lock/wait/wait.h"

enum dbl_wait_phase {
	DBL_WAIT_ASK,
	DBL_WAIT_ADMIT,
	DBL_WAIT_ENQUEUE,
	DBL_WAIT_ANNOUNCE,
	DBL_WAIT_WATCH,
	DBL_WAIT_LINE,
	DBL_WAIT_ADVANCE,
	DBL_WAIT_DECLARE_ROW,
	DBL_WAIT_DECLARE,
	DBL_WAIT_HAND_OVER,
	DBL_WAIT_TAKE,
	DBL_WAIT_WHO,
	DBL_WAIT_LEAVE
};

/* Between two looks where nobody can ring: quick at first, for locks that are held briefly. */
#define DBL_WAIT_POLL_FIRST_US 5000
#define DBL_WAIT_POLL_LAST_US  80000 /* with its jitter 100 ms */
/* Between two tries at a row that somebody's transaction locks. */
#define DBL_WAIT_LOCKED_US 20000

int64_t dbl_wait_now(const struct dbl_wait *);

/* What its phase has to do now. DBLOCK_WAITING, or the outcome; then it may still be in the queue.
 * 0:
 * the attempt's handle is to be published. */
int dbl_wait_go(struct dbl_wait *, struct dblock_error *err);

/* Nobody finds us any more; what we have in the database is to be left from now on. False: there is
 * nothing to leave. */
bool dbl_wait_leave(struct dbl_wait *);

/* ---- what a step may end with: each returns DBLOCK_WAITING ----------------------------------- */

/* On to that phase, at once. */
int dbl_wait_go_on(struct dbl_wait *, enum dbl_wait_phase);

/* In that phase from now on; when to go on is as it was. If there is no way there, the step ends
 * with DBLOCK_E_BUG. */
void dbl_wait_move(struct dbl_wait *, enum dbl_wait_phase);

/* In the same phase, after so long, and some jitter. */
int dbl_wait_a_little(struct dbl_wait *, int64_t us);

/* Later, since what it was to write is locked. */
int dbl_wait_kept_out(struct dbl_wait *);

/* Out of the queue, and in again at its end. */
int dbl_wait_enqueue_anew(struct dbl_wait *);

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Nobody finds us any more. */
void dbl_wait_forget(struct dbl_wait *);

/* The token that was said by who rang, or 0. */
int64_t dbl_wait_notified(struct dbl_wait *);

/* The lock is ours, given by somebody, perhaps ourselves; what it lives by counts from `sent`,
 * before which it was not. */
int dbl_wait_granted(struct dbl_wait *, int64_t token, int64_t sent, int64_t lease,
		     struct dblock_error *err);

/* Found by our own look. Who gave it may have set its end by another machine's clock. */
int dbl_wait_granted_as_seen(struct dbl_wait *, struct dblock_error *err);

/* A lease began when it was given, which was after our last look: is that good enough to count
 * from? */
bool dbl_wait_may_count(const struct dbl_wait *);

/* When to look again, if nothing else happens: once in a while, and at `by`. */
void dbl_wait_schedule(struct dbl_wait *, int64_t by);

/* When to look for a deadlock; DBL_NEVER while it does not only wait. */
int64_t dbl_wait_suspects_at(const struct dbl_wait *);

/* It is to be had by a row of the queue, not by the lock's own. */
static inline bool dbl_wait_is_by_row(const struct dbl_wait *w)
{
	return dbl_spec_is_by_row(w->attempt.spec);
}

/* What follows from its sight, which shows the lock as it was when we were in the queue already. */
int dbl_wait_seen(struct dbl_wait *, struct dblock_error *err);

/* Why it is not had: who has it, or what keeps all out. */
void dbl_wait_tell(const struct dbl_wait *, struct dblock_error *err, int code);

/* One of several names: see dbl_wait_part(). */
static inline bool dbl_wait_is_part(const struct dbl_wait *w)
{
	return w->attempt.spec->names > 1;
}

/* Phases. */
int dbl_wait_enqueue(struct dbl_wait *, struct dblock_error *err);
int dbl_wait_announce(struct dbl_wait *, struct dblock_error *err);
int dbl_wait_admit(struct dbl_wait *, struct dblock_error *err);
int dbl_wait_line(struct dbl_wait *, struct dblock_error *err);
int dbl_wait_advance(struct dbl_wait *, struct dblock_error *err);
int dbl_wait_declare_row(struct dbl_wait *, struct dblock_error *err);

#endif
