/* SPDX-License-Identifier: MIT */
/* Watching all the rows that hold a lock, each as long as it is seen unchanged: see snapshot.h for
 * what may be concluded from that. Inside src/lock. */
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

/* Note what a queue shows. Without memory for that, it is as if they were seen for the first time.
 */
void dbl_detector_note(struct dbl_detector *, const struct dbl_queue *);
void dbl_detector_end(struct dbl_detector *);

/* A holder that may be declared over, and how: DBL_DECLARE_DEAD, DBL_END_LEASE, DBL_END_REVOKED;
 * DBL_WAIT:
 * none. */
enum dbl_action dbl_detector_judge(const struct dbl_detector *, const struct dbl_queue *,
				   int64_t now, struct dbl_snapshot *doomed);

/* When to look again, at the latest, for the sake of them. */
int64_t dbl_detector_next(const struct dbl_detector *, const struct dbl_queue *, int64_t now);

#endif
