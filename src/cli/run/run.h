/* SPDX-License-Identifier: MIT */
/* What `dblock run` and `dblock elect` share: a command under a lock. */
#ifndef DBL_CLI_RUN_H
#define DBL_CLI_RUN_H

#include "cli/lock/take.h"
#include "cli/run/guard.h"

struct dbl_run_options {
	struct dbl_take take; /* first: see dbl_take_args */
	int64_t ttl_ms;
	int64_t kill_after_ms;  /* -1: the default */
	const char *on_request; /* a signal's name; NULL: none */
	const char *line;       /* a line for a shell, in place of words; or NULL */
	const char *rate;       /* "10/min": run it as often, under no lock; or NULL */
	bool close;
	bool no_fork;
};

/* The rows of an option table that both have; `at`: the offset of struct dbl_run_options. */
#define DBL_RUN_ARGS(at)                                                                           \
	DBL_DURATION_ARG("ttl", 0, (at) + offsetof(struct dbl_run_options, ttl_ms),                \
			 DBLOCK_TTL_MIN_MS, DBLOCK_TTL_MAX_MS,                                     \
			 "free the lock if we are dead for so long; default 30s"),                 \
		DBL_DURATION_ARG("kill-after", 0,                                                  \
				 (at) + offsetof(struct dbl_run_options, kill_after_ms), 0,        \
				 DBLOCK_TTL_MAX_MS,                                                \
				 "time from TERM to KILL if the lock is lost; default 5s"),        \
		DBL_DURATION_ARG("settle", 0,                                                      \
				 (at) + offsetof(struct dbl_run_options, take.how.settle_ms), 0,   \
				 DBLOCK_TTL_MAX_MS,                                                \
				 "if we are killed, keep the lock so long for what was sent")

/* Start a keeper, which takes the lock and has the command run, once. Returns its pid; -1: it could
 * not be started, which has been said. In the keeper itself this returns 0 when all is over, and
 * *code is its exit code. */
pid_t dbl_run_start(struct dbl_guard *, const struct dbl_cli *, struct dbl_signals *,
		    const struct dbl_run_options *, char *const *command, int *code);

/* ---- with --rate: rate.c --------------------------------------------------------------------- */

/* Is it one, and are there no options about a lock? ttl_ms: its default. An exit code; this says what is wrong. */
int dbl_run_rate_check(const struct dbl_cli *, const struct dbl_run_options *, int64_t ttl_ms);

/* Take one, and become the command. Returns an exit code if that cannot be. */
int dbl_run_rate(struct dbl_cli *, char *const *command);

#endif
