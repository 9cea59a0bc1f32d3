/* SPDX-License-Identifier: MIT */
#include "lock/within.h"

#include "base/mem.h"
#include "lock/attempt.h"
#include "lock/fence.h"
#include "lock/handle.h"
#include "lock/patience.h"
#include "lock/queue.h"
#include "lock/sentinel.h"
#include "lock/serve.h"
#include "lock/value.h"

/* One statement of ours waits no longer than that for a row; then we sleep ourselves. */
#define LOCK_WAIT_MS 250

enum dbl_within dbl_within_of(const struct dblock_lock *lock)
{
	return (enum dbl_within)(lock->n_parts ? lock->parts[0]->within : lock->within);
}

/* ---- one operation, with settings of ours ------------------------------------------------------
 */

static int run_request(void *request, struct dbl_db *db, struct dblock_error *err)
{
	return dbl_db_run(db, request, err);
}

/* Behind a savepoint: if it fails the transaction is as it was. */
static int run_in(struct dblock_tx *tx, struct dbl_request *request, struct dblock_error *err)
{
	return dbl_tx_guarded_waiting(tx, LOCK_WAIT_MS, run_request, request, request->deadline,
				      err);
}

/* ---- release -----------------------------------------------------------------------------------
 */

/* *answer: 1, 2: done, see release_in.sql; -1: it does not hold the lock. */
static int release_own(struct dblock_tx *tx, struct dblock_lock *lock, int64_t deadline,
		       int64_t *answer, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(lock->name), dbl_int(lock->token),
				   dbl_int(lock->nonce)};
	struct dbl_request request = {.op = DBL_OP_release_in,
				      .args = args,
				      .row = dbl_take_int,
				      .ctx = answer,
				      .deadline = deadline};

	return run_in(tx, &request, err);
}

/* A row of the line: with its minimum hold, if it has one. */
static int release_row(struct dblock_tx *tx, struct dblock_lock *lock, int64_t deadline,
		       int64_t *answer, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(lock->name), dbl_int(lock->token),
				   dbl_int(lock->nonce)};
	struct dbl_request request = {.op = DBL_OP_row_rest, .args = args, .deadline = deadline};
	int rc = lock->rests ? run_in(tx, &request, err) : 0;

	if (rc == 0 && request.changed == 0) {
		request.op = DBL_OP_row_release;
		rc = run_in(tx, &request, err);
	}
	*answer = rc == 0 && request.changed > 0 ? 2 : -1;
	return rc;
}

/* The row may be locked for a while: by another transaction of ours, or by who joins the line. */
static int release_patiently(struct dblock_tx *tx, struct dblock_lock *lock, int64_t *answer,
			     struct dblock_error *err)
{
	int64_t deadline = dbl_tx_deadline(tx);
	int rc;

	do {
		*answer = -1;
		rc = (lock->by_row ? release_row : release_own)(tx, lock, deadline, answer, err);
		if (rc == DBLOCK_E_LOCKED && dbl_fence_elsewhere(tx, lock))
			return dbl_fail(err, DBLOCK_FENCED,
					"'%s' is fenced by another transaction that is still open; "
					"end that first",
					lock->name);
	} while (rc == DBLOCK_E_LOCKED && dbl_pause_before_retry(lock->locks, deadline));
	return rc;
}

static int release_one(struct dblock_tx *tx, struct dblock_lock *lock, struct dblock_error *err)
{
	struct dbl_stake *stake = dbl_stake_new(tx, lock, DBL_RELEASES);
	int64_t answer;
	int rc = stake ? release_patiently(tx, lock, &answer, err)
		       : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");

	if (rc == 0 && answer == -1)
		rc = dbl_stale(lock->name, lock->token, err);
	if (rc) {
		dbl_free(stake);
		return rc;
	}
	stake->others = answer == 2;
	lock->within = DBL_WITHIN_LEAVING;
	dbl_stake_join(stake);
	return 0;
}

