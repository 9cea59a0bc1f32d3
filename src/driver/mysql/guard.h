/* SPDX-License-Identifier: MIT */
/* A guard ends calls at their deadline. Both client libraries count time-outs in whole seconds,
 * restart them with every packet, and cannot change them on an open connection; neither heeds
 * SO_RCVTIMEO. Both stop at once when the socket is shut down: so a thread does that. */
#ifndef DBL_DRIVER_MYSQL_GUARD_H
#define DBL_DRIVER_MYSQL_GUARD_H

#include "base/thread.h"

struct dbl_mysql_guard {
	const struct dbl_env *env;
	struct dbl_mutex lock;
	struct dbl_cond wake;
	struct dbl_thread thread;
	/* Under the lock: */
	int fd;               /* our own duplicate, as the library may close its own */
	int64_t due;          /* DBL_NEVER: no call is under way */
	int64_t sleeps_until; /* the latest time at which the thread looks again */
	bool used;            /* it was used since the thread last looked */
	bool fired;
	bool stop;
};

/* Not 0: no thread could be started. */
int dbl_mysql_guard_start(struct dbl_mysql_guard *, const struct dbl_env *);
void dbl_mysql_guard_stop(struct dbl_mysql_guard *);

/* In a child process, where there is no such thread and the lock may be taken: only let go of the
 * socket. */
void dbl_mysql_guard_abandon(struct dbl_mysql_guard *);

/* Watch this socket from now on; -1: none. False: there is no file descriptor left. */
bool dbl_mysql_guard_watch(struct dbl_mysql_guard *, int fd);

/* Between arm and disarm the socket is shut down once the deadline has come. Costs a mutex; the
 * thread is woken only for a deadline that is nearer than its next look. */
void dbl_mysql_guard_arm(struct dbl_mysql_guard *, int64_t deadline);

/* True: the deadline came, now or in an earlier call, and the socket is shut down. */
bool dbl_mysql_guard_disarm(struct dbl_mysql_guard *);

/* Shut the socket down now. */
void dbl_mysql_guard_cut(struct dbl_mysql_guard *);

#endif
