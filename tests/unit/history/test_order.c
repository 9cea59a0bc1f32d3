/* SPDX-License-Identifier: MIT */
/* First come, first served; and who may be passed. Client 1 holds the lock until 100. */
#include "tape.h"

static struct tape held(int clients)
{
	struct tape t = tape_new(clients);

	calls(&t, 1, 1, 1, FOR_EVER);
	gets(&t, 2, 1, 1, 100);
	gives(&t, 100, 1, 1, 100);
	return t;
}

static void waits(struct tape *t, int64_t ms, int client, int wait, int64_t ticket)
{
	calls(t, ms, client, wait, FOR_EVER);
	queues(t, ms + 1, client, wait, ticket);
}

static void has_it(struct tape *t, int64_t ms, int client, int wait, int64_t token)
{
	gets(t, ms, client, wait, token);
	gives(t, ms + 5, client, wait, token);
}

static void in_their_order(void **state)
{
	struct tape t = held(3);

	(void)state;
	waits(&t, 10, 2, 1, 1);
	waits(&t, 20, 3, 1, 2);
	has_it(&t, 102, 2, 1, 101);
	has_it(&t, 112, 3, 1, 102);
	finds(&t, "");
}

static void an_older_ticket_is_passed(void **state)
{
	struct tape t = held(3);

	(void)state;
	waits(&t, 10, 2, 1, 1);
	waits(&t, 20, 3, 1, 2);
	has_it(&t, 102, 3, 1, 101);
	has_it(&t, 112, 2, 1, 102);
	finds(&t, "order");
}

static void an_older_ticket_is_passed_twice(void **state)
{
	struct tape t = held(3);

	(void)state;
	waits(&t, 10, 2, 1, 1);
	waits(&t, 20, 3, 1, 2);
	has_it(&t, 102, 3, 1, 101);
	waits(&t, 110, 3, 2, 3);
	has_it(&t, 120, 3, 2, 102);
	has_it(&t, 130, 2, 1, 103);
	finds(&t, "order twice");
}

static void passed_by_one_without_a_ticket(void **state)
{
	struct tape t = held(3);

	(void)state;
	waits(&t, 10, 2, 1, 1);
	calls(&t, 101, 3, 1, FOR_EVER);
	put(&t, 102,
	    (struct event){.kind = EVENT_GRANTED,
			   .client = 3,
			   .wait = 1,
			   .token = 101,
			   .ticket = TICKET_NONE,
			   .until = 1000000});
	gives(&t, 105, 3, 1, 101);
	has_it(&t, 112, 2, 1, 102);
	finds(&t, "order");
}

/* It was there before the other one joined the queue. */
static void taken_while_the_other_was_on_its_way(void **state)
{
	struct tape t = tape_new(3);

	(void)state;
	calls(&t, 9, 3, 1, FOR_EVER);
	waits(&t, 10, 2, 1, 1);
	put(&t, 20,
	    (struct event){.kind = EVENT_GRANTED,
			   .client = 3,
			   .wait = 1,
			   .token = 101,
			   .ticket = TICKET_NONE,
			   .until = 1000000});
	gives(&t, 25, 3, 1, 101);
	has_it(&t, 112, 2, 1, 102);
	finds(&t, "");
}

static void the_older_ones_ticket_is_unknown(void **state, int64_t ticket)
{
	struct tape t = held(3);

	(void)state;
	waits(&t, 10, 2, 1, TICKET_UNKNOWN);
	waits(&t, 20, 3, 1, ticket);
	has_it(&t, 102, 3, 1, 101);
	has_it(&t, 112, 2, 1, 102);
	finds(&t, "");
}

static void nobody_knows_the_tickets(void **state)
{
	the_older_ones_ticket_is_unknown(state, TICKET_UNKNOWN);
}

static void nobody_knows_one_ticket(void **state)
{
	the_older_ones_ticket_is_unknown(state, 7);
}

