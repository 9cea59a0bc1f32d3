/* SPDX-License-Identifier: MIT */
/* What a name is used as while it is in use: a lock, or a semaphore of a capacity. */
#include "lock/queue/grant_policy.h"

/* The capacity of a semaphore, if it is not stored; else 0. */
static int64_t kind(const struct dbl_queue *queue, int64_t mode, int64_t capacity)
{
	if (mode != DBLOCK_PERMITS)
		return 0;
	return queue->stored || capacity <= 0 ? DBLOCK_CAPACITY_STORED : capacity;
}

/* The row is certainly alive: one that may be dead does not say what the name is used for. */
static bool is_alive(const struct dbl_row *row)
{
	int64_t left = row->by_time ? row->lease_left : row->session_left;

	if (!row->by_time && (!row->session_found || row->session_dead))
		return false;
	return left != DBL_UNKNOWN && left > 0;
}

const struct dbl_row *dbl_queue_misfit(const struct dbl_queue *queue, int64_t ticket, int64_t mode,
				       int64_t capacity, bool *alone)
{
	*alone = queue->held_alive && kind(queue, mode, capacity) != 0;
	for (unsigned i = 0; i < queue->n; i++) {
		const struct dbl_row *row = &queue->rows[i];

		if (!is_alive(row) || (!dbl_row_holds(row) &&
				       (!dbl_queue_awaits(queue, row) || row->ticket >= ticket)))
			continue;
		if (kind(queue, row->mode, row->capacity) != kind(queue, mode, capacity))
			return row;
	}
	return NULL;
}

int dbl_queue_refuse(const char *name, const struct dbl_row *row, struct dblock_error *err)
{
	if (row && row->mode == DBLOCK_PERMITS && row->capacity == 0)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s' is in use as a semaphore (host %s, pid %lld): ask for "
				"permits, or use another name",
				name, row->host, (long long)row->pid);
	if (row && row->mode == DBLOCK_PERMITS)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"'%s' is in use as a semaphore of %lld permits (host %s, pid %lld): "
			"ask for permits of that capacity, or use another name",
			name, (long long)row->capacity, row->host, (long long)row->pid);
	return dbl_fail(err, DBLOCK_E_INVALID,
			"'%s' is in use as a lock without permits: ask for it exclusive or shared, "
			"or use another name for the semaphore",
			name);
}

int dbl_queue_check_permits(const struct dbl_queue *queue, const char *name, int64_t weight,
			    int64_t capacity, struct dblock_error *err)
{
	if (!queue->stored && capacity <= 0)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"'%s' has no capacity that is stored: store one (`dblock pool resize "
			"'%s' N`), or name one",
			name, name);
	if (!queue->stored || !queue->capacity)
		return 0;
	if (capacity > 0 && capacity != queue->capacity)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s' is a semaphore of %lld permits, as is stored, not of %lld: "
				"follow that (`--capacity stored`), or change it (`dblock pool "
				"resize '%s' %lld`)",
				name, (long long)queue->capacity, (long long)capacity, name,
				(long long)capacity);
	if (weight > queue->capacity)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s' is a semaphore of %lld permits, as is stored: %lld are never "
				"to be had (`dblock pool resize` makes them more)",
				name, (long long)queue->capacity, (long long)weight);
	return 0;
}
