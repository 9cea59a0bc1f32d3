/* SPDX-License-Identifier: MIT */
/* How a turn ends: the lock is given back. And one that takes a grant of somebody away: mostly by force;
 * or its holder is told and waited for, for some time, or as long as it takes. */
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

/* As dblock_release(), by a thread of the client's. */
static int release_as_loops_do(struct dblock_lock *lock)
{
	struct dblock_lock *none;
	struct dblock_wait *wait;
	int rc = dblock_release_begin(lock, &wait, NULL);

	if (rc)
		return dblock_release(lock, NULL);
	rc = dblock_wait_finish(wait, &none, NULL);
	dblock_wait_end(wait);
	return rc;
}

int hand_release(struct hand *h, int64_t wait, struct dblock_lock *lock)
{
	struct event e = hand_event(h, 0, EVENT_RELEASING);

	e.wait = wait;
	e.token = dblock_token(lock);
	e.until = hand_valid_until(lock);
	record(&h->worker->recorder, e);
	e.kind = EVENT_RELEASED;
	e.outcome = rng_one_in(&h->rng, 4) ? release_as_loops_do(lock) : dblock_release(lock, NULL);
	e.until = 0;
	e.lease = h->idle_ms * 1000;
	record(&h->worker->recorder, e);
	return e.outcome;
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