static void gets_with_ticket(struct tape *t, int64_t ms, int client, int64_t token, int64_t ticket)
{
	put(t, ms,
	    (struct event){.kind = EVENT_GRANTED,
			   .client = client,
			   .wait = 1,
			   .token = token,
			   .ticket = ticket,
			   .until = 1000000});
	gives(t, ms + 1, client, 1, token);
}

/* Nobody has written down when it joined the queue: perhaps after the other's turn had come. */
static void the_ticket_is_told_with_the_grant(void **state)
{
	struct tape t = held(3);

	(void)state;
	calls(&t, 10, 2, 1, FOR_EVER);
	calls(&t, 20, 3, 1, FOR_EVER);
	gets_with_ticket(&t, 102, 3, 101, 2);
	gets_with_ticket(&t, 112, 2, 102, 1);
	finds(&t, "");
}

/* For a call that is granted the lock only the ticket counts. */
static void its_ticket_is_told_with_the_grant(void **state)
{
	struct tape t = held(3);

	(void)state;
	waits(&t, 10, 2, 1, 1);
	calls(&t, 20, 3, 1, FOR_EVER);
	gets_with_ticket(&t, 102, 3, 101, 2);
	gets_with_ticket(&t, 112, 2, 102, 1);
	finds(&t, "order");
}

/* Either may be granted the lock first, whatever their tickets. */
static void they_came_at_once(void **state)
{
	struct tape t = held(3);

	(void)state;
	calls(&t, 10, 2, 1, FOR_EVER);
	calls(&t, 20, 3, 1, FOR_EVER);
	queues(&t, 21, 2, 1, 1);
	queues(&t, 21, 3, 1, 2);
	has_it(&t, 102, 3, 1, 101);
	has_it(&t, 112, 2, 1, 102);
	finds(&t, "");
}

static void the_older_one_was_canceled(void **state)
{
	struct tape t = held(3);

	(void)state;
	waits(&t, 10, 2, 1, 1);
	waits(&t, 20, 3, 1, 2);
	befalls(&t, 30, 2, EVENT_CUT);
	put(&t, 101, (struct event){.kind = EVENT_CANCELING, .client = 2, .wait = 1});
	/* A second request to cancel changes nothing. */
	put(&t, 200, (struct event){.kind = EVENT_CANCELING, .client = 2, .wait = 1});
	has_it(&t, 102, 3, 1, 101);
	gets_not(&t, 210, 2, 1, DBLOCK_CANCELED);
	finds(&t, "");
}

static void the_older_one_had_no_more_time(void **state)
{
	struct tape t = held(3);

	(void)state;
	calls(&t, 10, 2, 1, 91);
	queues(&t, 11, 2, 1, 1);
	waits(&t, 20, 3, 1, 2);
	has_it(&t, 102, 3, 1, 101);
	gets_not(&t, 103, 2, 1, DBLOCK_TIMEOUT);
	finds(&t, "");
}

static void the_older_one_gave_up_after_it_was_passed(void **state)
{
	struct tape t = held(3);

	(void)state;
	calls(&t, 10, 2, 1, 200);
	queues(&t, 11, 2, 1, 1);
	waits(&t, 20, 3, 1, 2);
	has_it(&t, 102, 3, 1, 101);
	gets_not(&t, 210, 2, 1, DBLOCK_TIMEOUT);
	finds(&t, "order");
}

/* Nobody knows since when its place was gone. */
static void the_older_one_failed(void **state)
{
	struct tape t = held(3);

	(void)state;
	waits(&t, 10, 2, 1, 1);
	waits(&t, 20, 3, 1, 2);
	has_it(&t, 102, 3, 1, 101);
	gets_not(&t, 210, 2, 1, DBLOCK_E_UNAVAILABLE);
	finds(&t, "");
}

static void the_older_one_was_killed(void **state)
{
	struct tape t = held(3);

	(void)state;
	waits(&t, 10, 2, 1, 1);
	waits(&t, 20, 3, 1, 2);
	befalls(&t, 60, 2, EVENT_KILLED);
	has_it(&t, 1102, 3, 1, 101);
	finds(&t, "");
}

