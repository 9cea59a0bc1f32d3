/* SPDX-License-Identifier: MIT */
/*
 * A few threads that do jobs, so that whoever has them done need not wait. Jobs begin in the order in
 * which they came, but of those with the same key one begins only when the last has ended. A thread
 * is started when there is a job and none is free, and stays.
 */
#ifndef DBL_BASE_WORKERS_H
#define DBL_BASE_WORKERS_H

#include <stdbool.h>

#include "base/env.h"

enum { DBL_WORKERS_MAX = 4 };

/* `run` is called once, and may free the job. */
struct dbl_job {
	void (*run)(struct dbl_job *);
	const void *key; /* NULL: of no other job's */
	struct dbl_job *next;
};

struct dbl_workers;

/* There is one thread to begin with, so that each job is done. NULL: no memory, or no thread. */
struct dbl_workers *dbl_workers_new(const struct dbl_env *);

/* Does the jobs that are left, and ends the threads. NULL is allowed. */
void dbl_workers_free(struct dbl_workers *);

/* Any thread may call this, a job too. Does not block. */
void dbl_workers_add(struct dbl_workers *, struct dbl_job *);

#endif
