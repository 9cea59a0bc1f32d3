/* SPDX-License-Identifier: MIT */
/* The signals that ask us to end: taken when we want them, never in the middle of something. */
#ifndef DBL_CLI_SIGNALS_H
#define DBL_CLI_SIGNALS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

struct dbl_signals {
	sigset_t original; /* the mask as we found it */
	sigset_t ours; /* TERM INT HUP QUIT USR1 USR2, but for those that we were made to ignore */
	int caught;    /* the one that came, or 0 */
	int fatal;     /* if not 0, one that ended the command: of the front */
	pid_t parent;  /* if not 0: its death is as good as a TERM */
};

/* Block them, with CHLD and PIPE. */
void dbl_signals_block(struct dbl_signals *);

/* Has one come? Its number is also kept in `caught`. For struct dblock_acquire_options.canceled. */
int dbl_signals_pending(void *signals);

/* Wait so long for one; as above. */
int dbl_signals_wait(struct dbl_signals *, int64_t ms);

/* At the very end: if our exit code is that of a signal that ended the command, or the wait, then
 * end by it: so a shell that runs us in a loop knows that it was told to stop. Returns the code
 * where that is not so. */
int dbl_signals_end(const struct dbl_signals *, int code);

#endif
