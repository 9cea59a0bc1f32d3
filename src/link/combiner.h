/* SPDX-License-Identifier: MIT */
/*
 * A queue of senders for a connection (flat combining: Hendler, Incze, Shavit and Tzafrir, SPAA
 * 2010). A sender that finds the connection idle has it at once; at the end of its turn the first
 * in the queue gets it. Who has the connection may gather requests of others and send them with its
 * own: those others need not have the connection themselves then. Some requests are posted: nobody
 * waits for them, and they are gathered by a sender, or flushed.
 *
 * A batch costs much more than each member of it. So where those that were just sent for mostly
 * come back at once, as threads do that acquire and release in a loop, the next turn begins only
 * when they are back: the last of them leads, as it is running anyway. The combiner knows this by
 * counting who comes in the first moments of a turn and who comes later; it waits no longer than
 * half a turn takes.
 *
 * Where there are two connections, each has a queue for one half of the names, so that requests
 * about one name stay in order. The second queue is closed at first, and all senders are in the
 * first one. Only who has a connection may open or close it: then no request is under way that was
 * not in that queue.
 */
#ifndef DBL_LINK_COMBINER_H
#define DBL_LINK_COMBINER_H

#include "base/latch.h"
#include "base/thread.h"
#include "sql/batch.h"

enum dbl_send_state {
	DBL_SEND_LATE,     /* the deadline came first; nothing was sent */
	DBL_SEND_DONE,     /* somebody has carried out its request: see the member */
	DBL_SEND_LEADS,    /* it has the connection; dbl_combiner_end() is due */
	DBL_SEND_ELSEWHERE /* it belongs in the other queue */
};

struct dbl_sender {
	struct dbl_member member; /* without a request: it only wants the connection */
	struct dbl_sender *next;
	struct dbl_combiner *_Atomic in; /* its queue; changes under the mutexes of both */
	struct dbl_latch latch;          /* what has become of it, if it waits */
	bool urgent;                     /* it goes before the others */
	bool alone;                      /* out, if it leads: nobody else was in the queue */
	/* Of a posted request: called, instead of waking somebody, once it is over or has failed;
	 * it must not use the connection. NULL: somebody waits. */
	void (*over)(struct dbl_sender *);
	int64_t since; /* when it was posted */
};

/* When to begin the next turn. */
struct dbl_combiner_pace {
	int64_t begun, ended; /* times of the last turn */
	int64_t until;        /* so long does the next turn wait for more senders */
	unsigned early, late; /* how many came since it ended: until then, and later */
	unsigned left;        /* so many were in the queue when it ended */
	unsigned batch_size;  /* with so many in the queue the next turn begins */
	unsigned crowds;      /* how many more turns had MANY senders than had fewer */
};

struct dbl_combiner {
	const struct dbl_target *target;
	struct dbl_mutex mutex; /* guards what follows, and the senders in the queue */
	struct dbl_sender *first, **last;
	unsigned n_waiting; /* how many in the queue somebody waits for */
	bool taken;         /* somebody has the connection, or is about to */
	/* Whose requests belong here. */
	enum {
		DBL_COMBINER_ALL,
		DBL_COMBINER_FIRST_HALF,
		DBL_COMBINER_OTHER_HALF,
		DBL_COMBINER_NONE
	} open;
	int idler; /* rung when somebody wants what a thread has idly; -1: none does */
	struct dbl_sender *leader; /* the first in the queue, while it waits for others; or NULL */
	struct dbl_combiner_pace pace;
};

/* all: this is the first queue. Not 0: there is no memory. */
int dbl_combiner_init(struct dbl_combiner *, const struct dbl_target *, bool all);
void dbl_combiner_fini(struct dbl_combiner *);

/* Wait for the connection, or until another one has sent the request; sender->in is its queue. */
enum dbl_send_state dbl_combiner_take(struct dbl_combiner *, struct dbl_sender *, int64_t until);

/* Take requests that may go along with `members` out of the queue, first come, first served; with
 * no members, start with the first posted one. The caller has the connection. The result is the
 * number of members then, each of which is part of a sender. */
unsigned dbl_combiner_gather(struct dbl_combiner *, int64_t now,
			     struct dbl_member *members[DBL_BATCH_MAX], unsigned n);

/* End the caller's turn: the next one gets the connection, and the senders of `sent` are told. */
void dbl_combiner_end(struct dbl_combiner *, struct dbl_member *const *sent, unsigned n);

/* Add a request that nobody waits for. Never blocks. False: it belongs in the other queue. */
bool dbl_combiner_post(struct dbl_combiner *, struct dbl_sender *);

/* Take a posted request back, as if it had never been. False: it has been sent, or is over. */
bool dbl_combiner_recall(struct dbl_sender *);

/* Are there so many senders that two queues pay? */
bool dbl_combiner_are_many(struct dbl_combiner *);

/* Make it two queues, and move to the other one who belongs there: the caller has the first one's
 * connection. Or make it one queue again: the caller has the other connection, and has sent
 * nothing. */
void dbl_combiner_part(struct dbl_combiner *first, struct dbl_combiner *other, bool two);

/* Since when the oldest request that is posted and not sent is there; DBL_NEVER: there is none. */
int64_t dbl_combiner_posted_since(struct dbl_combiner *);

#endif