static int check_release(struct dblock_tx *tx, struct dblock_lock *lock, struct dblock_error *err)
{
	int rc = dbl_fence_check_tables(tx, lock->locks, err);

	if (rc)
		return rc;
	if (dbl_within_of(lock) != DBL_WITHIN_NOT)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s' is released, or acquired, in a transaction already",
				lock->name);
	if (dbl_handle_count(lock) > 1)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s' was acquired %lld times: give the inner ones back first",
				lock->name, (long long)dbl_handle_count(lock));
	return dbl_tx_check_open(tx, err);
}

/* If one of several fails, those before it go with the transaction, or stay: it is the caller's to
 * roll back. */
int dbl_release_in(struct dblock_tx *tx, struct dblock_lock *lock, struct dblock_error *err)
{
	int rc = check_release(tx, lock, err);

	for (unsigned i = 0; i < lock->n_parts && rc == 0; i++)
		rc = release_one(tx, lock->parts[i], err);
	return rc || lock->n_parts ? rc : release_one(tx, lock, err);
}

/* It is free, and who waits can have it. If that fails, they find out for themselves. */
static void serve_others(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	int64_t deadline = dbl_locks_deadline(locks);
	struct dbl_winner winner = {.others = true};

	if (!lock->by_row &&
	    dbl_hand_over(locks, lock->name, lock->token, DBL_NOBODYS, deadline, &winner, NULL))
		return;
	if (lock->by_row || (winner.done && winner.others))
		(void)dbl_serve(locks, lock->name, deadline, NULL);
}

static void has_left(struct dblock_lock *lock, const struct dbl_stake *stake)
{
	dbl_lock(&lock->locks->mutex);
	lock->told = true; /* nothing is lost by it */
	lock->within = DBL_WITHIN_LEFT;
	dbl_unlock(&lock->locks->mutex);
	dbl_grant_move(lock, DBL_DONE);
	if (stake->others)
		serve_others(lock);
}

/* ---- acquire -----------------------------------------------------------------------------------
 */

/* What an attempt is to bring about, and where. */
struct within {
	struct dblock_tx *tx;
	int64_t token;
	int64_t missed; /* token of a row that was there and that the transaction did not see; 0 */
};

/* Its row has to be there, and committed: then nothing that is locked in it can be overlooked. (A
 * file has one writer, and that is the transaction.) */
static int make_known(struct dbl_attempt *a, struct dblock_error *err)
{
	struct dbl_value name = dbl_text(a->wish->name);
	struct dbl_request request = {
		.op = DBL_OP_name_new, .args = &name, .deadline = dbl_attempt_deadline(a)};
	int rc = a->by.db ? dbl_db_run(a->by.db, &request, err)
			  : dbl_link_run(a->locks->link, &request, err);

	return rc ? rc : dbl_fail(err, DBLOCK_BUSY, "'%s' is new", a->wish->name);
}

/* What a look has shown was not there for the statement. Once: it has changed in between. But if
 * the next look shows the same, the transaction does not see what the database is now. */
static int missed(struct dbl_attempt *a, struct dblock_error *err)
{
	struct within *w = a->go_arg;

	if (w->missed == a->sight.token)
		return dbl_fail(err, DBLOCK_E_CONFLICT,
				"'%s': the transaction sees the database as it was before; begin "
				"it anew",
				a->wish->name);
	w->missed = a->sight.token;
	return dbl_fail(err, DBLOCK_BUSY, "'%s': somebody else is taking it", a->wish->name);
}

/* As seen; 0: done. DBLOCK_BUSY: it has changed, or is locked. */
static int take_as_seen(struct dbl_attempt *a, enum dbl_op op, const struct dbl_value *args,
			struct dblock_error *err)
{
	struct within *w = a->go_arg;
	struct dbl_request request = {.op = op,
				      .args = args,
				      .row = dbl_take_int,
				      .ctx = &w->token,
				      .deadline = dbl_tx_deadline(w->tx)};
	int rc;

	w->token = -1;
	rc = run_in(w->tx, &request, err);
	if (rc == DBLOCK_E_LOCKED)
		return dbl_fail(err, DBLOCK_BUSY, "'%s': its row is locked by an open transaction",
				a->wish->name);
	return rc == 0 && w->token == -1 ? missed(a, err) : rc;
}

