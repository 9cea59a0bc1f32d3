/* SPDX-License-Identifier: MIT */
/* The front of `dblock run`: the process that the shell has started. */
#ifndef DBL_CLI_FRONT_H
#define DBL_CLI_FRONT_H

#include "guard.h"

/* Pass on to the keeper what is sent to us, until it ends. Returns the exit code. */
int dbl_front(const struct dbl_guard *, pid_t keeper);

#endif
