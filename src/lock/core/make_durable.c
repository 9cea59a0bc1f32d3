/* SPDX-License-Identifier: MIT */
#include "lock/core/make_durable.h"

static bool is_relaxed(const struct dbl_locks *locks)
{
	return locks->target->durability == DBLOCK_RELAXED;
}

int dbl_make_all_durable(struct dbl_locks *locks, int64_t deadline, struct dblock_error *err)
{
	struct dbl_request request = {.op = DBL_OP_settle, .deadline = deadline};

	return dbl_link_run(dbl_durable_link(locks, true), &request, err);
}

int dbl_make_durable(struct dbl_locks *locks, int64_t deadline, struct dblock_error *err)
{
	return is_relaxed(locks) ? dbl_make_all_durable(locks, deadline, err) : 0;
}
