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

/* Names of locks. */
const char *client_name(int index);
int client_name_index(const char *text, size_t len);

/* One thread at work, until there is no more to do; then it holds nothing. */
void client_work(struct process *);

/* A wait that its thread drives. */
struct drive {
	struct process *process;
	struct dblock_wait *wait;
	struct dbl_thread canceler;
	int64_t patience; /* us, of that one */
	bool canceled;
};

/* The same as dblock_acquire(), step by step; by chance it is canceled, or given up
 * (DBLOCK_CANCELED, too). To be ended. */
int client_drive(struct drive *, const char *name, const struct dblock_acquire_options *,
		 struct dblock_lock **, struct dblock_error *);
void client_drive_end(struct drive *);

/* An outcome that a call must never have. */
void client_expect(struct process *, const char *call, int rc, const struct dblock_error *);

/* Let this thread sleep. */
void client_sleep(struct process *, int64_t us);

#endif
