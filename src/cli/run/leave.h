/* SPDX-License-Identifier: MIT */
/* The keeper's last part: give the lock back, and end the session. */
#ifndef DBL_CLI_LEAVE_H
#define DBL_CLI_LEAVE_H

#include "cli/run/guard.h"

/* All is over; lock: NULL if it was not had. Gives back what is held, marks what was done once, and
 * closes the client; says what went wrong. Returns the exit code: `code`, unless the lock turns out
 * to have been lost. If the database does not answer it is not waited for beyond one request's time
 * (after a loss, 2 s), nor beyond a signal: then this says so, and ends the process. */
int dbl_leave(const struct dbl_guard *, struct dblock_client *, struct dblock_lock *lock, int code);

#endif
