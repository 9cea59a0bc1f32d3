/* SPDX-License-Identifier: MIT */
/* First come, first served, in any mode; tokens. Client 1 holds the lock until 100. */
#include "modes.h"

static struct tape held(int clients, int mode)
{
	struct tape t = tape_new(clients);

	takes(&t, 1, 100, 1, 1, mode, 100);
	return t;
}

/* A call from its grant to its end. */
static void goes_on(struct tape *t, int64_t ms, int client, int mode, int64_t token)
{
	has(t, ms, client, 1, mode, token);
	gives(t, ms + 20, client, 1, token);
}

/* ---- order ----------------------------------------------------------------------------------- */

static void readers_are_granted_together(void **state)
{
	struct tape t = held(3, X);

	(void)state;
	stands(&t, 10, 2, 1, S, 1);
	stands(&t, 20, 3, 1, S, 2);
	/* The younger one hears of its grant first. */
	goes_on(&t, 102, 3, S, 102);
	goes_on(&t, 105, 2, S, 101);
	finds(&t, "");
}

/* Nobody has written down the reader's ticket: it may have been in the queue before. */
static void a_reader_without_a_ticket(void **state)
{
	struct tape t = held(3, S);

	(void)state;
	stands(&t, 10, 2, 1, X, 1);
	takes(&t, 20, 30, 3, 1, S, 101);
	goes_on(&t, 102, 2, X, 102);
	finds(&t, "");
}

/* A try was never in the queue. */
static void a_reader_tries_and_passes_a_writer(void **state)
{
	struct tape t = held(3, S);
	struct event e = in_mode(EVENT_GRANTED, 3, 1, S);

	(void)state;
	stands(&t, 10, 2, 1, X, 1);
	asks(&t, 20, 3, 1, S);
	e.ticket = TICKET_NONE;
	e.token = 101;
	e.until = until(900);
	put(&t, 21, e);
	gives(&t, 30, 3, 1, 101);
	goes_on(&t, 102, 2, X, 102);
	finds(&t, "order");
}

static void a_reader_in_queue_passes_a_writer(void **state)
{
	struct tape t = held(3, S);

	(void)state;
	stands(&t, 10, 2, 1, X, 1);
	stands(&t, 20, 3, 1, S, 2);
	goes_on(&t, 40, 3, S, 101);
	goes_on(&t, 102, 2, X, 102);
	finds(&t, "order");
}

/* That is allowed even if there is a writer between two readers. */
static void a_reader_passes_a_reader(void **state)
{
	struct tape t = held(3, X);

	(void)state;
	stands(&t, 10, 2, 1, S, 1);
	stands(&t, 20, 3, 1, S, 2);
	goes_on(&t, 102, 3, S, 101);
	goes_on(&t, 105, 2, S, 102);
	finds(&t, "order");
}

/* The call was given up while another passed: perhaps they held the lock together, and it did not
 * know. */
static void a_reader_was_canceled(void **state)
{
	struct tape t = held(3, X);

	(void)state;
	stands(&t, 10, 2, 1, S, 1);
	stands(&t, 20, 3, 1, S, 2);
	goes_on(&t, 102, 3, S, 102);
	put(&t, 110, in_mode(EVENT_CANCELING, 2, 1, 0));
	gets_not(&t, 111, 2, 1, DBLOCK_CANCELED);
	finds(&t, "");
}

/* A writer cannot have held the lock meanwhile. */
static void a_writer_was_canceled(void **state)
{
	struct tape t = held(3, X);

	(void)state;
	stands(&t, 10, 2, 1, X, 1);
	stands(&t, 20, 3, 1, S, 2);
	goes_on(&t, 102, 3, S, 102);
	put(&t, 110, in_mode(EVENT_CANCELING, 2, 1, 0));
	gets_not(&t, 111, 2, 1, DBLOCK_CANCELED);
	finds(&t, "order");
}

static void a_reader_is_cut_off(void **state, int mode, const char *found)
{
	struct tape t = held(3, X);

	(void)state;
	stands(&t, 10, 2, 1, mode, 1);
	stands(&t, 20, 3, 1, S, 2);
	befalls(&t, 30, 2, EVENT_PARTED);
	goes_on(&t, 102, 3, S, 102);
	befalls(&t, 200, 2, EVENT_JOINED);
	goes_on(&t, 210, 2, mode, 103);
	finds(&t, found);
}

