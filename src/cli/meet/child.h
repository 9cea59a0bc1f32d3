/* SPDX-License-Identifier: MIT */
/* The command that is run while all parties of a barrier are in. */
#ifndef DBL_CLI_MEET_CHILD_H
#define DBL_CLI_MEET_CHILD_H

#include "cli/ui/cli.h"
#include "cli/ui/signals.h"

/* Run it, pass our signals on to it, and wait for its end. Returns its exit code, 128 + n if a signal has ended it; or 126
 * or 127, having said why it cannot be run. If we die, so does it. */
int dbl_meet_run(const struct dbl_cli *, struct dbl_signals *, char *const *command);

#endif
