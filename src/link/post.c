/* SPDX-License-Identifier: MIT */
/* Requests that nobody waits for. */
#include "link/own.h"

static void post_over(struct dbl_seat *seat)
{
	struct dbl_post *post = (struct dbl_post *)seat;

	post->over(post);
}

void dbl_post_init(struct dbl_post *post, const struct dbl_request *request,
		   void (*over)(struct dbl_post *))
{
	*post = (struct dbl_post){.request = *request, .over = over};
	post->seat.member.request = &post->request;
	post->seat.over = post_over;
}

void dbl_link_post(struct dbl_link *link, struct dbl_post *post)
{
	unsigned i = 0;

	post->seat.since = dbl_now(link->target->env);
	while (!dbl_seats_post(&link->lanes[i % DBL_LANES].seats, &post->seat))
		i++;
}

int dbl_post_outcome(const struct dbl_post *post)
{
	return post->seat.member.apart ? DBLOCK_E_LOCKED : post->seat.member.rc;
}

bool dbl_link_recall(struct dbl_post *post)
{
	return dbl_seats_recall(&post->seat);
}

int64_t dbl_link_posted_since(struct dbl_link *link)
{
	int64_t first = DBL_NEVER;

	for (unsigned i = 0; i < DBL_LANES; i++) {
		int64_t since = dbl_seats_posted_since(&link->lanes[i].seats);

		first = since < first ? since : first;
	}
	return first;
}

/* Also where nothing is left: somebody else may be sending it, until it is our turn. False: no turn
 * came by the deadline. */
static bool flush(struct dbl_lane *lane, int64_t begun, int64_t deadline)
{
	do {
		if (dbl_lane_enter(lane, deadline, NULL))
			return false;
		dbl_lane_serve(lane, NULL, false);
	} while (dbl_seats_posted_since(&lane->seats) <= begun);
	return true;
}

void dbl_link_flush(struct dbl_link *link, int64_t deadline)
{
	int64_t begun = dbl_now(link->target->env);

	/* What went over to a lane that was flushed already is seen in the end. */
	do {
		for (unsigned i = 0; i < DBL_LANES; i++) {
			if (!flush(&link->lanes[i], begun, deadline))
				return;
		}
	} while (dbl_link_posted_since(link) <= begun);
}
