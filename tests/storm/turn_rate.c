/* SPDX-License-Identifier: MIT */
/* A turn with a rate, which all processes share. */
#include <dblock/rate.h>

#include "storm/hand.h"

/* So many at once, and one in that time. */
enum { BURST = 5, INTERVAL_MS = 50, MOST = 3 };

void hand_take_rate(struct hand *h)
{
	struct dblock_rate_options how = DBLOCK_RATE_OPTIONS_INIT;
	struct dblock_rate_state found = DBLOCK_RATE_STATE_INIT;
	struct event e = {.kind = EVENT_TAKEN,
			  .thread = h->thread,
			  .weight = rng_between(&h->rng, 1, MOST),
			  .capacity = BURST,
			  .lease = INTERVAL_MS * 1000,
			  .before = event_now()};

	how.period_ms = INTERVAL_MS;
	how.wait_ms = rng_one_in(&h->rng, 2) ? rng_between(&h->rng, 1, 500) : 0;
	if (dblock_rate_take(h->worker->client, "storm", 1, BURST, e.weight, &how, &found, &h->err))
		return;
	e.before += found.wait_us;
	record(&h->worker->recorder, e);
}
