/* SPDX-License-Identifier: MIT */
/* Release a lock if, and when, a transaction of the caller's commits. */
#include "base/mem.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/handle/loss.h"
#include "lock/queue/advance.h"
#include "lock/queue/queue.h"
#include "lock/tx/fence.h"
#include "lock/tx/in_tx_own.h"
#include "lock/tx/own.h"

/* One grant that is to be released. */
struct item {
	struct dblock_lock *lock;
	struct dbl_attachment *attachment;
	int64_t answer; /* 1, 2: released, see release_in.sql; -1: the lock is not held */
};

struct release {
	struct item *items, *last; /* the last that was tried */
	unsigned n;
	int64_t deadline; /* of this round */
};

/* What is asked about one grant. */
struct ask {
	struct dbl_value args[3];
	struct dbl_request request;
};

static void make_ask(struct item *item, int64_t deadline, struct ask *ask)
{
	const struct dblock_lock *lock = item->lock;

	item->answer = -1;
	*ask = (struct ask){.args = {dbl_text(lock->name), dbl_int(dbl_row_token(lock)),
				     dbl_int(lock->grant.nonce)}};
	ask->request = (struct dbl_request){.op = DBL_OP_release_in,
					    .args = DBL_ARGS(ask->args),
					    .row = dbl_take_int,
					    .ctx = &item->answer,
					    .deadline = deadline};
}

/* Release a row of the queue; if it has a minimum hold, it stays for the rest of that. */
static int release_row(struct item *item, struct dbl_request *request, struct dbl_db *db,
		       struct dblock_error *err)
{
	int rc = 0;

	request->op = DBL_OP_row_rest;
	if (item->lock->grant.rests)
		rc = dbl_db_run(db, request, err);
	if (rc == 0 && request->changed == 0) {
		request->op = DBL_OP_row_release;
		rc = dbl_db_run(db, request, err);
	}
	item->answer = rc == 0 && request->changed > 0 ? 2 : -1;
	return rc;
}

/* A row that is missed is another grant's. */
static int judge(const struct item *item, int rc, struct dblock_error *err)
{
	return rc == 0 && item->answer == -1 ? dbl_stale_grant(item->lock, err) : rc;
}

static int release_item(struct item *item, struct dbl_db *db, int64_t deadline,
			struct dblock_error *err)
{
	struct ask ask;
	int rc;

	make_ask(item, deadline, &ask);
	rc = dbl_has_queue_row(item->lock) ? release_row(item, &ask.request, db, err)
					   : dbl_db_run(db, &ask.request, err);
	return judge(item, rc, err);
}

static int release_items(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	struct release *l = ctx;
	int rc = 0;

	for (unsigned i = 0; i < l->n && rc == 0; i++) {
		l->last = &l->items[i];
		rc = release_item(l->last, db, l->deadline, err);
	}
	return rc;
}

/* A single lock that its own row carries is released in one round trip where the dialect `pipelines`:
 * there the statement does nothing to a row of another grant's, so it can be kept whatever it says. */
static int release_round(struct dblock_tx *tx, struct release *l, struct dblock_error *err)
{
	struct item *item = l->items;
	struct ask ask;

	if (!tx->target->dialect->pipelines || l->n > 1 || dbl_has_queue_row(item->lock))
		return dbl_in_tx(tx, release_items, l, l->deadline, err);
	make_ask(item, l->deadline, &ask);
	return judge(item, dbl_run_in_tx(tx, &ask.request, err), err);
}

/* One that is taken over just then is an error of the database's (see release_in.sql), and the next time
 * it is missed. */
static bool is_again(struct dblock_tx *tx, int rc, int *errors)
{
	return rc == DBLOCK_E_BUG && tx->target->dialect->pipelines &&
	       dbl_db_state(tx->db) == DBL_TX_OPEN && ++*errors == 1;
}

/* Has a transaction other than this one an attachment of the lock's? */
static bool is_elsewhere(const struct dblock_tx *tx, struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	const struct dbl_attachment *attachment;

	dbl_lock(&locks->mutex);
	for (attachment = locks->attached->attachments; attachment; attachment = attachment->next) {
		if (attachment->lock == lock && attachment->tx != tx)
			break;
	}
	dbl_unlock(&locks->mutex);
	return attachment != NULL;
}

