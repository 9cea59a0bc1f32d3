/* SPDX-License-Identifier: MIT */
/* Ways to hand over each thing that has a bound: a number, or a text of so many bytes. */
#ifndef TESTS_SUPPORT_BOUNDED_H
#define TESTS_SUPPORT_BOUNDED_H

#include "support/kit.h"

#define BYTES_LAST 1100000

struct stage {
	struct dblock_client *client;
	struct dblock_lock *lease, *held;
	struct dblock_tx *tx;
	char text[BYTES_LAST + 1];
	int names; /* a new one for each call: what was held for ten years is */
};

/* So many bytes. */
static inline const char *text(struct stage *s, int64_t bytes)
{
	memset(s->text, 'x', (size_t)bytes);
	s->text[bytes] = '\0';
	return s->text;
}

/* ---- ways to say a number, or a text of so many bytes ---------------------------------------- */

static inline int open_it(const struct dblock_client_options *options, struct dblock_error *err)
{
	struct dblock_client *client;
	int rc = dblock_open(test_url(), options, &client, err);

	dblock_close(client, NULL);
	return rc;
}

#define CLIENT(name, member, value)                                                                \
	static inline int client_##name(struct stage *s, int64_t v, struct dblock_error *err)      \
	{                                                                                          \
		struct dblock_client_options o = DBLOCK_CLIENT_OPTIONS_INIT;                       \
		(void)s;                                                                           \
		o.member = value;                                                                  \
		return open_it(&o, err);                                                           \
	}
CLIENT(ttl, ttl_ms, v)
CLIENT(timeout, timeout_ms, v)
CLIENT(local_turns, tuning, (&(struct dblock_tuning){.size = sizeof(*o.tuning), .local_turns = v}))
CLIENT(app, app, text(s, v))
CLIENT(prefix, prefix, text(s, v))
CLIENT(schema, schema, text(s, v))

static inline int acquire_it(struct stage *s, const struct dblock_acquire_options *options,
			     struct dblock_error *err)
{
	struct dblock_lock *lock;
	char name[32];
	int rc;

	snprintf(name, sizeof(name), "bound %d", s->names++);
	rc = dblock_acquire(s->client, name, options, &lock, err);
	if (rc == 0)
		give(lock);
	return rc;
}

#define ACQUIRE(name, how, member)                                                                 \
	static inline int acquire_##name(struct stage *s, int64_t v, struct dblock_error *err)     \
	{                                                                                          \
		struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;                     \
		how;                                                                               \
		o.member = v;                                                                      \
		return acquire_it(s, &o, err);                                                     \
	}
ACQUIRE(wait, (void)0, wait_ms)
ACQUIRE(lease, (void)0, lease_ms)
ACQUIRE(at_least, (void)0, at_least_ms)
ACQUIRE(idle, (void)0, idle_ms)
ACQUIRE(waiting_every, (void)0, waiting_every_ms)
ACQUIRE(deadlock, (void)0, deadlock_ms)
ACQUIRE(priority, (void)0, priority)
ACQUIRE(capacity, o.mode = DBLOCK_PERMITS, capacity)
ACQUIRE(permits, (o.mode = DBLOCK_PERMITS, o.capacity = 7), permits)
ACQUIRE(numbered, (o.mode = DBLOCK_PERMITS, o.capacity = 100, o.numbered = true), permits)

static inline int acquire_value(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;

	o.value = text(s, v);
	return acquire_it(s, &o, err);
}

static inline int acquire_name(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = dblock_try(s->client, text(s, v), NULL, &lock, err);

	if (rc == 0)
		give(lock);
	return rc;
}

static inline int extend(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_extend(s->lease, v, err);
}

static inline int upgrade_wait(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_upgrade_options o = DBLOCK_UPGRADE_OPTIONS_INIT;

	o.wait_ms = v;
	return dblock_upgrade(s->held, &o, err);
}

/* Not held, which is told once all has been looked at. */
static inline int break_wait(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_break_options o = DBLOCK_BREAK_OPTIONS_INIT;

	o.wait_ms = v;
	return dblock_break(s->client, "nobody's", &o, err);
}

static inline int watch_it(struct stage *s, const struct dblock_watch_options *o,
			   struct dblock_error *err)
{
	struct dblock_leader leader = DBLOCK_LEADER_INIT;

	leader.token = 1;
	return dblock_leader_watch(s->client, "nobody's", o, &leader, err);
}

#define WATCH(name, member)                                                                        \
	static inline int name(struct stage *s, int64_t v, struct dblock_error *err)               \
	{                                                                                          \
		struct dblock_watch_options o = DBLOCK_WATCH_OPTIONS_INIT;                         \
		o.member = v;                                                                      \
		return watch_it(s, &o, err);                                                       \
	}
WATCH(watch_wait, wait_ms)
WATCH(watch_every, every_ms)

static inline int elect_wait(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_elect_options o = DBLOCK_ELECT_OPTIONS_INIT;
	struct dblock_lock *lock;
	int rc;

	o.wait_ms = v;
	rc = dblock_elect(s->client, "led", &o, &lock, err);
	if (rc == 0)
		give(lock);
	return rc;
}

