/* SPDX-License-Identifier: MIT */
/* The library's own tables are taken away while others use them: whoever gets a lock, at whatever
 * moment, keeps it and the tables, or never had it. */
#include "api/client.h"
#include "lock/core/context.h"
#include "migrate/command/migrate.h"
#include "support/spy.h"

/* A client that acquires a lock right before the n-th statement of `down`. */
static struct race {
	struct dblock_client *client;
	const char *name;
	enum dblock_mode mode;
	int64_t lease_ms;
	struct dblock_lock *lock;
	struct dblock_error err;
	bool up; /* right before that, another process runs `up` */
	int at, seen, rc;
} race;

/* Runs `up` without waiting for others. */
static int up_at_once(struct dblock_error *err)
{
	struct dblock_migrate_options which = {.size = sizeof(which), .wait_ms = -1};
	struct dbl_target target;
	struct dbl_migrate ask = {.target = &target, .which = &which, .timeout = dbl_ms(PLENTY_MS)};
	int rc;

	assert_int_equal(dbl_target_init(&target, test_url(), NULL, NULL, dbl_env_system(), err),
			 0);
	rc = dbl_migrate_up(&ask, err);
	dbl_target_free(&target);
	return rc;
}

static enum spy_fate take_it_then(struct spy *spy, enum dbl_op op)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	(void)spy;
	(void)op;
	if (++race.seen == race.at) {
		if (race.up)
			(void)up_at_once(&race.err);
		options.mode = race.mode;
		options.lease_ms = race.lease_ms;
		race.rc = dblock_try(race.client, race.name, &options, &race.lock, &race.err);
	}
	return SPY_PASS;
}

/* Returns a client that gives up soon: mostly it waits for us. */
static struct dblock_client *impatient(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.timeout_ms = PLENTY_MS; /* of opening: a loaded machine never does that in less */
	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	EXPECT_OPEN(dblock_open(test_url(), &options, &client, &err));
	client->locks->timeout = 200000;
	return client;
}

static int down_as(const struct dbl_env *env, bool all, struct dblock_error *err)
{
	struct dblock_migrate_options which = {.size = sizeof(which), .all = all};
	struct dbl_target target;
	struct dbl_migrate ask = {.target = &target, .which = &which, .timeout = dbl_ms(PLENTY_MS)};
	int rc;

	assert_int_equal(dbl_target_init(&target, test_url(), NULL, NULL, env, err), 0);
	rc = dbl_migrate_down(&ask, err);
	dbl_target_free(&target);
	return rc;
}

/* The tables are whole, and locks can be had: also one of which the client that was granted it has
 * not heard in time, which may outlive that. */
static void assert_usable(void)
{
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};

	(void)break_by_force(client, "new", 0, PLENTY_MS, &err);
	(void)break_by_force(client, "usable", 0, PLENTY_MS, &err);
	(void)is_free(client, "usable");
	dblock_close(client, NULL);
}

/* A client that got the lock keeps it, and gives it back. If it came before the tables went, `down`
 * has noticed, and has left all as it was; otherwise the tables were gone, and are made anew. */
static void assert_kept(int rc, bool all, struct dblock_error err)
{
	if (rc != DBLOCK_BUSY && (rc || (all && !race.up)))
		fail_msg("acquired before statement %d, and down said %s: %s", race.at,
			 dblock_outcome_name(rc), rc ? err.message : "done");
	if (rc) {
		message_has("somebody holds a lock");
		message_has("nothing was done");
	}
	assert_true(dblock_valid(race.lock, 0));
	race.client->locks->timeout = dbl_ms(PLENTY_MS); /* this is not to be cut short */
	if (dblock_release(race.lock, &err))
		fail_msg("acquired before statement %d, and lost: %s", race.at, err.message);
}

/* Returns false if `down` has fewer statements. */
static bool race_at(struct spy *spy, int at, bool all)
{
	struct dblock_error err = {0};
	int rc;

	race.client = impatient();
	race.at = at;
	race.seen = 0;
	race.rc = -1;
	race.err = (struct dblock_error){0};
	spy->fate = take_it_then;
	rc = down_as(&spy->env, all, &err);
	spy->fate = NULL;
	if (race.seen >= at && race.rc == DBLOCK_OK) {
		assert_kept(rc, all, err);
	} else if (rc == DBLOCK_BUSY &&
		   (race.rc == DBLOCK_E_NO_ANSWER || race.rc == DBLOCK_E_UNAVAILABLE)) {
		print_message("statement %d: it was not heard in time whether it got it\n", at);
	} else if (rc) {
		fail_msg("statement %d: %s (the other one: %s: %s)", at, err.message,
			 dblock_outcome_name(race.rc), race.err.message);
	} else if (race.seen >= at) {
		assert_null(race.lock);
	}
	dblock_close(race.client, NULL);
	return race.seen >= at;
}

static void race_through(bool all, int step)
{
	struct spy *spy = spy_new();
	int at = 1 - step;

	do {
		/* The lock's name is known, or was never used. */
		race.name = (at / step) % 2 ? "usable" : "new";
		assert_usable();
	} while (race_at(spy, at += step, all));
	assert_true(at > 3);
	spy_free(spy);
}

static void nobody_loses_a_lock_to_a_drop_of_all(void **unused)
{
	(void)unused;
	race = (struct race){.mode = DBLOCK_EXCLUSIVE};
	race_through(true, 1);
	race = (struct race){.mode = DBLOCK_SHARED};
	race_through(true, 4);
}

static void nor_to_that_of_the_last_one(void **unused)
{
	(void)unused;
	race = (struct race){.mode = DBLOCK_EXCLUSIVE, .lease_ms = PLENTY_MS};
	race_through(false, 2);
}

/* A DROP ends the transaction on some databases: `up` may open what `down` has closed only when
 * that is over. */
static void nor_to_a_drop_that_somebody_takes_for_stopped(void **unused)
{
	(void)unused;
	race = (struct race){.mode = DBLOCK_EXCLUSIVE, .up = true};
	race_through(true, 3);
}

/* `down` is refused again and again: the holder does not notice. */
static void a_holder_is_not_harmed_by_a_refusal(void **unused)
{
	struct dblock_client *client = client_new(SLOWLY_MS(2000));
	struct dblock_lock *lock = take(client, "held");
	struct dblock_error err = {0};

	(void)unused;
	for (int i = 0; i < 10; i++) {
		expect(BUSY, down_as(dbl_env_system(), true, &err));
		assert_true(dblock_valid(lock, 0));
	}
	give(lock);
	assert_usable();
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_holder_is_not_harmed_by_a_refusal),
		cmocka_unit_test(nobody_loses_a_lock_to_a_drop_of_all),
		cmocka_unit_test(nor_to_that_of_the_last_one),
		cmocka_unit_test(nor_to_a_drop_that_somebody_takes_for_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
