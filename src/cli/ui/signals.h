/* SPDX-License-Identifier: MIT */
/* The signals that ask us to end: they are taken when we wait for them, and interrupt nothing. */
#ifndef DBL_CLI_SIGNALS_H
#define DBL_CLI_SIGNALS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

struct dbl_signals {
	sigset_t original; /* the mask before */
	sigset_t ours;     /* TERM INT HUP QUIT USR1 USR2, but those that are ignored */
	int caught;        /* the signal that came, or 0 */
	int fatal;         /* in the front: the signal that ended the command, or 0 */
	pid_t parent;      /* if not 0, the death of this process counts as a TERM */
};

/* Block our signals, and CHLD and PIPE. */
void dbl_signals_block(struct dbl_signals *);

/* Has one come? Then its number is in `caught`, too. For struct dblock_acquire_options.canceled. */
int dbl_signals_pending(void *signals);

/* The same, waiting so long for one. */
int dbl_signals_wait(struct dbl_signals *, int64_t ms);

/* To be called last: if our exit code is that of a signal that ended the command, or the wait, end
 * by that signal: so a shell that runs us in a loop sees that it has to stop. Else this returns the
 * code. */
int dbl_signals_end(const struct dbl_signals *, int code);

#endif
