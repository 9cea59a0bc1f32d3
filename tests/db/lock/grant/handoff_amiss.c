/* SPDX-License-Identifier: MIT */
/* A lock that is offered: messages that get lost on the way to who accepts it, and what is refused. */
#include "support/fault.h"
#include "support/handoff.h"
#include "support/raw.h"

static void a_lost_message_is_sent_again(void **state)
{
	static const enum fault_kind kinds[] = {FAULT_LOSE_REQUEST, FAULT_LOSE_REPLY};
	struct dblock_client *from = client_new(0), *to = fault_client(0, 0);
	struct dblock_lock *lock, *accepted;
	char ticket[DBLOCK_TICKET_SIZE];

	(void)state;
	for (int i = 0; i < 2; i++) {
		lock = offer(from, ticket);
		fault_set("accept", kinds[i], 1);
		expect(OK, accept(to, ticket, &accepted));
		assert_int_equal(fault_seen(), 1);
		fault_set("", FAULT_NONE, 0);
		assert_int_equal(show(from, "x").h.token, dblock_token(accepted));
		give(lock);
		busy(from, "x");
		give(accepted);
		is_free(from, "x");
	}
	dblock_close(to, NULL);
	dblock_close(from, NULL);
}

/* When the first copy has been lost, no time is left for another. */
static void *run_out_of_time(void *arg)
{
	while (fault_seen() < 2)
		sleep_ms(1);
	fault_jump_ms(PLENTY_MS);
	return arg;
}

/* Whoever does not hear whether it has the lock does not keep it, and it can be accepted if it was not. */
static void in_doubt(enum fault_kind kind, bool is_left)
{
	struct dblock_client *from = client_new(0), *to = fault_client(0, 0),
			     *other = client_new(0);
	struct dblock_lock *lock, *accepted;
	struct crew crew = {.n = 0};
	char ticket[DBLOCK_TICKET_SIZE];

	lock = offer(from, ticket);
	fault_set("accept", kind, 1000000);
	crew_add(&crew, run_out_of_time, NULL);
	expect(E_UNSURE, accept(to, ticket, &accepted));
	assert_null(accepted);
	crew_join(&crew);
	fault_set("", FAULT_NONE, 0);
	if (is_left)
		busy(other, "x");
	give(lock);
	is_free_soon(from, "x");
	dblock_close(other, NULL);
	dblock_close(to, NULL);
	dblock_close(from, NULL);
}

static void in_doubt_it_is_given_back(void **state)
{
	(void)state;
	in_doubt(FAULT_LOSE_REQUEST, true);
	in_doubt(FAULT_LOSE_REPLY, false);
}

/* What a failover leaves that lost the grant: what was there before, or nothing. Naive: another nonce than
 * ours says that it was accepted. */
static void what_the_database_forgot_was_not_adopted(void **state)
{
	static const char *const ways[] = {
		"UPDATE dblock_lock SET nonce = 1, token = token - 1 WHERE name = 'x'",
		"DELETE FROM dblock_lock WHERE name = 'x'"};
	struct raw *raw = raw_open(NULL);

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct dblock_client *from = client_new(0);
		char ticket[DBLOCK_TICKET_SIZE];
		struct dblock_lock *lock = offer(from, ticket);

		expect(TIMEOUT, dblock_handoff_wait(lock, DBLOCK_NO_WAIT, &err));
		raw_exec(raw, "%s", ways[i]);
		expect(LOST, dblock_handoff_wait(lock, 0, &err));
		message_has("the database does not have it any more");
		give_in_time_or_not(lock);
		dblock_close(from, NULL);
		raw_exec(raw, "DELETE FROM dblock_lock WHERE name = 'x'");
	}
	raw_close(raw);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void cannot_be_offered(struct dblock_client *client,
			      const struct dblock_acquire_options *how, const char *says)
{
	char ticket[DBLOCK_TICKET_SIZE] = "as before";
	struct dblock_lock *lock;

	expect(OK, dblock_try(client, "x", how, &lock, &err));
	expect(E_INVALID, dblock_handoff_offer(lock, ticket, &err));
	assert_non_null(strstr(err.message, says));
	assert_string_equal(ticket, "as before");
	assert_true(dblock_valid(lock, 0));
	expect(E_INVALID, dblock_handoff_wait(lock, DBLOCK_NO_WAIT, &err));
	give(lock);
}

