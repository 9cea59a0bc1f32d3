/* SPDX-License-Identifier: MIT */
/* Time passes for all who wait for a name: no storm blows for so long that ageing could be seen in it otherwise. */
#include "storm/hand.h"

#define SECOND 1000000

static int pass(struct dblock_client *client, const struct event *e)
{
	const struct dblock_value values[] = {dblock_int(e->lease), dblock_text(e->name)};
	struct dblock_tx *tx;
	int rc = dblock_tx_open(client, &tx, NULL);

	if (rc)
		return rc;
	rc = dblock_tx_query(tx,
			     "UPDATE dblock_queue SET since = since - $1 "
			     "WHERE name = $2 AND token IS NULL",
			     values, 2, NULL, NULL, NULL, NULL);
	dblock_tx_close(tx);
	return rc;
}

/* More than one step of priority, or two, or all of them. */
struct spec hand_age(struct hand *h)
{
	static const int64_t spans[] = {15 * SECOND, 25 * SECOND, 250 * SECOND};
	struct event e = {.kind = EVENT_AGEING, .thread = h->thread};
	struct spec spec = hand_choose_hot(h);

	snprintf(e.name, sizeof(e.name), "%s", hand_name_of(spec.name));
	e.lease = spans[rng_between(&h->rng, 0, 2)];
	record(&h->worker->recorder, e);
	e.kind = EVENT_AGED;
	e.outcome = pass(h->worker->client, &e);
	record(&h->worker->recorder, e);
	spec.priority = 1;
	return spec;
}
