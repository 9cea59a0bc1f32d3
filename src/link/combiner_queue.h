/* SPDX-License-Identifier: MIT */
/* Within combiner.c: who stands in line. All under the mutex of the seats, but for dbl_line_lock().
 */
#ifndef DBL_LINK_LINE_H
#define DBL_LINK_LINE_H

#include "link/combiner.h"

void dbl_line_append(struct dbl_seats *, struct dbl_seat *);

/* Out of the line, from the place that points to it. */
void dbl_line_take_out(struct dbl_seats *, struct dbl_seat **at);

/* Its place, or the end. */
struct dbl_seat **dbl_line_find(struct dbl_seats *, const struct dbl_seat *);

/* The place of the first who waits (posted: that nobody waits for), or the end. */
static inline struct dbl_seat **dbl_line_first(struct dbl_seats *seats, bool posted)
{
	struct dbl_seat **at = &seats->first;

	while (*at && ((*at)->over != NULL) != posted)
		at = &(*at)->next;
	return at;
}

/* Does it belong here, where not all do? */
bool dbl_line_is_its(const struct dbl_seats *, const struct dbl_seat *);

/* Does it belong here? Who wants a connection, and no more, has to say which. */
static inline bool dbl_line_takes(const struct dbl_seats *seats, const struct dbl_seat *seat)
{
	return seats->open == DBL_SEATS_ALL || !seat->member.request ||
	       dbl_line_is_its(seats, seat);
}

/* Lock the line in which it is, or was last. NULL: it was in none yet. */
struct dbl_seats *dbl_line_lock(struct dbl_seat *);

/* Those who do not belong here any more go over there, in their order. Both are locked. */
void dbl_line_move(struct dbl_seats *from, struct dbl_seats *to);

#endif
