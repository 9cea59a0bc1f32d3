/* SPDX-License-Identifier: MIT */
/* A process of the storm: hands that take locks and give them back, one that cancels their waits,
 * and one that notices when nobody lets them run. */
#include <stdatomic.h>

#include "history/recorder.h"
#include "history/resource.h"
#include "sim/random.h"
#include "storm/storm.h"
#include "support/kit.h"

enum { PULSE_MS = 50, STALL_MS = 300, ASK_MS = 100 };

struct worker;

struct hand {
	struct worker *worker;
	int thread; /* 1 .. THREADS */
	struct rng rng;
	_Atomic int64_t wait;     /* the call that it is in, or whose grant it has */
	_Atomic int name;         /* that this is about */
	_Atomic int64_t canceled; /* the call that was asked to give up */
	int64_t ticket;           /* of its place in line, if it knows it */
	int64_t former[NAMES];    /* tokens that it has given back */
};

struct worker {
	struct dblock_client *client;
	struct recorder recorder;
	struct resource resource;
	int64_t until;
	_Atomic int64_t waits;
	_Atomic bool stop;
	struct hand hands[THREADS];
};

static const char *name_of(int name)
{
	static const char names[NAMES][4] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
					     "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"};

	return names[name];
}

/* ---- writing down ---------------------------------------------------------------------------- */

static struct event event_of(struct hand *h, enum event_kind kind)
{
	struct event e = {.kind = kind, .thread = h->thread, .wait = h->wait};

	snprintf(e.name, sizeof(e.name), "%s", name_of(h->name));
	return e;
}

/* What is asked is valid until then, at least; 0: not any more. */
static int64_t valid_until(const struct dblock_lock *lock)
{
	int64_t now = event_now(), left = dblock_remaining_ms(lock);

	return left > 0 ? now + left * 1000 : 0;
}

/* It stands in line. Told once for each place there, since a new session has a new one. */
static void on_waiting(void *arg, const struct dblock_waiting *waiting)
{
	struct hand *h = arg;
	struct event e = event_of(h, EVENT_QUEUED);

	if (waiting->ticket == h->ticket)
		return;
	e.ticket = h->ticket = waiting->ticket;
	record(&h->worker->recorder, e);
}

static void on_lost(void *arg, struct dblock_lock *lock)
{
	struct hand *h = arg;
	struct event e = event_of(h, EVENT_TOLD);

	e.token = dblock_token(lock);
	record(&h->worker->recorder, e);
}

/* ---- one turn of a hand ---------------------------------------------------------------------- */

static void present(struct hand *h, int name, struct dblock_lock *lock)
{
	struct event e = event_of(h, EVENT_PRESENTED);
	bool accepted;

	e.token = dblock_token(lock);
	accepted = resource_present(&h->worker->resource, name, e.token, &e.before);
	e.outcome = accepted ? DBLOCK_OK : DBLOCK_STALE;
	e.until = valid_until(lock);
	record(&h->worker->recorder, e);
}

static void release(struct hand *h, int name, struct dblock_lock *lock)
{
	struct event e = event_of(h, EVENT_RELEASING);

	e.token = h->former[name] = dblock_token(lock);
	e.until = valid_until(lock);
	record(&h->worker->recorder, e);
	e.kind = EVENT_RELEASED;
	e.outcome = dblock_release(lock, NULL);
	e.until = 0;
	record(&h->worker->recorder, e);
}

/* Some are held for so long that they need their heartbeats. */
static void hold(struct hand *h, int name, struct dblock_lock *lock)
{
	struct event e = event_of(h, EVENT_GRANTED);

	e.token = dblock_token(lock);
	e.ticket = h->ticket;
	e.until = valid_until(lock);
	record(&h->worker->recorder, e);
	present(h, name, lock);
	sleep_ms(rng_between(&h->rng, 0, rng_one_in(&h->rng, 30) ? 2 * TTL_MS : 5));
	present(h, name, lock);
	release(h, name, lock);
}

/* 0: for ever; -1: not at all. */
static int64_t choose_wait(struct rng *rng)
{
	int64_t choice = rng_between(rng, 0, 9);

	if (choice == 0)
		return -1;
	if (choice < 3)
		return rng_between(rng, 1, 300);
	return choice < 6 ? rng_between(rng, 300, 3000) : 0;
}

