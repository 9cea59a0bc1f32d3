/* SPDX-License-Identifier: MIT */
/*
 * A driver in front of the real one that lets single operations fail, by name. Tests in db/ open
 * the client with dbl_client_open(), in the world of fault_env().
 */
#ifndef TESTS_SUPPORT_FAULT_H
#define TESTS_SUPPORT_FAULT_H

#include "api/client.h"
#include "base/thread.h"
#include "driver/driver.h"
#include "support/kit.h"

enum fault_kind {
	FAULT_NONE,
	FAULT_LOSE_REPLY,   /* carried out, and the answer is lost with the connection */
	FAULT_LOSE_REQUEST, /* not carried out, but nobody knows */
	FAULT_HANG,         /* no answer until the deadline, or until fault_set() */
	FAULT_LOCKED,       /* somebody has locked the row */
	FAULT_SLOW          /* carried out after fault_state.slow_ms */
};

struct fault_stmt {
	const struct dbl_stmt *stmt;
	char op[32];
};

struct fault_state {
	struct dbl_env env;
	struct dbl_driver driver;
	const struct dbl_driver *real;
	struct dbl_mutex mutex; /* guards what follows */
	struct fault_stmt stmts[512];
	unsigned n_stmts;
	char op[32]; /* the operation that fails */
	enum fault_kind kind;
	int times;              /* the number of runs that will fail */
	int64_t slow_ms;        /* for FAULT_SLOW */
	int seen;               /* the number of runs that have failed */
	int set;                /* the number of calls of fault_set() */
	_Atomic int64_t jumped; /* us by which our clock is ahead of the machine's */
};

static struct fault_state fault_state;

/* Lets the next `times` runs of the operation fail. */
static inline void fault_set(const char *op, enum fault_kind kind, int times)
{
	dbl_lock(&fault_state.mutex);
	snprintf(fault_state.op, sizeof(fault_state.op), "%s", op);
	fault_state.kind = kind;
	fault_state.times = times;
	fault_state.seen = 0;
	fault_state.set++;
	dbl_unlock(&fault_state.mutex);
}

static inline int fault_seen(void)
{
	int seen;

	dbl_lock(&fault_state.mutex);
	seen = fault_state.seen;
	dbl_unlock(&fault_state.mutex);
	return seen;
}

/* Puts the clock of all clients forward at once. */
static inline void fault_jump_ms(int64_t ms)
{
	fault_state.jumped += ms * 1000;
}

static inline int64_t fault_now(void *ctx)
{
	(void)ctx;
	return dbl_now(dbl_env_system()) + fault_state.jumped;
}

static inline void fault_sleep_until(void *ctx, int64_t until)
{
	while (fault_now(ctx) < until)
		sleep_ms(1);
}

static inline int fault_count_set(void)
{
	int set;

	dbl_lock(&fault_state.mutex);
	set = fault_state.set;
	dbl_unlock(&fault_state.mutex);
	return set;
}

static inline void fault_hang(const struct dbl_conn *conn)
{
	int set = fault_count_set();

	while (dbl_now(conn->env) < conn->deadline && fault_count_set() == set)
		sleep_ms(2);
}

/* Each text begins with "-- name:". */
static inline void fault_note_stmt(const struct dbl_stmt *stmt, const char *sql)
{
	struct fault_stmt *slot;
	size_t len = strncmp(sql, "-- ", 3) ? 0 : strcspn(sql + 3, ":");

	dbl_lock(&fault_state.mutex);
	slot = &fault_state.stmts[fault_state.n_stmts++ % 512];
	slot->stmt = stmt;
	snprintf(slot->op, sizeof(slot->op), "%.*s", (int)(len < 31 ? len : 31), sql + 3);
	dbl_unlock(&fault_state.mutex);
}

/* Returns the newest statement at that address: a freed one's may be in use again. */
static inline const struct fault_stmt *fault_find_stmt(const struct dbl_stmt *stmt)
{
	for (unsigned i = fault_state.n_stmts; i-- > 0 && fault_state.n_stmts - i <= 512;) {
		if (fault_state.stmts[i % 512].stmt == stmt)
			return &fault_state.stmts[i % 512];
	}
	return NULL;
}

static inline enum fault_kind fault_next(const struct dbl_stmt *stmt)
{
	const struct fault_stmt *known;
	enum fault_kind kind = FAULT_NONE;

	dbl_lock(&fault_state.mutex);
	known = fault_find_stmt(stmt);
	if (fault_state.times > 0 && known && strcmp(known->op, fault_state.op) == 0) {
		fault_state.times--;
		fault_state.seen++;
		kind = fault_state.kind;
	}
	dbl_unlock(&fault_state.mutex);
	return kind;
}

static inline int fault_prepare(struct dbl_conn *conn, const char *sql, struct dbl_stmt **stmt,
				struct dblock_error *err)
{
	int rc = fault_state.real->prepare(conn, sql, stmt, err);

	if (rc == 0)
		fault_note_stmt(*stmt, sql);
	return rc;
}

static inline int fault_lost(struct dbl_stmt *stmt, struct dblock_error *err)
{
	stmt->conn->broken = true;
	return dbl_fail(err, stmt->reads ? DBLOCK_E_UNAVAILABLE : DBLOCK_E_UNSURE,
			"lost, in a test");
}

static inline int fault_run(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n,
			    int64_t *changed, struct dblock_error *err)
{
	enum fault_kind kind = fault_next(stmt);
	int rc;

	if (kind == FAULT_HANG)
		fault_hang(stmt->conn);
	if (kind == FAULT_HANG || kind == FAULT_LOSE_REQUEST)
		return fault_lost(stmt, err);
	if (kind == FAULT_LOCKED)
		return dbl_fail(err, DBLOCK_E_BLOCKED, "locked, in a test");
	if (kind == FAULT_SLOW)
		sleep_ms(fault_state.slow_ms);
	rc = fault_state.real->run(stmt, args, n, changed, err);
	return rc == 0 && kind == FAULT_LOSE_REPLY ? fault_lost(stmt, err) : rc;
}

static inline const struct dbl_driver *fault_intercept(void *ctx, const struct dbl_driver *real)
{
	(void)ctx;
	fault_state.real = real;
	fault_state.driver = *real;
	fault_state.driver.prepare = fault_prepare;
	fault_state.driver.run = fault_run;
	return &fault_state.driver;
}

/* Returns the real world with another driver. One at a time, for all clients of the process. */
static inline const struct dbl_env *fault_env(void)
{
	if (!fault_state.env.intercept) {
		fault_state.env = *dbl_env_system();
		assert_int_equal(dbl_mutex_init(&fault_state.mutex), 0);
		fault_state.env.intercept = fault_intercept;
		fault_state.env.now = fault_now;
		fault_state.env.sleep_until = fault_sleep_until;
	}
	return &fault_state.env;
}

/* Does as client_new(), in that world. timeout_ms 0: plenty. */
static inline struct dblock_client *fault_client(int64_t ttl_ms, int64_t timeout_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = timeout_ms ? timeout_ms : PLENTY_MS;
	options.auto_migrate = 1;
	EXPECT_OPEN(dbl_client_open(test_url(), &options, fault_env(), &client, &err));
	return client;
}

#endif