static struct dbl_value session_seen(const struct dbl_sight *sight)
{
	return sight->held_by_session ? dbl_text(sight->session) : dbl_null();
}

static int go_for_grant(struct dbl_attempt *a, struct dblock_error *err)
{
	const struct dbl_wish *w = a->wish;
	const struct dbl_host *host = dbl_session_host(a->locks->session);
	struct dblock_lock *lock = a->lock;
	int64_t sent = dbl_now(a->locks->env);
	int rc = dbl_attempt_make_ready(a, dbl_attempt_deadline(a), err);

	if (rc == 0 && !a->sight.found)
		rc = make_known(a, err);
	if (rc == 0 && (lock->nonce = dbl_random_id(a->locks->env)) == 0)
		rc = dbl_fail(err, DBLOCK_E_UNAVAILABLE, "no random numbers");
	if (rc)
		return rc;
	dbl_grant_begin(lock);
	struct dbl_value args[] = {
		dbl_text(w->name),
		dbl_int(lock->nonce),
		dbl_text(a->life->id),
		dbl_text(host->name),
		dbl_int(host->pid),
		dbl_int(dbl_thread_of(w->owner)),
		dbl_int_if(w->lease > 0, w->lease),
		dbl_int_if(w->at_least > 0, w->at_least),
		dbl_text(w->value),
		dbl_int(a->sight.token),
		dbl_int(a->sight.nonce),
		session_seen(&a->sight),
	};
	rc = take_as_seen(a, DBL_OP_acquire_in, args, err);
	if (rc == 0) {
		lock->token = ((struct within *)a->go_arg)->token;
		dbl_attempt_granted(a, sent, w->lease);
	}
	return rc;
}

static int go_for_tx(struct dbl_attempt *a, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(a->wish->name), dbl_int(a->sight.token),
				   dbl_int(a->sight.nonce), session_seen(&a->sight)};

	return a->sight.found ? take_as_seen(a, DBL_OP_tx_lock, args, err) : make_known(a, err);
}

static void go_within(struct dbl_attempt *a, struct within *w,
		      int (*go)(struct dbl_attempt *, struct dblock_error *))
{
	a->go = go;
	a->go_arg = w;
	if (w->tx->target->dialect->is_file)
		a->by.db = w->tx->db;
}

static bool is_canceled(const struct dbl_wish *wish)
{
	return wish->canceled && wish->canceled(wish->canceled_arg) != 0;
}

/* Not in line: who waits there cannot be granted anything inside somebody's transaction. */
static int wait_in(struct dbl_attempt *a, struct dblock_error *err)
{
	int rc;

	do {
		if (is_canceled(a->wish))
			return dbl_fail(err, DBLOCK_CANCELED, "'%s': the wait was canceled",
					a->wish->name);
		a->until = dbl_locks_deadline(a->locks);
		rc = dbl_try_rounds(a, err);
		if (rc != DBLOCK_BUSY || a->wish->tries)
			return rc;
	} while (dbl_pause_before_retry(a->locks, a->wish->wait_until));
	if (err)
		err->code = DBLOCK_TIMEOUT;
	return DBLOCK_TIMEOUT;
}

static int check_acquire(struct dblock_tx *tx, struct dbl_locks *locks, const struct dbl_wish *wish,
			 struct dblock_error *err)
{
	struct dbl_owner owner = dbl_owner_of(locks, wish->owner);
	int rc = dbl_fence_check_tables(tx, locks, err);

	if (rc == 0 && wish->mode != DBLOCK_EXCLUSIVE)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "'%s': in a transaction locks are acquired in mode exclusive",
			      wish->name);
	if (rc == 0)
		rc = dbl_stake_check_wish(locks, wish->name, owner, err);
	if (rc == 0 && dbl_handle_has(locks, wish, owner))
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "'%s': this thread, or owner, holds it already; fence it instead",
			      wish->name);
	return rc ? rc : dbl_tx_check_open(tx, err);
}

