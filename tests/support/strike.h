/* SPDX-License-Identifier: MIT */
/*
 * A world in which the k-th call of the driver goes wrong, whichever that is: open, exec, prepare,
 * run or next, on the work connection or the heartbeat thread's. Who plays one scene for k = 1, 2,
 * ... until there is no k-th call has met them all.
 *
 * Time is virtual: who sleeps, or waits for an answer until its deadline, puts the clock forward.
 *
 * What strikes is the calls of the thread that has armed it. What others do at the same time, like
 * the heartbeat thread's errands, is not counted, and puts no clock forward; where all is lost or
 * silent, theirs is lost as well.
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
	STRIKE_STUBBORN,    /* as REPLY_LOST, whenever this statement is run from then on */
	STRIKE_DOWN,        /* from then on all is lost, and no connection can be had */
	STRIKE_DARK,        /* from then on nothing is answered before its deadline */
	STRIKE_LATE,        /* not answered before its deadline; see strike_let_go() */
	STRIKE_LATE_POOLED, /* likewise, and nobody can say which end of the server's it went to */
	STRIKE_STRAY,       /* the connection is lost at once, but what was sent may arrive later */
	STRIKE_STRAY_POOLED,
	STRIKE_KINDS
};

/* So much later than it wanted to wakes up who sleeps while it is STUBBORN or DOWN. */
enum { STRIKE_OVERSLEEP_MS = 10000 };

struct strike;

struct strike *strike_new(void);
void strike_free(struct strike *);

const struct dbl_env *strike_env(struct strike *);  /* for what is struck */
const struct dbl_env *strike_calm(struct strike *); /* the same clock; nothing goes wrong */

/* From now on the k-th call (1: the next) goes wrong. On a connection that was opened behind a
 * pooler, see strike_pooled(), nobody knows the server's end. */
void strike_arm(struct strike *, enum strike_kind, int k);

/* ... whichever thread makes it: for a scene that is played by the heartbeat thread. */
void strike_any_thread(struct strike *);

/* Nothing goes wrong any more. Returns how many calls there were. */
int strike_disarm(struct strike *);

/* Did the fault strike? */
bool strike_struck(struct strike *);

/* What was struck, for messages: "run acquire". */
const char *strike_what(struct strike *);

/* Connections opened from now on are behind a pooler, or not. */
void strike_pooled(struct strike *, bool pooled);

/* What was LATE or STRAY is carried out now, on its own connection, unless the library has ended
 * the server's side of that. On SQLite nothing is ever late. */
void strike_let_go(struct strike *);

int64_t strike_now_us(struct strike *);
int64_t strike_jumped_us(struct strike *); /* so far, by which the clock was put forward */
void strike_jump_ms(struct strike *, int64_t ms);

#endif
