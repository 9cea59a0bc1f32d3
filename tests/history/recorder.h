/* SPDX-License-Identifier: MIT */
/* A client's diary: one file each, which whoever kills the client cannot take back. */
#ifndef TESTS_HISTORY_RECORDER_H
#define TESTS_HISTORY_RECORDER_H

#include "history/event.h"

struct recorder {
	int fd;
	int client;
};

/* A file for this client in the folder. false: see errno. */
bool recorder_open(struct recorder *, const char *folder, int client);
void recorder_close(struct recorder *);

/* Write it down, as of now unless it says when, as by this recorder's client unless it says whose.
 * Each event is one write(2), which has happened when this returns. Any thread may. */
void record(struct recorder *, struct event);

#endif
