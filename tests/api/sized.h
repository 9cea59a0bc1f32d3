/* SPDX-License-Identifier: MIT */
/* Each struct that begins with its size, and a call that reads it. */
#ifndef TESTS_SUPPORT_SIZED_H
#define TESTS_SUPPORT_SIZED_H

#include "support/kit.h"

#include <dblock/barrier.h>
#include <dblock/latch.h>
#include <dblock/mysql.h>
#include <dblock/postgresql.h>
#include <dblock/sqlite.h>

/* What the calls have at hand. */
struct stage {
	struct dblock_client *client;
	struct dblock_lock *lock;
	struct dblock_tx *tx;
};

static inline int no_holder(void *arg, const struct dblock_holder *holder)
{
	(void)arg, (void)holder;
	return 0;
}

static inline int no_waiter(void *arg, const struct dblock_waiter *waiter)
{
	(void)arg, (void)waiter;
	return 0;
}

static inline int no_edge(void *arg, const struct dblock_edge *edge)
{
	(void)arg, (void)edge;
	return 0;
}

static inline int no_event(void *arg, const struct dblock_event *event)
{
	(void)arg, (void)event;
	return 0;
}

static inline int no_migration(void *arg, const struct dblock_migration *migration)
{
	(void)arg, (void)migration;
	return 0;
}

static inline int make_nothing(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	(void)arg;
	return dblock_result_set(result, "", 0, err);
}

static inline int no_row(void *arg, const struct dblock_value *row, size_t n)
{
	(void)arg, (void)row, (void)n;
	return 0;
}

/* ---- each struct, and a call that takes it --------------------------------------------------- */

static inline int client_options(struct stage *s, const void *options, struct dblock_error *err)
{
	struct dblock_client *client;
	int rc = dblock_open(test_url(), options, &client, err);

	(void)s;
	dblock_close(client, NULL);
	return rc;
}

static inline int tuning(struct stage *s, const void *tuning, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.tuning = tuning;
	return client_options(s, &options, err);
}

static inline int acquire_options(struct stage *s, const void *options, struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = dblock_acquire(s->client, "a", options, &lock, err);

	if (rc == 0)
		give(lock);
	return rc;
}

static inline int upgrade_options(struct stage *s, const void *options, struct dblock_error *err)
{
	return dblock_upgrade(s->lock, options, err);
}

static inline int elect_options(struct stage *s, const void *options, struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = dblock_elect(s->client, "a", options, &lock, err);

	if (rc == 0)
		give(lock);
	return rc;
}

/* What it compares with is not what is: it returns at once. */
static inline int watch_options(struct stage *s, const void *options, struct dblock_error *err)
{
	struct dblock_leader leader = DBLOCK_LEADER_INIT;

	leader.token = 1;
	return dblock_leader_watch(s->client, "nobody's", options, &leader, err) == DBLOCK_STALE
		       ? DBLOCK_OK
		       : err->code;
}

static inline int list_options(struct stage *s, const void *options, struct dblock_error *err)
{
	return dblock_list(s->client, options, no_holder, NULL, err);
}

static inline int waiters_options(struct stage *s, const void *options, struct dblock_error *err)
{
	return dblock_waiters(s->client, options, no_waiter, NULL, err);
}

static inline int graph_options(struct stage *s, const void *options, struct dblock_error *err)
{
	return dblock_graph(s->client, options, no_edge, NULL, err);
}

static inline int no_stat(void *arg, const struct dblock_metric *stat)
{
	(void)arg;
	(void)stat;
	return 0;
}

static inline int stats_options(struct stage *s, const void *options, struct dblock_error *err)
{
	return dblock_metrics(s->client, options, no_stat, NULL, err);
}

static inline int recover_options(struct stage *s, const void *options, struct dblock_error *err)
{
	struct dblock_client *const clients[] = {s->client};

	return dblock_recover(clients, 1, options, NULL, NULL, err);
}

/* Without what delivers it does not begin. */
static inline int relay_options(struct stage *s, const void *options, struct dblock_error *err)
{
	return dblock_outbox_relay(s->client, "sized", NULL, NULL, options, err);
}

