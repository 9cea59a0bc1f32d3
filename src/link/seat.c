/* SPDX-License-Identifier: MIT */
#include "link/seat.h"

int dbl_seats_init(struct dbl_seats *seats)
{
	seats->first = NULL;
	seats->last = &seats->first;
	seats->taken = false;
	return dbl_mutex_init(&seats->mutex);
}

void dbl_seats_fini(struct dbl_seats *seats)
{
	dbl_mutex_fini(&seats->mutex);
}

static void append(struct dbl_seats *seats, struct dbl_seat *seat)
{
	seat->next = NULL;
	*seats->last = seat;
	seats->last = &seat->next;
}

/* Out of the line, from the place that points to it. */
static void take_out(struct dbl_seats *seats, struct dbl_seat **at)
{
	struct dbl_seat *seat = *at;

	*at = seat->next;
	if (seats->last == &seat->next)
		seats->last = at;
}

static struct dbl_seat **find(struct dbl_seats *seats, const struct dbl_seat *seat)
{
	struct dbl_seat **at = &seats->first;

	while (*at && *at != seat)
		at = &(*at)->next;
	return at;
}

/* The connection is free: the first who waits for it has it from now on. NULL: nobody does. */
static struct dbl_seat *pass_on(struct dbl_seats *seats)
{
	struct dbl_seat **at = &seats->first, *next;

	while (*at && (*at)->over)
		at = &(*at)->next;
	next = *at;
	seats->taken = next != NULL;
	if (next)
		take_out(seats, at);
	return next;
}

static enum dbl_seated wait(struct dbl_seats *seats, struct dbl_seat *seat,
			    const struct dbl_env *env, int64_t until)
{
	enum dbl_seated is = (enum dbl_seated)dbl_latch_wait(&seat->latch, env, until);

	if (is != DBL_SEAT_LATE || dbl_seats_recall(seats, seat))
		return is;
	/* It is not in line any more: somebody is serving it, or has just made it the next one. */
	is = (enum dbl_seated)dbl_latch_wait(&seat->latch, env, DBL_NEVER);
	if (is == DBL_SEAT_SERVED)
		return is;
	dbl_seats_end(seats, NULL, 0);
	return DBL_SEAT_LATE;
}

enum dbl_seated dbl_seats_take(struct dbl_seats *seats, struct dbl_seat *seat,
			       const struct dbl_env *env, int64_t until)
{
	bool at_once;

	dbl_latch_init(&seat->latch);
	dbl_lock(&seats->mutex);
	at_once = !seats->taken;
	seats->taken = true;
	if (!at_once)
		append(seats, seat);
	dbl_unlock(&seats->mutex);
	return at_once ? DBL_SEAT_LEADS : wait(seats, seat, env, until);
}

/* The first that nobody waits for; or the end of the line. */
static struct dbl_seat **first_post(struct dbl_seats *seats)
{
	struct dbl_seat **at = &seats->first;

	while (*at && !(*at)->over)
		at = &(*at)->next;
	return at;
}

unsigned dbl_seats_gather(struct dbl_seats *seats, const struct dbl_target *target, int64_t now,
			  struct dbl_member *members[DBL_BATCH_MAX], unsigned n)
{
	struct dbl_seat **at;

	dbl_lock(&seats->mutex);
	at = n ? NULL : first_post(seats);
	if (at && *at) {
		members[n++] = &(*at)->member;
		take_out(seats, at);
	}
	for (at = &seats->first; n && *at && n < DBL_BATCH_MAX;) {
		struct dbl_seat *seat = *at;

		if (!dbl_batch_joins(target, members, n, &seat->member, now)) {
			at = &seat->next;
			continue;
		}
		take_out(seats, at);
		members[n++] = &seat->member;
	}
	dbl_unlock(&seats->mutex);
	return n;
}

static void tell(struct dbl_seat *seat)
{
	if (seat->over)
		seat->over(seat);
	else
		dbl_latch_set(&seat->latch, DBL_SEAT_SERVED);
}

void dbl_seats_end(struct dbl_seats *seats, struct dbl_member *const *served, unsigned n)
{
	struct dbl_seat *next;

	dbl_lock(&seats->mutex);
	next = pass_on(seats);
	dbl_unlock(&seats->mutex);
	/* First who has the connection: those who are served only have to return. */
	if (next)
		dbl_latch_set(&next->latch, DBL_SEAT_LEADS);
	for (unsigned i = 0; i < n; i++)
		tell((struct dbl_seat *)served[i]);
}

void dbl_seats_post(struct dbl_seats *seats, struct dbl_seat *seat)
{
	dbl_lock(&seats->mutex);
	append(seats, seat);
	dbl_unlock(&seats->mutex);
}

bool dbl_seats_recall(struct dbl_seats *seats, struct dbl_seat *seat)
{
	struct dbl_seat **at;
	bool there;

	dbl_lock(&seats->mutex);
	at = find(seats, seat);
	there = *at != NULL;
	if (there)
		take_out(seats, at);
	dbl_unlock(&seats->mutex);
	return there;
}

int64_t dbl_seats_posted_since(struct dbl_seats *seats)
{
	const struct dbl_seat *post;
	int64_t since;

	dbl_lock(&seats->mutex);
	post = *first_post(seats);
	since = post ? post->since : DBL_NEVER;
	dbl_unlock(&seats->mutex);
	return since;
}
