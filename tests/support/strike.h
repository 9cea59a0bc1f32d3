/* SPDX-License-Identifier: MIT */
/*
 * A world in which the k-th call of the driver goes wrong, whichever that is: open, exec, prepare,
 * run or next, on the work connection or the heartbeat thread's. A test that plays one scene for k
 * = 1, 2, ... until there is no k-th call has struck them all.
 *
 * Time is virtual: a thread that sleeps, or waits for an answer until its deadline, puts the clock
 * forward.
 *
 * Only calls of the thread that has armed it are struck. Calls of other threads, like the heartbeat
 * thread's, are not counted, and put no clock forward; while all is lost or silent, theirs are lost
 * as well.
 */
#ifndef TESTS_SUPPORT_STRIKE_H
#define TESTS_SUPPORT_STRIKE_H

#include "sql/op.h"
#include "support/kit.h"

enum strike_kind {
	STRIKE_UNSENT,      /* the connection is found lost before anything is sent */
	STRIKE_LOST,        /* lost on its way: not carried out, but nobody can know */
	STRIKE_REPLY_LOST,  /* carried out, and its answer is lost with the connection */
	STRIKE_HALF,        /* the first row arrives, the rest is lost with the connection */
	STRIKE_STUBBORN,    /* as REPLY_LOST, whenever this statement runs from then on */
	STRIKE_DOWN,        /* from then on all is lost, and no connection can be had */
	STRIKE_DARK,        /* from then on nothing is answered before its deadline */
	STRIKE_LATE,        /* not answered before its deadline; see strike_let_go() */
	STRIKE_LATE_POOLED, /* likewise, and nobody can tell which server process has it */
	STRIKE_STRAY,       /* the connection is lost at once, but the request may arrive later */
	STRIKE_STRAY_POOLED,
	STRIKE_KINDS
};

/* A sleeper wakes up so much later than it wanted while STUBBORN or DOWN lasts. */
enum { STRIKE_OVERSLEEP_MS = 10000 };

struct strike;

struct strike *strike_new(void);
void strike_free(struct strike *);

const struct dbl_env *strike_env(struct strike *);  /* for what is struck */
const struct dbl_env *strike_calm(struct strike *); /* the same clock; nothing goes wrong */

/* Lets the k-th call from now on (1: the next) go wrong. On a connection that was opened behind a
 * pooler, see strike_pooled(), nobody can tell the server process. */
void strike_arm(struct strike *, enum strike_kind, int k);

/* Strikes whichever thread makes the call: for a scene that the heartbeat thread plays. */
void strike_any_thread(struct strike *);

/* From now on this is about one of several databases: only calls to it are counted and struck, whichever thread
 * makes them, as each has threads of its own; and time is the real one, in which these wait for each other. NULL: no
 * call at all. To be called before a connection is opened. */
void strike_aim(struct strike *, const char *database);

/* Lets nothing go wrong any more. Returns how many calls there were. */
int strike_disarm(struct strike *);

/* Tells whether the fault struck. */
bool strike_struck(struct strike *);

/* Returns what was struck, for messages: "run acquire". */
const char *strike_what(struct strike *);

/* Says whether connections opened from now on are behind a pooler. */
void strike_pooled(struct strike *, bool pooled);

/* Carries out now what was LATE or STRAY, on its own connection, unless the library has ended the
 * server's side of that. On SQLite nothing is ever late. */
void strike_let_go(struct strike *);

int64_t strike_now_us(struct strike *);
int64_t strike_jumped_us(struct strike *); /* by which the clock was put forward so far */
void strike_jump_ms(struct strike *, int64_t ms);

#endif
