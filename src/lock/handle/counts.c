/* SPDX-License-Identifier: MIT */
/* How often a lock was entered, as its row shows it to people. */
#include <string.h>

#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/handle/own.h"

/* All that one write of a count needs, copied from the handle. */
struct count {
	char name[DBL_NAME_MAX + 1];
	int64_t token, nonce, count;
	const struct dbl_carrier *carrier;
};

/* Takes one count that its row does not show yet; false: there is none. */
static bool take_count(struct dbl_locks *locks, struct count *out)
{
	struct dblock_lock *lock;

	dbl_lock(&locks->mutex);
	for (lock = locks->handles->held.first; lock; lock = lock->next) {
		if (lock->count != lock->count_written && lock->n_parts == 0 &&
		    !locks->hooks->is_attached(locks, lock))
			break;
	}
	DBL_ASSERT(!lock || lock->count > 0, "%s", lock->name);
	if (lock) {
		memcpy(out->name, lock->name, strlen(lock->name) + 1);
		out->token = dbl_row_token(lock);
		out->nonce = lock->grant.nonce;
		out->carrier = lock->grant.carrier;
		out->count = lock->count_written = lock->count;
	}
	dbl_unlock(&locks->mutex);
	return lock != NULL;
}

void dbl_handle_write_counts(void *ctx, struct dbl_link *link, int64_t deadline)
{
	struct dbl_locks *locks = ctx;
	struct count c;

	while (dbl_now(locks->env) < deadline && take_count(locks, &c)) {
		struct dbl_value args[] = {dbl_text(c.name), dbl_int(c.token), dbl_int(c.nonce),
					   dbl_int(c.count)};
		struct dbl_request request = {
			.op = c.carrier->reentry, .args = DBL_ARGS(args), .deadline = deadline};

		/* The count is only shown to people: a failed write is not worth a retry. */
		(void)dbl_link_run(link, &request, NULL);
	}
}
