/* SPDX-License-Identifier: MIT */
/* To be preloaded into PostgreSQL: its clock is a day ahead. What PostgreSQL waits for is not counted by that
 * clock. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { DAY_S = 24 * 3600 };

int clock_gettime(clockid_t clock, struct timespec *t)
{
	long rc = syscall(SYS_clock_gettime, clock, t);

	if (rc == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		t->tv_sec += DAY_S;
	return (int)rc;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *t)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}
