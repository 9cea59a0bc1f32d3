/* SPDX-License-Identifier: MIT */
/* A client takes a grant away, and is gone. */
#ifndef TESTS_SUPPORT_BREAKING_H
#define TESTS_SUPPORT_BREAKING_H

#include "support/kit.h"

/* Begins a break as a client does that dies when it has announced it: it does not wait. On a slow
 * machine a heartbeat may have the file, or the row, for longer than that: then it is tried again.
 */
static inline void begin_break(struct dblock_client *client, const char *name)
{
	struct dblock_break_options how = DBLOCK_BREAK_OPTIONS_INIT;
	int64_t until = clock_ms() + PLENTY_MS;
	struct dblock_error err = {0};
	int rc;

	how.wait_ms = 1;
	do
		rc = dblock_break(client, name, &how, &err);
	while (rc == DBLOCK_BUSY && clock_ms() < until);
	expect(TIMEOUT, rc);
	message_has("it is free when that process lets go");
}

#endif
