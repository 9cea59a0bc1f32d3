/* SPDX-License-Identifier: MIT */
/* A process of the storm: hands that take locks and give them back, a thread that cancels their
 * waits, and one that notices when nobody lets them run. */
#include "api/client.h"
#include "storm/hand.h"

enum { PULSE_MS = 50, STALL_MS = 300 };

static void *work(void *arg)
{
	struct hand *h = arg;

	while (event_now() < h->worker->until) {
		hand_take_turn(h);
		sleep_ms(rng_between(&h->rng, 0, 40));
	}
	return NULL;
}

/* ---- the others ------------------------------------------------------------------------------ */

/* The call may be over by now, or may end just then: then it is not asked any more. In the end
 * nobody is canceled, so that all waits have to end by themselves. */
static void cancel_call(struct worker *w, struct hand *h, int64_t wait)
{
	struct event events[PARTS];
	int n = h->parts;

	for (int i = 0; i < n; i++) {
		events[i] = hand_event(h, i, EVENT_CANCELING);
		events[i].wait = wait + i;
	}
	/* Otherwise these events would be those of the next call. */
	if (wait != h->wait)
		return;
	while (n-- > 0)
		record(&w->recorder, events[n]);
	h->canceled = wait;
}

static void *cancel(void *arg)
{
	struct worker *w = arg;
	struct rng rng = {.state = (uint64_t)w->until + (uint64_t)w->recorder.client};

	while (event_now() < w->until) {
		struct hand *h = &w->hands[rng_between(&rng, 0, THREADS - 1)];
		int64_t wait = h->wait;

		sleep_ms(rng_between(&rng, 50, 400));
		if (wait && wait == h->wait && wait != h->canceled)
			cancel_call(w, h, wait);
	}
	return NULL;
}

/* Notes if the session is another one than before. */
static void look_at_session(struct worker *w, char id[33], int64_t *seen)
{
	struct dbl_epoch *life;

	if (dbl_session_epoch(w->client->locks->session, 0, &life, NULL))
		return;
	if (id[0] && strcmp(id, life->id) != 0)
		record(&w->recorder, (struct event){.kind = EVENT_RENEWED, .before = *seen});
	snprintf(id, 33, "%s", life->id);
	*seen = event_now();
	dbl_epoch_drop(life);
}

static void *feel_pulse(void *arg)
{
	struct worker *w = arg;
	char session[33] = "";
	int64_t seen = 0;

	while (!w->stop) {
		int64_t before = event_now();

		look_at_session(w, session, &seen);
		sleep_ms(PULSE_MS);
		if (event_now() - before > STALL_MS * 1000)
			record(&w->recorder,
			       (struct event){.kind = EVENT_STALLED, .before = before});
	}
	return NULL;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* This is the setting of a connection's setup: innodb_lock_wait_timeout, lock_timeout. */
static int64_t row_wait_us(void)
{
	if (on_backend("mysql"))
		return 1000000;
	return on_backend("postgresql") ? 250000 : 0;
}

/* The server may be gone at this moment. */
static bool open_client(struct worker *w)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = TTL_MS;
	TUNE(options, .post_releases = w->habits.posts);
	while (event_now() < w->until) {
		struct event e = {.kind = EVENT_OPENED, .at = event_now()};

		if (dblock_open(test_url(), &options, &w->client, NULL) == 0) {
			e.until = e.at + (int64_t)TTL_MS * 1000;
			e.lease = row_wait_us();
			e.weight = w->habits.posts || w->habits.idle_ms;
			record(&w->recorder, e);
			if (w->recorder.client % 2 && !on_backend("sqlite"))
				dbl_link_part(w->client->locks->link, DBL_NEVER);
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
	w.habits = schedule_habits(client);
	if (!recorder_open(&w.recorder, storm_folder(), client) ||
	    !resource_open(&w.resource, storm_resource(), NAMES)) {
		perror(storm_folder());
		return 1;
	}
	if (open_client(&w)) {
		run_hands(&w, seed);
		dblock_close(w.client, NULL);
		record(&w.recorder, (struct event){.kind = EVENT_CLOSED});
	}
	recorder_close(&w.recorder);
	return 0;
}
