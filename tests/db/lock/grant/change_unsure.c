/* SPDX-License-Identifier: MIT */
/* dblock_valid() never says more than the database: not after an extension or a downgrade whose answer
 * was lost, not if that one is carried out late, not if two threads extend at once. */
#include "driver/value.h"
#include "link/link.h"
#include "support/fault.h"

#define SHORT_MS (2 * PLENTY_MS)
#define LONG_MS  (10 * PLENTY_MS)

static struct dblock_lock *take_lease(struct dblock_client *client)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.lease_ms = LONG_MS;
	expect(OK, dblock_try(client, "x", &how, &lock, &err));
	return lock;
}

/* When the first copy has been lost, no time is left for another. */
static void *run_out_of_time(void *arg)
{
	while (fault_seen() < 2)
		sleep_ms(1);
	fault_jump_ms(PLENTY_MS);
	return arg;
}

static void begin_doubt(struct crew *crew, const char *op, enum fault_kind kind)
{
	crew->n = 0;
	fault_set(op, kind, 1000000);
	crew_add(crew, run_out_of_time, NULL);
}

static void end_doubt(struct crew *crew)
{
	crew_join(crew);
	fault_set("", FAULT_NONE, 0);
}

static void extend_in_doubt(struct dblock_lock *lock, enum fault_kind kind)
{
	struct dblock_error err = {0};
	struct crew crew;

	begin_doubt(&crew, "extend", kind);
	expect(E_UNSURE, dblock_extend(lock, SHORT_MS, &err));
	end_doubt(&crew);
}

static void unsure_whether_it_ends_sooner(void **state)
{
	struct dblock_client *client = fault_client(0, 0);
	struct dblock_lock *lock = take_lease(client);
	struct dblock_error err = {0};

	(void)state;
	assert_true(dblock_valid(lock, LONG_MS / 2));
	extend_in_doubt(lock, FAULT_LOSE_REPLY);
	assert_true(dblock_remaining_ms(lock) < SHORT_MS);
	dblock_close(client, NULL);
	client = client_new(0);
	expect(OK, break_by_force(client, "x", 0, 0, &err));
	dblock_close(client, NULL);
}

/* The request for the earlier end is still on its way while a later one is answered. */
static void an_unsure_extension_may_come_late(void **state)
{
	struct dblock_client *client = fault_client(0, 0);
	struct dblock_lock *lock = take_lease(client);
	struct dbl_value late[] = {dbl_text("x"), dbl_int(lock->grant.token),
				   dbl_int(lock->grant.nonce), dbl_int((int64_t)SHORT_MS * 1000)};
	struct dbl_request request = {.op = DBL_OP_extend, .args = DBL_ARGS(late)};
	struct dblock_error err = {0};

	(void)state;
	extend_in_doubt(lock, FAULT_LOSE_REQUEST);
	expect(OK, dblock_extend(lock, LONG_MS, &err));
	request.deadline = dbl_locks_deadline(client->locks);
	expect(OK, dbl_link_run(client->locks->link, &request, &err));
	assert_true(dblock_remaining_ms(lock) < SHORT_MS);
	dblock_close(client, NULL);
	client = client_new(0);
	expect(OK, break_by_force(client, "x", 0, 0, &err));
	dblock_close(client, NULL);
}

/* Naive: who does not know whether others may read by now goes on as if they could not. */
static void downgrade_in_doubt(enum dblock_mode from, const char *op, enum fault_kind kind)
{
	struct dblock_client *client = fault_client(LONG_MS, 0), *other = client_new(0);
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock, *theirs;
	struct crew crew;

	how.mode = from;
	expect(OK, dblock_try(client, "x", &how, &lock, &err));
	begin_doubt(&crew, op, kind);
	expect(E_UNSURE, dblock_downgrade(lock, DBLOCK_SHARED, &err));
	end_doubt(&crew);
	assert_false(dblock_valid(lock, 0));
	expect(LOST, dblock_release(lock, &err));
	how.mode = DBLOCK_EXCLUSIVE;
	how.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(other, "x", &how, &theirs, &err)); /* it was given back */
	give(theirs);
	dblock_close(other, NULL);
	dblock_close(client, NULL);
}

static void unsure_whether_it_is_weaker(void **state)
{
	(void)state;
	downgrade_in_doubt(DBLOCK_EXCLUSIVE, "downgrade", FAULT_LOSE_REPLY);
	downgrade_in_doubt(DBLOCK_EXCLUSIVE, "downgrade", FAULT_LOSE_REQUEST);
	downgrade_in_doubt(DBLOCK_UPDATE, "row_mode", FAULT_LOSE_REPLY);
	downgrade_in_doubt(DBLOCK_UPDATE, "row_mode", FAULT_LOSE_REQUEST);
}

static struct dblock_lock *shared;
static _Atomic int problems;

static void *extend_long(void *arg)
{
	struct dblock_error err = {0};

	if (dblock_extend(shared, LONG_MS, &err))
		note_problem(&problems, "extend", &err);
	return arg;
}

static void *extend_short(void *arg)
{
	struct dblock_error err = {0};

	if (dblock_extend(shared, LONG_MS / 10, &err))
		note_problem(&problems, "extend", &err);
	return arg;
}

/* The extension that came last in the database is the one that counts. */
static void two_threads_extend_at_once(void **state)
{
	struct dblock_client *client = client_new(0);
	struct crew crew = {.n = 0};

	(void)state;
	shared = take_lease(client);
	for (int i = 0; i < 200; i++) {
		crew_add(&crew, extend_long, NULL);
		crew_add(&crew, extend_short, NULL);
		crew_join(&crew);
		assert_int_equal(problems, 0);
		assert_true(dblock_remaining_ms(shared) <= show(client, "x").h.left_ms);
	}
	give(shared);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unsure_whether_it_ends_sooner),
		cmocka_unit_test(an_unsure_extension_may_come_late),
		cmocka_unit_test(unsure_whether_it_is_weaker),
		cmocka_unit_test(two_threads_extend_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