/* A row may be locked for a while: by a client that joins the queue, or another transaction. */
static int release_while_locked(struct dblock_tx *tx, struct release *l, struct dblock_error *err)
{
	const struct dbl_locks *locks = l->items->lock->locks;
	int64_t until = dbl_tx_deadline(tx);
	int rc, errors = 0;

	do {
		l->deadline = dbl_in_tx_deadline(tx);
		rc = release_round(tx, l, err);
		if (rc == DBLOCK_E_BLOCKED && is_elsewhere(tx, l->last->lock))
			return dbl_fail(err, DBLOCK_FENCED,
					"'%s' is fenced by another transaction that is still open; "
					"end that first",
					l->last->lock->name);
	} while (is_again(tx, rc, &errors) ||
		 (rc == DBLOCK_E_BLOCKED && dbl_pause_before_retry(locks, until)));
	return rc;
}

static int make_items(struct dblock_tx *tx, struct dblock_lock *lock, struct release *l,
		      struct dblock_error *err)
{
	unsigned n = lock->n_parts ? lock->n_parts : 1;

	l->items = l->last = dbl_alloc(n * sizeof(*l->items));
	while (l->items && l->n < n) {
		struct item *item = &l->items[l->n];

		item->lock = lock->n_parts ? lock->parts[l->n] : lock;
		item->attachment = dbl_attachment_new(tx, item->lock, DBL_RELEASES);
		if (!item->attachment)
			break;
		l->n++;
	}
	return l->n == n ? 0 : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

static void leave(struct item *item)
{
	DBL_ASSERT(item->answer == 1 || item->answer == 2, "%lld", (long long)item->answer);
	DBL_ASSERT(item->lock->in_tx == DBL_IN_TX_NOT, "%d", item->lock->in_tx);
	item->attachment->others = item->answer == 2;
	item->lock->in_tx = DBL_IN_TX_RELEASING;
	dbl_attachment_join(item->attachment);
}

static int check_release(struct dblock_tx *tx, struct dblock_lock *lock, struct dblock_error *err)
{
	int rc = dbl_fence_check_tables(tx, lock->locks, err);

	if (rc)
		return rc;
	if (dbl_in_tx_of(lock) != DBL_IN_TX_NOT)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s' is released, or acquired, in a transaction already",
				lock->name);
	if (dbl_handle_count(lock) > 1)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s' was acquired %lld times: give the inner ones back first",
				lock->name, (long long)dbl_handle_count(lock));
	return dbl_tx_check_open(tx, err);
}

/* Of a handle with several names all are released, or none. */
int dbl_release_in(struct dblock_tx *tx, struct dblock_lock *lock, struct dblock_error *err)
{
	struct release l = {.n = 0};
	int rc = check_release(tx, lock, err);

	if (rc == 0)
		rc = make_items(tx, lock, &l, err);
	if (rc == 0)
		rc = release_while_locked(tx, &l, err);
	for (unsigned i = 0; i < l.n; i++) {
		if (rc == 0)
			leave(&l.items[i]);
		else
			dbl_free(l.items[i].attachment);
	}
	dbl_free(l.items);
	return rc;
}

/* The lock is free: hand it over. If that fails, those who wait find out for themselves. */
static void advance_for_others(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	int64_t deadline = dbl_locks_deadline(locks);
	struct dbl_winner winner = {.others = true};

	if (!dbl_has_queue_row(lock) && dbl_hand_over(locks, lock->name, lock->grant.token,
						      DBL_NOBODYS, deadline, &winner, NULL))
		return;
	if (dbl_has_queue_row(lock) || (winner.done && winner.others))
		(void)dbl_queue_advance(locks, lock->name, deadline, NULL);
}

void dbl_in_tx_released(struct dblock_lock *lock, const struct dbl_attachment *attachment)
{
	dbl_lock(&lock->locks->mutex);
	lock->told = true; /* the watchdog is not to take this for a loss */
	lock->in_tx = DBL_IN_TX_RELEASED;
	dbl_unlock(&lock->locks->mutex);
	dbl_grant_done(lock);
	if (attachment->others)
		advance_for_others(lock);
}
