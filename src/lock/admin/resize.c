/* SPDX-License-Identifier: MIT */
/*
 * A semaphore's capacity, in its lock's row. What was read of a queue before the capacity changed grants nothing
 * any more, as the change raises queue_version, which each grant to rows compares (grant, enter): so at the moment
 * of a grant the sum of all permits is at most what is stored then. Who stores it advances the queue.
 */
#include "lock/admin/pool.h"
#include "lock/core/cancel.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/queue/advance.h"

/* Each round another one has resized it, or its row was made. */
enum { ROUNDS = 16 };

/* What is alive and uses the name as a lock keeps it from being a semaphore. */
static int check_kind(struct dbl_queue *queue, const char *name, struct dblock_error *err)
{
	bool stored = queue->stored, alone;
	const struct dbl_row *row;

	queue->stored = true; /* as it is going to be: no capacity that is named matters */
	row = dbl_queue_misfit(queue, INT64_MAX, DBLOCK_PERMITS, DBLOCK_CAPACITY_STORED, &alone);
	queue->stored = stored;
	if (!row && !alone)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"'%s' is in use as a lock without permits: it can get a capacity when "
			"nobody holds it or waits for it, or use another name",
			name);
}

/* DBLOCK_WAITING: another round is needed. */
static int store(struct dbl_locks *locks, const char *name, int64_t capacity,
		 struct dbl_queue *queue, int64_t deadline, struct dblock_error *err)
{
	struct dbl_value args[3] = {dbl_text(name), dbl_int(capacity)};
	struct dbl_request make = {
		.op = DBL_OP_name_new, .args = DBL_ARG(args[0]), .deadline = deadline};
	struct dbl_request request = {
		.op = DBL_OP_resize, .args = DBL_ARGS(args), .deadline = deadline};
	int rc = dbl_queue_read(locks, name, deadline, queue, err);

	if (rc == 0 && !queue->found) {
		rc = dbl_retry_while_locked(locks, &make, err);
		return rc ? rc : DBLOCK_WAITING;
	}
	if (rc || (queue->stored && queue->capacity == capacity))
		return rc;
	rc = check_kind(queue, name, err);
	args[2] = dbl_int_if(queue->stored, queue->capacity);
	if (rc == 0)
		rc = dbl_run_durable(locks, &request, err);
	if (rc)
		return rc;
	return request.changed > 0 ? 0 : DBLOCK_WAITING;
}

int dbl_pool_resize(struct dbl_locks *locks, const char *name, int64_t capacity,
		    struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct dbl_queue queue = {.n = 0};
	int64_t deadline = dbl_locks_deadline(locks);
	int rc = DBLOCK_WAITING;

	for (int round = 0; round < ROUNDS && rc == DBLOCK_WAITING; round++)
		rc = store(locks, name, capacity, &queue, deadline, err);
	dbl_queue_free(&queue);
	if (rc == DBLOCK_WAITING)
		return dbl_fail(err, DBLOCK_E_CONFLICT, "'%s' is being resized by others", name);
	return rc ? rc : dbl_queue_advance(locks, name, deadline, err);
}

int dbl_pool_capacity(struct dbl_locks *locks, const char *name, int64_t *capacity,
		      struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct dbl_queue queue = {.n = 0};
	int rc = dbl_queue_read(locks, name, dbl_locks_deadline(locks), &queue, err);
	bool stored = queue.stored;

	*capacity = queue.capacity;
	dbl_queue_free(&queue);
	if (rc || stored)
		return rc;
	return dbl_fail(err, DBLOCK_STALE,
			"'%s' has no capacity that is stored: each who acquires it names one",
			name);
}
