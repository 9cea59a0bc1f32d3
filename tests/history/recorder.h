/* SPDX-License-Identifier: MIT */
/* A client's diary: each client has one file, which stays whoever kills the client. */
#ifndef TESTS_HISTORY_RECORDER_H
#define TESTS_HISTORY_RECORDER_H

#include "history/event.h"

struct recorder {
	int fd;
	int client;
};

/* Makes the file of this client in the folder. Returns false with errno. */
bool recorder_open(struct recorder *, const char *folder, int client);
void recorder_close(struct recorder *);

/* Writes an event down. Its time is now, and its client the recorder's, unless the event says
 * otherwise. Each event is one write(2), which has happened when this returns. Any thread may call
 * this. */
void record(struct recorder *, struct event);

#endif
