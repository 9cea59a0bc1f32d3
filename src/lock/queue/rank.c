/* SPDX-License-Identifier: MIT */
#include "lock/queue/rank.h"

#include <stdlib.h>

static void set_ranks(struct dbl_row *rows, unsigned n)
{
	int64_t joined = INT64_MAX;

	for (unsigned i = n; i > 0; i--) {
		struct dbl_row *row = &rows[i - 1];

		if (row->since < joined)
			joined = row->since;
		row->rank = joined - row->priority * DBLOCK_PRIORITY_AGE_MS * 1000;
	}
}

static int by_rank(const void *one, const void *other)
{
	const struct dbl_row *a = one, *b = other;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->ticket < b->ticket ? -1 : a->ticket > b->ticket;
}

void dbl_rank(struct dbl_queue *queue)
{
	unsigned holders = dbl_queue_holders(queue), n = queue->n - holders;

	set_ranks(queue->rows + holders, n);
	qsort(queue->rows + holders, n, sizeof(*queue->rows), by_rank);
}
