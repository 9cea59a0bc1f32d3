/* SPDX-License-Identifier: MIT */
/* Acquire a lock from when a transaction of the caller's commits, or until it ends. */
#include "base/mem.h"
#include "lock/cache/posted.h"
#include "lock/cache/sticky.h"
#include "lock/core/cancel.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/grant/attempt.h"
#include "lock/handle/handle.h"
#include "lock/tx/fence.h"
#include "lock/tx/in_tx_own.h"

/* What an attempt in a transaction knows. */
struct in_tx {
	struct dblock_tx *tx;
	int64_t token;  /* what was granted; -1: nothing */
	int64_t missed; /* the token of a row that a look has shown, and the statement missed; 0 */
	int64_t seen;   /* the token of that row as the transaction sees it; 0 */
};

/* The name's row has to be there and committed, so that no transaction can overlook a lock in it.
 * (On SQLite the one writer is the transaction.) */
static int make_known(struct dbl_attempt *a, struct dblock_error *err)
{
	struct dbl_value name = dbl_text(a->spec->name);
	struct dbl_request request = {
		.op = DBL_OP_name_new, .args = DBL_ARG(name), .deadline = dbl_attempt_deadline(a)};
	int rc = a->by.db ? dbl_db_run(a->by.db, &request, err)
			  : dbl_link_run(a->locks->link, &request, err);

	return rc ? rc : dbl_fail(err, DBLOCK_BUSY, "'%s' is new", a->spec->name);
}

static int look_in_tx(struct dbl_attempt *a, struct in_tx *w, struct dblock_error *err)
{
	struct dbl_value name = dbl_text(a->spec->name);
	struct dbl_request request = {.op = DBL_OP_token_in,
				      .args = DBL_ARG(name),
				      .row = dbl_take_int,
				      .ctx = &w->seen,
				      .deadline = dbl_in_tx_deadline(w->tx)};

	return dbl_run_in_tx(w->tx, &request, err);
}

/* The statement missed the row that a look had shown. The first time, that may have changed since.
 * If the next look shows the same, the transaction does not see what all others do: it began too
 * early; or it has changed the row itself, and sees a newer token. */
static int missed(struct dbl_attempt *a, struct dblock_error *err)
{
	struct in_tx *w = a->go_arg;
	int rc = 0;

	DBL_ASSERT(a->snapshot.found && w->token == -1, "%lld", (long long)w->token);
	if (a->by.db && (a->snapshot.by_rows || a->snapshot.queued))
		return dbl_fail(err, DBLOCK_BUSY, "'%s': others are in its queue", a->spec->name);
	if (w->missed == a->snapshot.token)
		rc = look_in_tx(a, w, err);
	if (rc && rc != DBLOCK_E_BLOCKED)
		return rc;
	if (w->missed == a->snapshot.token && rc == 0 && w->seen <= w->missed)
		return dbl_fail(err, DBLOCK_E_CONFLICT,
				"'%s': the transaction sees the database as it was before; begin "
				"it anew",
				a->spec->name);
	w->missed = a->snapshot.token;
	return dbl_fail(err, DBLOCK_BUSY, "'%s': somebody else is taking it", a->spec->name);
}

/* Take the lock, if its row still is as it was seen. DBLOCK_BUSY: it has changed, or is locked. */
static int take_as_seen(struct dbl_attempt *a, enum dbl_op op, struct dbl_args args,
			struct dblock_error *err)
{
	struct in_tx *w = a->go_arg;
	struct dbl_request request = {.op = op,
				      .args = args,
				      .row = dbl_take_int,
				      .ctx = &w->token,
				      .deadline = dbl_in_tx_deadline(w->tx)};
	int rc;

	w->token = -1;
	rc = dbl_run_in_tx(w->tx, &request, err);
	a->over = rc == DBLOCK_E_BLOCKED;
	if (a->over)
		return dbl_fail(err, DBLOCK_BUSY, "'%s': its row is locked by an open transaction",
				a->spec->name);
	return rc == 0 && w->token == -1 ? missed(a, err) : rc;
}

/* The row as all others see it, or as this transaction does, where it has the lock already. */
struct seen {
	struct dbl_value token, nonce, session;
};

static struct seen as_seen(const struct dbl_attempt *a)
{
	const struct in_tx *w = a->go_arg;
	const struct dbl_snapshot *snapshot = &a->snapshot;

	if (w->seen > snapshot->token)
		return (struct seen){dbl_int(w->seen), dbl_int(0), dbl_null()};
	return (struct seen){dbl_int(snapshot->token), dbl_int(snapshot->nonce),
			     snapshot->held_by_session ? dbl_text(snapshot->session) : dbl_null()};
}

static int go_for_grant(struct dbl_attempt *a, struct dblock_error *err)
{
	struct dbl_value args[DBL_ATTEMPT_ARGS + 3];
	struct dblock_lock *lock = a->lock;
	struct seen seen;
	int64_t sent = dbl_now(a->locks->env);
	int rc = dbl_attempt_make_ready(a, dbl_attempt_deadline(a), err);

	if (rc == 0 && !a->snapshot.found)
		rc = make_known(a, err);
	lock->grant.nonce = rc == 0 ? dbl_random_id(a->locks->env) : 0;
	if (rc == 0 && lock->grant.nonce == 0)
		rc = dbl_fail(err, DBLOCK_E_NOMEM, "no random numbers");
	if (rc)
		return rc;
	dbl_grant_begin(lock);
	seen = as_seen(a);
	dbl_attempt_args(a, args);
	args[DBL_ATTEMPT_ARGS] = seen.token;
	args[DBL_ATTEMPT_ARGS + 1] = seen.nonce;
	args[DBL_ATTEMPT_ARGS + 2] = seen.session;
	rc = take_as_seen(a, DBL_OP_acquire_in, DBL_ARGS(args), err);
	if (rc == 0) {
		lock->grant.token = ((struct in_tx *)a->go_arg)->token;
		DBL_ASSERT(lock->grant.token > a->snapshot.token, "%lld after %lld",
			   (long long)lock->grant.token, (long long)a->snapshot.token);
		dbl_attempt_granted(a, sent, a->spec->lease);
	}
	return rc;
}