static inline int slot(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = dblock_once_try(s->client, "job", text(s, v), NULL, &lock, err);

	if (rc == 0)
		give(lock);
	return rc;
}

static inline int reason(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_request_release(s->client, "nobody's", text(s, v), err);
}

static inline int no_holder(void *arg, const struct dblock_holder *holder)
{
	(void)arg, (void)holder;
	return 0;
}

static inline int list_limit(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_list_options o = DBLOCK_LIST_OPTIONS_INIT;

	o.limit = v;
	return dblock_list(s->client, &o, no_holder, NULL, err);
}

static inline int no_waiter(void *arg, const struct dblock_waiter *waiter)
{
	(void)arg, (void)waiter;
	return 0;
}

static inline int waiters_limit(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_waiters_options o = DBLOCK_WAITERS_OPTIONS_INIT;

	o.limit = v;
	return dblock_waiters(s->client, &o, no_waiter, NULL, err);
}

#define REAP(name, member)                                                                         \
	static inline int name(struct stage *s, int64_t v, struct dblock_error *err)               \
	{                                                                                          \
		struct dblock_reap_options o = DBLOCK_REAP_OPTIONS_INIT;                           \
		o.member = v;                                                                      \
		return dblock_reap(s->client, &o, NULL, err);                                      \
	}
REAP(purge_after, purge_after_ms)
REAP(keep_marks, keep_marks_ms)
REAP(max_time, max_time_ms)

/* ---- single flight --------------------------------------------------------------------------- */

static inline int make(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	static char bytes[BYTES_LAST];
	const int64_t *size = arg;

	return dblock_result_set(result, bytes, (size_t)*size, err);
}

static inline int fly(struct stage *s, const char *key, const struct dblock_flight_options *o,
		      int64_t size, struct dblock_error *err)
{
	struct dblock_result *result;
	int rc = dblock_single_flight(s->client, key, o, make, &size, &result, err);

	dblock_result_free(result);
	return rc;
}

static inline int flight_key(struct stage *s, int64_t v, struct dblock_error *err)
{
	return fly(s, text(s, v), NULL, 1, err);
}

static inline int flight_result(struct stage *s, int64_t v, struct dblock_error *err)
{
	return fly(s, "key", NULL, v, err);
}

static inline int flight_fresh(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_flight_options o = DBLOCK_FLIGHT_OPTIONS_INIT;

	o.fresh_ms = v;
	return fly(s, "key", &o, 1, err);
}

static inline int flight_wait(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_flight_options o = DBLOCK_FLIGHT_OPTIONS_INIT;

	o.wait_ms = v;
	return fly(s, "key", &o, 1, err);
}

/* ---- transactions ---------------------------------------------------------------------------- */

static inline int nothing(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	(void)arg, (void)tx, (void)err;
	return 0;
}

static inline int tx_retry(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_tx_options o = DBLOCK_TX_OPTIONS_INIT;

	o.retry_ms = v;
	return dblock_tx_run(s->client, &o, nothing, NULL, err);
}

static inline int tx_attempts(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_tx_options o = DBLOCK_TX_OPTIONS_INIT;

	o.attempts = v;
	return dblock_tx_run(s->client, &o, nothing, NULL, err);
}

static inline int tx_values(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_value values[DBLOCK_VALUES_MAX + 1];
	char sql[16 + 5 * (DBLOCK_VALUES_MAX + 1)] = "SELECT 1 WHERE 1=";
	size_t len = strlen(sql);

	for (int i = 0; i < v; i++) {
		values[i] = dblock_int(1);
		len += (size_t)snprintf(sql + len, sizeof(sql) - len, "%s$%d", i ? "*" : "", i + 1);
	}
	return dblock_tx_query(s->tx, sql, values, (unsigned)v, NULL, NULL, NULL, err);
}

static inline int no_row(void *arg, const struct dblock_value *row, size_t n)
{
	(void)arg, (void)row, (void)n;
	return 0;
}

/* There is no such table, which the database says once all has been looked at. */
static inline int take_rows(struct stage *s, struct dblock_rows_wanted *w, struct dblock_error *err)
{
	static const char *const key[] = {"id"};
	int rc = dblock_tx_begin(s->tx, NULL, err);

	w->table = "no_such_table";
	w->key = key;
	w->n_key = 1;
	assert_int_equal(rc, 0);
	rc = dblock_rows_take(s->tx, w, no_row, NULL, NULL, err);
	(void)dblock_tx_rollback(s->tx, NULL);
	return rc;
}

static inline int take_limit(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_rows_wanted w = DBLOCK_ROWS_WANTED_INIT;

	w.limit = (unsigned)v;
	return take_rows(s, &w, err);
}

static inline int take_wait(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_rows_wanted w = DBLOCK_ROWS_WANTED_INIT;

	w.wait_ms = v;
	return take_rows(s, &w, err);
}

#endif
