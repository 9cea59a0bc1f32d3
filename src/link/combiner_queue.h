/* SPDX-License-Identifier: MIT */
/* The queue within combiner.c, under the combiner's mutex (but for dbl_combiner_lock()). */
#ifndef DBL_LINK_COMBINER_QUEUE_H
#define DBL_LINK_COMBINER_QUEUE_H

#include "link/combiner.h"

/* Add a sender: at the end, or as the first if it is urgent. */
void dbl_combiner_append(struct dbl_combiner *, struct dbl_sender *);

/* Take out the sender that *at points to. */
void dbl_combiner_take_out(struct dbl_combiner *, struct dbl_sender **at);

/* The pointer to it in the queue, or the one at the end. */
struct dbl_sender **dbl_combiner_find(struct dbl_combiner *, const struct dbl_sender *);

/* The pointer to the first sender that waits (or, posted: that does not), or the one at the end. */
static inline struct dbl_sender **dbl_combiner_first(struct dbl_combiner *combiner, bool posted)
{
	struct dbl_sender **at = &combiner->first;

	while (*at && ((*at)->over != NULL) != posted)
		at = &(*at)->next;
	return at;
}

/* Does its name belong here, where not all do? */
bool dbl_combiner_is_its(const struct dbl_combiner *, const struct dbl_sender *);

/* Does it belong here? One without a request has named the connection that it wants. */
static inline bool dbl_combiner_takes(const struct dbl_combiner *combiner,
				      const struct dbl_sender *sender)
{
	return combiner->open == DBL_COMBINER_ALL || !sender->member.request ||
	       dbl_combiner_is_its(combiner, sender);
}

/* Lock the queue in which it is, or was last. NULL: it was in none yet. */
struct dbl_combiner *dbl_combiner_lock(struct dbl_sender *);

/* Move those that do not belong here any more to the other queue, in order. Both are locked. */
void dbl_combiner_move(struct dbl_combiner *from, struct dbl_combiner *to);

#endif
