/* SPDX-License-Identifier: MIT */
/*
 * Ends a call at its deadline. Both client libraries count time-outs in whole seconds, start them
 * anew with every packet, and cannot change them on an open connection; neither looks at
 * SO_RCVTIMEO. What both obey at once is the end of the socket: so a thread shuts it down.
 */
#ifndef DBL_DRIVER_MYSQL_GUARD_H
#define DBL_DRIVER_MYSQL_GUARD_H

#include "base/thread.h"

struct dbl_mysql_guard {
	const struct dbl_env *env;
	struct dbl_mutex lock;
	struct dbl_cond wake;
	struct dbl_thread thread;
	/* Under the lock: */
	int fd;               /* our own duplicate: the library may close its own, and the number
				 may then belong to somebody else */
	int64_t due;          /* DBL_NEVER: no call is under way */
	int64_t sleeps_until; /* the thread looks again no later than this */
	bool used;            /* since the thread last looked */
	bool fired;
	bool stop;
};

/* Not 0 if there is no thread to be had. */
int dbl_mysql_guard_start(struct dbl_mysql_guard *, const struct dbl_env *);
void dbl_mysql_guard_stop(struct dbl_mysql_guard *);

/* In a child process the thread does not exist, and the lock is in whatever state: only let go of
 * the socket. */
void dbl_mysql_guard_abandon(struct dbl_mysql_guard *);

/* The socket to be shut down from now on; -1: none. false: no file descriptor left. */
bool dbl_mysql_guard_watch(struct dbl_mysql_guard *, int fd);

/* Between arm and disarm the socket is shut down once the deadline has come. Costs a mutex; the
 * thread is woken only for a deadline that is nearer than its next look. */
void dbl_mysql_guard_arm(struct dbl_mysql_guard *, int64_t deadline);

/* true: the deadline came, now or in an earlier call; the socket is shut. */
bool dbl_mysql_guard_disarm(struct dbl_mysql_guard *);

/* Shut the socket down now. */
void dbl_mysql_guard_cut(struct dbl_mysql_guard *);

#endif
