/* SPDX-License-Identifier: MIT */
#include "lock/queue/rank.h"

#include <stdlib.h>

enum { CLASSES = DBLOCK_PRIORITY_MAX - DBLOCK_PRIORITY_MIN + 1 };

/* Who came later in a class is not ranked before who came earlier. The rows come by ticket. */
static void set_ranks(struct dbl_row *rows, unsigned n)
{
	int64_t last[CLASSES];

	for (unsigned c = 0; c < CLASSES; c++)
		last[c] = INT64_MIN;
	for (unsigned i = 0; i < n; i++) {
		struct dbl_row *row = &rows[i];
		int64_t *before = &last[row->priority - DBLOCK_PRIORITY_MIN];

		row->rank = row->since - row->priority * DBLOCK_PRIORITY_AGE_MS * 1000;
		if (row->rank < *before)
			row->rank = *before;
		*before = row->rank;
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