static void some_locks_cannot_be_offered(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	static const struct dblock_lock_spec wants[] = {{.name = "a"}, {.name = "b"}};
	char ticket[DBLOCK_TICKET_SIZE];
	struct dblock_lock *lock, *again;

	(void)state;
	how.mode = DBLOCK_SHARED;
	cannot_be_offered(client, &how, "not held exclusively");
	how.mode = DBLOCK_EXCLUSIVE;
	how.lease_ms = PLENTY_MS;
	cannot_be_offered(client, &how, "lease");
	how.lease_ms = 0;
	how.at_least_ms = 1;
	cannot_be_offered(client, &how, "minimum hold");
	expect(OK, dblock_try_all(client, wants, 2, NULL, &lock, &err));
	expect(E_INVALID, dblock_handoff_offer(lock, ticket, &err));
	assert_non_null(strstr(err.message, "together"));
	give(lock);
	expect(OK, dblock_once_try(client, "job", "1", NULL, &lock, &err));
	expect(E_INVALID, dblock_handoff_offer(lock, ticket, &err));
	assert_non_null(strstr(err.message, "slot"));
	give(lock);
	lock = take(client, "twice");
	again = take(client, "twice");
	expect(E_INVALID, dblock_handoff_offer(lock, ticket, &err));
	assert_non_null(strstr(err.message, "more than once"));
	give(again);
	expect(E_INVALID, dblock_handoff_offer(lock, NULL, &err));
	expect(E_INVALID, dblock_handoff_offer(NULL, ticket, &err));
	/* Once it is offered, there is nothing else to be done with it. */
	expect(OK, dblock_handoff_offer(lock, ticket, &err));
	expect(LOST, dblock_handoff_offer(lock, ticket, &err));
	expect(LOST, dblock_downgrade(lock, DBLOCK_SHARED, &err));
	give(lock);
	dblock_close(client, NULL);
}

static void what_is_no_ticket_is_refused(void **state)
{
	static const char *const bad[] = {"",     ":",   "x",    "12",    "12:",
					  "-1:x", "0:x", "x:12", "1 2:x", "99999999999999999999:x"};
	struct dblock_client *client = client_new(0);
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (accept(client, bad[i], &lock) != DBLOCK_E_INVALID)
			fail_msg("'%s' is taken", bad[i]);
		assert_null(lock);
	}
	expect(E_INVALID, accept(client, NULL, &lock));
	expect(E_INVALID, accept(NULL, "12:x", &lock));
	expect(E_INVALID, dblock_handoff_accept(client, "12:x", NULL, NULL, &err));
	for (int i = 0; i < 4; i++) {
		how = (struct dblock_acquire_options)DBLOCK_ACQUIRE_OPTIONS_INIT;
		*(int64_t *[]){&how.lease_ms, &how.wait_ms, &how.deadlock_ms,
			       &how.waiting_every_ms}[i] = 1000;
		expect(E_INVALID, dblock_handoff_accept(client, "12:x", &how, &lock, &err));
		assert_non_null(strstr(err.message, "as it is held"));
	}
	/* A name that nobody has ever used. */
	expect(STALE, accept(client, "12:never used", &lock));
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lost_message_is_sent_again),
		cmocka_unit_test(in_doubt_it_is_given_back),
		cmocka_unit_test(what_the_database_forgot_was_not_adopted),
		cmocka_unit_test(some_locks_cannot_be_offered),
		cmocka_unit_test(what_is_no_ticket_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
