/* SPDX-License-Identifier: MIT */
/* Opening a client for a wait: a server without a free connection is something to wait for. */
#ifndef DBL_CLI_ENTER_H
#define DBL_CLI_ENTER_H

#include "cli/lock/take.h"

/* Open a client; but where the server has no connection left it goes on trying, within the wait
 * of `take`, from which that time is taken away; the first time it says so. False: *code is the
 * exit code, and what is wrong has been said; a signal is in `signals`. */
bool dbl_enter(const struct dbl_cli *, int64_t ttl_ms, struct dbl_take *, struct dbl_signals *,
	       struct dblock_client **, int *code);

#endif
