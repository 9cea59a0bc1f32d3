/* SPDX-License-Identifier: MIT */
/* Several locks that nobody else wants: taken in one request, and given back in one. */
#include <dblock/group.h>

#include "api/client.h"
#include "db/lock/round_trips_kit.h"
#include "lock/watch/reconcile.h"
#include "support/call.h"
#include "support/tx.h"
#include "support/waiting.h"

enum { NAMES = 4 };

static const struct dblock_lock_spec all_four[] = {
	{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}};

static int begin(void **state)
{
	struct scene *s;
	int rc = set_up(state);

	s = *state;
	for (int i = 0; i < NAMES; i++)
		is_free(s->other, all_four[i].name);
	return rc;
}

static struct dblock_lock *take_all(struct scene *s)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_acquire_all(s->client, all_four, NAMES, NULL, &lock, &err));
	return lock;
}

static void all_are_free(struct scene *s)
{
	for (int i = 0; i < NAMES; i++)
		is_free(s->other, all_four[i].name);
}

/* MySQL asks once more for the answer; SQLite has a transaction of a statement for each. */
static int for_all(void)
{
	return on_backend("postgresql") ? 1 : on_backend("mysql") ? 2 : NAMES;
}

static void one_request_each(void **state)
{
	struct scene *s = *state;
	struct dblock_member part = DBLOCK_MEMBER_INIT;
	struct dblock_lock *lock;

	give(take_all(s)); /* its statements are prepared now */
	spy_reset(s->spy);
	lock = take_all(s);
	assert_int_equal(s->spy->runs, for_all());
	for (int i = 0; i < NAMES; i++) {
		assert_true(dblock_member_of(lock, i, &part));
		assert_int_equal(show(s->other, part.name).h.token, part.token);
		busy(s->other, part.name);
	}
	spy_reset(s->spy);
	give(lock);
	assert_int_equal(s->spy->runs, for_all());
	all_are_free(s);
}

static void names_that_nobody_had_before(void **state)
{
	static const struct dblock_lock_spec some[] = {
		{.name = "a"}, {.name = "new"}, {.name = "newer"}};
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_try_all(s->client, some, 3, NULL, &lock, &err));
	assert_int_equal(s->spy->runs_of[DBL_OP_join] + s->spy->runs_of[DBL_OP_enqueue], 0);
	for (int i = 0; i < 3; i++)
		busy(s->other, some[i].name);
	give(lock);
	for (int i = 0; i < 3; i++)
		is_free(s->other, some[i].name);
}

static int wants_all(void *arg, struct dblock_error *err)
{
	struct scene *s = arg;
	struct dblock_lock *lock;
	int rc = dblock_acquire_all(s->client, all_four, NAMES, NULL, &lock, err);

	return rc ? rc : dblock_release(lock, err);
}

/* Naive: what was granted is kept while it waits for the rest, so that two groups wait for each other. */
static void nothing_is_kept_that_is_not_all(void **state)
{
	static const char free_ones[] = "abd";
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_lock *none, *held = take(s->other, "c");
	struct raw *raw = raw_open(NULL);
	struct call call;

	expect(BUSY, dblock_try_all(s->client, all_four, NAMES, NULL, &none, &err));
	message_has("'c'");
	for (int i = 0; i < 3; i++)
		is_free(s->other, (char[]){free_ones[i], '\0'});
	call_start(&call, wants_all, s);
	wait_until(raw_int(raw, "SELECT count(*) FROM dblock_queue") == NAMES);
	for (int i = 0; i < 3; i++)
		assert_int_equal(show(s->other, (char[]){free_ones[i], '\0'}).h.hold,
				 DBLOCK_HOLD_FREE);
	give(held);
	call_is_ok(&call);
	raw_close(raw);
	/* Naive: once there was a queue, each later group goes by it. */
	spy_reset(s->spy);
	give(take_all(s));
	assert_int_equal(s->spy->runs - s->spy->runs_of[DBL_OP_dequeue_served], 2 * for_all());
	all_are_free(s);
}

/* Loses each message in turn. Returns false if there was no n-th one. */
static bool lose_nth(struct scene *s, int n, enum spy_fate fate)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock = NULL;
	bool hit;
	int rc;

	spy_hit_nth(s->spy, n, fate);
	rc = dblock_acquire_all(s->client, all_four, NAMES, NULL, &lock, &err);
	if (rc && rc != DBLOCK_E_UNSURE)
		fail_msg("%d, %d: %s", n, rc, err.message);
	for (int i = 0; lock && i < NAMES; i++)
		busy(s->other, all_four[i].name);
	if (lock)
		rc = dblock_release(lock, &err);
	if (rc && rc != DBLOCK_E_UNSURE)
		fail_msg("%d, %d: %s", n, rc, err.message);
	hit = spy_has_hit(s->spy);
	s->spy->fate = NULL;
	for (int i = 0; i < NAMES; i++)
		is_free_soon(s->other, all_four[i].name);
	return hit;
}

static void an_answer_that_is_lost(void **state)
{
	static const enum spy_fate fates[] = {SPY_LOST_BEFORE, SPY_LOST_AFTER};
	struct scene *s = *state;

	for (int i = 0; i < 2; i++) {
		int n = 1;

		while (lose_nth(s, n, fates[i]))
			n++;
		assert_true(n > 2 * for_all());
	}
}

static void who_waits_has_it_next(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take_all(s);
	struct raw *raw = raw_open(NULL);
	struct waiting waiting;

	waiting_start(&waiting, s->other, "b");
	wait_until(raw_int(raw, "SELECT count(*) FROM dblock_queue WHERE name = 'b'") == 1);
	give(lock);
	wait_until(waiting.done);
	pthread_join(waiting.thread, NULL);
	assert_int_equal(waiting.rc, DBLOCK_OK);
	give(waiting.lock);
	all_are_free(s);
	raw_close(raw);
}

static void a_fence_is_in_all(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_lock *lock = take_all(s);
	struct dblock_tx *tx = tx_begin(s->client);

	expect(OK, dblock_fence(tx, lock, &err));
	expect(FENCED, dblock_release(lock, &err));
	tx_commit(tx);
	give(lock);
	all_are_free(s);
}

/* Naive: the parts of a group are in rows of queues. */
static void a_part_that_is_forgotten(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take_all(s);
	struct raw *raw = raw_open(NULL);

	raw_exec(raw, "UPDATE dblock_lock SET session = NULL, nonce = 0 WHERE name = 'c'");
	dbl_reconcile_soon(s->client->locks);
	wait_until(!dblock_valid(lock, 0));
	is_free(s->other, "c");
	assert_int_equal(dblock_release(lock, NULL), DBLOCK_LOST);
	all_are_free(s);
	raw_close(raw);
}

#define OF_ALL(name) cmocka_unit_test_setup_teardown(name, begin, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OF_ALL(one_request_each),
		OF_ALL(names_that_nobody_had_before),
		OF_ALL(nothing_is_kept_that_is_not_all),
		OF_ALL(an_answer_that_is_lost),
		OF_ALL(who_waits_has_it_next),
		OF_ALL(a_fence_is_in_all),
		OF_ALL(a_part_that_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
