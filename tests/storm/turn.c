/* SPDX-License-Identifier: MIT */
/* One turn of a hand. */
#include <poll.h>

#include "storm/hand.h"

enum { ASK_MS = 100, BREAKS_ONE_IN = 20, RESIZES_ONE_IN = 50, AGES_ONE_IN = 12, LOOK_MS = 20 };

/* ---- writing down ---------------------------------------------------------------------------- */

struct event hand_event(struct hand *h, int part, enum event_kind kind)
{
	struct event e = {.kind = kind, .thread = h->thread, .wait = h->wait + part};

	snprintf(e.name, sizeof(e.name), "%s", hand_name_of(h->name[part]));
	return e;
}

struct event hand_event_with(struct hand *h, int part, enum event_kind kind,
			     const struct spec *spec)
{
	struct event e = hand_event(h, part, kind);

	e.mode = (int)spec->mode;
	e.weight = spec->permits;
	e.capacity = spec->capacity;
	return e;
}

void hand_begin_call(struct hand *h, const struct spec *specs, int parts)
{
	h->wait = 0;
	for (int i = 0; i < parts; i++)
		h->name[i] = specs[i].name;
	h->idle_ms = parts == 1 ? specs->idle_ms : 0;
	h->parts = parts;
	h->wait = atomic_fetch_add(&h->worker->waits, parts) + 1;
}

/* Returns until when the lock is certainly valid; 0: it is not any more. */
int64_t hand_valid_until(const struct dblock_lock *lock)
{
	int64_t now = event_now(), left = dblock_remaining_ms(lock);

	return left > 0 ? now + left * 1000 : 0;
}

/* The call is in the queue. It tells each of its tickets once: a new session has a new one. */
static void on_waiting(void *arg, const struct dblock_waiting *waiting)
{
	struct hand *h = arg;
	struct event e = hand_event(h, 0, EVENT_QUEUED);

	if (waiting->ticket == h->ticket)
		return;
	e.ticket = h->ticket = waiting->ticket;
	record(&h->worker->recorder, e);
}

static void on_lost(void *arg, struct dblock_lock *lock)
{
	struct hand *h = arg;
	struct event e = hand_event(h, 0, EVENT_TOLD);

	e.token = dblock_token(lock);
	record(&h->worker->recorder, e);
}

int hand_is_canceled(void *arg)
{
	struct hand *h = arg;

	return h->canceled == h->wait;
}

void hand_say_why(const struct hand *h, int rc)
{
	if (rc == DBLOCK_DEADLOCK)
		fprintf(stderr, "storm: client %d.%d, wait %lld: %s\n", h->worker->recorder.client,
			h->thread, (long long)h->wait, h->err.message);
}

/* ---- with the lock in its hand --------------------------------------------------------------- */

void hand_present(struct hand *h, int part, int64_t token, enum dblock_mode mode,
		  const struct dblock_lock *lock)
{
	struct event e = hand_event(h, part, EVENT_PRESENTED);
	bool accepted;

	e.token = token;
	e.mode = (int)mode;
	accepted = resource_present(&h->worker->resource, h->name[part], token,
				    mode == DBLOCK_EXCLUSIVE, &e.before, &e.wrote);
	e.outcome = accepted ? DBLOCK_OK : DBLOCK_STALE;
	e.until = hand_valid_until(lock);
	record(&h->worker->recorder, e);
}

static void present(struct hand *h, const struct dblock_lock *lock)
{
	hand_present(h, 0, dblock_token(lock), dblock_mode_of(lock), lock);
}

/* Returns a mode that `mode` covers. */
static enum dblock_mode weaker_or_same(struct rng *rng, enum dblock_mode mode)
{
	static const enum dblock_mode order[] = {DBLOCK_SHARED, DBLOCK_UPDATE, DBLOCK_EXCLUSIVE};

	for (;;) {
		int64_t i = rng_between(rng, 0, 2);

		if (order[i] == mode || (mode != DBLOCK_SHARED && i == 0) ||
		    mode == DBLOCK_EXCLUSIVE)
			return order[i];
	}
}

/* The hand gets the same grant again; but if that was lost, and nobody has said so yet, a new one.
 */
