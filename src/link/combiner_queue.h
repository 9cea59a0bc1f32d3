/* SPDX-License-Identifier: MIT */
/* Within combiner.c: who stands in line. All under the mutex of the seats, but for
 * dbl_combiner_lock().
 */
#ifndef DBL_LINK_COMBINER_QUEUE_H
#define DBL_LINK_COMBINER_QUEUE_H

#include "link/combiner.h"

void dbl_combiner_append(struct dbl_combiner *, struct dbl_sender *);

/* Out of the line, from the place that points to it. */
void dbl_combiner_take_out(struct dbl_combiner *, struct dbl_sender **at);

/* Its place, or the end. */
struct dbl_sender **dbl_combiner_find(struct dbl_combiner *, const struct dbl_sender *);

/* The place of the first who waits (posted: that nobody waits for), or the end. */
static inline struct dbl_sender **dbl_queue_first(struct dbl_combiner *combiner, bool posted)
{
	struct dbl_sender **at = &combiner->first;

	while (*at && ((*at)->over != NULL) != posted)
		at = &(*at)->next;
	return at;
}

/* Does it belong here, where not all do? */
bool dbl_queue_is_its(const struct dbl_combiner *, const struct dbl_sender *);

/* Does it belong here? Who wants a connection, and no more, has to say which. */
static inline bool dbl_combiner_takes(const struct dbl_combiner *combiner,
				      const struct dbl_sender *sender)
{
	return combiner->open == DBL_COMBINER_ALL || !sender->member.request ||
	       dbl_queue_is_its(combiner, sender);
}

/* Lock the line in which it is, or was last. NULL: it was in none yet. */
struct dbl_combiner *dbl_combiner_lock(struct dbl_sender *);

/* Those who do not belong here any more go over there, in their order. Both are locked. */
void dbl_combiner_move(struct dbl_combiner *from, struct dbl_combiner *to);

#endif
