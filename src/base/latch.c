/* SPDX-License-Identifier: MIT */
#include "base/latch.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* No single wait is longer than this: FUTEX_WAIT counts on CLOCK_MONOTONIC, which stands still
 * while the machine sleeps. */
#define LONGEST_WAIT_US 1000000LL

/* The latch may have been freed, and its address be another futex by now: its waiter then wakes up
 * for nothing, which every user of a futex has to expect. */
void dbl_latch_wake(struct dbl_latch *latch)
{
	syscall(SYS_futex, &latch->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

uint32_t dbl_latch_wait(struct dbl_latch *latch, uint32_t seen, const struct dbl_env *env,
			int64_t until)
{
	uint32_t value;
	int64_t left;

	while ((value = dbl_latch_get(latch)) == seen && (left = until - dbl_now(env)) > 0) {
		struct timespec t;

		left = left < LONGEST_WAIT_US ? left : LONGEST_WAIT_US;
		t.tv_sec = left / 1000000;
		t.tv_nsec = left % 1000000 * 1000;
		syscall(SYS_futex, &latch->word, FUTEX_WAIT_PRIVATE, seen, &t, NULL, 0);
	}
	return value;
}
