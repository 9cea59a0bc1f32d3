/* SPDX-License-Identifier: MIT */
/* The failure detector: how long each row that holds a lock has been seen unchanged. snapshot.h
 * says what may be concluded from that. Inside src/lock. */
#ifndef DBL_LOCK_FAILURE_DETECTOR_H
#define DBL_LOCK_FAILURE_DETECTOR_H

#include "lock/queue/queue_rows.h"

struct dbl_detector {
	struct dbl_detector_entry {
		int64_t token;
		struct dbl_watch watch;
	} * entries;
	unsigned n;
};

/* Notes what a queue shows. Without memory for that, each holder is new once more. */
void dbl_detector_note(struct dbl_detector *, const struct dbl_queue *);
void dbl_detector_end(struct dbl_detector *);

/* Finds a holder that is over, and says what to do: DBL_DECLARE_DEAD, DBL_END_LEASE or
 * DBL_END_REVOKED; DBL_WAIT: there is none. */
enum dbl_action dbl_detector_judge(const struct dbl_detector *, const struct dbl_queue *,
				   int64_t now, struct dbl_snapshot *doomed);

/* The latest time for another look, since a holder may be over by then. */
int64_t dbl_detector_next(const struct dbl_detector *, const struct dbl_queue *, int64_t now);

#endif
