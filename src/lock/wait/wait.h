/* SPDX-License-Identifier: MIT */
/*
 * One acquire that waits: a state machine that is driven step by step, by a thread that sleeps
 * between the steps (lock.c), or by workers, as the caller's event loop asks for it (begun.h).
 *
 *              free                 not free               row is there
 *       ASK ---------> granted  ASK ---------> ENQUEUE ------------------> ANNOUNCE
 *                                               ^                              |
 *                                               |                              | announced
 *                        in the queue anew      |    our row is gone           v
 *                                             LEAVE <------------------------ WATCH --> granted
 *                                               |                              |  notified, or seen
 *                                     outcome <-+                 the holder is over:
 *                                                           DECLARE, then HAND_OVER or TAKE
 *
 * Where one statement writes both tables (dbl_join()), ENQUEUE announces the row as well, and sees
 * who has the lock: WATCH comes next (or ANNOUNCE, if the lock's row says that nobody waits). A
 * client that has just handed the lock to somebody else begins with ENQUEUE (expect.h).
 *
 * From ENQUEUE on it is in the queue, until it is granted the lock or leaves: canceled, out of time
 * (WHO looks who has it), or failed. While it watches it is notified without a statement of its
 * own; all the same it looks once a second (more often if nobody can notify it), and when the
 * holder may be over.
 *
 * A wait for another mode than exclusive begins with ENTER, where one statement can do all of it, or
 * with ADMIT; and a row of the queue carries its grant (queue_rows.h):
 *
 *       ENTER --> granted
 *       ^   |
 *       |   v
 *       ADMIT --> ENQUEUE (--> ANNOUNCE --> WATCH) --> READ_QUEUE --> ADVANCE --> granted
 *                                             ^            |           |
 *                                             +------------+-----------+
 *
 * A wait for exclusive, too, goes to READ_QUEUE while rows of the queue hold the lock. One with a priority begins
 * with ASK, and goes on from ENQUEUE as a wait for another mode; where it waits, all are granted by rows.
 */
#ifndef DBL_LOCK_WAIT_H
#define DBL_LOCK_WAIT_H

#include "lock/grant/attempt.h"
#include "lock/notify/notifier.h"
#include "lock/queue/advance.h"
#include "lock/queue/failure_detector.h"
#include "lock/queue/leave.h"
#include "lock/wait/deadlock.h"
#include "lock/wait/progress.h"

struct dbl_wait {
	struct dbl_attempt attempt;
	struct dbl_waiter waiter;
	struct dbl_cleanup *cleanup; /* notes what an enqueue may leave behind in the database */
	struct dbl_leave leave;
	struct dbl_sm phase;
	struct dbl_progress progress;
	struct dbl_suspicion suspicion;
	atomic_bool canceled; /* by another thread */
	enum dbl_action action;
	struct dbl_queue queue;       /* as it was last read */
	struct dbl_decision decision; /* what follows from it */
	struct dbl_detector detector; /* of the rows that hold the lock */
	struct dbl_snapshot doomed;   /* the row that is to be declared over */
	bool begun;                   /* the first step is done */
	bool by_steps;                /* it has, or had, an alarm: its caller sleeps by itself */
	bool reentered;               /* the owner has the lock by now, by another call */
	bool admitted;                /* the lock could be granted before it was in the queue */
	bool entered;                 /* its own statement, enter, has granted it */
	bool by_row;                  /* its row carries the grant, not the lock's own row */
	unsigned entries;             /* so often that statement did nothing */
	unsigned rounds;              /* of a try */
	/* If this is one name's part of a wait for several names (group.h): */
	bool ready;              /* it is first in the queue, and could have the lock */
	bool out;                /* its row has gone from the queue */
	bool may_be_free;        /* of any, which is looked for among those alone */
	int outcome;             /* for which it leaves; DBLOCK_WAITING: to join the queue anew */
	struct dblock_error why; /* the message of the outcome */
	struct dblock_lock *got; /* the handle of the outcome */
	int64_t ticket;          /* 0: not in the queue */
	int64_t passed;  /* what had been served when its ticket was not above that; 0: it was */
	int64_t changes; /* of the link, when it joined the queue, or saw its session there */
	int64_t changes_joined; /* of the link, when it joined the queue */
	int64_t asked_at;       /* when the last statement was sent that found us not granted */
	int64_t poll;           /* pause between two looks */
	int64_t next;           /* when to go on, unless notified */
	int64_t unsure_until;   /* when to give up, as each enqueue's reply was lost; 0: none was */
	struct dbl_vigil vigil;
	bool vigil_of_rows; /* for the rows that hold the lock, not its own row */
	bool can_wake_us;   /* the holder can notify us */
	bool mute;          /* our row has no address at which we can be notified */
	bool apart;         /* it joins and announces in two statements, not by dbl_join() */
	bool barred;        /* its last statement failed, as somebody has a table locked */
	bool locked_out;    /* its last statement failed, as somebody has the row or file locked */
	int trouble;        /* its last statement failed with this, as `why` says, which may pass */
	bool slept;         /* it was not granted at once */
	bool looked;        /* it has done all that a try does, however short the wait */
	bool stuck;         /* a move to the next phase was illegal, as `why` says */
};

