/* SPDX-License-Identifier: MIT */
/*
 * A file descriptor that becomes readable at a time, or at once when it is rung: for poll(2) and
 * epoll(7). It stays so until it is set anew. A timerfd(2): one descriptor for both.
 */
#ifndef DBL_BASE_ALARM_H
#define DBL_BASE_ALARM_H

#include "base/env.h"

/* -1: no descriptor to be had. */
int dbl_alarm_new(void);
void dbl_alarm_free(int fd); /* -1 is allowed */

/* Not readable before `until`; DBL_NEVER: unless it is rung. What was rung before is forgotten. */
void dbl_alarm_set(int fd, const struct dbl_env *env, int64_t until);

/* Readable from now on; -1 is allowed. Any thread, also in a signal handler. */
void dbl_alarm_ring(int fd);

/* Sleep until it is readable. */
void dbl_alarm_wait(int fd);

#endif
