/* SPDX-License-Identifier: MIT */
#include "storm/quorum/worker.h"

#include <stdatomic.h>

#include <dblock/quorum.h>

#include "history/recorder.h"
#include "history/resource.h"
#include "sim/random.h"
#include "storm/quorum/members.h"
#include "storm/storm.h"

enum { TIMEOUT_MS = 3000, LOOK_MS = 20, NEVER_WAITS = -1 };

struct worker;

struct hand {
	struct worker *worker;
	int thread;
	_Atomic int name;
	struct rng rng;
	_Atomic int64_t wait;     /* the call that it is in, or whose grant it has */
	_Atomic int64_t canceled; /* the call that was asked to give up */
};

struct worker {
	struct dblock_client *client;
	struct recorder recorder;
	struct resource resource;
	int64_t until;
	_Atomic int64_t waits, extended;
	_Atomic bool stop;
	struct hand hands[HANDS];
};

const char *worker_lock_name(int name)
{
	static const char names[LOCKS][4] = {"a", "b", "c", "d"};

	return names[name];
}

/* ---- writing down ---------------------------------------------------------------------------- */

static struct event event_of(const struct hand *h, enum event_kind kind)
{
	struct event e = {.kind = kind, .thread = h->thread, .wait = h->wait};

	snprintf(e.name, sizeof(e.name), "%s", worker_lock_name(h->name));
	return e;
}

static void tell(struct hand *h, struct event e)
{
	record(&h->worker->recorder, e);
}

static int64_t valid_until(const struct dblock_lock *lock)
{
	int64_t now = event_now(), left = dblock_remaining_ms(lock);

	return left > 0 ? now + left * 1000 : 0;
}

static void tell_held(struct hand *h, enum event_kind kind, const struct dblock_lock *lock)
{
	struct event e = event_of(h, kind);

	e.token = dblock_token(lock);
	e.until = valid_until(lock);
	tell(h, e);
}

static void on_lost(void *arg, struct dblock_lock *lock)
{
	struct hand *h = arg;
	struct event e = event_of(h, EVENT_TOLD);

	e.token = dblock_token(lock);
	tell(h, e);
}

static int is_canceled(void *arg)
{
	const struct hand *h = arg;

	return h->canceled == h->wait;
}

/* ---- with the lock in its hand --------------------------------------------------------------- */

static void present(struct hand *h, const struct dblock_lock *lock)
{
	struct event e = event_of(h, EVENT_PRESENTED);

	e.token = dblock_token(lock);
	e.outcome = resource_present_alone(&h->worker->resource, h->name, e.token, &e.before)
			    ? DBLOCK_OK
			    : DBLOCK_STALE;
	e.until = valid_until(lock);
	tell(h, e);
}

/* A lease may be released by its token, also just after its end; its handle does not know, and is closed as lost. */
static void release(struct hand *h, struct dblock_lock *lock, bool by_token)
{
	struct event e = event_of(h, EVENT_RELEASED);

	tell_held(h, EVENT_RELEASING, lock);
	by_token = by_token && dblock_valid(lock, 0);
	e.token = dblock_token(lock);
	e.outcome = by_token ? dblock_release_token(h->worker->client, worker_lock_name(h->name),
						    e.token, NULL)
			     : dblock_release(lock, NULL);
	tell(h, e);
	if (by_token)
		(void)dblock_release(lock, NULL);
}

/* It may fail, as any call may; what is told of the handle afterwards says until when it is valid. Never for less
 * than it was had for: the checker takes it that what was told once is so. */
static void extend(struct hand *h, struct dblock_lock *lock, int64_t lease_ms)
{
	int rc = dblock_extend(lock, rng_between(&h->rng, lease_ms, TTL_MS), NULL);

	h->worker->extended += rc == DBLOCK_OK;
	present(h, lock);
}

/* Some hold it for so long that it needs heartbeats; of these some look at it, and let go when it is lost. */
static void hold_for(struct hand *h, const struct dblock_lock *lock)
{
	int64_t ms = rng_between(&h->rng, 0, rng_one_in(&h->rng, 30) ? 2 * TTL_MS : 5);
	int64_t until = clock_ms() + ms, left;
	bool looks = rng_one_in(&h->rng, 2);

	while ((left = until - clock_ms()) > 0 && !(looks && !dblock_valid(lock, 0)))
		sleep_ms(looks && left > LOOK_MS ? LOOK_MS : left);
}

static void hold(struct hand *h, struct dblock_lock *lock, int64_t lease_ms)
{
	tell_held(h, EVENT_GRANTED, lock);
	present(h, lock);
	hold_for(h, lock);
	present(h, lock);
	if (lease_ms && rng_one_in(&h->rng, 2)) {
		extend(h, lock, lease_ms);
		hold_for(h, lock);
		present(h, lock);
	}
	release(h, lock, lease_ms && rng_one_in(&h->rng, 2));
}

/* ---- asking for it --------------------------------------------------------------------------- */

static int64_t choose_wait(struct rng *rng)
{
	int64_t choice = rng_between(rng, 0, 9);

	if (choice < 2)
		return NEVER_WAITS;
	return choice < 5 ? rng_between(rng, 1, 3000) : 0;
}

