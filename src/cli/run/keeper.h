/* SPDX-License-Identifier: MIT */
/* The keeper of `dblock run`: it has the client, and the lock. */
#ifndef DBL_CLI_KEEPER_H
#define DBL_CLI_KEEPER_H

#include "cli/run/guard.h"

/* In the process forked by the front, before it opens a client: fork the guardian. Returns an exit
 * code, having said what is wrong. */
int dbl_keeper_begin(struct dbl_guard *);

/* We hold the lock: have the command run, and come back when it has ended, or was ended. Returns an
 * exit code, having said what is wrong. */
int dbl_keeper_run(const struct dbl_guard *, const struct dblock_lock *);

/* For struct dbl_take, on a thread of the library's: say so, and have the guardian told. */
void dbl_keeper_requested(void *guard, struct dblock_lock *, const struct dblock_request *);

/* Likewise: the guardian is to know at once. */
void dbl_keeper_lost(void *guard, struct dblock_lock *);

/* There will be no command: end the guardian, if there is one. */
void dbl_keeper_dismiss(const struct dbl_guard *);

#endif
