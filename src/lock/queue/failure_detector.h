/* SPDX-License-Identifier: MIT */
/* Watching all the rows that hold a lock, each as long as it is seen unchanged: see snapshot.h for
 * what may be concluded from that. Inside src/lock. */
#ifndef DBL_LOCK_VIGIL_H
#define DBL_LOCK_VIGIL_H

#include "lock/queue/queue_rows.h"

struct dbl_vigil {
	struct dbl_vigil_post {
		int64_t token;
		struct dbl_watch watch;
	} * posts;
	unsigned n;
};

/* Note what a line shows. Without memory for that, it is as if they were seen for the first time.
 */
void dbl_vigil_note(struct dbl_vigil *, const struct dbl_line *);
void dbl_vigil_end(struct dbl_vigil *);

/* A holder that may be declared over, and how: DBL_BURY, DBL_END_LEASE, DBL_END_REVOKED; DBL_WAIT:
 * none. */
enum dbl_verdict dbl_vigil_judge(const struct dbl_vigil *, const struct dbl_line *, int64_t now,
				 struct dbl_sight *doomed);

/* When to look again, at the latest, for the sake of them. */
int64_t dbl_vigil_next(const struct dbl_vigil *, const struct dbl_line *, int64_t now);

#endif
