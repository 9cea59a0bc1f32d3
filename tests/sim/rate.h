/* SPDX-License-Identifier: MIT */
/* A rate that threads take of, and what they were allowed. */
#ifndef TESTS_SIM_RATE_H
#define TESTS_SIM_RATE_H

#include <stdint.h>

struct process;

enum { RATE_TAKES_MAX = 512 };

/* Each take: its turn came between these, by the server's clock as if it had never been set back. */
struct rate_history {
	struct rate_take {
		int64_t lo, hi, n;
	} takes[RATE_TAKES_MAX];
	int n;
};

/* Calls dblock_rate_take(), with numbers by chance; checks that no window has more than its rate. */
void rate_any(struct process *);

#endif