static void a_reader_that_is_cut_off_is_passed(void **state)
{
	a_reader_is_cut_off(state, S, "");
}

static void a_writer_that_is_cut_off_is_passed(void **state)
{
	a_reader_is_cut_off(state, X, "order");
}

/* ---- permits --------------------------------------------------------------------------------- */

/* Client 1 has two permits of four; client 2 wants `big`, client 3 one. */
static struct tape a_small_one_comes(int64_t big, int64_t first_token)
{
	struct tape t = tape_new(3);

	asks_for(&t, 1, 1, 1, 2);
	has_permits(&t, 2, 1, 1, 2, 100);
	stands_for(&t, 10, 2, 1, big, 1);
	stands_for(&t, 20, 3, 1, 1, 2);
	has_permits(&t, 40, 3, 1, 1, 201);
	gives(&t, 50, 3, 1, 201);
	gives(&t, 100, 1, 1, 100);
	has_permits(&t, 105, 2, 1, big, first_token);
	gives(&t, 120, 2, 1, first_token);
	return t;
}

static void a_small_one_passes_a_big_one(void **state)
{
	struct tape t = a_small_one_comes(4, 202);

	(void)state;
	finds(&t, "order");
}

static void a_small_one_passes_one_that_could_have_it_too(void **state)
{
	struct tape t = a_small_one_comes(2, 202);

	(void)state;
	finds(&t, "order");
}

static void permits_are_granted_together(void **state)
{
	struct tape t = a_small_one_comes(1, 200);

	(void)state;
	finds(&t, "");
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static void a_readers_token_is_granted_twice(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	takes(&t, 10, 30, 1, 1, S, 100);
	takes(&t, 12, 31, 2, 1, S, 100);
	finds(&t, "token");
}

static void a_reader_gets_an_older_token(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	takes(&t, 10, 30, 1, 1, S, 101);
	takes(&t, 12, 31, 2, 1, S, 100);
	finds(&t, "token");
}

/* They came at the same time: it does not matter who hears first. */
static void a_reader_hears_of_it_later(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	asks(&t, 10, 1, 1, S);
	asks(&t, 10, 2, 1, S);
	goes_on(&t, 12, 2, S, 101);
	goes_on(&t, 14, 1, S, 100);
	finds(&t, "");
}

static void an_upgrade_brings_the_old_token(void **state)
{
	struct tape t = tape_new(1);

	(void)state;
	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	upgrades(&t, 20, 21, 1, 1, 100, DBLOCK_OK);
	gives(&t, 40, 1, 1, 100);
	finds(&t, "token");
}

static void an_upgrade_brings_an_older_token(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	takes(&t, 12, 15, 2, 1, S, 105);
	upgrades(&t, 20, 21, 1, 1, 104, DBLOCK_OK);
	gives(&t, 40, 1, 1, 104);
	finds(&t, "token release");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_are_granted_together),
		cmocka_unit_test(a_reader_without_a_ticket),
		cmocka_unit_test(a_reader_tries_and_passes_a_writer),
		cmocka_unit_test(a_reader_in_queue_passes_a_writer),
		cmocka_unit_test(a_reader_passes_a_reader),
		cmocka_unit_test(a_reader_was_canceled),
		cmocka_unit_test(a_writer_was_canceled),
		cmocka_unit_test(a_reader_that_is_cut_off_is_passed),
		cmocka_unit_test(a_writer_that_is_cut_off_is_passed),
		cmocka_unit_test(a_small_one_passes_a_big_one),
		cmocka_unit_test(a_small_one_passes_one_that_could_have_it_too),
		cmocka_unit_test(permits_are_granted_together),
		cmocka_unit_test(a_readers_token_is_granted_twice),
		cmocka_unit_test(a_reader_gets_an_older_token),
		cmocka_unit_test(a_reader_hears_of_it_later),
		cmocka_unit_test(an_upgrade_brings_the_old_token),
		cmocka_unit_test(an_upgrade_brings_an_older_token),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
