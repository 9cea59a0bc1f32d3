/* SPDX-License-Identifier: MIT */
#include "base/alarm.h"

#include <errno.h>
#include <poll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* A time that is further away than this never comes. */
#define LONGEST_US (100LL * 366 * 24 * 3600 * 1000000)

int dbl_alarm_new(void)
{
	return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

void dbl_alarm_free(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* `in` is not 0, which would disarm the timer. */
static void set(int fd, struct timespec in)
{
	struct itimerspec timer = {.it_value = in};

	(void)timerfd_settime(fd, 0, &timer, NULL);
}

void dbl_alarm_set(int fd, const struct dbl_env *env, int64_t until)
{
	int64_t left = until - dbl_now(env);

	if (left <= 0)
		dbl_alarm_ring(fd);
	else if (left > LONGEST_US)
		set(fd, (struct timespec){0});
	else
		set(fd,
		    (struct timespec){.tv_sec = left / 1000000, .tv_nsec = left % 1000000 * 1000});
}

void dbl_alarm_ring(int fd)
{
	int before = errno;

	if (fd >= 0)
		set(fd, (struct timespec){.tv_nsec = 1});
	errno = before;
}

void dbl_alarm_wait(int fd)
{
	struct pollfd readable = {.fd = fd, .events = POLLIN};

	while (poll(&readable, 1, -1) < 0 && errno == EINTR)
		;
}

bool dbl_alarm_wait_beside(int fd, int socket)
{
	struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = socket, .events = POLLRDHUP}};

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return fds[1].revents != 0;
}