static int go_for_tx(struct dbl_attempt *a, struct dblock_error *err)
{
	struct seen seen = as_seen(a);
	struct dbl_value args[] = {dbl_text(a->spec->name), seen.token, seen.nonce, seen.session};

	return a->snapshot.found ? take_as_seen(a, DBL_OP_tx_lock, DBL_ARGS(args), err)
				 : make_known(a, err);
}

static void go_in_tx(struct dbl_attempt *a, struct in_tx *w,
		     int (*go)(struct dbl_attempt *, struct dblock_error *))
{
	a->go = go;
	a->go_arg = w;
	if (w->tx->target->dialect->is_file)
		a->by.db = w->tx->db;
}

/* Wait by trying again: a waiter in the queue could not be granted the lock in its transaction. */
static int wait_in(struct dbl_attempt *a, struct dblock_error *err)
{
	DBL_INSIDE(a->locks);
	int rc;

	do {
		if (dbl_is_canceled(a->locks, a->spec))
			return dbl_tell_canceled(a->locks, a->spec->name, "the wait", err);
		a->until = dbl_locks_deadline(a->locks);
		a->over = false;
		rc = dbl_try_rounds(a, err);
		/* On SQLite the looks too are in the transaction, and without a savepoint. */
		if (rc < 0 && a->by.db)
			dbl_db_tell_end(a->by.db, err);
		if (rc != DBLOCK_BUSY || a->spec->tries)
			return rc;
	} while (dbl_pause_before_retry(a->locks, a->spec->wait_until));
	if (err)
		err->code = DBLOCK_TIMEOUT;
	return DBLOCK_TIMEOUT;
}

/* Give back an idle grant of this client's, which would be in the way. On SQLite that cannot be
 * done while the transaction has the file. */
static int check_stays(struct dbl_locks *locks, const char *name, struct dblock_error *err)
{
	if (!locks->target->dialect->is_file) {
		dbl_sticky_give_back(locks, name);
		return 0;
	}
	if (!dbl_sticky_keeps(locks, name))
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"'%s': this client keeps it idle, and cannot let go of it while the "
			"transaction has the file: acquire it before, or without idle_ms",
			name);
}

static int check_acquire(struct dblock_tx *tx, struct dbl_locks *locks,
			 const struct dbl_acquire_spec *spec, struct dblock_error *err)
{
	struct dbl_owner owner = dbl_owner_of(spec);
	int rc = dbl_fence_check_tables(tx, locks, err);

	if (rc == 0 && spec->mode != DBLOCK_EXCLUSIVE)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "'%s': in a transaction locks are acquired in mode exclusive",
			      spec->name);
	if (rc == 0)
		rc = dbl_attachment_check_spec(locks, spec->name, owner, err);
	if (rc == 0 && dbl_handle_has(locks, spec, owner))
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "'%s': this thread, or owner, holds it already; fence it instead",
			      spec->name);
	if (rc == 0)
		rc = dbl_tx_check_open(tx, err);
	if (rc == 0)
		rc = check_stays(locks, spec->name, err);
	if (rc == 0)
		dbl_posted_flush(locks, spec->name, dbl_locks_deadline(locks));
	return rc;
}

int dbl_acquire_in(struct dblock_tx *tx, struct dbl_locks *locks,
		   const struct dbl_acquire_spec *spec, struct dblock_lock **out,
		   struct dblock_error *err)
{
	struct in_tx in_tx = {.tx = tx};
	struct dbl_attachment *attachment = NULL;
	struct dbl_attempt a;
	int rc = check_acquire(tx, locks, spec, err);

	if (rc == 0)
		rc = dbl_attempt_begin(&a, locks, spec, err);
	if (rc)
		return rc;
	go_in_tx(&a, &in_tx, go_for_grant);
	attachment = dbl_attachment_new(tx, a.lock, DBL_ACQUIRES);
	rc = attachment ? wait_in(&a, err) : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	if (rc == 0) {
		*out = a.lock;
		a.lock = NULL;
		dbl_in_tx_begin(*out);
		dbl_attachment_join(attachment);
	} else {
		dbl_free(attachment);
	}
	dbl_attempt_drop(&a);
	return rc;
}

int dbl_tx_lock(struct dblock_tx *tx, struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		int64_t *token, struct dblock_error *err)
{
	struct in_tx in_tx = {.tx = tx};
	struct dbl_attempt a;
	int rc = check_acquire(tx, locks, spec, err);

	if (rc == 0)
		rc = dbl_attempt_begin(&a, locks, spec, err);
	if (rc)
		return rc;
	go_in_tx(&a, &in_tx, go_for_tx);
	rc = wait_in(&a, err);
	*token = rc == 0 ? in_tx.token : 0;
	dbl_attempt_drop(&a);
	return rc;
}
