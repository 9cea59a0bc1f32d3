/* SPDX-License-Identifier: MIT */
/* A client waits, and others hold the lock meanwhile. */
#ifndef TESTS_UNIT_HISTORY_WAIT_H
#define TESTS_UNIT_HISTORY_WAIT_H

#include "tape.h"

/* Client 2 waits from 10 on and gets the lock in the end. Other events come in between. */
static inline struct tape somebody_waits(int64_t until)
{
	struct tape t = tape_new(3);

	calls(&t, 10, 2, 1, FOR_EVER);
	gets(&t, until, 2, 1, 1000);
	gives(&t, until + 1, 2, 1, 1000);
	return t;
}

static inline void has_it(struct tape *t, int64_t ms, int64_t until, int64_t token)
{
	calls(t, ms, 1, (int)token, FOR_EVER);
	gets(t, ms, 1, (int)token, token);
	gives(t, until, 1, (int)token, token);
}

#endif
