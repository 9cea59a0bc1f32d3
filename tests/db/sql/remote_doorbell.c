/* SPDX-License-Identifier: MIT */
/* One connection is woken by another: the driver's slot, and the texts of the operations doorbell
 * and ring. */
#include <sys/eventfd.h>

#include "api/client.h"
#include "driver/value.h"
#include "support/waiting.h"

#define CHANNEL "0123456789abcdef0123456789abcdef"
#define OTHER   "fedcba9876543210fedcba9876543210"
#define LONG_US (600 * 1000000LL)

struct pair {
	struct dbl_target target;
	struct dbl_db *hearer, *sender;
	int stop;
	pthread_t thread;
	int rc;
	char said[100];
	_Atomic bool done;
	int64_t us;
};

static int64_t soon(void)
{
	return dbl_now(dbl_env_system()) + dbl_ms(PLENTY_MS);
}

static int set_up(void **state)
{
	struct pair *l = calloc(1, sizeof(*l));
	struct dblock_error err = {0};

	expect(OK, dbl_target_init(&l->target, test_url(), NULL, NULL, dbl_env_system(), &err));
	expect(OK, dbl_db_open(&l->hearer, &l->target, soon(), &err));
	expect(OK, dbl_db_open(&l->sender, &l->target, soon(), &err));
	expect(OK, dbl_db_listen(l->hearer, CHANNEL, soon(), &err));
	l->stop = eventfd(0, EFD_CLOEXEC);
	*state = l;
	return 0;
}

static int tear_down(void **state)
{
	struct pair *l = *state;

	dbl_db_close(l->hearer);
	dbl_db_close(l->sender);
	dbl_target_free(&l->target);
	close(l->stop);
	free(l);
	return 0;
}

static void *hear(void *arg)
{
	struct pair *l = arg;
	const char *said = "";

	l->rc = dbl_db_hear(l->hearer, CHANNEL, l->us, dbl_ms(PLENTY_MS), l->stop, &said, NULL);
	snprintf(l->said, sizeof(l->said), "%s", said);
	l->done = true;
	return NULL;
}

static void hear_for(struct pair *l, int64_t us)
{
	l->us = us;
	l->done = false;
	assert_int_equal(pthread_create(&l->thread, NULL, hear, l), 0);
}

static void heard(struct pair *l)
{
	wait_until(l->done);
	pthread_join(l->thread, NULL);
}

static int take_number(void *ctx, const struct dbl_value *row)
{
	*(int64_t *)ctx = row[0].i;
	return 0;
}

/* Returns the number of connections that hear it; PostgreSQL does not know that. */
static int64_t ring(struct pair *l, const char *channel)
{
	struct dbl_value args[] = {dbl_text(channel), dbl_text("7 8")}, number;
	int64_t found = 0;
	struct dbl_request ring = {.op = DBL_OP_ring,
				   .args = DBL_ARGS(args),
				   .row = take_number,
				   .ctx = &found,
				   .deadline = soon()};
	struct dbl_request stop = {
		.op = DBL_OP_ring_stop, .args = DBL_ARG(number), .deadline = soon()};
	struct dblock_error err = {0};

	expect(OK, dbl_db_run(l->sender, &ring, &err));
	number = dbl_int(found);
	if (found)
		expect(OK, dbl_db_run(l->sender, &stop, &err));
	return ring.rows;
}

/* Without the message the sleep would take ten minutes. */
static void a_ring_ends_the_wait(void **state)
{
	struct pair *l = *state;

	for (int i = 0; i < 3; i++) {
		hear_for(l, LONG_US);
		wait_until(ring(l, CHANNEL) > 0);
		heard(l);
		assert_int_equal(l->rc, 1);
		assert_string_equal(l->said, on_backend("postgresql") ? "7 8" : "");
		assert_false(dbl_db_broken(l->hearer));
	}
}

static void it_ends_by_itself(void **state)
{
	struct pair *l = *state;

	for (int i = 0; i < 3; i++) {
		hear_for(l, 20000);
		heard(l);
		assert_int_equal(l->rc, on_backend("mysql"));
		assert_false(dbl_db_broken(l->hearer));
	}
}

static void it_can_be_stopped(void **state)
{
	struct pair *l = *state;

	hear_for(l, LONG_US);
	sleep_ms(20);
	assert_false(l->done);
	eventfd_write(l->stop, 1);
	heard(l);
	assert_int_equal(l->rc, 0);
}

static void a_lost_connection_is_told(void **state)
{
	struct pair *l = *state;
	struct raw *raw = raw_open(NULL);

	hear_for(l, LONG_US);
	raw_exec(raw, on_backend("mysql") ? "KILL %d" : "SELECT pg_terminate_backend(%d)",
		 (int)dbl_db_backend(l->hearer));
	heard(l);
	assert_int_equal(l->rc, DBLOCK_E_UNAVAILABLE);
	assert_true(dbl_db_broken(l->hearer));
	raw_close(raw);
}

/* The text names the channel, but is not that of the operation doorbell. */
static void *sleep_by_hand(void *arg)
{
	struct pair *l = arg;

	char sql[100];

	snprintf(sql, sizeof(sql), "SELECT SLEEP(%d) AS bell_" OTHER, (int)SLOWLY_MS(2));
	l->rc = dbl_db_send(l->hearer, sql, soon(), NULL);
	return NULL;
}

static void only_doorbells_are_interrupted(void **state)
{
	struct pair *l = *state;
	struct raw *raw = raw_open(NULL);

	if (on_backend("mysql")) {
		assert_int_equal(pthread_create(&l->thread, NULL, sleep_by_hand, l), 0);
		wait_until(raw_int(raw,
				   "SELECT count(*) FROM information_schema.processlist "
				   "WHERE id = %d AND info LIKE '%%" OTHER "'",
				   (int)dbl_db_backend(l->hearer)) == 1);
		assert_int_equal(ring(l, OTHER), 0);
		pthread_join(l->thread, NULL);
		assert_int_equal(l->rc, 0);
	}
	raw_close(raw);
}

static void other_channels_are_left_alone(void **state)
{
	struct pair *l = *state;

	hear_for(l, LONG_US);
	for (int i = 0; i < 20; i++) {
		ring(l, OTHER);
		sleep_ms(2);
	}
	assert_false(l->done);
	eventfd_write(l->stop, 1);
	heard(l);
	/* Such a channel, read from a table, would be a pattern. */
	assert_false(dbl_db_is_channel("________________________________"));
	assert_false(dbl_db_is_channel("%"));
	assert_false(dbl_db_is_channel(""));
	assert_false(dbl_db_is_channel(CHANNEL "0"));
	assert_true(dbl_db_is_channel(CHANNEL));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_ring_ends_the_wait),
		CASE(it_ends_by_itself),
		CASE(it_can_be_stopped),
		CASE(a_lost_connection_is_told),
		CASE(only_doorbells_are_interrupted),
		CASE(other_channels_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
