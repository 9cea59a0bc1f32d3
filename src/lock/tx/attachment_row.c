/* SPDX-License-Identifier: MIT */
/* Which row carries a grant, and whether anybody has it locked. */
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/handle/loss.h"
#include "lock/tx/attachment.h"
#include "sql/tx.h"

/* How long a look at a row's lock may take on SQLite, where it waits for the file. */
#define IDLE_US 20000

/* On SQLite the transaction is asked first, as our own connection may be busy with a request that
 * waits for the file; it may not see a row that is newer than its snapshot, unless it has the file:
 * then our own connection would wait for the transaction, and that for us. */
static int find_ticket(struct dblock_lock *lock, struct dblock_tx *tx, struct dbl_request *request,
		       const int64_t *found, struct dblock_error *err)
{
	if (tx && tx->target->dialect->is_file) {
		int rc = dbl_db_run(tx->db, request, err);

		/* The transaction is the caller's, who is told if the failure ended it. */
		if (rc < 0)
			dbl_db_tell_end(tx->db, err);
		if (rc || *found != -1 || dbl_db_conn(tx->db)->has_file)
			return rc;
	}
	return dbl_link_run(lock->locks->link, request, err);
}

int dbl_attachment_ticket(struct dblock_lock *lock, struct dblock_tx *tx, int64_t deadline,
			  int64_t *ticket, struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_value args[] = {dbl_text(lock->name), dbl_int(lock->grant.nonce)};
	int64_t found = -1;
	struct dbl_request request = {.op = DBL_OP_row_ticket,
				      .args = DBL_ARGS(args),
				      .row = dbl_take_int,
				      .ctx = &found,
				      .deadline = deadline};
	int rc = 0;

	dbl_lock(&locks->mutex);
	if (lock->attached_row.ticket_nonce == lock->grant.nonce)
		found = lock->attached_row.ticket;
	dbl_unlock(&locks->mutex);
	if (found == -1)
		rc = find_ticket(lock, tx, &request, &found, err);
	if (rc)
		return rc;
	if (found == -1)
		return dbl_stale_grant(lock, err);
	DBL_ASSERT(found > 0 && dbl_has_queue_row(lock), "%s, %lld", lock->name, (long long)found);
	dbl_lock(&locks->mutex);
	*ticket = lock->attached_row.ticket = found;
	lock->attached_row.ticket_nonce = lock->grant.nonce;
	dbl_unlock(&locks->mutex);
	return 0;
}

int dbl_attachment_idle(struct dblock_lock *lock, bool *idle, struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_value args[] = {dbl_text(lock->name), dbl_int(0)};
	int64_t found = -1;
	struct dbl_request request = {.op = lock->grant.carrier->idle,
				      .args = DBL_ARGS(args),
				      .row = dbl_take_int,
				      .ctx = &found};
	int rc = 0;

	*idle = false;
	if (dbl_has_queue_row(lock))
		rc = dbl_attachment_ticket(lock, NULL, dbl_locks_deadline(locks), &args[1].i, err);
	/* If the row is gone, so is the transaction that had it locked. */
	*idle = rc == DBLOCK_STALE;
	if (rc)
		return *idle ? 0 : rc;
	request.deadline = locks->target->dialect->is_file ? dbl_now(locks->env) + IDLE_US
							   : dbl_locks_deadline(locks);
	rc = dbl_link_run(locks->link, &request, err);
	if (rc == DBLOCK_E_BLOCKED || (rc == DBLOCK_E_NO_ANSWER && locks->target->dialect->is_file))
		return 0;
	*idle = rc == 0 && found != -1;
	return rc;
}

/* One that is left counts as an attachment. */
void dbl_attachment_set_left(struct dblock_lock *lock, bool left)
{
	DBL_ASSERT_HELD(&lock->locks->mutex);
	if (lock->attached_row.left == left)
		return;
	lock->attached_row.left = left;
	atomic_fetch_add(&lock->locks->attachments, left ? 1 : -1);
}

int dbl_attachment_check_left(struct dblock_lock *lock, struct dblock_error *err)
{
	bool left, idle = false;
	int rc;

	dbl_lock(&lock->locks->mutex);
	left = lock->attached_row.left;
	dbl_unlock(&lock->locks->mutex);
	rc = left ? dbl_attachment_idle(lock, &idle, err) : 0;
	if (!left || rc)
		return rc;
	if (!idle)
		return dbl_fail(err, DBLOCK_FENCED,
				"'%s' is fenced by a transaction over several databases that was "
				"left prepared: dblock_recover() finishes it",
				lock->name);
	dbl_lock(&lock->locks->mutex);
	dbl_attachment_set_left(lock, false);
	dbl_unlock(&lock->locks->mutex);
	return 0;
}
