/* SPDX-License-Identifier: MIT */
/* A file descriptor that becomes readable: for poll(2) and epoll(7). */
#ifndef DBL_BASE_EVENT_H
#define DBL_BASE_EVENT_H

/* -1: there is no descriptor left. */
int dbl_event_new(void);
void dbl_event_set(int fd);   /* readable from now on; -1 is allowed */
void dbl_event_clear(int fd); /* not any more */
void dbl_event_free(int fd);  /* -1 is allowed */

#endif
