/* SPDX-License-Identifier: MIT */
#include "link/combiner_queue.h"

int dbl_seats_init(struct dbl_seats *seats, const struct dbl_target *target, bool all)
{
	*seats = (struct dbl_seats){.target = target, .open = all ? DBL_SEATS_ALL : DBL_SEATS_NONE};
	seats->last = &seats->first;
	return dbl_mutex_init(&seats->mutex);
}

void dbl_seats_fini(struct dbl_seats *seats)
{
	dbl_mutex_fini(&seats->mutex);
}

void dbl_line_append(struct dbl_seats *seats, struct dbl_seat *seat)
{
	seat->next = NULL;
	seat->in = seats;
	*seats->last = seat;
	seats->last = &seat->next;
	seats->n_waiting += !seat->over;
}

void dbl_line_take_out(struct dbl_seats *seats, struct dbl_seat **at)
{
	struct dbl_seat *seat = *at;

	*at = seat->next;
	if (seats->last == &seat->next)
		seats->last = at;
	seats->n_waiting -= !seat->over;
}

struct dbl_seat **dbl_line_find(struct dbl_seats *seats, const struct dbl_seat *seat)
{
	struct dbl_seat **at = &seats->first;

	while (*at && *at != seat)
		at = &(*at)->next;
	return at;
}

bool dbl_line_is_its(const struct dbl_seats *seats, const struct dbl_seat *seat)
{
	return seats->open != DBL_SEATS_NONE &&
	       dbl_batch_other_half(&seat->member) == (seats->open == DBL_SEATS_OTHER_HALF);
}

struct dbl_seats *dbl_line_lock(struct dbl_seat *seat)
{
	struct dbl_seats *seats;

	while ((seats = seat->in)) {
		dbl_lock(&seats->mutex);
		if (seat->in == seats)
			break;
		dbl_unlock(&seats->mutex);
	}
	return seats;
}

bool dbl_seats_post(struct dbl_seats *seats, struct dbl_seat *seat)
{
	bool here;

	dbl_lock(&seats->mutex);
	here = dbl_line_takes(seats, seat);
	if (here)
		dbl_line_append(seats, seat);
	dbl_unlock(&seats->mutex);
	return here;
}

bool dbl_seats_recall(struct dbl_seat *seat)
{
	struct dbl_seats *seats = dbl_line_lock(seat);
	struct dbl_seat **at;
	bool there;

	if (!seats)
		return false;
	at = dbl_line_find(seats, seat);
	there = *at != NULL;
	if (there)
		dbl_line_take_out(seats, at);
	dbl_unlock(&seats->mutex);
	return there;
}

int64_t dbl_seats_posted_since(struct dbl_seats *seats)
{
	const struct dbl_seat *post;
	int64_t since;

	dbl_lock(&seats->mutex);
	post = *dbl_line_first(seats, true);
	since = post ? post->since : DBL_NEVER;
	dbl_unlock(&seats->mutex);
	return since;
}

void dbl_line_move(struct dbl_seats *from, struct dbl_seats *to)
{
	for (struct dbl_seat **at = &from->first; *at;) {
		struct dbl_seat *seat = *at;

		if (dbl_line_takes(from, seat)) {
			at = &seat->next;
			continue;
		}
		dbl_line_take_out(from, at);
		dbl_line_append(to, seat);
	}
}
