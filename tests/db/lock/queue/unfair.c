/* SPDX-License-Identifier: MIT */
/* A lock that is free while others wait in the queue: a try leaves it to them, a barger takes it,
 * and the queue goes on afterwards. */
#include "driver/value.h"
#include "support/puppet.h"
#include "support/raw.h"
#include "support/steps.h"

static struct puppet *puppet;
static struct dblock_client *client;
static struct raw *raw;
static int64_t nonce; /* the nonce of the puppet's wait */

/* The lock is free, with a puppet in the queue: as after a release that came just before the puppet
 * joined. */
static int set_up(void **state)
{
	(void)state;
	client = client_new(0);
	is_free(client, "x");
	puppet = puppet_new(NULL, PLENTY_MS);
	raw = raw_open(NULL);
	nonce = dbl_random_id(dbl_env_system());
	puppet_run(puppet, DBL_OP_enqueue,
		   DBL_ARGS_OF(dbl_text("x"), dbl_int(nonce), dbl_text(puppet->id), dbl_int(1),
			       dbl_null(), dbl_null(), dbl_null(), dbl_text(""), dbl_int(0),
			       dbl_int(1), dbl_null(), dbl_null(), dbl_int(1), dbl_int(0),
			       dbl_int(puppet->beat), dbl_int(0)));
	assert_int_equal(
		puppet_run(puppet, DBL_OP_announce, DBL_ARGS_OF(dbl_text("x"), dbl_int(1))), 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	raw_close(raw);
	puppet_free(puppet);
	is_free(client, "x");
	dblock_close(client, NULL);
	return 0;
}

static int64_t holder(void)
{
	return raw_int(raw, "SELECT nonce FROM dblock_lock WHERE name = 'x'");
}

static void a_try_leaves_it_to_the_queue(void **state)
{
	(void)state;
	busy(client, "x");
	assert_int_equal(holder(), nonce);
}

static void the_queue_goes_on(struct dblock_lock *lock)
{
	assert_int_not_equal(holder(), nonce);
	give(lock);
	assert_int_equal(holder(), nonce);
	busy(client, "x");
}

static void a_barger_takes_it_by_a_try(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *other = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.unfair = 1;
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	/* A barged lock is held like any other. */
	expect(BUSY, dblock_try(other, "x", &options, &(struct dblock_lock *){NULL}, &err));
	dblock_close(other, NULL);
	the_queue_goes_on(lock);
}

static void a_barger_takes_it_by_an_acquire(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.unfair = 1;
	expect(OK, dblock_acquire(client, "x", &options, &lock, &err));
	the_queue_goes_on(lock);
}

static void a_barger_takes_it_by_a_step(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	(void)state;
	options.unfair = 1;
	the_queue_goes_on(wait_gets(wait_begin_with(client, "x", &options)));
}

/* A barger that has joined the queue waits in order like the others. */
static void a_barger_that_waits_has_its_place(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *other = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_wait *wait;

	(void)state;
	options.unfair = 1;
	expect(OK, dblock_try(other, "x", &options, &lock, &err));
	wait = wait_begin_with(client, "x", &options);
	get_in_queue(wait);
	give(lock);
	assert_int_equal(holder(), nonce);
	puppet_run(puppet, DBL_OP_give_back, DBL_ARGS_OF(dbl_text("x"), dbl_int(nonce)));
	give(wait_gets(wait));
	dblock_close(other, NULL);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_try_leaves_it_to_the_queue),      CASE(a_barger_takes_it_by_a_try),
		CASE(a_barger_takes_it_by_an_acquire),   CASE(a_barger_takes_it_by_a_step),
		CASE(a_barger_that_waits_has_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