static int is_canceled(void *arg)
{
	struct hand *h = arg;

	return h->canceled == h->wait;
}

static int acquire(struct hand *h, int name, int64_t wait_ms, struct dblock_lock **lock)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct event e = event_of(h, EVENT_CALLED);
	struct dblock_client *client = h->worker->client;

	how.wait_ms = wait_ms > 0 ? wait_ms : 0;
	how.canceled = is_canceled;
	how.lost = on_lost;
	how.canceled_arg = how.lost_arg = how.waiting_arg = h;
	/* That costs a statement, and time: so not everybody asks. */
	how.waiting = rng_one_in(&h->rng, 3) ? on_waiting : NULL;
	how.waiting_every_ms = ASK_MS;
	/* Who does not wait must not have passed anybody who does. */
	h->ticket = wait_ms < 0 ? TICKET_NONE : TICKET_UNKNOWN;
	if (wait_ms)
		e.until = event_now() + (wait_ms > 0 ? wait_ms * 1000 : 0);
	record(&h->worker->recorder, e);
	if (wait_ms < 0)
		return dblock_try(client, name_of(name), &how, lock, NULL);
	return dblock_acquire(client, name_of(name), &how, lock, NULL);
}

/* What this hand no longer holds. */
static void release_former(struct hand *h, int name)
{
	struct event e = event_of(h, EVENT_RELEASING);

	e.token = h->former[name];
	record(&h->worker->recorder, e);
	e.kind = EVENT_RELEASED;
	e.outcome = dblock_release_token(h->worker->client, name_of(name), e.token, NULL);
	record(&h->worker->recorder, e);
}

static void take_turn(struct hand *h)
{
	int name = (int)rng_between(&h->rng, 0, NAMES - 1);
	struct dblock_lock *lock;
	struct event e;
	int rc;

	h->name = name;
	h->wait = ++h->worker->waits;
	if (h->former[name] && rng_one_in(&h->rng, 16)) {
		release_former(h, name);
		return;
	}
	rc = acquire(h, name, choose_wait(&h->rng), &lock);
	if (rc == DBLOCK_OK) {
		hold(h, name, lock);
		return;
	}
	e = event_of(h, EVENT_DECLINED);
	e.outcome = rc;
	record(&h->worker->recorder, e);
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

/* The call may be over by now, or become so: then nobody asks any more. In the end nobody is
 * canceled, so that all waits have to end by themselves. */
static void *cancel(void *arg)
{
	struct worker *w = arg;
	struct rng rng = {.state = (uint64_t)w->until + (uint64_t)w->recorder.client};

	while (event_now() < w->until) {
		struct hand *h = &w->hands[rng_between(&rng, 0, THREADS - 1)];
		int64_t wait = h->wait;

		sleep_ms(rng_between(&rng, 50, 400));
		if (wait && wait == h->wait) {
			struct event e = event_of(h, EVENT_CANCELING);

			e.wait = wait;
			record(&w->recorder, e);
			h->canceled = wait;
		}
	}
	return NULL;
}

static void *feel_pulse(void *arg)
{
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

/* The server may be gone, just now. */
static bool open_client(struct worker *w)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = TTL_MS;
	while (event_now() < w->until) {
		struct event e = {.kind = EVENT_OPENED, .at = event_now()};

		if (dblock_open(test_url(), &options, &w->client, NULL) == 0) {
			e.until = e.at + (int64_t)TTL_MS * 1000;
			record(&w->recorder, e);
			return true;
		}
		sleep_ms(50);
	}
	return false;
}

static void run_hands(struct worker *w, uint64_t seed)
{
	struct crew hands = {.n = 0}, others = {.n = 0};

	for (int i = 0; i < THREADS; i++) {
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

int worker_run(int client, uint64_t seed, int64_t until)
{
	static struct worker w;

	w.until = until;
	if (!recorder_open(&w.recorder, storm_folder(), client) ||
	    !resource_open(&w.resource, storm_resource(), NAMES)) {
		perror(storm_folder());
		return 1;
	}
	if (open_client(&w)) {
		run_hands(&w, seed);
		dblock_close(w.client);
		record(&w.recorder, (struct event){.kind = EVENT_CLOSED});
	}
	recorder_close(&w.recorder);
	return 0;
}
