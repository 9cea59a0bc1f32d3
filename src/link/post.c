/* SPDX-License-Identifier: MIT */
/* Requests that nobody waits for. */
#include "link/own.h"

static void post_over(struct dbl_seat *seat)
{
	struct dbl_post *post = (struct dbl_post *)seat;

	post->over(post);
}

void dbl_link_post(struct dbl_link *link, struct dbl_post *post)
{
	post->request.resent = false;
	post->seat = (struct dbl_seat){.member.request = &post->request,
				       .over = post_over,
				       .since = dbl_now(link->target->env)};
	dbl_seats_post(&link->seats, &post->seat);
}

int dbl_post_outcome(const struct dbl_post *post)
{
	return post->seat.member.apart ? DBLOCK_E_LOCKED : post->seat.member.rc;
}

bool dbl_link_recall(struct dbl_link *link, struct dbl_post *post)
{
	return dbl_seats_recall(&link->seats, &post->seat);
}

int64_t dbl_link_posted_since(struct dbl_link *link)
{
	return dbl_seats_posted_since(&link->seats);
}

/* Also where nothing is left: somebody else may be sending it, until it is our turn. */
void dbl_link_flush(struct dbl_link *link, int64_t deadline)
{
	int64_t begun = dbl_now(link->target->env);

	do {
		if (dbl_link_enter(link, deadline, NULL))
			return;
		dbl_link_serve(link, NULL);
	} while (dbl_link_posted_since(link) <= begun);
}