static void enter_again(struct hand *h, const struct dblock_lock *lock)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct spec spec = {.mode = weaker_or_same(&h->rng, dblock_mode_of(lock))};
	struct event e = hand_event_with(h, 0, EVENT_CALLED, &spec);
	struct dblock_lock *again;

	e.wait = atomic_fetch_add(&h->worker->waits, 1) + 1;
	e.until = event_now();
	record(&h->worker->recorder, e);
	how.mode = spec.mode;
	how.owner = h->owner;
	e.outcome = dblock_try(h->worker->client, hand_name_of(h->name[0]), &how, &again, NULL);
	e.kind = e.outcome ? EVENT_DECLINED : EVENT_GRANTED;
	if (e.outcome == DBLOCK_OK) {
		e.mode = (int)dblock_mode_of(again);
		e.token = dblock_token(again);
		e.ticket = TICKET_NONE;
	}
	e.until = e.outcome == DBLOCK_OK ? hand_valid_until(again) : 0;
	record(&h->worker->recorder, e);
	if (e.outcome == DBLOCK_OK)
		hand_release(h, e.wait, again);
}

static void upgrade(struct hand *h, struct dblock_lock *lock)
{
	struct dblock_upgrade_options how = DBLOCK_UPGRADE_OPTIONS_INIT;
	struct event e = hand_event(h, 0, EVENT_UPGRADING);

	how.wait_ms = rng_one_in(&h->rng, 2) ? rng_between(&h->rng, 1, 1000) : 0;
	how.canceled = hand_is_canceled;
	how.canceled_arg = h;
	e.token = dblock_token(lock);
	e.until = hand_valid_until(lock);
	record(&h->worker->recorder, e);
	e.kind = EVENT_UPGRADED;
	e.outcome = dblock_upgrade(lock, &how, NULL);
	e.token = dblock_token(lock);
	e.until = hand_valid_until(lock);
	record(&h->worker->recorder, e);
}

static void downgrade(struct hand *h, struct dblock_lock *lock)
{
	struct event e = hand_event(h, 0, EVENT_DOWNGRADING);
	bool reads = dblock_mode_of(lock) == DBLOCK_UPDATE || rng_one_in(&h->rng, 2);

	e.mode = reads ? DBLOCK_SHARED : DBLOCK_UPDATE;
	e.token = dblock_token(lock);
	e.until = hand_valid_until(lock);
	record(&h->worker->recorder, e);
	e.kind = EVENT_DOWNGRADED;
	e.outcome = dblock_downgrade(lock, (enum dblock_mode)e.mode, NULL);
	e.token = dblock_token(lock);
	e.until = hand_valid_until(lock);
	record(&h->worker->recorder, e);
}

/* Turns to something else that can be done with the lock as it is. */
static void turn_to(struct hand *h, const struct spec *spec, struct dblock_lock *lock)
{
	enum dblock_mode mode = dblock_mode_of(lock);

	if (!hand_is_shared(h->name[0]))
		return;
	if (rng_one_in(&h->rng, 8))
		enter_again(h, lock);
	if (!spec->lease_ms &&
	    (mode == DBLOCK_SHARED ? rng_one_in(&h->rng, 6)
				   : mode == DBLOCK_UPDATE && rng_one_in(&h->rng, 2)))
		upgrade(h, lock);
	else if (mode != DBLOCK_SHARED && rng_one_in(&h->rng, 3))
		downgrade(h, lock);
	else
		return;
	present(h, lock);
}

/* Some locks are held for so long that they need heartbeats. Some writers learn only from the
 * fence, and not before, that they have lost the lock. */
static int64_t choose_hold(struct hand *h, const struct spec *spec, bool writes)
{
	if (writes && spec->lease_ms)
		return spec->lease_ms + rng_between(&h->rng, 0, 500);
	return rng_between(&h->rng, 0, rng_one_in(&h->rng, writes ? 10 : 30) ? 2 * TTL_MS : 5);
}

/* Holds the lock; a hand that looks lets go when it is lost. */
static void hold_for(const struct dblock_lock *lock, int64_t ms, bool looks)
{
	int64_t until = clock_ms() + ms, left;

	while ((left = until - clock_ms()) > 0 && !(looks && !dblock_valid(lock, 0)))
		sleep_ms(looks && left > LOOK_MS ? LOOK_MS : left);
}

void hand_hold(struct hand *h, const struct spec *spec, struct dblock_lock *lock)
{
	struct event e = hand_event_with(h, 0, EVENT_GRANTED, spec);
	bool writes = rng_one_in(&h->rng, spec->lease_ms ? 2 : 4);

	e.mode = (int)dblock_mode_of(lock);
	e.token = dblock_token(lock);
	e.ticket = h->ticket;
	e.until = hand_valid_until(lock);
	record(&h->worker->recorder, e);
	present(h, lock);
	hold_for(lock, choose_hold(h, spec, writes), !writes);
	present(h, lock);
	h->former[spec->name] = dblock_token(lock);
	if (writes || !hand_valid_until(lock))
		lock = hand_write_fenced(h, lock);
	if (!lock)
		return;
	for (int i = 0; i < 3; i++)
		turn_to(h, spec, lock);
	h->former[spec->name] = dblock_token(lock);
	hand_release(h, h->wait, lock);
}

