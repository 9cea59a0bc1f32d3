/* SPDX-License-Identifier: MIT */
/* base/host.h, in the place of src/base/host.c: who and where a simulated process is. */
#include "base/host.h"

#include <stdio.h>

#include "sim/world.h"

void dbl_host_read(struct dbl_host *host)
{
	*host = (struct dbl_host){.app = "sim"};
	host->pid = dbl_host_pid();
	/* Each process is a machine with its own clock. */
	snprintf(host->clock, sizeof(host->clock), "%d/%lld", (int)host->pid,
		 (long long)coroutine_self()->process->origin);
	snprintf(host->name, sizeof(host->name), "host%d",
		 coroutine_self()->world->one_host ? 0 : (int)host->pid);
}

void dbl_host_user(char *user, size_t size)
{
	snprintf(user, size, "sim");
}

/* By the linker (--wrap) these are in the place of the C library's: their callers are inline. */
pid_t __wrap_gettid(void);
pid_t __wrap_getpid(void);

pid_t __wrap_getpid(void)
{
	return coroutine_self()->process->number + 1;
}

pid_t __wrap_gettid(void)
{
	return (pid_t)coroutine_self()->id;
}
