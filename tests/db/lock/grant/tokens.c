/* SPDX-License-Identifier: MIT */
/*
 * Fencing tokens never go back: over release, expiry, declaration of death, break, purge, rows
 * deleted by hand, and a database whose clock steps back. For the last one the tests move the
 * tokens into the future instead, which looks the same to them.
 */
#include "support/puppet.h"
#include "support/raw.h"

#define HOUR_AHEAD "{now} + 3600000000"

static int64_t token_of(struct raw *raw, const char *name)
{
	return raw_int(raw, "SELECT token FROM dblock_lock WHERE name = '%s'", name);
}

static int64_t floor_of(struct raw *raw)
{
	return raw_int(raw, "SELECT max(token) FROM dblock_floor");
}

static void set_floor(struct raw *raw, const char *token)
{
	raw_exec(raw, "DELETE FROM dblock_floor");
	raw_exec(raw, "INSERT INTO dblock_floor (id, token) SELECT 1, %s", token);
}

static int64_t purge(struct dblock_client *client)
{
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	options.purge_after_ms = -1;
	expect(OK, dblock_reap(client, &options, &reaped, &err));
	return reaped.names_purged;
}

/* Two clients and another session; no names, no floor. */
struct scene {
	struct dblock_client *a, *b;
	struct raw *raw;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->a = client_new(0);
	s->b = client_new(0);
	s->raw = raw_open(NULL);
	raw_exec(s->raw, "DELETE FROM dblock_lock");
	raw_exec(s->raw, "DELETE FROM dblock_floor");
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	dblock_close(s->a, NULL);
	dblock_close(s->b, NULL);
	raw_close(s->raw);
	free(s);
	return 0;
}

static void over_release(void **state)
{
	struct scene *s = *state;
	int64_t last = 0;

	for (int i = 0; i < 100; i++) {
		int64_t token = is_free(i % 3 ? s->a : s->b, "x");

		assert_true(token > last);
		last = token;
	}
}

static void over_expiry(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *first, *second;

	options.lease_ms = 1000;
	expect(OK, dblock_try(s->a, "x", &options, &first, &err));
	expect(OK, dblock_acquire(s->b, "x", NULL, &second, &err));
	assert_true(dblock_token(second) > dblock_token(first));
	give(second);
}

static void over_burial(void **state)
{
	struct scene *s = *state;
	struct puppet *puppet = puppet_new(NULL, 60000);

	assert_true(puppet_takes(puppet, "x"));
	assert_true(puppet_is_dead(puppet, puppet->beat, puppet->ttl));
	assert_true(is_free(s->a, "x") > puppet->token);
	puppet_free(puppet);
}

static void over_break(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct dblock_error err = {0};
	int64_t token = dblock_token(lock), above;

	expect(OK, break_by_force(s->b, "x", 0, 0, &err));
	above = token_of(s->raw, "x");
	assert_true(above > token);
	assert_true(is_free(s->b, "x") > above);
	expect(LOST, dblock_release(lock, &err));
}

static void over_rows_deleted_by_hand(void **state)
{
	struct scene *s = *state;
	int64_t token = is_free(s->a, "x");

	raw_exec(s->raw, "DELETE FROM dblock_lock");
	assert_true(is_free(s->b, "x") > token);
}

static void over_purge(void **state)
{
	struct scene *s = *state;
	int64_t x = is_free(s->a, "x"), y = is_free(s->a, "y");

	assert_int_equal(purge(s->a), 2);
	assert_int_equal(token_of(s->raw, "x"), -1);
	assert_int_equal(floor_of(s->raw), y);
	assert_true(is_free(s->b, "x") > x);
}

/* The clock went back behind the token of a name that is in use. */
static void over_a_clock_that_steps_back(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t token;

	is_free(s->a, "x");
	raw_exec(s->raw, "UPDATE dblock_lock SET token = " HOUR_AHEAD);
	token = token_of(s->raw, "x");
	assert_int_equal(is_free(s->a, "x"), token + 1);
	assert_int_equal(is_free(s->b, "x"), token + 2);
	lock = take(s->a, "x");
	expect(OK, break_by_force(s->b, "x", 0, 0, &err));
	assert_int_equal(token_of(s->raw, "x"), token + 4);
	assert_int_equal(is_free(s->b, "x"), token + 5);
	expect(LOST, dblock_release(lock, &err));
}

