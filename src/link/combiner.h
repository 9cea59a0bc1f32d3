/* SPDX-License-Identifier: MIT */
/*
 * Who stands in line for a connection (flat combining: Hendler, Incze, Shavit and Tzafrir, SPAA
 * 2010). Whoever finds it idle has it at once; at the end of his turn it goes to the first who
 * waits. The one that has it may serve others on the way: those that he gathers need not have it
 * themselves any more. Some requests are waited for by nobody: they are gathered, or fetched.
 *
 * A batch costs much more than each member of it. So where those who were just served mostly come
 * back at once, as threads do that acquire and release in a loop, the next turn begins only when
 * they are back: the last of them leads, who is running anyway. That is known by counting who comes
 * in the first moments of a turn and who comes later; and it is waited for no longer than half a
 * turn takes.
 *
 * Where there are two connections for it, each has a line: one for each half of the names, so that
 * what is asked about a name stays in order. The second line is closed at first, and all stand in
 * the first one. Who has a connection may open or close it: then nothing is under way that was not
 * in that line.
 */
#ifndef DBL_LINK_COMBINER_H
#define DBL_LINK_COMBINER_H

#include "base/latch.h"
#include "base/thread.h"
#include "sql/batch.h"

enum dbl_send_state {
	DBL_SEND_LATE,     /* the deadline came first; nothing was sent */
	DBL_SEND_DONE,     /* somebody has carried it out: see the member */
	DBL_SEND_LEADS,    /* it has the connection; due: dbl_combiner_end() */
	DBL_SEND_ELSEWHERE /* it belongs in the other line */
};

struct dbl_sender {
	struct dbl_member member; /* without a request: it wants the connection, and no more */
	struct dbl_sender *next;
	struct dbl_combiner *_Atomic in; /* that line; changes under the mutexes of both */
	struct dbl_latch latch;          /* what has become of it, if it waits */
	bool alone;                      /* out, of one that leads: nobody was in line */
	/* Nobody waits for it: called once it is over, or has failed, instead of waking; it must
	 * not use the connection. NULL: somebody waits. */
	void (*over)(struct dbl_sender *);
	int64_t since; /* when that was posted */
};

/* When to begin the next turn. */
struct dbl_combiner_pace {
	int64_t begun, ended; /* of the last turn */
	int64_t until;        /* so long does the next one wait for company */
	unsigned early, late; /* who came since it ended: until then, and later */
	unsigned left;        /* so many were in line when it ended */
	unsigned batch_size;  /* in line: it may begin */
	unsigned crowds;      /* turns that had much company, less those that had not */
};

struct dbl_combiner {
	const struct dbl_target *target;
	struct dbl_mutex mutex; /* guards what follows, and the seats in it */
	struct dbl_sender *first, **last;
	unsigned n_waiting; /* in line, and somebody waits for it */
	bool taken;         /* somebody has the connection, or is about to */
	/* Who belongs here. */
	enum {
		DBL_COMBINER_ALL,
		DBL_COMBINER_FIRST_HALF,
		DBL_COMBINER_OTHER_HALF,
		DBL_COMBINER_NONE
	} open;
	struct dbl_sender *leader; /* that is the first in line, once `pace` says so; or NULL */
	struct dbl_combiner_pace pace;
};

/* all: the first line. Not 0: no memory. */
int dbl_combiner_init(struct dbl_combiner *, const struct dbl_target *, bool all);
void dbl_combiner_fini(struct dbl_combiner *);

/* Wait for the connection, or to be served; then seat->in says in which line it was. */
enum dbl_send_state dbl_combiner_take(struct dbl_combiner *, struct dbl_sender *, int64_t until);

/* Of who has it: take those who may go along with `members` (if there are none, with the first that
 * nobody waits for) out of the line, first come, first served. How many members there are then,
 * each of a seat. */
unsigned dbl_combiner_gather(struct dbl_combiner *, int64_t now,
			     struct dbl_member *members[DBL_BATCH_MAX], unsigned n);

/* The end of his turn: the next one has it, and who was served is told. */
void dbl_combiner_end(struct dbl_combiner *, struct dbl_member *const *sent, unsigned n);

/* One that nobody waits for. Never blocks. False: it belongs in the other line. */
bool dbl_combiner_post(struct dbl_combiner *, struct dbl_sender *);

/* It is as if it had never been posted. False: it has been sent, or is over. */
bool dbl_combiner_recall(struct dbl_sender *);

/* Would two lines do more? */
bool dbl_combiner_are_many(struct dbl_combiner *);

/* Two lines, each for those who belong there: of who has the first one's connection. Or one again,
 * to which all go back: of who has the other one's, and has sent nothing. */
void dbl_combiner_part(struct dbl_combiner *first, struct dbl_combiner *other, bool two);

/* Since when the first of those that nobody has sent yet is there; DBL_NEVER: there are none. */
int64_t dbl_combiner_posted_since(struct dbl_combiner *);

#endif
