/* SPDX-License-Identifier: MIT */
#include "history/recorder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool recorder_open(struct recorder *r, const char *folder, int client)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%06d.events", folder, client);
	r->client = client;
	r->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	return r->fd >= 0;
}

void recorder_close(struct recorder *r)
{
	close(r->fd);
	r->fd = -1;
}

/* A history with a hole proves nothing, so a failed write ends the process. */
void record(struct recorder *r, struct event e)
{
	char text[EVENT_TEXT_MAX];
	size_t len;

	if (!e.at)
		e.at = event_now();
	if (!e.client)
		e.client = r->client;
	len = event_write(&e, text);
	if (write(r->fd, text, len) != (ssize_t)len) {
		perror("recorder");
		abort();
	}
}
