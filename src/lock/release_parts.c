/* SPDX-License-Identifier: MIT */
/* The release of a handle of several names: one request, for all of which nobody is known to wait. */
#include "lock/release_parts.h"

#include "base/mem.h"
#include "lock/core/value.h"
#include "lock/grant/release.h"
#include "lock/handle/handle.h"
#include "lock/tx/in_tx.h"

/* If a transaction may have released it, a grant that is gone is no loss. */
int dbl_release_one(struct dblock_lock *lock, struct dblock_error *err)
{
	enum dbl_in_tx in_tx = dbl_in_tx_of(lock);
	int rc = in_tx == DBL_IN_TX_RELEASED ? 0 : dbl_grant_end(lock, err);

	return rc == DBLOCK_LOST && in_tx == DBL_IN_TX_RELEASED_PERHAPS ? 0 : rc;
}

/* A release that is sent with others. */
struct freeing {
	struct dblock_lock *lock;
	struct dbl_value args[3];
	struct dbl_request request;
};

/* Is it enough to free the row of the lock, unless somebody has joined its queue? */
static bool may_be_freed(struct dblock_lock *lock)
{
	return dbl_in_tx_of(lock) == DBL_IN_TX_NOT && !dbl_has_queue_row(lock) &&
	       !lock->grant.handed && !lock->grant.rests && dbl_grant_left(lock) > 0;
}

/* Returns how many of them were sent. */
static unsigned free_all(struct dblock_lock *lock, struct freeing *freeing,
			 struct dbl_member *members)
{
	unsigned n = 0;

	for (unsigned i = 0; i < lock->n_parts; i++) {
		struct dblock_lock *part = lock->parts[i];
		struct freeing *f = &freeing[n];

		if (!may_be_freed(part))
			continue;
		f->lock = part;
		f->args[0] = dbl_text(part->name);
		f->args[1] = dbl_int(dbl_row_token(part));
		f->args[2] = dbl_int(part->grant.nonce);
		f->request = (struct dbl_request){.op = DBL_OP_release,
						  .args = DBL_ARGS(f->args),
						  .deadline = dbl_locks_deadline(lock->locks)};
		members[n++] = (struct dbl_member){.request = &f->request};
	}
	dbl_link_run_all(lock->locks->link, members, n);
	return n;
}

/* It changed nothing where others wait, or the lock was lost, or an earlier copy has done it. */
static int free_again(const struct freeing *f, int rc, struct dblock_error *err)
{
	enum dbl_release_before before = DBL_RELEASE_NOT_SENT;

	if (rc == 0 && f->request.changed > 0)
		return 0;
	if (rc == DBLOCK_E_UNSURE || f->request.resent)
		before = DBL_RELEASE_UNSURE;
	else if (rc == 0)
		before = DBL_RELEASE_FOUND_NOTHING;
	return dbl_release_again(f->lock, before, err);
}

int dbl_release_parts(struct dblock_lock *lock, struct dblock_error *err)
{
	struct freeing *freeing = dbl_alloc(lock->n_parts * sizeof(*freeing));
	struct dbl_member members[DBL_BATCH_MAX];
	unsigned n = freeing ? free_all(lock, freeing, members) : 0, at = 0;
	int rc = 0;

	for (unsigned i = 0; i < lock->n_parts; i++) {
		struct dblock_lock *part = lock->parts[i];
		struct dblock_error *told = rc ? NULL : err;
		bool sent = at < n && freeing[at].lock == part;
		int one = sent ? free_again(&freeing[at], members[at].rc, told)
			       : dbl_release_one(part, told);

		at += sent;
		(void)dbl_grant_try(part, DBL_DONE); /* a transaction may have */
		rc = rc ? rc : one;
	}
	dbl_free(freeing);
	return rc;
}
