/* SPDX-License-Identifier: MIT */
#include "base/event.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int dbl_event_new(void)
{
	return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void dbl_event_set(int fd)
{
	uint64_t one = 1;
	ssize_t written;

	if (fd < 0)
		return;
	/* This fails only if the event is set already. */
	written = write(fd, &one, sizeof(one));
	(void)written;
}

void dbl_event_clear(int fd)
{
	uint64_t rings;
	ssize_t got = read(fd, &rings, sizeof(rings));

	(void)got; /* it was not set */
}

void dbl_event_free(int fd)
{
	if (fd >= 0)
		close(fd);
}
