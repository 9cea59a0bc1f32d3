/* SPDX-License-Identifier: MIT */
/* Requests that nobody waits for. */
#include "link/own.h"

static void post_over(struct dbl_sender *sender)
{
	struct dbl_post *post = (struct dbl_post *)sender;

	post->over(post);
}

void dbl_post_init(struct dbl_post *post, const struct dbl_request *request,
		   void (*over)(struct dbl_post *))
{
	*post = (struct dbl_post){.request = *request, .over = over};
	post->sender.member.request = &post->request;
	post->sender.over = post_over;
}

void dbl_link_post(struct dbl_link *link, struct dbl_post *post)
{
	unsigned i = 0;

	post->sender.since = dbl_now(link->target->env);
	while (!dbl_combiner_post(&link->connections[i % DBL_CONNECTIONS].combiner, &post->sender))
		i++;
}

int dbl_post_outcome(const struct dbl_post *post)
{
	return post->sender.member.apart ? DBLOCK_E_BLOCKED : post->sender.member.rc;
}

bool dbl_link_recall(struct dbl_post *post)
{
	return dbl_combiner_recall(&post->sender);
}

int64_t dbl_link_posted_since(struct dbl_link *link)
{
	int64_t first = DBL_NEVER;

	for (unsigned i = 0; i < DBL_CONNECTIONS; i++) {
		int64_t since = dbl_combiner_posted_since(&link->connections[i].combiner);

		first = since < first ? since : first;
	}
	return first;
}

/* Send what is posted on this connection. This takes a turn even if nothing is left, as another
 * thread may be sending it. False: no turn came by the deadline. */
static bool flush(struct dbl_connection *connection, int64_t begun, int64_t deadline)
{
	do {
		if (dbl_connection_enter(connection, deadline, NULL))
			return false;
		dbl_connection_send(connection, NULL, false);
	} while (dbl_combiner_posted_since(&connection->combiner) <= begun);
	return true;
}

void dbl_link_flush(struct dbl_link *link, int64_t deadline)
{
	int64_t begun = dbl_now(link->target->env);

	/* What moved to a queue that was flushed already is found by this condition. */
	do {
		for (unsigned i = 0; i < DBL_CONNECTIONS; i++) {
			if (!flush(&link->connections[i], begun, deadline))
				return;
		}
	} while (dbl_link_posted_since(link) <= begun);
}
