/* SPDX-License-Identifier: MIT */
/* What a process does with dblock: it opens a client, lets its threads work with locks by chance,
 * gives everything back, closes, and begins again. */
#ifndef TESTS_SIM_CLIENT_H
#define TESTS_SIM_CLIENT_H

#include <dblock/dblock.h>
#include <stddef.h>

#include "base/thread.h"
#include "sim/world.h"

/* The main thread of a process. */
void *client_main(void *process);

/* Returns the name of the lock with this index. */
const char *client_name(int index);
int client_name_index(const char *text, size_t len);

/* Lets one thread work until there is no more to do; then it holds nothing. */
void client_work(struct process *);

/* A wait that its thread drives. */
struct drive {
	struct process *process;
	struct dblock_wait *wait;
	struct dbl_thread canceler;
	int64_t patience; /* us, for this wait */
	bool canceled;
};

/* Does the same as dblock_acquire(), step by step; by chance the wait is canceled, or given up
 * (DBLOCK_CANCELED, too). The caller has to end it. */
int client_drive(struct drive *, const char *name, const struct dblock_acquire_options *,
		 struct dblock_lock **, struct dblock_error *);
void client_drive_end(struct drive *);

/* Breaks the world if a call returns an outcome that it must never have. */
void client_expect(struct process *, const char *call, int rc, const struct dblock_error *);

/* Lets this thread sleep. */
void client_sleep(struct process *, int64_t us);

#endif
