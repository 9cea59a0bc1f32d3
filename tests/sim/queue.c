/* SPDX-License-Identifier: MIT */
#include "sim/queue.h"

#include <stdio.h>
#include <stdlib.h>

static bool before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void make_room(struct queue *q)
{
	if (q->n < q->room)
		return;
	q->room = q->room ? q->room * 2 : 1024;
	q->heap = realloc(q->heap, q->room * sizeof(*q->heap));
	if (!q->heap) {
		perror("sim: the queue");
		exit(1);
	}
}

void queue_put(struct queue *q, const struct event *given)
{
	struct event event = *given;
	size_t at = q->n;

	make_room(q);
	q->n++;
	event.order = ++q->order;
	while (at > 0 && before(&event, &q->heap[(at - 1) / 2])) {
		q->heap[at] = q->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	q->heap[at] = event;
}

bool queue_take(struct queue *q, struct event *out)
{
	struct event last;
	size_t at = 0, child;

	if (q->n == 0)
		return false;
	*out = q->heap[0];
	last = q->heap[--q->n];
	while ((child = 2 * at + 1) < q->n) {
		if (child + 1 < q->n && before(&q->heap[child + 1], &q->heap[child]))
			child++;
		if (!before(&q->heap[child], &last))
			break;
		q->heap[at] = q->heap[child];
		at = child;
	}
	if (q->n > 0)
		q->heap[at] = last;
	return true;
}

void queue_clear(struct queue *q)
{
	q->n = 0;
	q->order = 0;
}
