/* SPDX-License-Identifier: MIT */
/* base/latch.h, in the place of src/base/latch.c: with coroutines. */
#include "base/latch.h"

#include "sim/schedule.h"

void dbl_latch_wake(struct dbl_latch *latch)
{
	schedule_wake(coroutine_self()->process, latch);
}

uint32_t dbl_latch_wait(struct dbl_latch *latch, uint32_t seen, const struct dbl_env *env,
			int64_t until)
{
	int64_t now;

	/* A thread that reads the clock may be preempted: so it checks the word after that, and the
	 * wait begins in the same moment, as a futex's does. */
	while ((now = dbl_now(env), dbl_latch_get(latch) == seen) && now < until)
		schedule_wait(latch, process_when(env->ctx, until));
	return dbl_latch_get(latch);
}