static void the_older_one_was_killed_later(void **state)
{
	struct tape t = held(3);

	(void)state;
	waits(&t, 10, 2, 1, 1);
	waits(&t, 20, 3, 1, 2);
	has_it(&t, 102, 3, 1, 101);
	befalls(&t, 103, 2, EVENT_KILLED);
	finds(&t, "order");
}

static void the_older_one_stood_still(void **state, int64_t from, int64_t to, const char *found)
{
	struct tape t = tape_new(3);

	(void)state;
	calls(&t, 1, 1, 1, FOR_EVER);
	gets(&t, 2, 1, 1, 100);
	waits(&t, 10, 2, 1, 1);
	waits(&t, 20, 3, 1, 2);
	befalls(&t, from, 2, EVENT_STOPPED);
	befalls(&t, to, 2, EVENT_CONTINUED);
	gives(&t, 800, 1, 1, 100);
	has_it(&t, 802, 3, 1, 101);
	has_it(&t, 1600, 2, 1, 102);
	finds(&t, found);
}

/* It may have been granted the lock for so short a time that this is over. */
static void the_older_one_wanted_a_short_lease(void **state)
{
	struct tape t = tape_new(3);

	(void)state;
	calls(&t, 1, 1, 1, FOR_EVER);
	gets(&t, 2, 1, 1, 100);
	gives(&t, 40, 1, 1, 100);
	calls(&t, 10, 2, 1, FOR_EVER);
	t.history.events[t.history.n - 1].lease = 100000;
	queues(&t, 11, 2, 1, 1);
	waits(&t, 20, 3, 1, 2);
	befalls(&t, 30, 2, EVENT_STOPPED);
	befalls(&t, 200, 2, EVENT_CONTINUED);
	has_it(&t, 150, 3, 1, 102);
	has_it(&t, 210, 2, 1, 103);
	finds(&t, "");
}

static void the_older_one_stood_still_for_long(void **state)
{
	the_older_one_stood_still(state, 30, 1500, "");
}

static void the_older_one_stood_still_for_a_moment(void **state)
{
	the_older_one_stood_still(state, 30, 130, "order");
}

/* It was granted the lock, and lost it: only the message came late. */
static void the_older_one_learns_of_it_late(void **state)
{
	struct tape t = held(3);

	(void)state;
	waits(&t, 10, 2, 1, 1);
	waits(&t, 20, 3, 1, 2);
	has_it(&t, 1200, 3, 1, 102);
	gets_for(&t, 1201, 2, 1, 101, 0);
	gives_lost(&t, 1202, 2, 1, 101);
	finds(&t, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_their_order),
		cmocka_unit_test(an_older_ticket_is_passed),
		cmocka_unit_test(an_older_ticket_is_passed_twice),
		cmocka_unit_test(passed_by_one_without_a_ticket),
		cmocka_unit_test(taken_while_the_other_was_on_its_way),
		cmocka_unit_test(nobody_knows_the_tickets),
		cmocka_unit_test(nobody_knows_one_ticket),
		cmocka_unit_test(the_ticket_is_told_with_the_grant),
		cmocka_unit_test(its_ticket_is_told_with_the_grant),
		cmocka_unit_test(they_came_at_once),
		cmocka_unit_test(the_older_one_failed),
		cmocka_unit_test(the_older_one_was_canceled),
		cmocka_unit_test(the_older_one_had_no_more_time),
		cmocka_unit_test(the_older_one_gave_up_after_it_was_passed),
		cmocka_unit_test(the_older_one_was_killed),
		cmocka_unit_test(the_older_one_was_killed_later),
		cmocka_unit_test(the_older_one_stood_still_for_long),
		cmocka_unit_test(the_older_one_stood_still_for_a_moment),
		cmocka_unit_test(the_older_one_learns_of_it_late),
		cmocka_unit_test(the_older_one_wanted_a_short_lease),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