static int acquire(struct hand *h, int64_t wait_ms, int64_t lease_ms, struct dblock_lock **lock)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	const char *name = worker_lock_name(h->name);
	struct event e = event_of(h, EVENT_CALLED);

	how.lease_ms = lease_ms;
	how.wait_ms = wait_ms > 0 ? wait_ms : 0;
	how.canceled = is_canceled;
	how.lost = on_lost;
	how.canceled_arg = how.lost_arg = h;
	e.lease = lease_ms * 1000;
	if (wait_ms)
		e.until = event_now() + (wait_ms > 0 ? wait_ms * 1000 : 0);
	tell(h, e);
	return wait_ms < 0 ? dblock_try(h->worker->client, name, &how, lock, NULL)
			   : dblock_acquire(h->worker->client, name, &how, lock, NULL);
}

/* Most want the same one. */
static void take_turn(struct hand *h)
{
	int64_t lease_ms = rng_one_in(&h->rng, 5) ? rng_between(&h->rng, 500, TTL_MS) : 0;
	int name = rng_one_in(&h->rng, 2) ? 0 : (int)rng_between(&h->rng, 0, LOCKS - 1);
	struct dblock_lock *lock;
	struct event e;
	int rc;

	h->wait = 0;
	h->name = name;
	h->wait = atomic_fetch_add(&h->worker->waits, 1) + 1;
	rc = acquire(h, choose_wait(&h->rng), lease_ms, &lock);
	if (rc == DBLOCK_OK) {
		hold(h, lock, lease_ms);
		return;
	}
	e = event_of(h, EVENT_DECLINED);
	e.outcome = rc;
	tell(h, e);
}

static void *work(void *arg)
{
	struct hand *h = arg;

	while (event_now() < h->worker->until) {
		take_turn(h);
		sleep_ms(rng_between(&h->rng, 0, 40));
	}
	return NULL;
}

/* ---- the others ------------------------------------------------------------------------------ */

/* The call may be over by now, or may end just then: then it is not asked any more. In the end nobody is
 * canceled, so that all waits have to end by themselves. */
static void *cancel(void *arg)
{
	struct worker *w = arg;
	struct rng rng = {.state = (uint64_t)w->until + (uint64_t)w->recorder.client};

	while (event_now() < w->until) {
		struct hand *h = &w->hands[rng_between(&rng, 0, HANDS - 1)];
		int64_t wait = h->wait;
		struct event e;

		sleep_ms(rng_between(&rng, 100, 800));
		e = event_of(h, EVENT_CANCELING);
		if (!wait || wait != h->wait || wait == h->canceled || e.wait != wait)
			continue;
		tell(h, e);
		h->canceled = wait;
	}
	return NULL;
}

/* Notes when nobody lets this process run. */
static void *feel_pulse(void *arg)
{
	enum { PULSE_MS = 50, STALL_MS = 300 };
	struct worker *w = arg;

	while (!w->stop) {
		int64_t before = event_now();

		sleep_ms(PULSE_MS);
		if (event_now() - before > STALL_MS * 1000)
			record(&w->recorder,
			       (struct event){.kind = EVENT_STALLED, .before = before});
	}
	return NULL;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* There may be no majority at this moment. */
static bool open_client(struct worker *w, const char *const urls[])
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = TTL_MS;
	options.timeout_ms = TIMEOUT_MS;
	while (event_now() < w->until) {
		struct event e = {.kind = EVENT_OPENED, .at = event_now()};

		if (dblock_quorum_open(urls, MEMBERS, &options, &w->client, NULL) == DBLOCK_OK) {
			e.until = e.at + (int64_t)TTL_MS * 1000;
			record(&w->recorder, e);
			return true;
		}
		sleep_ms(50);
	}
	return false;
}

static bool open_files(struct worker *w, int client)
{
	return recorder_open(&w->recorder, storm_folder(), client) &&
	       resource_open(&w->resource, storm_resource(), LOCKS);
}

static void close_client(struct worker *w)
{
	(void)dblock_close(w->client, NULL);
	record(&w->recorder, (struct event){.kind = EVENT_CLOSED});
}

static void run_hands(struct worker *w, uint64_t seed)
{
	struct crew hands = {.n = 0}, others = {.n = 0};

	for (int i = 0; i < HANDS; i++) {
		w->hands[i] = (struct hand){.worker = w, .thread = i + 1};
		w->hands[i].rng.state = seed + (uint64_t)i * 1000003;
		crew_add(&hands, work, &w->hands[i]);
	}
	crew_add(&others, cancel, w);
	crew_add(&others, feel_pulse, w);
	crew_join(&hands);
	w->stop = true;
	crew_join(&others);
}

int worker_run(int client, uint64_t seed, int64_t until, const char *const urls[])
{
	static struct worker w;

	w.until = until;
	if (!open_files(&w, client)) {
		perror(storm_folder());
		return 1;
	}
	if (open_client(&w, urls)) {
		run_hands(&w, seed);
		close_client(&w);
	}
	recorder_close(&w.recorder);
	return 0;
}

int worker_take_all(int client, const char *const urls[])
{
	struct worker w = {.until = event_now() + PLENTY_MS * 1000};
	struct hand h = {.worker = &w, .thread = 1, .canceled = -1};
	struct dblock_lock *lock;
	int missed = 0;

	if (!open_files(&w, client) || !open_client(&w, urls))
		return LOCKS;
	for (h.name = 0; h.name < LOCKS; h.name++) {
		h.wait++;
		if (acquire(&h, PLENTY_MS, 0, &lock) == DBLOCK_OK) {
			tell_held(&h, EVENT_GRANTED, lock);
			present(&h, lock);
			release(&h, lock, false);
		} else {
			missed++;
		}
	}
	close_client(&w);
	resource_close(&w.resource);
	recorder_close(&w.recorder);
	return missed;
}
