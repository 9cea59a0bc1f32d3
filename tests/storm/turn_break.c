/* SPDX-License-Identifier: MIT */
/* A turn that takes a grant of somebody away: mostly by force; or its holder is told and waited
 * for, for some time, or as long as it takes. */
#include "storm/hand.h"

void hand_break(struct hand *h)
{
	struct dblock_break_options how = DBLOCK_BREAK_OPTIONS_INIT;
	struct spec spec = hand_choose(h);
	struct event e;

	hand_begin_call(h, &spec, 1);
	how.force = !rng_one_in(&h->rng, 3);
	if (!how.force && rng_one_in(&h->rng, 2))
		how.wait_ms = rng_between(&h->rng, 100, 2 * TTL_MS);
	how.canceled = hand_is_canceled;
	how.canceled_arg = h;
	e = hand_event(h, 0, how.force ? EVENT_FORCING : EVENT_BREAKING);
	record(&h->worker->recorder, e);
	e.kind = EVENT_BROKEN;
	e.outcome = dblock_break(h->worker->client, hand_name_of(spec.name), &how, &h->err);
	record(&h->worker->recorder, e);
}

void hand_release_former(struct hand *h, int name)
{
	struct event e = hand_event(h, 0, EVENT_RELEASING);

	e.token = h->former[name];
	record(&h->worker->recorder, e);
	e.kind = EVENT_RELEASED;
	e.outcome = dblock_release_token(h->worker->client, hand_name_of(name), e.token, NULL);
	record(&h->worker->recorder, e);
}
