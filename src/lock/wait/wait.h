/* SPDX-License-Identifier: MIT */
/*
 * One acquire that waits: a machine that is driven step by step, by a thread that sleeps between
 * the steps (lock.c), or by a loop of the caller's (driven.c).
 *
 *              free                 not free               row is there
 *       ASK ---------> granted  ASK ---------> ENQUEUE ------------------> ANNOUNCE
 *                                               ^                              |
 *                                               |                              | said
 *                          in line anew         |    our place is gone         v
 *                                             LEAVE <------------------------ WATCH --> granted
 *                                               |                              |    rung, or seen
 *                                     outcome <-+                 it is over with who has it:
 *                                                           DECLARE, then HAND_OVER or TAKE
 *
 * Where one statement writes both tables (join), ENQUEUE says so as well, and sees who has it: then
 * WATCH comes next (and, where the lock's row says that nobody waits, ANNOUNCE). Who has just
 * handed the lock to somebody else begins with ENQUEUE (expect.h).
 *
 * From ENQUEUE on it is in the queue, until it is granted or leaves: canceled, out of time (WHO
 * looks who has it), or failed. While it watches it needs no statement to be woken; all the same it
 * looks once a second (more often where nobody can ring), and when the holder may be over.
 *
 * Who wants the lock in another mode than exclusive asks otherwise, and is granted by a row
 * (line.h):
 *
 *       ADMIT --> ENQUEUE (--> ANNOUNCE --> WATCH) --> LINE --> SERVE --> granted
 *                                             ^          |        |
 *                                             +----------+--------+
 *
 * Also one that wants it alone goes by the queue while rows of it hold the lock. Inside src/lock.
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
	struct dbl_cleanup *cleanup; /* to note what an enqueue may leave behind */
	struct dbl_leave leave;
	struct dbl_sm phase;
	struct dbl_progress progress;
	struct dbl_suspicion suspicion;
	atomic_bool canceled; /* by another thread */
	enum dbl_action action;
	struct dbl_queue queue;       /* as last read */
	struct dbl_decision decision; /* and what follows from it */
	struct dbl_detector detector; /* over the rows that hold it */
	struct dbl_snapshot doomed;   /* the row that is to be declared over */
	bool begun;                   /* the first step is done */
	bool admitted;                /* it could be granted before it was in the queue */
	unsigned rounds;              /* of a try */
	/* Of a wait for several names (group.h), whose place in this line this is: */
	bool ready;              /* it stands first, and could have it */
	bool out;                /* its place is gone */
	int outcome;             /* for which it leaves; DBLOCK_WAITING: to be in the queue anew */
	struct dblock_error why; /* its words */
	struct dblock_lock *got; /* its handle */
	int64_t ticket;          /* 0: not in the queue */
	int64_t asked_at;        /* before the last statement was sent that found us not granted */
	int64_t poll;            /* pause between two looks */
	int64_t next;            /* when to go on, unless woken */
	int64_t unsure_until; /* each enqueue's answer has been lost: give up then; 0: none has */
	bool can_wake_us;     /* who has it now can wake us */
	bool mute;            /* our row does not say how */
	bool apart;           /* it joins, and then says so: not both in one */
	bool barred;          /* what it did last could not be done: somebody has a table locked */
	bool kept_out;        /* likewise: somebody has its row locked, or the file */
	bool looked;          /* however short the wait: it has tried all that a try does */
	bool stuck;           /* there was no way to the next phase: why says so */
};

/* A row of the queue is to carry the grant, not the lock's own. */
static inline bool dbl_spec_is_by_row(const struct dbl_acquire_spec *spec)
{
	return spec->mode != DBLOCK_EXCLUSIVE || spec->upgrades || spec->names > 1;
}

/* It begins with ASK: not in the queue, for which it waits, or which this client has just handed
 * the lock to. */
static inline bool dbl_wait_asks_first(const struct dbl_locks *all,
				       const struct dbl_acquire_spec *spec)
{
	return !dbl_spec_is_by_row(spec) &&
	       (spec->barge ||
		!dbl_expects_held(&all->expected, dbl_spec_hash(spec), dbl_now(all->env)));
}

/* The wish, and its name, must outlive the wait. No round trip. */
int dbl_wait_begin(struct dbl_wait *, struct dbl_locks *, const struct dbl_acquire_spec *,
		   struct dblock_error *err);

/* The same for one that has asked: its attempt came to DBLOCK_BUSY, DBLOCK_LOST or DBLOCK_E_LOCKED.
 * The attempt is the wait's, whatever comes of it. Not 0: it waits no longer, and need not be
 * ended.
 */
int dbl_wait_begin_asked(struct dbl_wait *, const struct dbl_attempt *asked_at, int rc,
			 struct dblock_error *err);

/* Go one step, for the calling thread: at most one round trip, unless something fails.
 * DBLOCK_WAITING (then err is not written): go on at wait->next, or when woken. Else the outcome;
 * *out is the handle if that is 0; and it is not in the queue any more. */
int dbl_wait_step(struct dbl_wait *, struct dblock_lock **out, struct dblock_error *err);

/* For a place in the queue that belongs to a wait for several names, and has been announced: look
 * at it, and do what is due there, up to knowing whether it is ready. DBLOCK_WAITING: that, or it
 * is out, or not yet: look again at wait->next. Else a failure. Two round trips, more if somebody
 * is to be served, or declared dead. */
int dbl_wait_part(struct dbl_wait *, struct dblock_error *err);

/* Sleep until it is time for the next step, in pieces of at most 100 ms if the caller wants to be
 * asked whether it is canceled. */
void dbl_wait_sleep(struct dbl_wait *);

/* The same for who sleeps by himself: its alarm is set. */
void dbl_wait_arm(struct dbl_wait *);

/* For one that has an alarm: ends with DBLOCK_CANCELED, whatever it is granted from now on. Any
 * thread, also in a signal handler. */
void dbl_wait_cancel(struct dbl_wait *);

/* Out of line, if it still is in it; frees what it has. */
void dbl_wait_end(struct dbl_wait *);

#endif
