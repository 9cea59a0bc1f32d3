/* SPDX-License-Identifier: MIT */
/* Taking turns, with a deadline. */
#ifndef DBL_BASE_TURN_H
#define DBL_BASE_TURN_H

#include "base/thread.h"

/* What one thread at a time may do, where others do not wait for it beyond a time of their own. (Of
 * a mutex's timed locks, one goes by a clock that can be set, and the other is unknown to TSan.) */
struct dbl_turn {
	struct dbl_mutex mutex;
	struct dbl_cond over;
	bool taken;
};

int dbl_turn_init(struct dbl_turn *);
void dbl_turn_fini(struct dbl_turn *);
bool dbl_turn_take(struct dbl_turn *, const struct dbl_env *, int64_t until); /* false: too late */
void dbl_turn_end(struct dbl_turn *);

#endif
