/* SPDX-License-Identifier: MIT */
#include "base/mem.h"
#include "lock/handle/handle.h"
#include "lock/queue/snapshot.h"
#include "lock/tx/in_tx_own.h"
#include "lock/tx/own.h"

/* How long one statement waits for a row; between statements we sleep ourselves. */
#define LOCK_WAIT_MS 250

/* How long it may take where a server counts in whole seconds, with a second for the reply. */
#define LOCK_WAIT_MOST_US 2000000LL

int64_t dbl_in_tx_deadline(const struct dblock_tx *tx)
{
	return dbl_add(dbl_tx_deadline(tx), LOCK_WAIT_MOST_US);
}

int dbl_in_tx(struct dblock_tx *tx, int (*body)(void *, struct dbl_db *, struct dblock_error *),
	      void *ctx, int64_t deadline, struct dblock_error *err)
{
	return dbl_tx_guarded_waiting(tx, LOCK_WAIT_MS, body, ctx, deadline, err);
}

int dbl_run_in_tx(struct dblock_tx *tx, struct dbl_request *request, struct dblock_error *err)
{
	return dbl_tx_run_guarded(tx, LOCK_WAIT_MS, request, err);
}

void dbl_in_tx_begin(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;

	DBL_ASSERT(lock->in_tx == DBL_IN_TX_NOT && !lock->before, "%d", lock->in_tx);
	lock->in_tx = DBL_IN_TX_ACQUIRING;
	dbl_lock(&locks->mutex);
	lock->next = locks->attached->uncommitted;
	locks->attached->uncommitted = lock;
	dbl_unlock(&locks->mutex);
}

static void take_out(struct dblock_lock *lock)
{
	struct dblock_lock **at = &lock->locks->attached->uncommitted;

	dbl_lock(&lock->locks->mutex);
	while (*at && *at != lock)
		at = &(*at)->next;
	DBL_ASSERT(*at, "%s", lock->name);
	*at = lock->next;
	dbl_unlock(&lock->locks->mutex);
}

/* ---- how it ended ---------------------------------------------------------------------------- */

/* If the commit took too long the grant is lost by now, and the holder is told. */
static void committed(struct dblock_lock *lock)
{
	take_out(lock);
	lock->in_tx = DBL_IN_TX_NOT;
	(void)dbl_grant_hold(lock, NULL); /* this cannot fail: the state is ASKED */
	if (dbl_grant_left(lock) == 0)
		dbl_handle_give_back(lock, lock->grant.token);
	dbl_handle_publish(lock);
}

/* Ask the database: 1: the handle holds the lock, 0: it does not, < 0: nobody can tell. */
static int ask(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_snapshot snapshot;
	int rc = dbl_look(locks->link, lock->name, NULL, lock->grant.nonce,
			  dbl_locks_deadline(locks), &snapshot, NULL);

	if (rc)
		return rc;
	if (dbl_has_queue_row(lock))
		return snapshot.row_token == lock->grant.token;
	return snapshot.token == dbl_row_token(lock) && dbl_holds(&snapshot, lock->grant.nonce);
}

static void release_ended(struct dblock_lock *lock, const struct dbl_attachment *attachment,
			  enum dbl_tx_end end)
{
	int holds = end == DBL_TX_ASK ? ask(lock) : -1;

	DBL_ASSERT(lock->in_tx == DBL_IN_TX_RELEASING, "%d", lock->in_tx);
	if (end == DBL_TX_COMMITTED || holds == 0)
		dbl_in_tx_released(lock, attachment);
	else
		lock->in_tx = end == DBL_TX_ROLLED_BACK || holds > 0 ? DBL_IN_TX_NOT
								     : DBL_IN_TX_RELEASED_PERHAPS;
}

static void acquire_ended(struct dblock_lock *lock, enum dbl_tx_end end)
{
	DBL_ASSERT(lock->in_tx == DBL_IN_TX_ACQUIRING, "%d", lock->in_tx);
	if (end == DBL_TX_COMMITTED || (end == DBL_TX_ASK && ask(lock) > 0)) {
		committed(lock);
		return;
	}
	if (end != DBL_TX_ROLLED_BACK)
		dbl_handle_give_back(lock, 0);
	lock->in_tx = DBL_IN_TX_NOT_ACQUIRED;
}

void dbl_in_tx_ended(struct dblock_lock *lock, const struct dbl_attachment *attachment,
		     enum dbl_tx_end end)
{
	DBL_ASSERT(attachment->kind != DBL_FENCES);
	if (attachment->kind == DBL_RELEASES)
		release_ended(lock, attachment, end);
	else
		acquire_ended(lock, end);
}

int dbl_in_tx_drop(struct dblock_lock *lock, struct dblock_error *err)
{
	int rc = dbl_fail(err, DBLOCK_STALE,
			  "'%s' was not acquired: its transaction was rolled back, or ended nobody "
			  "knows how",
			  lock->name);

	DBL_ASSERT(lock->in_tx == DBL_IN_TX_NOT_ACQUIRED, "%d", lock->in_tx);
	take_out(lock);
	dbl_grant_done(lock);
	dbl_handle_free(lock);
	return rc;
}

struct dbl_attached *dbl_attached_new(void)
{
	return dbl_alloc(sizeof(struct dbl_attached));
}

void dbl_attached_free(struct dbl_attached *attached)
{
	DBL_ASSERT(!attached || (!attached->uncommitted && !attached->attachments));
	dbl_free(attached);
}

bool dbl_in_tx_any(const struct dbl_locks *locks)
{
	return locks->attached->uncommitted != NULL;
}

void dbl_in_tx_close(struct dbl_locks *locks)
{
	while (locks->attached->uncommitted) {
		struct dblock_lock *lock = locks->attached->uncommitted;

		locks->attached->uncommitted = lock->next;
		dbl_grant_done(lock);
		dbl_handle_free(lock);
	}
}