/* ---- asking for it --------------------------------------------------------------------------- */

/* Drives the wait by a loop of its own. */
static int drive(struct hand *h, const struct dblock_acquire_options *how,
		 struct dblock_lock **lock)
{
	struct dblock_wait *wait;
	int fd, rc = dblock_acquire_begin(h->worker->client, hand_name_of(h->name[0]), how, &wait,
					  &h->err);

	*lock = NULL;
	if (rc)
		return rc;
	assert_int_equal(dblock_wait_fd(wait, &fd, NULL), 0);
	while ((rc = dblock_wait_step(wait, lock, &h->err)) == DBLOCK_WAITING)
		(void)poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 2000);
	dblock_wait_end(wait);
	return rc;
}

static int acquire(struct hand *h, const struct spec *spec, struct dblock_lock **lock)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct event e = hand_event_with(h, 0, EVENT_CALLED, spec);
	struct dblock_client *client = h->worker->client;
	int64_t wait_ms = spec->wait_ms;

	how.mode = spec->mode;
	how.permits = spec->permits;
	how.capacity = spec->capacity;
	how.lease_ms = spec->lease_ms;
	how.at_least_ms = spec->at_least_ms;
	how.idle_ms = spec->idle_ms;
	how.priority = e.priority = spec->priority;
	how.wait_ms = wait_ms > 0 ? wait_ms : 0;
	how.canceled = hand_is_canceled;
	how.lost = on_lost;
	how.canceled_arg = how.lost_arg = how.waiting_arg = h;
	/* The callback costs a statement, and time, so not every call has one. */
	how.waiting = rng_one_in(&h->rng, 3) ? on_waiting : NULL;
	how.waiting_every_ms = ASK_MS;
	/* A call that does not wait must not have passed anybody who does. */
	h->ticket = wait_ms < 0 ? TICKET_NONE : TICKET_UNKNOWN;
	e.lease = spec->lease_ms * 1000;
	if (wait_ms)
		e.until = event_now() + (wait_ms > 0 ? wait_ms * 1000 : 0);
	record(&h->worker->recorder, e);
	h->owner = 0;
	if (wait_ms < 0)
		return dblock_try(client, hand_name_of(h->name[0]), &how, lock, &h->err);
	if (!rng_one_in(&h->rng, 4))
		return dblock_acquire(client, hand_name_of(h->name[0]), &how, lock, &h->err);
	/* A wait that names no owner is nobody else, and who has it could not enter it again. */
	how.owner = h->owner = (uint64_t)h->thread;
	return drive(h, &how, lock);
}

void hand_take_turn(struct hand *h)
{
	bool alike = h->worker->habits.share_a_name && !rng_one_in(&h->rng, 4);
	struct spec spec = alike ? hand_choose_alike(h) : hand_choose(h);
	struct dblock_lock *lock;
	struct event e;
	int rc;

	if (rng_one_in(&h->rng, AGES_ONE_IN)) {
		spec = hand_age(h);
		alike = true;
	}
	if (rng_one_in(&h->rng, RESIZES_ONE_IN)) {
		hand_resize(h);
		return;
	}
	if (rng_one_in(&h->rng, BREAKS_ONE_IN)) {
		hand_break(h);
		return;
	}
	if (rng_one_in(&h->rng, 10)) {
		hand_take_rate(h);
		return;
	}
	if (!alike && rng_one_in(&h->rng, 10)) {
		hand_take_group(h);
		return;
	}
	if (!alike && rng_one_in(&h->rng, 8)) {
		hand_take_any(h);
		return;
	}
	hand_begin_call(h, &spec, 1);
	if (h->former[spec.name] && rng_one_in(&h->rng, 16)) {
		hand_release_former(h, spec.name);
		return;
	}
	rc = acquire(h, &spec, &lock);
	if (rc == DBLOCK_OK) {
		hand_hold(h, &spec, lock);
		return;
	}
	e = hand_event(h, 0, EVENT_DECLINED);
	e.outcome = rc;
	record(&h->worker->recorder, e);
	hand_say_why(h, rc);
}
