/* SPDX-License-Identifier: MIT */
/* A world between the library and the real one: counts what goes over the wire, loses replies, and
 * lets time pass at will. One spy can stand before any number of clients. */
#ifndef TESTS_SUPPORT_SPY_H
#define TESTS_SUPPORT_SPY_H

#include "sql/op.h"
#include "support/kit.h"

/* What becomes of a statement that is run. */
enum spy_fate {
	SPY_PASS,
	SPY_LOST_BEFORE, /* it never arrives, and nobody can know */
	SPY_LOST_AFTER,  /* it is carried out, its reply is lost */
	SPY_HELD,        /* it is carried out, its reply is on its way until spy_let_go() */
	SPY_LATE         /* its connection is lost; it arrives when spy_deliver() says so */
};

enum { SPY_STATEMENTS = 256 };

/* A statement of the library's, by its text: it begins with "-- name:". */
struct spy_statement {
	struct dbl_stmt *stmt;
	enum dbl_op op;
	char *sql;
};

/* A request on its way for long. */
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
	_Atomic int64_t wall_skew; /* us: the clock of people */
	_Atomic int64_t frozen_at; /* us: 0: the clock of deadlines goes */
	_Atomic int opens, prepares, execs, runs;
	_Atomic int runs_of[DBL_OP_COUNT];
	/* Asked for each run, on any thread; NULL: all pass. */
	enum spy_fate (*_Atomic fate)(struct spy *, enum dbl_op);
	_Atomic bool held;     /* the reply of a SPY_HELD request is on its way */
	_Atomic int countdown; /* of spy_hit_nth() */
	enum spy_fate countdown_fate;

	pthread_mutex_t mutex; /* guards what follows */
	struct spy_statement statements[SPY_STATEMENTS];
	struct spy_letter letter;
};

struct spy *spy_new(void);
void spy_free(struct spy *);

/* A client in the spy's world. ttl_ms 0: a day, so that no heartbeat disturbs the counting. */
struct dblock_client *spy_client(struct spy *, int64_t ttl_ms);
struct dblock_client *spy_client_with(struct spy *, int64_t ttl_ms, int64_t timeout_ms);
struct dblock_client *spy_client_without(struct spy *, unsigned wake_off);

/* The n-th run from now on (1: the next) meets this fate, all others pass. */
void spy_hit_nth(struct spy *, int n, enum spy_fate);

/* Has there been an n-th one? */
bool spy_has_hit(const struct spy *);

/* From now on the clock of deadlines stands still, but for skew: nothing happens by itself. */
void spy_freeze(struct spy *);

/* The reply of the SPY_HELD request arrives now. */
void spy_let_go(struct spy *);

/* The counts begin anew. */
void spy_reset(struct spy *);

/* The last SPY_LATE request arrives now, on a connection of its own. Returns the rows it changed.
 */
int64_t spy_deliver(struct spy *);

/* ... within a transaction, which stays open: roll it back by spy->real->close(). */
struct dbl_conn *spy_deliver_within(struct spy *);

/* On SQLite it is two statements, of one transaction. */
static inline int spy_joins_at_once(const struct spy *spy)
{
	return spy->runs_of[DBL_OP_join] / (on_backend("sqlite") ? 2 : 1);
}

/* So many calls have joined a queue, by one statement or by two; */
static inline int spy_joins(const struct spy *spy)
{
	return spy->runs_of[DBL_OP_enqueue] + spy_joins_at_once(spy);
}

/* so often have calls that wait seen who has the lock: by a look, or as they joined. */
static inline int spy_snapshots(const struct spy *spy)
{
	return spy->runs_of[DBL_OP_look] + spy_joins_at_once(spy);
}

#endif
