/* SPDX-License-Identifier: MIT */
/* The end of several grants of one client: one request, for all for which nobody is known to wait. */
#include <string.h>

#include "base/mem.h"
#include "lock/core/value.h"
#include "lock/grant/release.h"
#include "lock/handle/handle.h"

struct freeing {
	struct dblock_lock *lock;
	unsigned at; /* in the list of all */
	struct dbl_value args[3];
	struct dbl_request request;
	struct dblock_error err;
};

/* Is it enough to free the row of the lock, unless somebody has joined its queue? */
static bool may_be_freed(struct dblock_lock *lock)
{
	return lock->in_tx == DBL_IN_TX_NOT && !dbl_has_queue_row(lock) && !lock->grant.handed &&
	       !lock->grant.rests && dbl_grant_left(lock) > 0;
}

static void ask(struct freeing *f, struct dblock_lock *lock, unsigned at, int64_t deadline)
{
	*f = (struct freeing){.lock = lock, .at = at};
	f->args[0] = dbl_text(lock->name);
	f->args[1] = dbl_int(dbl_row_token(lock));
	f->args[2] = dbl_int(lock->grant.nonce);
	f->request = (struct dbl_request){
		.op = DBL_OP_release, .args = DBL_ARGS(f->args), .deadline = deadline};
}

/* It changed nothing where others wait, or the lock was lost, or an earlier copy has done it. What failed
 * has had all the time that there was. */
static int heard(struct freeing *f, int rc)
{
	if (rc == 0 && f->request.changed > 0)
		return 0;
	if (rc && rc != DBLOCK_E_BLOCKED) {
		dbl_handle_give_back(f->lock, dbl_row_token(f->lock));
		return rc;
	}
	return dbl_release_again(f->lock,
				 f->request.resent ? DBL_RELEASE_UNSURE
				 : rc              ? DBL_RELEASE_NOT_SENT
						   : DBL_RELEASE_FOUND_NOTHING,
				 &f->err);
}

/* Returns how many of them are asked for. */
static unsigned ask_all(struct freeing *freeing, struct dbl_member *members,
			struct dblock_lock *const *locks, unsigned n)
{
	int64_t deadline = dbl_locks_deadline(locks[0]->locks);
	unsigned asked = 0;

	for (unsigned i = 0; i < n; i++) {
		struct freeing *f = &freeing[asked];

		if (!may_be_freed(locks[i]))
			continue;
		ask(f, locks[i], i, deadline);
		members[asked++] = (struct dbl_member){.request = &f->request, .err = &f->err};
	}
	dbl_link_run_all(locks[0]->locks->link, members, asked, NULL);
	return asked;
}

int dbl_grants_end(struct dblock_lock *const *locks, unsigned n, bool ended[],
		   struct dblock_error *err)
{
	struct freeing *freeing = dbl_alloc(n * sizeof(*freeing));
	struct dbl_member members[DBL_BATCH_MAX];
	unsigned asked = freeing ? ask_all(freeing, members, locks, n) : 0;
	int rc = 0;

	memset(ended, 0, n * sizeof(*ended));
	for (unsigned i = 0; i < asked; i++) {
		int one = heard(&freeing[i], members[i].rc);

		ended[freeing[i].at] = true;
		if (one && !rc && err)
			*err = freeing[i].err;
		rc = rc ? rc : one;
	}
	dbl_free(freeing);
	return rc;
}
