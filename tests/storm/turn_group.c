/* SPDX-License-Identifier: MIT */
/* A turn with several names: one call, one handle. All that happens to it happens to each of its
 * parts at the same time. */
#include "storm/hand.h"

/* Tells of all parts what has happened to the handle. */
static void tell_all(struct hand *h, const struct spec *specs, struct event what)
{
	what.at = event_now();
	for (int i = 0; i < h->parts; i++) {
		struct event e = hand_event_with(h, i, what.kind, &specs[i]);

		e.at = what.at;
		e.until = what.until;
		e.outcome = what.outcome;
		e.group = h->wait;
		record(&h->worker->recorder, e);
	}
}

/* The handle's parts are in order of their names, as ours are. */
static struct dblock_member part_of(const struct dblock_lock *lock, int i)
{
	struct dblock_member part = DBLOCK_MEMBER_INIT;

	assert_true(dblock_member_of(lock, (size_t)i, &part));
	return part;
}

static void tell_held(struct hand *h, const struct spec *specs, struct event what,
		      const struct dblock_lock *lock)
{
	what.at = event_now();
	for (int i = 0; i < h->parts; i++) {
		struct event e = hand_event_with(h, i, what.kind, &specs[i]);

		e.at = what.at;
		e.until = what.until;
		e.outcome = what.outcome;
		e.token = part_of(lock, i).token;
		e.mode = (int)part_of(lock, i).mode;
		record(&h->worker->recorder, e);
	}
}

static void on_lost(void *arg, struct dblock_lock *lock)
{
	static const struct spec unknown[PARTS];

	tell_held(arg, unknown, (struct event){.kind = EVENT_TOLD}, lock);
}

static void present_all(struct hand *h, const struct dblock_lock *lock)
{
	for (int i = 0; i < h->parts; i++)
		hand_present(h, i, part_of(lock, i).token, part_of(lock, i).mode, lock);
}

static void hold(struct hand *h, const struct spec *specs, struct dblock_lock *lock)
{
	struct event what = {.kind = EVENT_GRANTED, .until = hand_valid_until(lock)};

	tell_held(h, specs, what, lock);
	present_all(h, lock);
	sleep_ms(rng_between(&h->rng, 0, rng_one_in(&h->rng, 30) ? 2 * TTL_MS : 5));
	present_all(h, lock);
	what = (struct event){.kind = EVENT_RELEASING, .until = hand_valid_until(lock)};
	tell_held(h, specs, what, lock);
	what = (struct event){.kind = EVENT_RELEASED, .outcome = dblock_release(lock, NULL)};
	tell_all(h, specs, what);
}

int hand_choose_names(struct hand *h, struct spec specs[PARTS])
{
	int n = (int)rng_between(&h->rng, 2, PARTS);

	for (int i = 0; i < n; i++) {
		struct spec spec;
		int at = i;
		bool there = false;

		spec = hand_choose(h);
		for (int j = 0; j < i; j++)
			there = there || specs[j].name == spec.name;
		if (there) {
			i--;
			continue;
		}
		for (; at > 0 && specs[at - 1].name > spec.name; at--)
			specs[at] = specs[at - 1];
		specs[at] = spec;
	}
	return n;
}

static int acquire(struct hand *h, const struct spec *specs, struct dblock_lock **lock)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock_spec wants[PARTS];
	struct event called = {.kind = EVENT_CALLED};
	int64_t wait_ms = specs[0].wait_ms;
	size_t n = (size_t)h->parts;

	for (size_t i = 0; i < n; i++)
		wants[i] = (struct dblock_lock_spec){.name = hand_name_of(specs[i].name),
						     .mode = specs[i].mode,
						     .permits = specs[i].permits,
						     .capacity = specs[i].capacity};
	how.wait_ms = wait_ms > 0 ? wait_ms : 0;
	how.canceled = hand_is_canceled;
	how.lost = on_lost;
	how.canceled_arg = how.lost_arg = h;
	if (wait_ms)
		called.until = event_now() + (wait_ms > 0 ? wait_ms * 1000 : 0);
	tell_all(h, specs, called);
	if (wait_ms < 0)
		return dblock_try_all(h->worker->client, wants, n, &how, lock, &h->err);
	return dblock_acquire_all(h->worker->client, wants, n, &how, lock, &h->err);
}

void hand_take_group(struct hand *h)
{
	struct spec specs[PARTS];
	struct dblock_lock *lock;
	int rc;

	hand_begin_call(h, specs, hand_choose_names(h, specs));
	rc = acquire(h, specs, &lock);
	if (rc == DBLOCK_OK)
		hold(h, specs, lock);
	else
		tell_all(h, specs, (struct event){.kind = EVENT_DECLINED, .outcome = rc});
	hand_say_why(h, rc);
}
