/* SPDX-License-Identifier: MIT */
/* A lock that is offered is accepted once, by one client, and nobody has it in between: whoever ends, or
 * takes it away, meanwhile. */
#include "lock/watch/own.h"
#include "lock/watch/reconcile.h"

#include "api/client.h"
#include "support/handoff.h"
#include "support/raw.h"

static void never(void *arg, struct dblock_lock *lock)
{
	(void)lock;
	++*(int *)arg;
}

static void nobody_else_has_it_in_between(void **state)
{
	struct dblock_client *from = client_new(0), *to = client_new(0), *other = client_new(0);
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_loss loss = DBLOCK_LOSS_INIT;
	struct dblock_lock *lock, *accepted;
	char ticket[DBLOCK_TICKET_SIZE];
	int calls = 0;

	(void)state;
	how.value = "mine";
	how.lost = never;
	how.lost_arg = &calls;
	expect(OK, dblock_try(from, "x", &how, &lock, &err));
	expect(OK, dblock_handoff_offer(lock, ticket, &err));
	assert_false(dblock_valid(lock, 0));
	assert_int_equal(dblock_loss_of(lock, &loss), DBLOCK_LOST);
	assert_int_equal(loss.cause, DBLOCK_LOSS_HANDED_OFF);
	busy(other, "x");
	expect(TIMEOUT, dblock_handoff_wait(lock, DBLOCK_NO_WAIT, &err));
	expect(OK, accept(to, ticket, &accepted));
	assert_true(dblock_valid(accepted, 0));
	/* Naive: the same token, and what the first holder still writes is not fenced. */
	assert_true(dblock_token(accepted) > dblock_token(lock));
	assert_string_equal(show(other, "x").value, "mine");
	busy(other, "x");
	expect(OK, dblock_handoff_wait(lock, 0, &err));
	/* Naive: it releases what is the other one's, or says that it was lost. */
	expect(OK, dblock_release(lock, &err));
	assert_true(dblock_valid(accepted, 0));
	busy(other, "x");
	assert_int_equal(calls, 0);
	give(accepted);
	is_free(other, "x");
	dblock_close(other, NULL);
	dblock_close(to, NULL);
	dblock_close(from, NULL);
}

static void it_is_adopted_once(void **state)
{
	struct dblock_client *from = client_new(0), *to = client_new(0), *other = client_new(0);
	struct dblock_lock *lock, *accepted, *twice;
	char ticket[DBLOCK_TICKET_SIZE];

	(void)state;
	lock = offer(from, ticket);
	expect(OK, accept(to, ticket, &accepted));
	expect(STALE, accept(other, ticket, &twice));
	assert_null(twice);
	expect(STALE, accept(to, ticket, &twice));
	give(lock);
	/* It can go on to a third one. */
	expect(OK, dblock_handoff_offer(accepted, ticket, &err));
	expect(OK, accept(other, ticket, &twice));
	give(accepted);
	busy(from, "x");
	give(twice);
	expect(STALE, accept(to, ticket, &accepted));
	is_free(from, "x");
	dblock_close(other, NULL);
	dblock_close(to, NULL);
	dblock_close(from, NULL);
}

static void what_nobody_adopts_is_released(void **state)
{
	struct dblock_client *from = client_new(0), *to = client_new(0);
	struct dblock_lock *lock, *accepted;
	char ticket[DBLOCK_TICKET_SIZE];

	(void)state;
	lock = offer(from, ticket);
	give(lock);
	is_free(to, "x");
	expect(STALE, accept(to, ticket, &accepted));
	/* Naive: a free lock is had by an old ticket. */
	is_free(to, "x");
	(void)offer(from, ticket);
	dblock_close(from, NULL);
	expect(STALE, accept(to, ticket, &accepted));
	is_free(to, "x");
	dblock_close(to, NULL);
}

/* Whoever waits goes on to wait, at its place, and has it in the end. */
static void *waits(void *arg)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock;
	int rc;

	how.wait_ms = PLENTY_MS;
	rc = dblock_acquire(arg, "x", &how, &lock, NULL);
	return rc || dblock_release(lock, NULL) ? arg : NULL;
}

static void who_waits_goes_on_to_wait(void **state)
{
	struct dblock_client *from = client_new(0), *to = client_new(0), *other = client_new(0);
	struct dblock_lock *lock, *accepted;
	char ticket[DBLOCK_TICKET_SIZE];
	pthread_t waiter;
	void *failed;

	(void)state;
	lock = offer(from, ticket);
	assert_int_equal(pthread_create(&waiter, NULL, waits, other), 0);
	while (!show(to, "x").h.waiting)
		sleep_ms(1);
	expect(OK, accept(to, ticket, &accepted));
	give(lock);
	assert_int_equal(show(to, "x").h.waiting, 1);
	assert_true(dblock_valid(accepted, 0));
	give(accepted);
	pthread_join(waiter, &failed);
	assert_null(failed);
	dblock_close(other, NULL);
	dblock_close(to, NULL);
	dblock_close(from, NULL);
}

static void one_client_can_offer_to_itself(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct dblock_lock *lock, *accepted;
	char ticket[DBLOCK_TICKET_SIZE];

	(void)state;
	lock = offer(client, ticket);
	expect(OK, accept(client, ticket, &accepted));
	give(lock);
	assert_true(dblock_valid(accepted, 0));
	busy(other, "x");
	give(accepted);
	is_free(other, "x");
	dblock_close(other, NULL);
	dblock_close(client, NULL);
}

