/* SPDX-License-Identifier: MIT */
/* The command of `dblock run`. */
#ifndef DBL_CLI_CHILD_H
#define DBL_CLI_CHILD_H

#include "cli.h"
#include "signals.h"

/* Run a command with the signals and the environment that we were given ourselves, plus DBLOCK_NAME
 * and DBLOCK_TOKEN, and pass on to it what is sent to us. Returns its exit code as a shell would
 * say it: 128 + n if signal n ended it, 127 or 126 (and says so) if it could not be run. */
int dbl_child_run(const struct dbl_cli *, const struct dbl_signals *, char *const *command,
		  const char *name, int64_t token);

#endif
