/* SPDX-License-Identifier: MIT */
#include "lock/core/make_durable.h"

static bool is_relaxed(const struct dbl_locks *locks)
{
	return locks->target->durability == DBLOCK_RELAXED;
}

int dbl_settle_anyway(struct dbl_locks *locks, int64_t deadline, struct dblock_error *err)
{
	struct dbl_request request = {.op = DBL_OP_settle, .deadline = deadline};

	return dbl_link_run(dbl_settled_link(locks, true), &request, err);
}

int dbl_settle(struct dbl_locks *locks, int64_t deadline, struct dblock_error *err)
{
	return is_relaxed(locks) ? dbl_settle_anyway(locks, deadline, err) : 0;
}
