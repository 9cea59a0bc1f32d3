/* SPDX-License-Identifier: MIT */
/* base/alarm.h, in the place of src/base/alarm.c: a descriptor is the number of an alarm of the
 * process. */
#include "base/alarm.h"

#include "sim/schedule.h"

static struct alarm *alarm_of(int fd)
{
	return &coroutine_self()->process->alarms[fd];
}

int dbl_alarm_new(void)
{
	for (int fd = 0; fd < PROCESS_ALARMS_MAX; fd++) {
		if (alarm_of(fd)->used)
			continue;
		*alarm_of(fd) = (struct alarm){.used = true, .until = DBL_NEVER};
		return fd;
	}
	return -1;
}

void dbl_alarm_free(int fd)
{
	if (fd >= 0)
		alarm_of(fd)->used = false;
}

void dbl_alarm_set(int fd, const struct dbl_env *env, int64_t until)
{
	(void)env;
	alarm_of(fd)->until = until;
	schedule_wake(coroutine_self()->process, alarm_of(fd));
}

void dbl_alarm_ring(int fd)
{
	if (fd >= 0)
		dbl_alarm_set(fd, NULL, 0);
}

void dbl_alarm_wait(int fd)
{
	struct process *p = coroutine_self()->process;
	struct alarm *alarm = alarm_of(fd);

	while (process_clock(p) < alarm->until)
		schedule_wait(alarm, alarm->until == DBL_NEVER ? SCHEDULE_NEVER
							       : process_when(p, alarm->until));
}

/* A connection of the simulator's is no socket. */
bool dbl_alarm_wait_beside(int fd, int socket)
{
	(void)socket;
	dbl_alarm_wait(fd);
	return false;
}
