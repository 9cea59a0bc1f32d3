/* SPDX-License-Identifier: MIT */
/* A file descriptor that becomes readable at a time, or at once when it is rung: for poll(2) and
 * epoll(7). It stays so until it is set again. A timerfd(2), as one descriptor serves both. */
#ifndef DBL_BASE_ALARM_H
#define DBL_BASE_ALARM_H

#include <stdbool.h>

#include "base/env.h"

/* -1: there is no descriptor left. */
int dbl_alarm_new(void);
void dbl_alarm_free(int fd); /* -1 is allowed */

/* Readable at `until`, not before; with DBL_NEVER only when rung. Earlier rings are forgotten. */
void dbl_alarm_set(int fd, const struct dbl_env *env, int64_t until);

/* Make it readable now; -1 is allowed. To be called in any thread, also in a signal handler. */
void dbl_alarm_ring(int fd);

/* Sleep until it is readable. */
void dbl_alarm_wait(int fd);

/* The same, but no longer than the other end of that socket is there. True: it is gone. */
bool dbl_alarm_wait_beside(int fd, int socket);

#endif
