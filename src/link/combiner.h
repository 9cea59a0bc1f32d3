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
#ifndef DBL_LINK_SEAT_H
#define DBL_LINK_SEAT_H

#include "base/latch.h"
#include "base/thread.h"
#include "sql/batch.h"

enum dbl_seated {
	DBL_SEAT_LATE,   /* the deadline came first; nothing was sent */
	DBL_SEAT_SERVED, /* somebody has carried it out: see the member */
	DBL_SEAT_LEADS,  /* it has the connection; due: dbl_seats_end() */
	DBL_SEAT_ASTRAY  /* it belongs in the other line */
};

struct dbl_seat {
	struct dbl_member member; /* without a request: it wants the connection, and no more */
	struct dbl_seat *next;
	struct dbl_seats *_Atomic in; /* that line; changes under the mutexes of both */
	struct dbl_latch latch;       /* what has become of it, if it waits */
	bool alone;                   /* out, of one that leads: nobody was in line */
	/* Nobody waits for it: called once it is over, or has failed, instead of waking; it must
	 * not use the connection. NULL: somebody waits. */
	void (*over)(struct dbl_seat *);
	int64_t since; /* when that was posted */
};

/* When to begin the next turn. */
struct dbl_seats_pace {
	int64_t begun, ended; /* of the last turn */
	int64_t until;        /* so long does the next one wait for company */
	unsigned early, late; /* who came since it ended: until then, and later */
	unsigned left;        /* so many were in line when it ended */
	unsigned company;     /* in line: it may begin */
	unsigned crowds;      /* turns that had much company, less those that had not */
};

struct dbl_seats {
	const struct dbl_target *target;
	struct dbl_mutex mutex; /* guards what follows, and the seats in it */
	struct dbl_seat *first, **last;
	unsigned n_waiting; /* in line, and somebody waits for it */
	bool taken;         /* somebody has the connection, or is about to */
	/* Who belongs here. */
	enum { DBL_SEATS_ALL, DBL_SEATS_FIRST_HALF, DBL_SEATS_OTHER_HALF, DBL_SEATS_NONE } open;
	struct dbl_seat *host; /* that is the first in line, once `pace` says so; or NULL */
	struct dbl_seats_pace pace;
};

/* all: the first line. Not 0: no memory. */
int dbl_seats_init(struct dbl_seats *, const struct dbl_target *, bool all);
void dbl_seats_fini(struct dbl_seats *);

/* Wait for the connection, or to be served; then seat->in says in which line it was. */
enum dbl_seated dbl_seats_take(struct dbl_seats *, struct dbl_seat *, int64_t until);

/* Of who has it: take those who may go along with `members` (if there are none, with the first that
 * nobody waits for) out of the line, first come, first served. How many members there are then,
 * each of a seat. */
unsigned dbl_seats_gather(struct dbl_seats *, int64_t now,
			  struct dbl_member *members[DBL_BATCH_MAX], unsigned n);

/* The end of his turn: the next one has it, and who was served is told. */
void dbl_seats_end(struct dbl_seats *, struct dbl_member *const *served, unsigned n);

/* One that nobody waits for. Never blocks. False: it belongs in the other line. */
bool dbl_seats_post(struct dbl_seats *, struct dbl_seat *);

/* It is as if it had never been posted. False: it has been sent, or is over. */
bool dbl_seats_recall(struct dbl_seat *);

/* Would two lines do more? */
bool dbl_seats_are_many(struct dbl_seats *);

/* Two lines, each for those who belong there: of who has the first one's connection. Or one again,
 * to which all go back: of who has the other one's, and has sent nothing. */
void dbl_seats_part(struct dbl_seats *first, struct dbl_seats *other, bool two);

/* Since when the first of those that nobody has sent yet is there; DBL_NEVER: there are none. */
int64_t dbl_seats_posted_since(struct dbl_seats *);

#endif
