/* SPDX-License-Identifier: MIT */
/* The network behind an open client goes bad in one of its ways. Every call that is under way, or
 * comes after, ends at its deadline and says what it can know, and in the end no lock stays held
 * for nobody. All calls run at once, each by its own client, so that it takes no longer than one.
 */
#include "db/faults/remote_acts.h"
#include "support/proxy.h"

/* This is added for a machine that has much else to do. */
enum { MERCY_MS = 10000 };

struct scene {
	struct proxy *proxy;
	struct dblock_client *holder, *other; /* hold what is ANOTHERS; come afterwards */
	struct actor actors[ACTS];
};

/* ---- before ---------------------------------------------------------------------------------- */

/* Runs every statement once, so that a case loses the statement itself, not what makes it ready.
 * Returns 0 if that is done: a busy machine may be too slow for it. */
static int warm_up(struct actor *a, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock;
	int64_t token;

	how.lease_ms = LONG_MS;
	if (dblock_try(a->client, a->name, NULL, &lock, err))
		return -1;
	token = dblock_token(lock);
	if (do_list(a, err) || do_show(a, err) || do_reap(a, err) ||
	    break_by_force(a->client, a->name, token, 0, err) ||
	    dblock_release(lock, err) != DBLOCK_LOST ||
	    dblock_try(a->client, a->name, &how, &lock, err))
		return -1;
	return dblock_extend(lock, LONG_MS, err) || dblock_release(lock, err);
}

static int make_before(struct scene *s, struct actor *a, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.lease_ms = a->act->before == LEASED ? LONG_MS : 0;
	if (a->act->before == FREE)
		return 0;
	return dblock_try(a->act->before == ANOTHERS ? s->holder : a->client, a->name, &how,
			  &a->lock, err);
}

static void get_ready(struct scene *s, struct actor *a, const struct act *act, int64_t ttl_ms)
{
	struct dblock_client_options options = hasty(ttl_ms);
	int64_t until = clock_ms() + PLENTY_MS;
	struct dblock_error err = {0};
	static int names;

	do {
		dblock_close(a->client, NULL);
		*a = (struct actor){.act = act, .url = proxy_url(s->proxy)};
		/* A new name: what another case, or the last try, has left behind is not in the
		 * way. */
		snprintf(a->name, sizeof(a->name), "%s %d", act->name, ++names);
		if (dblock_open(a->url, &options, &a->client, &err) == 0 && warm_up(a, &err) == 0 &&
		    make_before(s, a, &err) == 0)
			return;
	} while (clock_ms() < until);
	fail_msg("%s: cannot be made ready: %s", a->name, err.message);
}

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->other = client_new(0);
	s->holder = client_new(0);
	s->proxy = proxy_new();
	*state = s;
	return 0;
}

/* Closes the clients of a case that failed. */
static void close_left(struct scene *s)
{
	proxy_refuse(s->proxy, false);
	proxy_set(s->proxy, PROXY_PASS);
	for (int i = 0; i < ACTS; i++) {
		struct actor *a = &s->actors[i];

		if ((!a->call.run || a->call.done) && !a->closing.run)
			dblock_close(a->client, NULL);
	}
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	close_left(s);
	proxy_free(s->proxy);
	dblock_close(s->holder, NULL);
	dblock_close(s->other, NULL);
	free(s);
	return 0;
}

/* ---- during ---------------------------------------------------------------------------------- */

static void ends_in_time(const struct actor *a, const char *what, const struct call *call,
			 int64_t since)
{
	int64_t took = call->ended - (call->begun > since ? call->begun : since);

	if (took > TIMEOUT_MS + MERCY_MS)
		fail_msg("%s: %s took %lld ms", a->act->name, what, (long long)took);
}

