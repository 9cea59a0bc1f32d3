/* SPDX-License-Identifier: MIT */
/* Leaders: who leads, who does not, and what a campaign lives through. */
#include "db/lock/recipes/leader.h"
#include "db/lock/recipes/once.h"
#include "support/call.h"
#include "support/spy.h"

static void others_read_who_leads(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = elect(a, "x", "tcp://a:1");
	struct dblock_leader leader = leader_of(b, "x");
	struct shown shown = show(b, "x");

	(void)state;
	assert_int_equal(leader.token, dblock_token(lock));
	assert_string_equal(leader.value, "tcp://a:1");
	assert_string_equal(leader.host, shown.host);
	assert_string_equal(leader.app, shown.app);
	assert_int_equal(leader.pid, getpid());
	assert_int_equal(leader.since_us, shown.h.acquired_us);
	assert_int_equal(leader.size, sizeof(leader));
	give(lock);
	nobody_leads(b, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* ---- a campaign ------------------------------------------------------------------------------ */

struct candidate {
	struct dblock_client *client;
	struct dblock_elect_options options;
	struct dblock_lock *lock;
	_Atomic int troubles;
	_Atomic bool stop;
};

static int stand(void *arg, struct dblock_error *err)
{
	struct candidate *c = arg;

	return dblock_elect(c->client, "x", &c->options, &c->lock, err);
}

static int wants_to_stop(void *arg)
{
	return ((struct candidate *)arg)->stop;
}

static void who_resigns_is_followed_by_the_next(void **state)
{
	struct candidate b = {.client = client_new(0), .options = DBLOCK_ELECT_OPTIONS_INIT};
	struct dblock_client *a = client_new(0);
	struct dblock_lock *lock = elect(a, "x", "first");
	struct call call;

	(void)state;
	b.options.value = "second";
	call_start(&call, stand, &b);
	until_somebody_waits(a, "x");
	assert_string_equal(leader_of(a, "x").value, "first");
	give(lock);
	assert_int_equal(call_end(&call), DBLOCK_OK);
	assert_string_equal(leader_of(a, "x").value, "second");
	assert_int_equal(leader_of(a, "x").token, dblock_token(b.lock));
	give(b.lock);
	dblock_close(a, NULL);
	dblock_close(b.client, NULL);
}

static void a_campaign_ends_by_time_or_will(void **state)
{
	struct candidate b = {.client = client_new(0), .options = DBLOCK_ELECT_OPTIONS_INIT};
	struct dblock_client *a = client_new(0);
	struct dblock_lock *lock = elect(a, "x", NULL);
	struct dblock_error err = {0};
	struct call call;

	(void)state;
	b.options.wait_ms = 1;
	expect(TIMEOUT, stand(&b, &err));
	assert_null(b.lock);
	b.options.wait_ms = 0;
	b.options.canceled = wants_to_stop;
	b.options.canceled_arg = &b;
	call_start(&call, stand, &b);
	until_somebody_waits(a, "x");
	b.stop = true;
	assert_int_equal(call_end(&call), DBLOCK_CANCELED);
	give(lock);
	is_free_soon(a, "x");
	dblock_close(a, NULL);
	dblock_close(b.client, NULL);
}

static enum spy_fate all_lost(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_acquire ? SPY_LOST_BEFORE : SPY_PASS;
}

static struct spy *outage;

static void on_trouble(void *arg, const struct dblock_error *why)
{
	struct candidate *c = arg;

	if (why->code < 0 && why->message[0] && ++c->troubles == 2)
		outage->fate = NULL;
}

/* Naive: the campaign is an acquire, which gives up. */
static void a_campaign_lives_through_an_outage(void **state)
{
	struct candidate c = {.options = DBLOCK_ELECT_OPTIONS_INIT};
	struct dblock_error err = {0};

	(void)state;
	outage = spy_new();
	c.client = spy_client_with(outage, 0, SLOWLY_MS(200));
	is_free(c.client, "x");
	c.options.trouble = on_trouble;
	c.options.trouble_arg = &c;
	outage->fate = all_lost;
	expect(OK, stand(&c, &err));
	assert_int_equal(c.troubles, 2);
	assert_true(dblock_valid(c.lock, 0));
	give(c.lock);
	/* A campaign waits no longer than the caller allows. */
	c.options.wait_ms = SLOWLY_MS(600);
	c.troubles = 10;
	outage->fate = all_lost;
	assert_true(stand(&c, &err) < 0);
	assert_true(c.troubles > 10);
	assert_null(c.lock);
	/* A campaign ends when its caller does not want to lead any more. */
	c.options.wait_ms = 0;
	c.options.canceled = wants_to_stop;
	c.options.canceled_arg = &c;
	c.stop = true;
	expect(CANCELED, stand(&c, &err));
	outage->fate = NULL;
	dblock_close(c.client, NULL);
	spy_free(outage);
}

/* ---- nobody ---------------------------------------------------------------------------------- */

static void who_does_not_lead(void **state)
{
	struct dblock_acquire_options rest = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *a = client_new(24 * 3600 * 1000), *b = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	nobody_leads(b, "never heard of");
	is_free(a, "x");
	nobody_leads(b, "x");
	rest.at_least_ms = 600000;
	expect(OK, dblock_try(a, "rest", &rest, &lock, &err));
	give(lock);
	nobody_leads(b, "rest");
	rest.at_least_ms = 0;
	rest.lease_ms = 600000;
	expect(OK, dblock_try(a, "lease", &rest, &lock, &err));
	raw_exec(raw, "UPDATE dblock_lock SET expires = {boot} - 1 WHERE name = 'lease'");
	nobody_leads(b, "lease");
	expect(LOST, dblock_release(lock, &err));
	/* The session is late by its ttl, and not declared dead; then its row is gone. */
	lock = elect(a, "x", NULL);
	raw_exec(raw, "UPDATE dblock_session SET expires = {boot} - 1 WHERE id ="
		      " (SELECT session FROM dblock_lock WHERE name = 'x')");
	nobody_leads(b, "x");
	raw_exec(raw, "DELETE FROM dblock_session WHERE id ="
		      " (SELECT session FROM dblock_lock WHERE name = 'x')");
	nobody_leads(b, "x");
	raw_exec(raw, "DELETE FROM dblock_lock WHERE name = 'x'");
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void what_is_wrong_is_refused(void **state)
{
	struct dblock_watch_options watch = DBLOCK_WATCH_OPTIONS_INIT;
	struct dblock_leader leader = {.size = 3};
	struct dblock_client *a = client_new(0);
	struct dblock_error err = {0};

	(void)state;
	expect(E_INVALID, dblock_leader_of(a, "x", &leader, &err));
	expect(E_INVALID, dblock_leader_of(a, "x", NULL, &err));
	leader.size = sizeof(leader);
	expect(E_INVALID, dblock_leader_of(a, "", &leader, &err));
	expect(E_INVALID, dblock_leader_of(NULL, "x", &leader, &err));
	watch.every_ms = 9;
	expect(E_INVALID, dblock_leader_watch(a, "x", &watch, &leader, &err));
	message_has("every_ms");
	watch.every_ms = 0;
	watch.wait_ms = -3;
	expect(E_INVALID, dblock_leader_watch(a, "x", &watch, &leader, &err));
	expect(E_INVALID, dblock_elect(a, "x", NULL, NULL, &err));
	dblock_close(a, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_read_who_leads),
		cmocka_unit_test(who_resigns_is_followed_by_the_next),
		cmocka_unit_test(a_campaign_ends_by_time_or_will),
		cmocka_unit_test(a_campaign_lives_through_an_outage),
		cmocka_unit_test(who_does_not_lead),
		cmocka_unit_test(what_is_wrong_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
