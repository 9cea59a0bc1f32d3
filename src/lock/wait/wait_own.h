/* SPDX-License-Identifier: MIT */
/* What the files of a waiting acquire share: wait.c drives it, wait_steps.c has its phases,
 * wait_join.c those in which it joins the queue, wait_between.c what it does between two looks,
 * wait_grant.c how it accepts its grant, and goes on when the database fails, and wait_rows.c the
 * phases in which rows of the queue hold the lock or are to hold it. */
#ifndef DBL_LOCK_WAIT_OWN_H
#define DBL_LOCK_WAIT_OWN_H

#include "lock/wait/wait.h"

enum dbl_wait_phase {
	DBL_WAIT_ASK,
	DBL_WAIT_ENTER,
	DBL_WAIT_ADMIT,
	DBL_WAIT_ENQUEUE,
	DBL_WAIT_ANNOUNCE,
	DBL_WAIT_WATCH,
	DBL_WAIT_READ_QUEUE,
	DBL_WAIT_ADVANCE,
	DBL_WAIT_DECLARE_ROW,
	DBL_WAIT_DECLARE,
	DBL_WAIT_HAND_OVER,
	DBL_WAIT_TAKE,
	DBL_WAIT_WHO,
	DBL_WAIT_LEAVE
};

/* The pause between looks if nobody can notify us: short at first, for locks held briefly. */
#define DBL_WAIT_POLL_FIRST_US 5000
#define DBL_WAIT_POLL_LAST_US  80000 /* with its jitter 100 ms */
/* The pause between two tries at a row that somebody's transaction locks. */
#define DBL_WAIT_LOCKED_US 20000
/* The pause after the database has failed. The link has tried for as long as a request may take. */
#define DBL_WAIT_TROUBLE_US 80000

static inline int64_t dbl_wait_now(const struct dbl_wait *w)
{
	return dbl_now(w->attempt.locks->env);
}

/* Does what its phase has to do now. DBLOCK_WAITING, or the outcome; then it may still be in the
 * queue. 0: the attempt's handle is to be published. */
int dbl_wait_go(struct dbl_wait *, struct dblock_error *err);

/* Begins to leave the queue: nobody can notify the wait any more. False: there is nothing to do. */
bool dbl_wait_leave(struct dbl_wait *);

/* ---- what a step may end with: each returns DBLOCK_WAITING ----------------------------------- */

/* Goes on to that phase at once. */
int dbl_wait_go_on(struct dbl_wait *, enum dbl_wait_phase);

/* Moves to that phase, without a change of when to go on. If the move is illegal, the step ends
 * with DBLOCK_E_BUG. */
void dbl_wait_move(struct dbl_wait *, enum dbl_wait_phase);

/* Goes on in the same phase after so long, with some jitter. */
int dbl_wait_a_little(struct dbl_wait *, int64_t us);

/* Goes on later, since the row that it was to write is locked. */
int dbl_wait_locked_out(struct dbl_wait *);

/* The step has failed with rc. Goes on later if that may pass, and there is time: err says why
 * meanwhile. Else returns rc. */
int dbl_wait_unless_it_passes(struct dbl_wait *, int rc, struct dblock_error *err);

/* Leaves the queue, and joins it again at its end. */
int dbl_wait_enqueue_anew(struct dbl_wait *);

/* ---- pieces ---------------------------------------------------------------------------------- */

/* From now on nobody can notify the wait, and it does not count as in the queue. */
void dbl_wait_forget(struct dbl_wait *);

/* Returns the token of which the wait was notified, or 0. */
int64_t dbl_wait_notified(struct dbl_wait *);

/* Accepts a grant that somebody, perhaps ourselves, made to this wait. Its validity counts from
 * `sent`, before which it was not made. */
int dbl_wait_granted(struct dbl_wait *, int64_t token, int64_t sent, int64_t lease,
		     struct dblock_error *err);

/* Accepts a grant that our own look has found; its end may be by another machine's clock. */
int dbl_wait_granted_as_seen(struct dbl_wait *, struct dblock_error *err);

/* Whether it joined, or has seen its session, by the connections that the client has now. If not, a
 * grant may be one of a former primary's, and counts once a look has seen it here. */
static inline bool dbl_wait_is_here(const struct dbl_wait *w)
{
	return w->changes == dbl_link_changes(w->attempt.locks->link);
}

/* Whether it joined by them. If not, what it is told of a grant may be a former primary's, or from before a
 * crash, however late it comes: another look has to see it. */
static inline bool dbl_wait_joined_here(const struct dbl_wait *w)
{
	return w->changes_joined == dbl_link_changes(w->attempt.locks->link);
}

/* Sets when to look again if nothing else happens: after the usual pause, but not after `by`. */
void dbl_wait_schedule(struct dbl_wait *, int64_t by);

/* When the mark of a holder is to be asked next; DBL_NEVER while it does other things than wait. */
static inline int64_t dbl_wait_vigil_at(const struct dbl_wait *w)
{
	bool watches = w->ticket && dbl_sm_now(&w->phase) == DBL_WAIT_WATCH;

	return watches && w->vigil.pause ? w->vigil.at : DBL_NEVER;
}

/* If it is time, asks: has the process of a holder ended since the last look? No round trip. */
bool dbl_wait_sees_end(struct dbl_wait *);

/* Returns when to look for a deadlock; DBL_NEVER while it does other things than wait. */
static inline int64_t dbl_wait_suspects_at(const struct dbl_wait *w)
{
	return w->ticket && dbl_sm_now(&w->phase) == DBL_WAIT_WATCH ? w->suspicion.next : DBL_NEVER;
}

/* Looks for a deadlock, or tells the caller its place, if it is time, in a step of its own. */
int dbl_wait_at_leisure(struct dbl_wait *, struct dblock_error *err);

/* Whether a row of the queue is to carry the grant, not the lock's own row. */
static inline bool dbl_wait_is_by_row(const struct dbl_wait *w)
{
	return dbl_spec_is_by_row(w->attempt.spec);
}

/* Does what follows from its snapshot, which was taken when it was in the queue already. */
int dbl_wait_seen(struct dbl_wait *, struct dblock_error *err);

/* Writes to err why the lock is not granted: who has it, or what is locked. */
void dbl_wait_tell(const struct dbl_wait *, struct dblock_error *err, int code);

/* Whether it is one name's part of a wait for several names: see dbl_wait_part(). */
static inline bool dbl_wait_is_part(const struct dbl_wait *w)
{
	return dbl_spec_is_part(w->attempt.spec);
}

/* How often it may find somebody in the way, or that all has just changed, before it joins the queue. */
#define DBL_WAIT_ENTRIES 2

static inline bool dbl_wait_may_enter(const struct dbl_wait *w)
{
	return dbl_wait_enters(w->attempt.locks, w->attempt.spec) && w->entries < DBL_WAIT_ENTRIES;
}

/* Each does what one phase has to do. */
int dbl_wait_enter(struct dbl_wait *, struct dblock_error *err);
int dbl_wait_enqueue(struct dbl_wait *, struct dblock_error *err);
int dbl_wait_announce(struct dbl_wait *, struct dblock_error *err);
int dbl_wait_admit(struct dbl_wait *, struct dblock_error *err);
int dbl_wait_read_queue(struct dbl_wait *, struct dblock_error *err);
int dbl_wait_advance(struct dbl_wait *, struct dblock_error *err);
int dbl_wait_declare_row(struct dbl_wait *, struct dblock_error *err);

#endif
