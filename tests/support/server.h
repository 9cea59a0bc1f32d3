/* SPDX-License-Identifier: MIT */
/* A database server of the test's own, which can be killed and stopped without disturbing others.
 */
#ifndef TESTS_SUPPORT_SERVER_H
#define TESTS_SUPPORT_SERVER_H

#include "support/kit.h"

/* Starts it, with its tables; there can be one at a time. Any failure fails the test. */
void server_start(void);
void server_stop(void);

/* Returns its URL, over TCP. */
const char *server_url(void);

/* Sends a signal to all of its processes. After SIGKILL it is as if the machine had died, but for
 * its disk. */
void server_signal(int signal);

/* It ends in its own time, and tells its clients so; returns when it is gone. */
void server_shut_down(void);

/* Starts it again, on the same data and port. */
void server_restart(void);

/* For PostgreSQL: gives it a standby of the name "b"; lets that standby die. */
void server_follow(void);
void server_unfollow(void);

/* Where that standby is: "127.0.0.1:port". Good until the next call of this header's. */
const char *server_standby(void);

/* Returns a client of this server. ttl_ms 0: the default. */
struct dblock_client *server_client(int64_t ttl_ms);

#endif