/* The clock went back behind the tokens of names that were purged. */
static void over_purge_and_a_clock_that_steps_back(void **state)
{
	struct scene *s = *state;
	int64_t floor;

	set_floor(s->raw, HOUR_AHEAD);
	floor = floor_of(s->raw);
	assert_int_equal(is_free(s->a, "x"), floor + 1);
	assert_int_equal(is_free(s->a, "x"), floor + 2);
	assert_int_equal(is_free(s->b, "y"), floor + 1);
}

/* Naive: purging whatever is unused. A name made anew would get an old token if the floor did not
 * know that token; and the floor is not raised into the future, for all names. */
static void purge_spares_tokens_that_are_ahead(void **state)
{
	struct scene *s = *state;
	int64_t x;

	is_free(s->a, "x");
	is_free(s->a, "y");
	raw_exec(s->raw, "UPDATE dblock_lock SET token = " HOUR_AHEAD " WHERE name = 'x'");
	x = token_of(s->raw, "x");
	assert_int_equal(purge(s->a), 1);
	assert_int_equal(token_of(s->raw, "x"), x);
	assert_true(floor_of(s->raw) < x);
	assert_int_equal(is_free(s->a, "x"), x + 1);
}

/* Naive: the largest token of the batch is written, instead of raising the floor to it. */
static void purge_never_lowers_the_floor(void **state)
{
	struct scene *s = *state;
	int64_t floor;

	is_free(s->a, "x");
	set_floor(s->raw, HOUR_AHEAD);
	floor = floor_of(s->raw);
	assert_int_equal(purge(s->a), 1);
	assert_int_equal(floor_of(s->raw), floor);
	assert_int_equal(is_free(s->a, "x"), floor + 1);
}

/* After a failover that lost commits two grants may have the same token: the nonce tells them
 * apart. Naive: release and extend go by the token alone. */
static void the_same_token_is_not_the_same_grant(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *x = take(s->a, "x"), *y;
	struct dblock_error err = {0};

	options.lease_ms = 600000;
	expect(OK, dblock_try(s->a, "y", &options, &y, &err));
	raw_exec(s->raw, "UPDATE dblock_lock SET nonce = nonce - 1");
	expect(LOST, dblock_release(x, &err));
	expect(LOST, dblock_extend(y, 600000, &err));
	expect(LOST, dblock_release(y, &err));
	busy(s->b, "x");
	busy(s->b, "y");
}

/* A purge while locks are in use: 4 threads take and give back, one purges all the time. */
struct runner {
	struct dblock_client *client;
	_Atomic bool *stop;
	_Atomic int *problems;
	int64_t *last; /* the last token, guarded by the lock itself */
	int64_t begun;
};

static void *take_and_give(void *arg)
{
	struct runner *r = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	/* A wait leaves a row for a while, and a name with a row is not purged; nor is one that is
	 * held all the time, or was used since the purge has looked. The runners pause longer and
	 * longer, until any machine has time for the purge. */
	while (!*r->stop) {
		sleep_ms(1 + (clock_ms() - r->begun) / 50);
		int rc = dblock_try(r->client, "x", NULL, &lock, &err);

		if (rc == DBLOCK_BUSY)
			continue;
		if (rc) {
			note_problem(r->problems, "try", &err);
			break;
		}
		if (dblock_token(lock) <= *r->last)
			++*r->problems;
		*r->last = dblock_token(lock);
		if (dblock_release(lock, &err))
			note_problem(r->problems, "release", &err);
	}
	return NULL;
}

static void purge_under_the_feet_of_users(void **state)
{
	struct scene *s = *state;
	_Atomic bool stop = false;
	_Atomic int problems = 0;
	int64_t last = 0, purged = 0, until = clock_ms() + PLENTY_MS;
	struct runner runners[] = {{s->a, &stop, &problems, &last, clock_ms()},
				   {s->b, &stop, &problems, &last, clock_ms()}};
	struct crew crew = {.n = 0};

	for (int i = 0; i < 4; i++)
		crew_add(&crew, take_and_give, &runners[i % 2]);
	while (purged < 20 && clock_ms() < until)
		purged += purge(s->a);
	stop = true;
	crew_join(&crew);
	assert_int_equal(problems, 0);
	assert_true(purged >= 20);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(over_release),
		CASE(over_expiry),
		CASE(over_burial),
		CASE(over_break),
		CASE(over_rows_deleted_by_hand),
		CASE(over_purge),
		CASE(over_a_clock_that_steps_back),
		CASE(over_purge_and_a_clock_that_steps_back),
		CASE(purge_spares_tokens_that_are_ahead),
		CASE(purge_never_lowers_the_floor),
		CASE(the_same_token_is_not_the_same_grant),
		CASE(purge_under_the_feet_of_users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