static inline int rate_options(struct stage *s, const void *options, struct dblock_error *err)
{
	return dblock_rate_take(s->client, "sized", DBLOCK_RATE_MAX, DBLOCK_RATE_MAX, 1, options,
				NULL, err);
}

static inline int reap_options(struct stage *s, const void *options, struct dblock_error *err)
{
	return dblock_reap(s->client, options, NULL, err);
}

static inline int flight_options(struct stage *s, const void *options, struct dblock_error *err)
{
	struct dblock_result *result;
	int rc = dblock_single_flight(s->client, "a", options, make_nothing, NULL, &result, err);

	dblock_result_free(result);
	return rc;
}

static inline int count_down_options(struct stage *s, const void *options, struct dblock_error *err)
{
	int rc = dblock_latch_create(s->client, "a", 1, NULL, err);

	return rc ? rc : dblock_latch_count_down(s->client, "a", 1, options, NULL, err);
}

static inline int latch_wait_options(struct stage *s, const void *options, struct dblock_error *err)
{
	int rc = count_down_options(s, NULL, err);

	return rc ? rc : dblock_latch_wait(s->client, "a", options, err);
}

static inline int barrier_options(struct stage *s, const void *options, struct dblock_error *err)
{
	struct dblock_barrier *barrier;
	int rc = dblock_barrier_enter(s->client, "a", 1, options, &barrier, err);

	return rc ? rc : dblock_barrier_leave(barrier, NULL, err);
}

static inline int migrate_options(struct stage *s, const void *options, struct dblock_error *err)
{
	(void)s;
	return dblock_migrate_status(test_url(), NULL, options, no_migration, NULL, err);
}

static inline int tx_options(struct stage *s, const void *options, struct dblock_error *err)
{
	int rc = dblock_tx_begin(s->tx, options, err);

	if (rc == 0)
		(void)dblock_tx_rollback(s->tx, NULL);
	return rc;
}

static inline int fence_options(struct stage *s, const void *options, struct dblock_error *err)
{
	int rc = dblock_tx_begin(s->tx, NULL, err);

	assert_int_equal(rc, 0);
	rc = dblock_fence_all(s->tx, &s->lock, 1, options, err);
	(void)dblock_tx_rollback(s->tx, NULL);
	return rc;
}

/* The checks of these come before what else is wrong with the call. */
static inline int rows_options(struct stage *s, const void *options, struct dblock_error *err)
{
	return dblock_rows_lock(s->tx, NULL, options, err);
}

static inline int rows_wanted(struct stage *s, const void *wanted, struct dblock_error *err)
{
	return dblock_rows_take(s->tx, wanted, no_row, NULL, NULL, err);
}

#ifdef DBLOCK_BREAK_OPTIONS_INIT
static inline int break_options(struct stage *s, const void *options, struct dblock_error *err)
{
	return dblock_break(s->client, "nobody's", options, err) == DBLOCK_STALE ? DBLOCK_OK
										 : err->code;
}
#endif

static inline int events_options(struct stage *s, const void *options, struct dblock_error *err)
{
	return dblock_events(s->client, options, no_event, NULL, err);
}

static inline int adopt_options(struct stage *s, const void *options, struct dblock_error *err)
{
	struct dblock_tx *tx;

	(void)s;
	return dblock_tx_from_mysql(NULL, options, &tx, err);
}

static inline int quorum_options(struct stage *s, const void *options, struct dblock_error *err)
{
	static const char *const urls[] = {"postgresql://u@127.0.0.1:1/1",
					   "postgresql://u@127.0.0.1:1/2",
					   "postgresql://u@127.0.0.1:1/3"};
	struct dblock_client_options clients = DBLOCK_CLIENT_OPTIONS_INIT;

	(void)s;
	clients.observe = true;
	return dblock_quorum_init(urls, 3, "c", options, &clients, err);
}

