/* SPDX-License-Identifier: MIT */
#include "lock/handle/carrier.h"

static void leave_queue(struct dbl_session *session, struct dbl_cleanup *cleanup, int64_t token,
			int64_t nonce)
{
	(void)token;
	dbl_session_leave_queue(session, cleanup, nonce);
}

const struct dbl_carrier dbl_own_row = {
	.release = DBL_OP_release,
	.extend = DBL_OP_extend,
	.reentry = DBL_OP_reentry,
	.value = DBL_OP_set_value,
	.fence_share = DBL_OP_fence_share,
	.fence_update = DBL_OP_fence_update,
	.fence_write = DBL_OP_fence_write,
	.idle = DBL_OP_fence_idle,
	.give_back = dbl_session_give_back,
};

const struct dbl_carrier dbl_queue_row_carrier = {
	.release = DBL_OP_row_release,
	.extend = DBL_OP_row_extend,
	.reentry = DBL_OP_row_reentry,
	.value = DBL_OP_row_value,
	.fence_share = DBL_OP_fence_row_share,
	.fence_update = DBL_OP_fence_row_update,
	.fence_write = DBL_OP_fence_row_write,
	.idle = DBL_OP_fence_row_idle,
	.give_back = leave_queue,
};
