/* SPDX-License-Identifier: MIT */
/* A reaper as cron runs it, with a new client each time. */
#ifndef TESTS_SUPPORT_REAP_ONCE_H
#define TESTS_SUPPORT_REAP_ONCE_H

#include "support/kit.h"

/* Runs `dblock reap` once, without waiting. */
static inline struct dblock_reaped reap_once(void)
{
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_client *client = client_new(0);
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	options.max_time_ms = -1;
	expect(OK, dblock_reap(client, &options, &reaped, &err));
	dblock_close(client, NULL);
	return reaped;
}

#endif