/* Whether it may be granted in one statement, beside those who have the lock. */
static inline bool dbl_wait_enters(const struct dbl_locks *all, const struct dbl_acquire_spec *spec)
{
	return all->target->dialect->enters && spec->mode != DBLOCK_EXCLUSIVE && !spec->upgrades &&
	       !dbl_spec_is_part(spec);
}

/* Whether it begins with ASK: for one name alone, unless this client has just handed the lock over. */
static inline bool dbl_wait_asks_first(const struct dbl_locks *all,
				       const struct dbl_acquire_spec *spec)
{
	return spec->mode == DBLOCK_EXCLUSIVE && !spec->upgrades && !dbl_spec_is_part(spec) &&
	       (spec->unfair ||
		!dbl_expects_held(&all->expected, dbl_spec_hash(spec), dbl_now(all->env)));
}

/* The spec, and its name, must outlive the wait. No round trip. */
int dbl_wait_begin(struct dbl_wait *, struct dbl_locks *, const struct dbl_acquire_spec *,
		   struct dblock_error *err);

/* The same after an attempt that came to DBLOCK_BUSY, DBLOCK_LOST, DBLOCK_E_BLOCKED, or a failure
 * that may pass, which err tells of. The wait owns the attempt, also if this fails. Not 0: the wait
 * is over, and need not be ended. */
int dbl_wait_begin_asked(struct dbl_wait *, const struct dbl_attempt *asked_at, int rc,
			 struct dblock_error *err);

/* Makes one step for the calling thread: at most one round trip, unless something fails.
 * DBLOCK_WAITING (then err is not written): the next step is due at wait->next, or when notified.
 * Else the outcome; *out is the handle if that is 0; and it is not in the queue any more. */
int dbl_wait_step(struct dbl_wait *, struct dblock_lock **out, struct dblock_error *err);

/* For one name's part of a wait for several names, which has been announced: looks at its queue,
 * and does what is due there, until it knows whether it is ready. DBLOCK_WAITING: it is ready, or
 * out, or has to look again at wait->next. Else a failure. Two round trips; more if the queue has
 * to be advanced, or somebody declared dead. */
int dbl_wait_part(struct dbl_wait *, struct dblock_error *err);

/* Sleeps until the next step is due, in pieces of at most 100 ms if the caller wants to be asked
 * whether it is canceled. */
void dbl_wait_sleep(struct dbl_wait *);

/* Step and sleep until the lock is granted, or the wait is over otherwise; it is still to be ended. */
static inline int dbl_wait_until_over(struct dbl_wait *w, struct dblock_lock **out,
				      struct dblock_error *err)
{
	int rc;

	while ((rc = dbl_wait_step(w, out, err)) == DBLOCK_WAITING)
		dbl_wait_sleep(w);
	return rc;
}

/* When the next step is due, for a caller that sleeps by itself; 0: at once. Under the mutex. */
int64_t dbl_wait_due_at(const struct dbl_wait *);

/* Makes a wait that has an alarm end with DBLOCK_CANCELED, even if it is granted the lock from now
 * on. Any thread may call this, also in a signal handler. */
void dbl_wait_cancel(struct dbl_wait *);

/* Leaves the queue, if it still is in it, and frees what the wait has. */
void dbl_wait_end(struct dbl_wait *);

#endif
