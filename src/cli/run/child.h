/* SPDX-License-Identifier: MIT */
/* The command of `dblock run`. */
#ifndef DBL_CLI_CHILD_H
#define DBL_CLI_CHILD_H

#include "cli/run/guard.h"

/* Start it, as a child of the guardian: with the signals and the environment that `dblock` was
 * given itself, plus DBLOCK_NAME and DBLOCK_TOKEN (and DBLOCK_SLOT), and in the job's process
 * group. Returns its pid; negative: it could not be forked. page->error says why it could not be
 * forked or executed. */
pid_t dbl_child_start(const struct dbl_guard *);

#endif
