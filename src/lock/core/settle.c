/* SPDX-License-Identifier: MIT */
#include "lock/core/settle.h"

static bool is_relaxed(const struct dbl_locks *locks)
{
	return locks->target->durability == DBLOCK_RELAXED;
}

struct dbl_link *dbl_settled_link(const struct dbl_locks *locks, bool outlives)
{
	return outlives && locks->steady ? locks->steady : locks->link;
}

static int settle(struct dbl_locks *locks, int64_t deadline, struct dblock_error *err)
{
	struct dbl_request request = {.op = DBL_OP_settle, .deadline = deadline};

	return dbl_link_run(dbl_settled_link(locks, true), &request, err);
}

int dbl_settle(struct dbl_locks *locks, int64_t deadline, struct dblock_error *err)
{
	return is_relaxed(locks) ? settle(locks, deadline, err) : 0;
}

int dbl_settle_grant(struct dblock_lock *lock, int64_t deadline, struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;

	if (!lock->handed)
		return 0;
	if (is_relaxed(locks) ? lock->has_lease || lock->rests : locks->target->dialect->is_file)
		return settle(locks, deadline, err);
	return 0;
}
