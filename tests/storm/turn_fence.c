/* SPDX-License-Identifier: MIT */
/* A hand's own transaction writes what its lock protects, guarded by a fence: a row for each name,
 * with the token of its last writer. */
#include "storm/hand.h"

static const char *table_sql(void)
{
	return on_backend("mysql") ? "CREATE TABLE storm_guard (name VARCHAR(16) PRIMARY KEY, "
				     "token BIGINT NOT NULL, older BIGINT NOT NULL) ENGINE=InnoDB"
				   : "CREATE TABLE storm_guard (name VARCHAR(16) PRIMARY KEY, "
				     "token BIGINT NOT NULL, older BIGINT NOT NULL)";
}

void hand_make_guard(struct dblock_client *client)
{
	struct dblock_error err = {0};
	struct dblock_tx *tx;

	expect(OK, dblock_tx_open(client, &tx, &err));
	expect(OK, dblock_tx_query(tx, table_sql(), NULL, 0, NULL, NULL, NULL, &err));
	for (int i = 0; i < NAMES; i++) {
		struct dblock_value name = dblock_text(hand_name_of(i));

		expect(OK, dblock_tx_query(tx, "INSERT INTO storm_guard VALUES ($1, 0, 0)", &name,
					   1, NULL, NULL, NULL, &err));
	}
	dblock_tx_close(tx);
}

struct fenced {
	struct hand *hand;
	struct dblock_tx *tx;
	struct dblock_lock *lock; /* NULL: released */
	int64_t token;
	bool to_release, leaves;
};

static struct event fenced_event(const struct fenced *f, enum event_kind kind)
{
	struct event e = hand_event(f->hand, 0, kind);

	e.token = f->token;
	return e;
}

static bool begins(struct fenced *f)
{
	struct dblock_tx_options how = DBLOCK_TX_OPTIONS_INIT;
	struct rng *rng = &f->hand->rng;

	if (rng_one_in(rng, 4))
		how.isolation = rng_one_in(rng, 2) ? DBLOCK_SERIALIZABLE : DBLOCK_REPEATABLE_READ;
	return dblock_tx_begin(f->tx, &how, NULL) == DBLOCK_OK;
}

static bool fences(struct fenced *f)
{
	struct event e = fenced_event(f, EVENT_FENCING);

	record(&f->hand->worker->recorder, e);
	e.kind = EVENT_FENCED;
	e.outcome = f->to_release ? dblock_fence_to_release(f->tx, f->lock, NULL)
				  : dblock_fence(f->tx, f->lock, NULL);
	e.until = hand_valid_until(f->lock);
	/* A lock that is held in turns, or kept idle, has a larger token from then on. */
	e.token = f->token = dblock_token(f->lock);
	record(&f->hand->worker->recorder, e);
	return e.outcome == DBLOCK_OK;
}

static int keep_int(void *arg, const struct dblock_value *row, size_t n)
{
	*(int64_t *)arg = n == 1 ? row[0].i : -1;
	return 0;
}

/* Reads which token the row had, and writes ours. */
static bool writes(struct fenced *f)
{
	struct event e = fenced_event(f, EVENT_WRITTEN);
	struct dblock_value values[] = {dblock_int(f->token), dblock_text(e.name)};
	int64_t changed = 0;

	e.before = -1;
	if (dblock_tx_query(f->tx,
			    "UPDATE storm_guard SET older = token, token = $1 WHERE name = $2",
			    values, 2, &changed, NULL, NULL, NULL) ||
	    dblock_tx_query(f->tx, "SELECT older FROM storm_guard WHERE name = $1", &values[1], 1,
			    NULL, keep_int, &e.before, NULL))
		return false;
	assert_true(e.before >= 0);
	record(&f->hand->worker->recorder, e);
	return true;
}

/* Tries a release in the middle of the transaction, which must be refused. */
static void lets_go(struct fenced *f)
{
	if (hand_release(f->hand, f->hand->wait, f->lock) != DBLOCK_FENCED)
		f->lock = NULL;
}

static void begin_release(struct fenced *f)
{
	struct event e = fenced_event(f, EVENT_RELEASING);

	e.until = hand_valid_until(f->lock);
	record(&f->hand->worker->recorder, e);
	f->leaves = true;
}

/* The transaction releases the lock, if it is committed; the handle is released afterwards. */
static bool releases_in(struct fenced *f)
{
	if (!f->to_release || !f->lock)
		return true;
	begin_release(f);
	return dblock_tx_release(f->tx, f->lock, NULL) == DBLOCK_OK;
}

static void commits(struct fenced *f)
{
	struct event e = fenced_event(f, EVENT_COMMITTING);

	record(&f->hand->worker->recorder, e);
	e.kind = EVENT_COMMITTED;
	e.outcome = dblock_tx_commit(f->tx, NULL);
	record(&f->hand->worker->recorder, e);
}

static void end_release(struct fenced *f)
{
	struct event e = fenced_event(f, EVENT_RELEASED);

	e.outcome = dblock_release(f->lock, NULL);
	f->lock = NULL;
	record(&f->hand->worker->recorder, e);
}

/* Others are given time to come in between, if they can. */
static void transact(struct fenced *f)
{
	struct rng *rng = &f->hand->rng;
	/* SQLite has one transaction at a time that writes: nobody could send a heartbeat. */
	bool is_long = rng_one_in(rng, 10) && !on_backend("sqlite");

	if (!begins(f) || !fences(f))
		return;
	if (rng_one_in(rng, 3))
		lets_go(f);
	sleep_ms(rng_between(rng, 0, is_long ? TTL_MS : 4));
	if (writes(f) && releases_in(f))
		commits(f);
}

struct dblock_lock *hand_write_fenced(struct hand *h, struct dblock_lock *lock)
{
	struct fenced f = {.hand = h, .lock = lock, .token = dblock_token(lock)};

	if (dblock_mode_of(lock) != DBLOCK_EXCLUSIVE ||
	    dblock_tx_open(h->worker->client, &f.tx, NULL))
		return lock;
	f.to_release = rng_one_in(&h->rng, 4);
	transact(&f);
	dblock_tx_close(f.tx);
	if (f.leaves)
		end_release(&f);
	return f.lock;
}
