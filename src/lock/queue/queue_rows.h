/* SPDX-License-Identifier: MIT */
/*
 * One lock as a whole: the rows that hold it, and the first of those who wait, as one statement saw
 * them. What follows from it is grant_policy.h's to say. Inside src/lock.
 *
 * A lock that somebody has alone is held by its own row (`held`). Whatever may have several holders
 * (shared, update, permits), or was upgraded, is held by rows of the queue: who waited there is
 * given a token, and holds. A row that stands there with a token holds, whoever's it is; what the
 * dead, or ended leases, hold is deleted before anybody else gets it. So nothing is counted beside
 * the rows.
 */
#ifndef DBL_LOCK_QUEUE_ROWS_H
#define DBL_LOCK_QUEUE_ROWS_H

#include "lock/handle/lock.h"
#include "lock/notify/notifier.h"
#include "lock/queue/snapshot.h"

struct dbl_row {
	int64_t ticket, nonce;
	int64_t token; /* 0: it waits */
	int64_t mode;  /* enum dblock_mode */
	int64_t weight, capacity;
	int64_t upgrades; /* nonce of the grant that it is to replace; 0: none */
	int64_t names;    /* it waits for so many at once */
	char session[33];
	bool session_found, session_dead;
	int64_t beat, ttl, session_left;
	bool by_time; /* it holds until its own end */
	int64_t lease, expires, lease_left;
	int64_t watch; /* as in struct dbl_snapshot */
	char host[256];
	int64_t pid, thread;
	char address[DBL_WAKE_ADDRESS_MAX];
};

struct dbl_queue {
	bool found;      /* the name is known */
	int64_t version; /* changes with whoever comes, leaves or is granted */
	int64_t token;
	bool held;       /* by the lock's own row; */
	bool held_alive; /* and its holder is not dead, nor its lease over, for sure */
	int64_t served;  /* ticket of the last waiter that it was granted to */
	int64_t now;     /* wall clock of the database, us */
	struct dbl_clock_sample clock;
	struct dbl_row *rows; /* holders first, then by ticket */
	unsigned n, room;     /* there is always room for one more */
};

/* All zero before the first; the rows are freed by dbl_queue_free(). One round trip. */
int dbl_queue_read(struct dbl_locks *, const char *name, int64_t deadline, struct dbl_queue *,
		   struct dblock_error *err);
void dbl_queue_free(struct dbl_queue *);

/* That row holds the lock; and nobody, who might give it back, has it any more. */
bool dbl_row_holds(const struct dbl_row *);
bool dbl_row_is_over(const struct dbl_row *);

/* How many rows hold it; they come first. */
unsigned dbl_queue_holders(const struct dbl_queue *);

/* That holder, as if it had the lock alone: for judging whether it is alive. */
void dbl_row_snapshot(const struct dbl_queue *, const struct dbl_row *, struct dbl_snapshot *);

/* "'x' is held by host h, pid 1 (token 2), and 3 others" */
void dbl_queue_tell(const struct dbl_queue *, const char *name, struct dblock_error *err, int code);

#endif
