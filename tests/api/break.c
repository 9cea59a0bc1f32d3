/* SPDX-License-Identifier: MIT */
/* Break: once it returns 0 the old token is dead. */
#include "support/kit.h"

static void whoever_holds_it(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = take(a, "x"), *next;
	int64_t token = dblock_token(lock);
	struct dblock_error err = {0};

	(void)state;
	expect(OK, break_by_force(b, "x", 0, 0, &err));
	assert_int_equal(show(b, "x").h.hold, DBLOCK_HOLD_FREE);
	next = take(b, "x");
	assert_true(dblock_token(next) > token);
	expect(STALE, dblock_release_token(a, "x", token, &err));
	expect(LOST, dblock_release(lock, &err));
	message_has("'x'");
	assert_true(dblock_valid(next, 0));
	busy(a, "x");
	give(next);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* Nobody has it yet: even so the broken holder's release is a loss, not a success. */
static void the_holder_finds_out(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = take(a, "x");
	struct dblock_error err = {0};

	(void)state;
	expect(OK, break_by_force(b, "x", dblock_token(lock), 0, &err));
	expect(LOST, dblock_release(lock, &err));
	is_free(a, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void a_lease(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t token;

	(void)state;
	options.lease_ms = 600000;
	expect(OK, dblock_try(a, "x", &options, &lock, &err));
	token = dblock_token(lock);
	expect(OK, break_by_force(b, "x", token, 0, &err));
	expect(LOST, dblock_extend(lock, 600000, &err));
	assert_false(dblock_valid(lock, 0));
	expect(STALE, dblock_extend_token(b, "x", token, 600000, &err));
	expect(LOST, dblock_release(lock, &err));
	assert_true(is_free(b, "x") > token);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void only_that_grant(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = take(a, "x");
	int64_t token = dblock_token(lock);
	struct dblock_error err = {0};

	(void)state;
	expect(STALE, break_by_force(b, "x", token - 1, 0, &err));
	message_has("'x'");
	expect(STALE, break_by_force(b, "x", token + 1, 0, &err));
	expect(STALE, break_by_force(b, "nobody", 0, 0, &err));
	message_has("'nobody'");
	give(lock);
	expect(STALE, break_by_force(b, "x", 0, 0, &err));
	expect(STALE, break_by_force(b, "x", token, 0, &err));
	expect(E_INVALID, break_by_force(b, "x", -1, 0, &err));
	expect(E_INVALID, break_by_force(b, "x", 0, -3, &err));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void what_a_waiter_waits_for(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = take(a, "x"), *again;
	struct dblock_error err = {0};

	(void)state;
	/* One's own as well; and a re-entry into it is no more. */
	take(a, "x");
	expect(OK, break_by_force(a, "x", 0, 0, &err));
	expect(OK, dblock_acquire(b, "x", NULL, &again, &err));
	give(lock);
	expect(LOST, dblock_release(lock, &err));
	give(again);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* Eight break while eight take and give: each that says 0 has ended a grant of its own. */
struct fighter {
	struct dblock_client *client;
	_Atomic int *granted, *broken, *lost, *given, *problems;
};

static void *holder(void *arg)
{
	struct fighter *f = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	for (int i = 0; i < 25; i++) {
		int rc = dblock_acquire(f->client, "x", NULL, &lock, &err);

		if (rc) {
			note_problem(f->problems, "acquire", &err);
			return NULL;
		}
		++*f->granted;
		sched_yield();
		rc = dblock_release(lock, &err);
		if (rc == DBLOCK_LOST)
			++*f->lost;
		else if (rc == 0)
			++*f->given;
		else
			note_problem(f->problems, "release", &err);
	}
	return NULL;
}

static void *breaker(void *arg)
{
	struct fighter *f = arg;
	struct dblock_error err = {0};

	for (int i = 0; i < 25; i++) {
		int rc = break_by_force(f->client, "x", 0, 0, &err);

		if (rc == 0)
			++*f->broken;
		else if (rc != DBLOCK_STALE)
			note_problem(f->problems, "break", &err);
	}
	return NULL;
}

static void in_a_crowd(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	_Atomic int granted = 0, broken = 0, lost = 0, given = 0, problems = 0;
	struct fighter fa = {a, &granted, &broken, &lost, &given, &problems}, fb = fa;
	struct crew crew = {.n = 0};

	(void)state;
	fb.client = b;
	for (int i = 0; i < 4; i++) {
		crew_add(&crew, holder, i % 2 ? &fa : &fb);
		crew_add(&crew, breaker, i % 2 ? &fb : &fa);
	}
	crew_join(&crew);
	assert_int_equal(problems, 0);
	assert_int_equal(granted, 100);
	/* A grant may be broken before the waiter that it was handed to knows of it: that waits on.
	 */
	assert_true(lost <= broken);
	assert_int_equal(given, granted - lost);
	is_free(a, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whoever_holds_it),
		cmocka_unit_test(the_holder_finds_out),
		cmocka_unit_test(a_lease),
		cmocka_unit_test(only_that_grant),
		cmocka_unit_test(what_a_waiter_waits_for),
		cmocka_unit_test(in_a_crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
