/* SPDX-License-Identifier: MIT */
/* A world between the library and the real one: it counts what goes over the wire, loses replies,
 * and lets time pass at will. One spy can serve any number of clients. */
#ifndef TESTS_SUPPORT_SPY_H
#define TESTS_SUPPORT_SPY_H

#include "sql/op.h"
#include "support/kit.h"

/* The fate of a statement that is run. */
enum spy_fate {
	SPY_PASS,
	SPY_LOST_BEFORE, /* it never arrives, and nobody can know */
	SPY_LOST_AFTER,  /* it is carried out, its reply is lost */
	SPY_HELD,        /* it is carried out, its reply waits for spy_let_go() */
	SPY_LATE         /* its connection is lost; it arrives at spy_deliver() */
};

enum { SPY_STATEMENTS = 256 };

/* A statement of the library, and its operation by its text, which begins with "-- name:". */
struct spy_statement {
	struct dbl_stmt *stmt;
	enum dbl_op op;
	char *sql;
};

/* A request that is on its way for long. */
struct spy_letter {
	char *sql;
	struct dbl_value args[DBL_ARGS_MAX];
	unsigned n;
};

struct spy {
	struct dbl_env env; /* for dbl_client_open() */
	struct dbl_driver driver;
	const struct dbl_driver *real;
	_Atomic int64_t skew;      /* us: how far env's clock of deadlines is ahead */
	_Atomic int64_t wall_skew; /* us: likewise the wall clock */
	_Atomic int64_t frozen_at; /* us: where the clock of deadlines stands; 0: it goes */
	_Atomic int opens, prepares, execs, runs;
	_Atomic int refusals; /* so many connections to come are refused */
	_Atomic int runs_of[DBL_OP_COUNT];
	/* Asked before each run, on any thread; NULL: all pass. */
	enum spy_fate (*_Atomic fate)(struct spy *, enum dbl_op);
	_Atomic bool held;     /* the reply of a SPY_HELD request waits */
	_Atomic int countdown; /* for spy_hit_nth() */
	enum spy_fate countdown_fate;

	pthread_mutex_t mutex; /* guards what follows */
	struct spy_statement statements[SPY_STATEMENTS];
	struct spy_letter letter;
};

struct spy *spy_new(void);
void spy_free(struct spy *);

/* Returns a client in the spy's world. ttl_ms 0: a day, so that no heartbeat disturbs the counting.
 */
struct dblock_client *spy_client(struct spy *, int64_t ttl_ms);
struct dblock_client *spy_client_with(struct spy *, int64_t ttl_ms, int64_t timeout_ms);
struct dblock_client *spy_client_without(struct spy *, unsigned wake_off);

/* Lets the n-th run from now on (1: the next) meet this fate, all others pass. */
void spy_hit_nth(struct spy *, int n, enum spy_fate);

/* Tells whether there has been an n-th one. */
bool spy_has_hit(const struct spy *);

/* Stops the clock of deadlines, but for skew: nothing happens by itself. */
void spy_freeze(struct spy *);

/* Lets the reply of the SPY_HELD request arrive now. */
void spy_let_go(struct spy *);

/* Prints which statements were run, unless they were so many. */
void spy_tell_unless(const struct spy *, int expected);

#define spy_assert_runs(spy, expected)                                                             \
	(spy_tell_unless(spy, expected), assert_int_equal((spy)->runs, expected))

/* Begins the counts anew. */
void spy_reset(struct spy *);

/* Lets the last SPY_LATE request arrive now, on another connection. Returns the rows it changed. */
int64_t spy_deliver(struct spy *);

/* Does the same within a transaction, which stays open: roll it back by spy->real->close(). */
struct dbl_conn *spy_deliver_within(struct spy *);

/* Returns how often a call joined by one operation, which is two statements of one transaction on
 * SQLite. */
static inline int spy_joins_at_once(const struct spy *spy)
{
	return spy->runs_of[DBL_OP_join] / (on_backend("sqlite") ? 2 : 1);
}

/* Returns how many calls have joined a queue, by one operation or by two. */
static inline int spy_joins(const struct spy *spy)
{
	return spy->runs_of[DBL_OP_enqueue] + spy_joins_at_once(spy);
}

/* Returns how often waiting calls have seen who has the lock: by a look, or as they joined. */
static inline int spy_snapshots(const struct spy *spy)
{
	return spy->runs_of[DBL_OP_look] + spy_joins_at_once(spy);
}

#endif