static void set_dead(const char *session)
{
	struct raw *raw = raw_open(NULL);

	raw_exec(raw, "UPDATE dblock_session SET dead = %s WHERE id = '%s'",
		 on_backend("sqlite") ? "1" : "true", session);
	raw_close(raw);
}

static void not_from_who_is_dead(void **state)
{
	struct dblock_client *from = client_new(0), *to = client_new(0);
	struct dblock_lock *lock, *accepted;
	char ticket[DBLOCK_TICKET_SIZE];

	(void)state;
	lock = offer(from, ticket);
	set_dead(show(to, "x").session);
	/* Naive: others may take the lock at this moment, and both would have it. */
	expect(STALE, accept(to, ticket, &accepted));
	is_free(to, "x");
	give(lock);
	lock = offer(from, ticket);
	expect(TIMEOUT, dblock_handoff_wait(lock, DBLOCK_NO_WAIT, &err));
	give(lock);
	dblock_close(to, NULL);
	dblock_close(from, NULL);
}

/* The session of who accepts it was declared dead, and that one has not heard of it yet. */
static void to_who_was_dead_with_its_next_session(void **state)
{
	struct dblock_client *from = client_new(0), *to = client_new(0);
	struct dblock_lock *lock, *accepted, *mine = take(to, "y");
	char ticket[DBLOCK_TICKET_SIZE];

	(void)state;
	lock = offer(from, ticket);
	set_dead(show(from, "y").session);
	expect(OK, accept(to, ticket, &accepted));
	assert_true(dblock_valid(accepted, 0));
	assert_false(dblock_valid(mine, 0));
	give(lock);
	busy(from, "x");
	give(accepted);
	is_free(from, "x");
	give_in_time_or_not(mine);
	dblock_close(to, NULL);
	dblock_close(from, NULL);
}

static void *breaks(void *arg)
{
	struct dblock_break_options how = DBLOCK_BREAK_OPTIONS_INIT;

	how.wait_ms = PLENTY_MS;
	return dblock_break(arg, "x", &how, NULL) ? arg : NULL;
}

/* Who breaks it waits until its holder has let go: that must be the one that it has told. */
static void not_while_it_is_being_broken(void **state)
{
	struct dblock_client *from = client_new(0), *to = client_new(0), *other = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock, *accepted;
	char ticket[DBLOCK_TICKET_SIZE];
	pthread_t breaker;
	void *failed;

	(void)state;
	lock = offer(from, ticket);
	assert_int_equal(pthread_create(&breaker, NULL, breaks, other), 0);
	while (raw_int(raw, "SELECT count(*) FROM dblock_revocation WHERE name = 'x'") == 0)
		sleep_ms(1);
	expect(STALE, accept(to, ticket, &accepted));
	give(lock);
	pthread_join(breaker, &failed);
	assert_null(failed);
	/* Naive: it is gone, so somebody has accepted it. */
	lock = offer(from, ticket);
	expect(OK, break_by_force(other, "x", 0, PLENTY_MS, &err));
	expect(LOST, dblock_handoff_wait(lock, 0, &err));
	give(lock);
	is_free(to, "x");
	raw_close(raw);
	dblock_close(other, NULL);
	dblock_close(to, NULL);
	dblock_close(from, NULL);
}

static void *shuts_down(void *arg)
{
	sleep_ms(20);
	dblock_shutdown(arg);
	return NULL;
}

static void a_shutdown_ends_the_wait(void **state)
{
	struct dblock_client *from = client_new(0);
	struct dblock_lock *lock;
	char ticket[DBLOCK_TICKET_SIZE];
	struct crew crew = {.n = 0};

	(void)state;
	lock = offer(from, ticket);
	crew_add(&crew, shuts_down, from);
	expect(CANCELED, dblock_handoff_wait(lock, 0, &err));
	crew_join(&crew);
	give(lock);
	dblock_close(from, NULL);
}

/* After a lost connection a client gives back what it does not know, and reports what is not there. */
static void a_lost_connection_takes_nothing_from_either(void **state)
{
	struct dblock_client *from = client_new(0), *to = client_new(0);
	struct dblock_lock *lock, *accepted;
	char ticket[DBLOCK_TICKET_SIZE];

	(void)state;
	lock = offer(from, ticket);
	for (int i = 0; i < 2; i++) {
		for (struct dblock_client *c = from; c; c = c == from ? to : NULL) {
			int64_t before = atomic_load(&c->locks->watchdog->passes);

			dbl_reconcile_soon(c->locks);
			while (atomic_load(&c->locks->watchdog->passes) == before)
				sleep_ms(1);
		}
		if (i == 0)
			expect(OK, accept(to, ticket, &accepted));
	}
	assert_true(dblock_valid(accepted, 0));
	busy(from, "x");
	give(lock);
	give(accepted);
	dblock_close(to, NULL);
	dblock_close(from, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_else_has_it_in_between),
		cmocka_unit_test(it_is_adopted_once),
		cmocka_unit_test(what_nobody_adopts_is_released),
		cmocka_unit_test(who_waits_goes_on_to_wait),
		cmocka_unit_test(one_client_can_offer_to_itself),
		cmocka_unit_test(not_from_who_is_dead),
		cmocka_unit_test(to_who_was_dead_with_its_next_session),
		cmocka_unit_test(not_while_it_is_being_broken),
		cmocka_unit_test(a_lost_connection_takes_nothing_from_either),
		cmocka_unit_test(a_shutdown_ends_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
