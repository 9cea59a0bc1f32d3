/* SPDX-License-Identifier: MIT */
/*
 * One lock as a whole: the rows that hold it, and the first of those who wait, as one statement saw
 * them. grant_policy.h says what follows from that. Inside src/lock.
 *
 * A lock that somebody acquired exclusively is held by its own row (`held`). A lock that may have
 * several holders (shared, update, permits), or that was upgraded, is held by rows of the queue: a
 * row that waited there is given a token, and holds. Each row with a token holds the lock, whoever
 * has it; rows of dead sessions and ended leases are deleted before anybody else gets the lock. So
 * nothing is counted beside the rows.
 */
#ifndef DBL_LOCK_QUEUE_ROWS_H
#define DBL_LOCK_QUEUE_ROWS_H

#include "lock/handle/lock.h"
#include "lock/notify/notifier.h"
#include "lock/queue/snapshot.h"

struct dbl_row {
	int64_t ticket, nonce;
	int64_t token;            /* 0: the row waits */
	int64_t mode;             /* enum dblock_mode */
	int64_t weight, capacity; /* of permits; capacity 0: what is stored */
	int64_t upgrades;         /* nonce of the grant that is to be replaced; 0: none */
	int64_t names; /* so many it waits for at once; below 0: for any one of so many */
	int64_t priority, since, rank; /* see rank.h */
	char session[33];
	bool session_found, session_dead;
	int64_t beat, ttl, session_left;
	bool by_time; /* the row holds until its own end */
	int64_t lease, expires, lease_left;
	int64_t watch; /* as in struct dbl_snapshot, as is: */
	char mark[DBL_MARK_CITATION];
	enum dbl_mark_word word; /* of a row that holds the lock */
	char host[256];
	int64_t pid, thread;
	char address[DBL_WAKE_ADDRESS_MAX];
};

struct dbl_queue {
	bool found;      /* the name has a row */
	int64_t version; /* changes when somebody joins, leaves or is granted */
	int64_t token;
	bool held;       /* the lock's own row is held; */
	bool held_alive; /* certainly: by a living session, or a lease that goes on */
	int64_t served;  /* last ticket that was granted to */
	int64_t now;     /* the database's wall clock, us */
	bool stored;     /* the lock's row says how many permits there are: */
	int64_t capacity;
	bool ranked; /* somebody who waits has a priority, or had: the policy alone grants */
	struct dbl_clock_sample clock;
	struct dbl_row *rows; /* holders first, then by ticket; if ranked, by rank */
	unsigned n, room;     /* there is always room for one more */
};

/* Reads a lock and its queue: all zero at first, freed by dbl_queue_free(). One round trip. */
int dbl_queue_read(struct dbl_locks *, const char *name, int64_t deadline, struct dbl_queue *,
		   struct dblock_error *err);
void dbl_queue_free(struct dbl_queue *);

/* Asks for the mark of each holder, and notes what they say: true, one of them is dead. */
bool dbl_queue_ask(struct dbl_queue *, const struct dbl_env *);

/* Plans when to ask again; nonce: of our own wait. */
void dbl_queue_vigil(const struct dbl_queue *, struct dbl_vigil *, struct dbl_locks *,
		     int64_t nonce);

/* The row holds the lock; the holder's session is dead, or its lease over. */
bool dbl_row_holds(const struct dbl_row *);
bool dbl_row_is_over(const struct dbl_row *);

/* The number of rows that hold the lock; they come first. */
unsigned dbl_queue_holders(const struct dbl_queue *);

/* The holder, as if it had the lock alone: for judging whether it is alive. */
void dbl_row_snapshot(const struct dbl_queue *, const struct dbl_row *, struct dbl_snapshot *);

/* There are no permits, for now. */
static inline bool dbl_queue_is_closed(const struct dbl_queue *queue)
{
	return queue->stored && queue->capacity == 0;
}

/* Rows hold it, or there is nothing to hold. */
static inline bool dbl_queue_keeps_out(const struct dbl_queue *queue)
{
	return dbl_queue_holders(queue) > 0 || dbl_queue_is_closed(queue);
}

/* Says in the message: "'x' is held by host h, pid 1 (token 2), and 3 others" */
void dbl_queue_tell(const struct dbl_queue *, const char *name, struct dblock_error *err, int code);

#endif