static void act_all(struct scene *s, void (*harm)(struct proxy *), int64_t ttl_ms)
{
	int64_t harmed;

	for (int i = 0; i < ACTS; i++) {
		get_ready(s, &s->actors[i], &acts[i], ttl_ms);
	}
	for (int i = 0; i < ACTS; i++) {
		if (acts[i].run == do_acquire)
			call_start(&s->actors[i].call, do_acquire, &s->actors[i]);
	}
	sleep_ms(TIMEOUT_MS / 2); /* it is in the queue, or on its way */
	harm(s->proxy);
	harmed = clock_ms();
	for (int i = 0; i < ACTS; i++) {
		if (acts[i].run != do_acquire)
			call_start(&s->actors[i].call, acts[i].run, &s->actors[i]);
	}
	for (int i = 0; i < ACTS; i++) {
		call_end(&s->actors[i].call);
		ends_in_time(&s->actors[i], "the call", &s->actors[i].call, harmed);
	}
}

/* A caller who waits for an answer in vain learns that, and no more than is certain. */
static void are_as_expected(struct scene *s)
{
	for (int i = 0; i < ACTS; i++) {
		const struct call *call = &s->actors[i].call;
		/* Where processes on this machine have ended, it begins with a read. */
		bool also = acts[i].run == do_reap && call->rc == DBLOCK_E_NO_ANSWER;

		if (call->rc != acts[i].outcome && !also)
			fail_msg("%s: %s instead of %s: %s", acts[i].name,
				 dblock_outcome_name(call->rc),
				 dblock_outcome_name(acts[i].outcome), call->err.message);
		assert_true(call->rc == 0 || call->err.message[0]);
	}
}

/* ---- after ----------------------------------------------------------------------------------- */

static void close_all(struct scene *s)
{
	for (int i = 0; i < ACTS; i++)
		call_start(&s->actors[i].closing, do_close, &s->actors[i]);
	for (int i = 0; i < ACTS; i++) {
		call_end(&s->actors[i].closing);
		ends_in_time(&s->actors[i], "the close", &s->actors[i].closing, 0);
	}
}

/* Nothing stays held but leases, which end by themselves. */
static void nothing_is_left(struct scene *s)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.wait_ms = PLENTY_MS;
	for (int i = 0; i < ACTS; i++) {
		if (acts[i].before == ANOTHERS)
			(void)dblock_release(s->actors[i].lock, NULL);
		if (acts[i].before == LEASED) {
			int rc = break_by_force(s->other, s->actors[i].name, 0, 0, &err);

			assert_true(rc == DBLOCK_OK || rc == DBLOCK_STALE);
		}
		expect(OK, dblock_acquire(s->other, s->actors[i].name, &how, &lock, &err));
		give(lock);
	}
}

static void silence(struct proxy *p)
{
	proxy_set(p, PROXY_SILENT);
}

static void swallow(struct proxy *p)
{
	proxy_set(p, PROXY_SWALLOW);
}

static void refuse(struct proxy *p)
{
	proxy_refuse(p, true);
	proxy_cut(p);
}

/* The network is good again before the clients close: they clean up what they have left. */

static void calls_that_are_swallowed(void **state)
{
	struct scene *s = *state;

	act_all(s, silence, 0);
	are_as_expected(s);
	proxy_set(s->proxy, PROXY_PASS);
	close_all(s);
	nothing_is_left(s);
}

static void calls_whose_answers_are_swallowed(void **state)
{
	struct scene *s = *state;

	act_all(s, swallow, 0);
	are_as_expected(s);
	proxy_set(s->proxy, PROXY_PASS);
	close_all(s);
	nothing_is_left(s);
}

static void calls_whose_server_is_gone(void **state)
{
	struct scene *s = *state;

	act_all(s, refuse, 0);
	for (int i = 0; i < ACTS; i++)
		assert_true(s->actors[i].call.rc < 0 || acts[i].run == do_close);
	proxy_refuse(s->proxy, false);
	close_all(s);
	nothing_is_left(s);
}

/* The network stays bad: sessions end by their ttl. What a call can say depends on how much of its
 * session was left. */
static void clients_that_close_in_silence(void **state)
{
	struct scene *s = *state;

	act_all(s, swallow, 2000);
	close_all(s);
	nothing_is_left(s);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(calls_that_are_swallowed),
		CASE(calls_whose_answers_are_swallowed),
		CASE(calls_whose_server_is_gone),
		CASE(clients_that_close_in_silence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
