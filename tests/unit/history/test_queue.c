/* SPDX-License-Identifier: MIT */
/* A call waited for so long that it must have been in the queue, and was passed. */
#include "modes.h"

/* A call from its grant to its end. */
static void goes_on(struct tape *t, int64_t ms, int client, int mode, int64_t token)
{
	has(t, ms, client, 1, mode, token);
	gives(t, ms + 20, client, 1, token);
}

/* Client 2's upgrade waits from 20 on for client 1, and client 3 comes. */
static void a_reader_comes(void **state, int64_t asked, bool cut, int priority, const char *found)
{
	struct tape t = tape_new(3);

	(void)state;
	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	asks(&t, 12, 2, 1, U);
	has(&t, 13, 2, 1, U, 101);
	for (int64_t at = 600; at < 3000; at += 600) {
		presents(&t, at, 1, 1, 100, 100, true, VALID_MS);
		t.history.events[t.history.n - 1].mode = S;
	}
	begins_change(&t, 20, EVENT_UPGRADING, 2, 1, X, 101);
	t.history.events[t.history.n - 1].until = until(5000);
	if (cut)
		befalls(&t, 22, 2, EVENT_CUT);
	takes(&t, asked, asked + 3, 3, 1, S, 102);
	for (size_t i = 0; i < t.history.n; i++)
		t.history.events[i].priority = t.history.events[i].client == 3 ? priority : 0;
	gives(&t, 3000, 1, 1, 100);
	ends_change(&t, 3002, EVENT_UPGRADED, 2, 1, 103, DBLOCK_OK);
	gives(&t, 3010, 2, 1, 103);
	finds(&t, found);
}

static void a_reader_passes_an_upgrade(void **state)
{
	a_reader_comes(state, 2000, false, 0, "upgrade");
}

/* An upgrade goes before all that wait. */
static void a_reader_of_a_high_class_passes_an_upgrade(void **state)
{
	a_reader_comes(state, 2000, false, DBLOCK_PRIORITY_MAX, "upgrade");
}

/* Nobody knows when the upgrade was in the queue. */
static void a_reader_comes_at_once(void **state)
{
	a_reader_comes(state, 21, false, 0, "");
}

static void a_reader_comes_when_it_is_cut_off(void **state)
{
	a_reader_comes(state, 2000, true, 0, "");
}

/* ---- without tickets ------------------------------------------------------------------------- */

/* Client 2 waits from 10 on, for client 1, which shares the lock; client 3 comes later, and is
 * granted the lock before. */
static void it_is_passed(int mode, int64_t came, int64_t group, const char *found)
{
	struct tape t = tape_new(3);

	asks(&t, 5, 1, 1, S);
	has(&t, 6, 1, 1, S, 100);
	for (int64_t at = 600; at < 3000; at += 600) {
		presents(&t, at, 1, 1, 100, 100, true, VALID_MS);
		t.history.events[t.history.n - 1].mode = S;
	}
	gives(&t, 3000, 1, 1, 100);
	asks(&t, 10, 2, 1, mode);
	t.history.events[t.history.n - 1].group = group;
	takes(&t, came, came + 3, 3, 1, S, 101);
	goes_on(&t, 3002, 2, mode, 102);
	finds(&t, found);
}

static void a_writer_waited_for_long(void **state)
{
	(void)state;
	it_is_passed(X, 2000, 0, "line");
}

static void a_writer_waited_for_a_while(void **state)
{
	(void)state;
	it_is_passed(X, 1500, 0, "");
}

/* The name has to be kept free for a group. */
static void a_group_waited_for_long(void **state)
{
	(void)state;
	it_is_passed(X, 2000, 7, "line");
	it_is_passed(S, 2000, 7, "line");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reader_passes_an_upgrade),
		cmocka_unit_test(a_reader_of_a_high_class_passes_an_upgrade),
		cmocka_unit_test(a_reader_comes_at_once),
		cmocka_unit_test(a_reader_comes_when_it_is_cut_off),
		cmocka_unit_test(a_writer_waited_for_long),
		cmocka_unit_test(a_writer_waited_for_a_while),
		cmocka_unit_test(a_group_waited_for_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
