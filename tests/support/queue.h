/* SPDX-License-Identifier: MIT */
/* The queue of a lock, for tests: calls that wait in it on their own threads, and what its tables
 * say. The lock is always "x". */
#ifndef TESTS_SUPPORT_QUEUE_H
#define TESTS_SUPPORT_QUEUE_H

#include "api/client.h"
#include "support/call.h"
#include "support/puppet.h"
#include "support/raw.h"
#include "support/spy.h"

/* Waits for a condition, but not for ever. */
#define until_true(condition)                                                                      \
	do {                                                                                       \
		int64_t until_ = clock_ms() + PLENTY_MS;                                           \
		bool true_;                                                                        \
                                                                                                   \
		while (!(true_ = (condition)) && clock_ms() < until_)                              \
			sleep_ms(2);                                                               \
		if (!true_)                                                                        \
			fail_msg("%s: this never came", #condition);                               \
	} while (0)

/* ---- what the tables say --------------------------------------------------------------------- */

/* Returns one integer of the lock's row. */
static inline int64_t row_of(struct raw *raw, const char *column)
{
	return raw_int(raw, "SELECT %s FROM dblock_lock WHERE name = 'x'", column);
}

/* Returns how many rows of waits there are, granted or not. */
static inline int64_t rows_in_queue(struct raw *raw)
{
	return raw_int(raw, "SELECT count(*) FROM dblock_queue WHERE name = 'x'");
}

/* Returns how many wait in the queue. */
static inline int64_t in_queue(struct raw *raw)
{
	return raw_int(
		raw, "SELECT count(*) FROM dblock_queue w WHERE w.name = 'x' AND"
		     " w.token IS NULL AND w.ticket > COALESCE((SELECT l.served FROM dblock_lock l"
		     " WHERE l.name = 'x'), 0)");
}

/* Ends a session, as an operator or its deadline would. */
static inline void end_session(struct raw *raw, const char *id)
{
	raw_exec(raw, "UPDATE dblock_session SET dead = true, ended = {now} WHERE id = '%s'", id);
}

/* Returns how many statements of this database's connections wait for a row. InnoDB repeats its
 * last answer to a query within 100 ms. */
static inline int64_t rows_waited_for(struct raw *raw)
{
	if (on_backend("mysql"))
		sleep_ms(120);
	if (on_backend("postgresql"))
		return raw_int(raw, "SELECT count(*) FROM pg_stat_activity WHERE"
				    " wait_event_type = 'Lock' AND datname = current_database()");
	return raw_int(raw, "SELECT count(*) FROM information_schema.innodb_trx t"
			    " JOIN information_schema.processlist p"
			    " ON p.id = t.trx_mysql_thread_id"
			    " WHERE t.trx_state = 'LOCK WAIT' AND p.db = DATABASE()");
}

/* ---- calls that wait ------------------------------------------------------------------------- */

struct waiting {
	struct call call;
	struct dblock_client *client;
	struct dblock_acquire_options how;
	struct dblock_lock *lock;
	atomic_bool cancel;
};

static inline int waiting_is_canceled(void *arg)
{
	return ((struct waiting *)arg)->cancel;
}

static inline int waiting_run(void *arg, struct dblock_error *err)
{
	struct waiting *w = arg;

	return dblock_acquire(w->client, "x", &w->how, &w->lock, err);
}

/* Begins a wait; the caller sets w->how, but for its size and `canceled`. */
static inline void waiting_start(struct waiting *w, struct dblock_client *client)
{
	w->client = client;
	w->how.size = sizeof(w->how);
	w->how.canceled = waiting_is_canceled;
	w->how.canceled_arg = w;
	call_start(&w->call, waiting_run, w);
}

/* Begins a wait, and returns when it is in the queue and has announced itself, if it has to: see
 * sql/postgresql/queue/join.sql. */
static inline void waiting_join(struct waiting *w, struct dblock_client *client, struct raw *raw)
{
	int64_t version = row_of(raw, "queue_version"), n = in_queue(raw);

	waiting_start(w, client);
	until_true(in_queue(raw) == n + 1 &&
		   (row_of(raw, "queue_version") > version ||
		    (on_backend("postgresql") && n >= 2 && !w->how.mode)));
}

#define waiting_end(w, outcome)                                                                    \
	expect_at(call_end(&(w)->call), DBLOCK_##outcome, &(w)->call.err, "dblock_acquire",        \
		  __FILE__, __LINE__)

/* Waits until the call has the lock, and gives it back. */
static inline void waiting_give(struct waiting *w)
{
	waiting_end(w, OK);
	assert_true(dblock_valid(w->lock, 0));
	give(w->lock);
}

static inline void waiting_cancel(struct waiting *w)
{
	w->cancel = true;
	waiting_end(w, CANCELED);
}

#endif
