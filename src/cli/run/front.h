/* SPDX-License-Identifier: MIT */
/* The front of `dblock run`: the process that the shell has started. */
#ifndef DBL_CLI_FRONT_H
#define DBL_CLI_FRONT_H

#include "cli/run/guard.h"

/* Pass on to the keeper what is sent to us, until it ends. Returns the exit code. */
int dbl_front(const struct dbl_guard *, pid_t keeper);

/* The same for who will start another one: it keeps its input and output. */
int dbl_front_term(const struct dbl_guard *, pid_t keeper);

#endif