static inline int replace_options(struct stage *s, const void *options, struct dblock_error *err)
{
	static const char *const urls[] = {"postgresql://u@127.0.0.1:1/1",
					   "postgresql://u@127.0.0.1:1/2",
					   "postgresql://u@127.0.0.1:1/3"};
	struct dblock_client_options clients = DBLOCK_CLIENT_OPTIONS_INIT;

	(void)s;
	clients.observe = true;
	return dblock_quorum_replace(urls, 3, 1, options, &clients, err);
}

static const struct sized {
	const char *name;
	size_t size;
	int (*call)(struct stage *, const void *, struct dblock_error *);
	bool fails; /* by something else, once the size is good */
} all[] = {
	{"DBLOCK_CLIENT_OPTIONS", sizeof(struct dblock_client_options), client_options, false},
	{"DBLOCK_TUNING", sizeof(struct dblock_tuning), tuning, false},
	{"DBLOCK_ACQUIRE_OPTIONS", sizeof(struct dblock_acquire_options), acquire_options, false},
	{"DBLOCK_UPGRADE_OPTIONS", sizeof(struct dblock_upgrade_options), upgrade_options, false},
	{"DBLOCK_ELECT_OPTIONS", sizeof(struct dblock_elect_options), elect_options, false},
	{"DBLOCK_WATCH_OPTIONS", sizeof(struct dblock_watch_options), watch_options, false},
	{"DBLOCK_LIST_OPTIONS", sizeof(struct dblock_list_options), list_options, false},
	{"DBLOCK_WAITERS_OPTIONS", sizeof(struct dblock_waiters_options), waiters_options, false},
	{"DBLOCK_GRAPH_OPTIONS", sizeof(struct dblock_graph_options), graph_options, false},
	{"DBLOCK_EVENTS_OPTIONS", sizeof(struct dblock_events_options), events_options, false},
	{"DBLOCK_METRICS_OPTIONS", sizeof(struct dblock_metrics_options), stats_options, false},
	{"DBLOCK_RECOVER_OPTIONS", sizeof(struct dblock_recover_options), recover_options, false},
	{"DBLOCK_RELAY_OPTIONS", sizeof(struct dblock_relay_options), relay_options, true},
	{"DBLOCK_RATE_OPTIONS", sizeof(struct dblock_rate_options), rate_options, false},
	{"DBLOCK_REAP_OPTIONS", sizeof(struct dblock_reap_options), reap_options, false},
#ifdef DBLOCK_BREAK_OPTIONS_INIT
	{"DBLOCK_BREAK_OPTIONS", sizeof(struct dblock_break_options), break_options, false},
#endif
	{"DBLOCK_FLIGHT_OPTIONS", sizeof(struct dblock_flight_options), flight_options, false},
	{"DBLOCK_COUNT_DOWN_OPTIONS", sizeof(struct dblock_count_down_options), count_down_options,
	 false},
	{"DBLOCK_LATCH_WAIT_OPTIONS", sizeof(struct dblock_latch_wait_options), latch_wait_options,
	 false},
	{"DBLOCK_BARRIER_OPTIONS", sizeof(struct dblock_barrier_options), barrier_options, false},
	{"DBLOCK_MIGRATE_OPTIONS", sizeof(struct dblock_migrate_options), migrate_options, false},
	{"DBLOCK_TX_OPTIONS", sizeof(struct dblock_tx_options), tx_options, false},
	{"DBLOCK_FENCE_OPTIONS", sizeof(struct dblock_fence_options), fence_options, false},
	{"DBLOCK_ROWS_OPTIONS", sizeof(struct dblock_rows_options), rows_options, true},
	{"DBLOCK_ROWS_WANTED", sizeof(struct dblock_rows_wanted), rows_wanted, true},
	{"DBLOCK_QUORUM_OPTIONS", sizeof(struct dblock_quorum_options), quorum_options, true},
	{"DBLOCK_REPLACE_OPTIONS", sizeof(struct dblock_replace_options), replace_options, true},
	{"DBLOCK_TX_FROM_OPTIONS", sizeof(struct dblock_tx_from_options), adopt_options, true},
};

enum { N = sizeof(all) / sizeof(*all) };

#endif
