/* SPDX-License-Identifier: MIT */
#include "lock/queue/failure_detector.h"

#include "base/mem.h"

static const struct dbl_watch *find(const struct dbl_detector *detector, int64_t token)
{
	for (unsigned i = 0; i < detector->n; i++) {
		if (detector->entries[i].token == token)
			return &detector->entries[i].watch;
	}
	return NULL;
}

void dbl_detector_note(struct dbl_detector *detector, const struct dbl_queue *queue)
{
	unsigned n = dbl_queue_holders(queue);
	struct dbl_detector_entry *entries = n ? dbl_alloc(n * sizeof(*entries)) : NULL;

	for (unsigned i = 0; entries && i < n; i++) {
		const struct dbl_row *row = &queue->rows[i];
		const struct dbl_watch *before = find(detector, row->token);
		struct dbl_snapshot snapshot;

		entries[i].token = row->token;
		entries[i].watch = before ? *before : (struct dbl_watch){.any = false};
		dbl_row_snapshot(queue, row, &snapshot);
		dbl_watch_note(&entries[i].watch, &snapshot);
	}
	dbl_free(detector->entries);
	detector->entries = entries;
	detector->n = entries ? n : 0;
}

void dbl_detector_end(struct dbl_detector *detector)
{
	dbl_free(detector->entries);
	*detector = (struct dbl_detector){.n = 0};
}

enum dbl_action dbl_detector_judge(const struct dbl_detector *detector,
				   const struct dbl_queue *queue, int64_t now,
				   struct dbl_snapshot *doomed)
{
	unsigned n = dbl_queue_holders(queue);

	for (unsigned i = 0; i < n; i++) {
		const struct dbl_watch *watch = find(detector, queue->rows[i].token);
		enum dbl_action action;

		dbl_row_snapshot(queue, &queue->rows[i], doomed);
		action = watch ? dbl_judge_watched(doomed, watch, now) : DBL_WAIT;
		if (action == DBL_DECLARE_DEAD || action == DBL_END_LEASE ||
		    action == DBL_END_REVOKED)
			return action;
	}
	return DBL_WAIT;
}

int64_t dbl_detector_next(const struct dbl_detector *detector, const struct dbl_queue *queue,
			  int64_t now)
{
	unsigned n = dbl_queue_holders(queue);
	int64_t next = DBL_NEVER;

	for (unsigned i = 0; i < n; i++) {
		const struct dbl_row *row = &queue->rows[i];
		const struct dbl_watch *watch = find(detector, row->token);

		if (row->by_time && row->lease_left > 0)
			next = dbl_least(next, now + row->lease_left);
		if (watch && !row->by_time && watch->since + row->ttl > now)
			next = dbl_least(next, watch->since + row->ttl);
		if (watch && watch->revoked && row->watch != 0 &&
		    watch->revoked_since + row->watch > now)
			next = dbl_least(next, watch->revoked_since + row->watch);
	}
	return next;
}