/* Known to the client, not out. */
static void is_coming(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;

	lock->within = DBL_WITHIN_COMING;
	dbl_lock(&locks->mutex);
	lock->next = locks->coming;
	locks->coming = lock;
	dbl_unlock(&locks->mutex);
}

static void comes_no_more(struct dblock_lock *lock)
{
	struct dblock_lock **at = &lock->locks->coming;

	dbl_lock(&lock->locks->mutex);
	while (*at != lock)
		at = &(*at)->next;
	*at = lock->next;
	dbl_unlock(&lock->locks->mutex);
}

int dbl_acquire_in(struct dblock_tx *tx, struct dbl_locks *locks, const struct dbl_wish *wish,
		   struct dblock_lock **out, struct dblock_error *err)
{
	struct within within = {.tx = tx};
	struct dbl_stake *stake = NULL;
	struct dbl_attempt a;
	int rc = check_acquire(tx, locks, wish, err);

	if (rc == 0)
		rc = dbl_attempt_begin(&a, locks, wish, err);
	if (rc)
		return rc;
	go_within(&a, &within, go_for_grant);
	stake = dbl_stake_new(tx, a.lock, DBL_ACQUIRES);
	rc = stake ? wait_in(&a, err) : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	if (rc == 0) {
		*out = a.lock;
		a.lock = NULL;
		is_coming(*out);
		dbl_stake_join(stake);
	} else {
		dbl_free(stake);
	}
	dbl_attempt_drop(&a);
	return rc;
}

int dbl_tx_lock(struct dblock_tx *tx, struct dbl_locks *locks, const struct dbl_wish *wish,
		int64_t *token, struct dblock_error *err)
{
	struct within within = {.tx = tx};
	struct dbl_attempt a;
	int rc = check_acquire(tx, locks, wish, err);

	if (rc == 0)
		rc = dbl_attempt_begin(&a, locks, wish, err);
	if (rc)
		return rc;
	go_within(&a, &within, go_for_tx);
	rc = wait_in(&a, err);
	*token = rc == 0 ? within.token : 0;
	dbl_attempt_drop(&a);
	return rc;
}

/* ---- how it ended ------------------------------------------------------------------------------
 */

/* If that took too long it is lost by now, and told so. */
static void has_come(struct dblock_lock *lock)
{
	comes_no_more(lock);
	lock->within = DBL_WITHIN_NOT;
	dbl_grant_move(lock, DBL_HELD);
	if (dbl_grant_left(lock) == 0)
		dbl_handle_give_back(lock, lock->token);
	dbl_handle_publish(lock);
}

void dbl_within_ended(struct dblock_lock *lock, const struct dbl_stake *stake, enum dbl_tx_end end)
{
	if (stake->kind == DBL_RELEASES) {
		if (end == DBL_TX_COMMITTED)
			has_left(lock, stake);
		else
			lock->within =
				end == DBL_TX_UNKNOWN ? DBL_WITHIN_LEFT_PERHAPS : DBL_WITHIN_NOT;
	} else if (end == DBL_TX_COMMITTED) {
		has_come(lock);
	} else {
		if (end == DBL_TX_UNKNOWN)
			dbl_handle_give_back(lock, 0);
		lock->within = DBL_WITHIN_NOT_COME;
	}
}

int dbl_within_drop(struct dblock_lock *lock, struct dblock_error *err)
{
	int rc = dbl_fail(err, DBLOCK_STALE,
			  "'%s' was not acquired: its transaction was rolled back, or ended nobody "
			  "knows how",
			  lock->name);

	comes_no_more(lock);
	dbl_grant_move(lock, DBL_DONE);
	dbl_handle_free(lock);
	return rc;
}

void dbl_within_close(struct dbl_locks *locks)
{
	while (locks->coming) {
		struct dblock_lock *lock = locks->coming;

		locks->coming = lock->next;
		dbl_grant_move(lock, DBL_DONE);
		dbl_handle_free(lock);
	}
}
