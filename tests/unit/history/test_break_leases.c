/* SPDX-License-Identifier: MIT */
/* Leases are taken away: some holders can be told of it, and some cannot. */
#include "tape.h"

static void holds_a_lease(struct tape *t, int64_t ms, int client, int wait, int64_t token)
{
	put(t, ms,
	    (struct event){.kind = EVENT_CALLED, .client = client, .wait = wait, .lease = 1000000});
	gets(t, ms + 1, client, wait, token);
}

/* The client's session ended at some time in between. */
static void is_renewed(struct tape *t, int64_t from_ms, int64_t ms, int client)
{
	put(t, ms,
	    (struct event){
		    .kind = EVENT_RENEWED, .client = client, .before = (from_ms + 1) * 1000});
}

/* The lock is broken, and then granted to client 2. */
static void is_broken_for_another(struct tape *t)
{
	begins_break(t, 20, 3, 1, false);
	ends_break(t, 25, 3, 1, DBLOCK_OK);
	gets(t, 30, 2, 1, 101);
}

static void a_lease_nobody_hears_of(void **state)
{
	struct tape t = tape_new(3);

	(void)state;
	holds_a_lease(&t, 10, 1, 1, 100);
	calls(&t, 12, 2, 1, FOR_EVER);
	is_renewed(&t, 15, 40, 1);
	is_broken_for_another(&t);
	begins_release(&t, 50, 1, 1, 100, VALID_MS);
	ends_release(&t, 51, 1, 1, 100, DBLOCK_LOST);
	gives(&t, 60, 2, 1, 101);
	finds(&t, "");
}

/* The session had ended long before: the client of the next one is told. */
static void a_lease_of_the_next_session(void **state)
{
	struct tape t = tape_new(3);

	(void)state;
	holds_a_lease(&t, 10, 1, 1, 100);
	calls(&t, 12, 2, 1, FOR_EVER);
	is_renewed(&t, 13, 15, 1);
	is_broken_for_another(&t);
	gives_lost(&t, 50, 1, 1, 100);
	gives(&t, 60, 2, 1, 101);
	finds(&t, "told");
}

/* A lock that ends with its session is not excused by that. */
static void no_lease_and_nobody_hears(void **state)
{
	struct tape t = tape_new(3);

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	calls(&t, 12, 2, 1, FOR_EVER);
	is_renewed(&t, 15, 40, 1);
	is_broken_for_another(&t);
	gives_lost(&t, 50, 1, 1, 100);
	gives(&t, 60, 2, 1, 101);
	finds(&t, "told");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lease_nobody_hears_of),
		cmocka_unit_test(a_lease_of_the_next_session),
		cmocka_unit_test(no_lease_and_nobody_hears),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
