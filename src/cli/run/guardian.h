/* SPDX-License-Identifier: MIT */
/* The guardian of `dblock run`: the command's parent. */
#ifndef DBL_CLI_GUARDIAN_H
#define DBL_CLI_GUARDIAN_H

#include "cli/run/guard.h"

/* Fork it, from the keeper, before there is any thread or connection. It runs the command when it
 * is ordered to. Returns its pid; negative: errno says why not. */
pid_t dbl_guardian_fork(const struct dbl_guard *);

#endif
