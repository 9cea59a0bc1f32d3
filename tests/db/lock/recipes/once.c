/* SPDX-License-Identifier: MIT */
/* A job that is done once for each slot: outcomes, waiting, giving back, forgetting. */
#include "db/lock/recipes/once.h"
#include "driver/value.h"
#include "support/call.h"
#include "support/puppet.h"

static void a_slot_is_done_once(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	char said[128];
	int64_t token;

	(void)state;
	lock = once(a, "job", "monday");
	token = dblock_token(lock);
	assert_string_equal(dblock_once_slot(lock), "monday");
	assert_true(dblock_valid(lock, 0));
	expect(OK, dblock_once_done(lock, &err));
	done_before(b, "job", "monday");
	done_before(a, "job", "monday");
	expect(DONE, dblock_once(b, "job", "monday", NULL, &lock, &err));
	assert_null(lock);
	snprintf(said, sizeof(said), "pid %ld (token %lld)", (long)getpid(), (long long)token);
	message_has(said);
	message_has("slot 'monday' was done at 2");
	/* Nothing is left held, and only this slot of this job is marked. */
	assert_true(is_free(b, "job") > token);
	expect(OK, dblock_once_done(once(b, "job", "tuesday"), &err));
	expect(OK, dblock_once_done(once(b, "other", "monday"), &err));
	expect(OK, dblock_once_done(once(b, "job", "Monday"), &err));
	expect(OK, dblock_once_done(once(b, "job", "monday "), &err));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void given_back_it_is_still_to_be_done(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_error err = {0};

	(void)state;
	give(once(a, "job", "back"));
	expect(OK, dblock_once_done(once(b, "job", "back"), &err));
	done_before(a, "job", "back");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void a_try_does_not_wait(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock, *none;

	(void)state;
	expect(OK, dblock_once_done(once(a, "job", "early"), &err));
	lock = once(a, "job", "try");
	expect(BUSY, dblock_once_try(b, "job", "try", NULL, &none, &err));
	assert_null(none);
	expect(BUSY, dblock_once_try(b, "job", "another", NULL, &none, &err));
	/* A slot that was done is told at once, though the lock is held for another slot. */
	expect(DONE, dblock_once_try(b, "job", "early", NULL, &none, &err));
	expect(DONE, dblock_once(b, "job", "early", NULL, &none, &err));
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static int wait_for_slot(void *arg, struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = dblock_once(arg, "job", "wait", NULL, &lock, err);

	return rc ? rc : dblock_once_done(lock, err);
}

static void who_waits_hears_that_it_is_done(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = once(a, "job", "wait");
	struct dblock_error err = {0};
	struct call call;

	(void)state;
	call_start(&call, wait_for_slot, b);
	until_somebody_waits(a, "job");
	expect(OK, dblock_once_done(lock, &err));
	assert_int_equal(call_end(&call), DBLOCK_DONE);
	is_free_soon(a, "job");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void who_waits_gets_what_is_given_back(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock;
	struct raw *raw = raw_open(NULL);
	struct call call;

	(void)state;
	raw_exec(raw, "DELETE FROM dblock_once");
	lock = once(a, "job", "wait");
	call_start(&call, wait_for_slot, b);
	until_somebody_waits(a, "job");
	give(lock);
	assert_int_equal(call_end(&call), DBLOCK_OK);
	done_before(a, "job", "wait");
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void a_job_within_itself_is_refused(void **state)
{
	struct dblock_client *a = client_new(0);
	struct dblock_lock *lock = once(a, "job", "outer"), *none;
	struct dblock_error err = {0};

	(void)state;
	expect(E_INVALID, dblock_once(a, "job", "inner", NULL, &none, &err));
	expect(E_INVALID, dblock_once_try(a, "job", "outer", NULL, &none, &err));
	assert_null(none);
	/* The outer job has lost nothing by it. */
	assert_string_equal(dblock_once_slot(lock), "outer");
	expect(OK, dblock_once_done(lock, &err));
	is_free(a, "job");
	dblock_close(a, NULL);
}

static void what_is_wrong_is_refused(void **state)
{
	struct dblock_client *a = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	char slot[DBLOCK_SLOT_MAX + 2];

	(void)state;
	memset(slot, 's', sizeof(slot));
	slot[DBLOCK_SLOT_MAX + 1] = '\0';
	expect(E_INVALID, dblock_once_try(a, "job", slot, NULL, &lock, &err));
	slot[DBLOCK_SLOT_MAX] = '\0';
	expect(OK, dblock_once_done(once(a, "job", slot), &err));
	done_before(a, "job", slot);
	expect(E_INVALID, dblock_once_try(a, "job", "", NULL, &lock, &err));
	expect(E_INVALID, dblock_once_try(a, "job", NULL, NULL, &lock, &err));
	expect(E_INVALID, dblock_once_try(a, "job", "a\nb", NULL, &lock, &err));
	message_has("slot");
	expect(E_INVALID, dblock_once_try(a, "", "x", NULL, &lock, &err));
	expect(E_INVALID, dblock_once_try(a, "job", "x", NULL, NULL, &err));
	expect(E_INVALID, dblock_once_done(NULL, &err));
	shared.mode = DBLOCK_SHARED;
	expect(E_INVALID, dblock_once_try(a, "job", "shared", &shared, &lock, &err));
	lock = once(a, "job", "down");
	expect(OK, dblock_downgrade(lock, DBLOCK_SHARED, &err));
	expect(E_INVALID, dblock_once_done(lock, &err));
	give(lock);
	lock = take(a, "job");
	expect(E_INVALID, dblock_once_done(lock, &err));
	assert_string_equal(dblock_once_slot(lock), "");
	assert_string_equal(dblock_once_slot(NULL), "");
	give(lock);
	dblock_close(a, NULL);
}

static void the_reaper_forgets(void **state)
{
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_client *a = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	(void)state;
	raw_exec(raw, "DELETE FROM dblock_once");
	for (int i = 0; i < 250; i++) /* more than a batch */
		raw_exec(raw,
			 "INSERT INTO dblock_once (name, slot, token, host, pid, marked)"
			 " VALUES ('old', '%d', 1, '', 1, {now} - 401 * 86400000000)",
			 i);
	raw_exec(raw, "INSERT INTO dblock_once (name, slot, token, host, pid, marked)"
		      " VALUES ('job', 'late', 1, '', 1, {now} - 399 * 86400000000)");
	expect(OK, dblock_reap(a, &options, &reaped, &err));
	assert_int_equal(reaped.marks_deleted, 250);
	done_before(a, "job", "late");
	options.keep_marks_ms = 3600 * 1000;
	expect(OK, dblock_reap(a, &options, &reaped, &err));
	assert_int_equal(reaped.marks_deleted, 1);
	expect(OK, dblock_once_done(once(a, "job", "late"), &err));
	expect(OK, dblock_reap(a, &options, &reaped, &err));
	assert_int_equal(reaped.marks_deleted, 0);
	options.keep_marks_ms = -1;
	expect(OK, dblock_reap(a, &options, &reaped, &err));
	assert_int_equal(reaped.marks_deleted, 1);
	raw_close(raw);
	dblock_close(a, NULL);
}

/* ---- in a transaction of the caller's -------------------------------------------------------- */

static int64_t mark_in(struct puppet *own, int64_t token)
{
	struct dbl_value args[] = {dbl_text("job"), dbl_text("tx"), dbl_int(token), dbl_null()};

	return puppet_run(own, DBL_OP_once_mark, DBL_ARGS(args));
}

/* The SQL of once_mark, run by anybody who knows the token, commits with the work or not at all. */
static void with_the_work_in_one_transaction(void **state)
{
	struct puppet *own = puppet_new(NULL, 600000);
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock = once(a, "job", "tx");
	int64_t token = dblock_token(lock);
	struct dblock_error err = {0};

	(void)state;
	puppet_begin(own);
	assert_int_equal(mark_in(own, token), 1);
	puppet_run(own, DBL_OP_tx_rollback, DBL_NO_ARGS);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_once WHERE slot = 'tx'"), 0);
	puppet_begin(own);
	assert_int_equal(mark_in(own, token), 1);
	puppet_commit(own);
	assert_int_equal(mark_in(own, token), 0);
	done_before(b, "job", "tx");
	expect(OK, dblock_once_done(lock, &err));
	assert_int_equal(raw_int(raw, "SELECT token FROM dblock_once WHERE slot = 'tx'"), token);
	/* An older token marks nothing, whether the lock is free or not. */
	raw_exec(raw, "DELETE FROM dblock_once WHERE slot = 'tx'");
	assert_int_equal(mark_in(own, token), 0);
	lock = once(b, "job", "tx");
	assert_int_equal(mark_in(own, token), 0);
	give(lock);
	raw_close(raw);
	puppet_free(own);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* ---- a crowd --------------------------------------------------------------------------------- */

enum { SLOTS = 6, CROWD = 6 };

static _Atomic int times_done[SLOTS], problems;

/* Each thread does all slots that it can get. */
static void *work(void *arg)
{
	struct dblock_error err = {0};

	for (int i = 0; i < SLOTS; i++) {
		struct dblock_lock *lock;
		char slot[8];
		int rc;

		snprintf(slot, sizeof(slot), "%d", i);
		rc = dblock_once(arg, "crowd", slot, NULL, &lock, &err);
		if (rc == DBLOCK_OK) {
			times_done[i]++;
			rc = dblock_once_done(lock, &err);
		}
		if (rc != DBLOCK_OK && rc != DBLOCK_DONE)
			note_problem(&problems, "crowd", &err);
	}
	return NULL;
}

static void a_crowd_does_each_slot_once(void **state)
{
	struct dblock_client *clients[CROWD];
	struct crew crew = {.n = 0};

	(void)state;
	for (int i = 0; i < CROWD; i++)
		clients[i] = client_new(0);
	for (int i = 0; i < CROWD; i++)
		crew_add(&crew, work, clients[i]);
	crew_join(&crew);
	assert_int_equal(problems, 0);
	for (int i = 0; i < SLOTS; i++)
		assert_int_equal(times_done[i], 1);
	for (int i = 0; i < CROWD; i++)
		dblock_close(clients[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slot_is_done_once),
		cmocka_unit_test(given_back_it_is_still_to_be_done),
		cmocka_unit_test(a_try_does_not_wait),
		cmocka_unit_test(who_waits_hears_that_it_is_done),
		cmocka_unit_test(who_waits_gets_what_is_given_back),
		cmocka_unit_test(a_job_within_itself_is_refused),
		cmocka_unit_test(what_is_wrong_is_refused),
		cmocka_unit_test(the_reaper_forgets),
		cmocka_unit_test(with_the_work_in_one_transaction),
		cmocka_unit_test(a_crowd_does_each_slot_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
