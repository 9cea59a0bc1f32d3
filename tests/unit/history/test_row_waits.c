/* SPDX-License-Identifier: MIT */
/* On MySQL a statement waits for a second for a row that somebody has locked. */
#include "tape.h"

/* Client 2 waits from 10 on for a lock that nobody has; client 3 stands still meanwhile, or does
 * not. */
struct scene {
	int64_t until, stopped_until; /* 0: to the end */
	bool waits_for_rows, another_stands_still;
	enum { NOBODY, ITSELF, ANOTHER_THREAD } has_answers;
};

static void it_waits(struct scene s, const char *found)
{
	struct tape t = tape_new(3);

	for (size_t i = 0; s.waits_for_rows && i < t.history.n; i++)
		t.history.events[i].lease = 1000000;
	calls(&t, 10, 2, 1, FOR_EVER);
	gets(&t, s.until, 2, 1, 1000);
	gives(&t, s.until + 1, 2, 1, 1000);
	if (s.another_stands_still)
		befalls(&t, 5, 3, EVENT_STOPPED);
	if (s.stopped_until)
		befalls(&t, s.stopped_until, 3, EVENT_CONTINUED);
	for (int64_t at = 500; s.has_answers == ANOTHER_THREAD && at < s.until; at += 500) {
		calls(&t, at - 10, 2, (int)at, FOR_EVER);
		gets_not(&t, at, 2, (int)at, DBLOCK_TIMEOUT);
	}
	if (s.has_answers == ITSELF)
		queues(&t, 10 + 800, 2, 1, 1);
	for (size_t i = 0; i < t.history.n; i++) {
		if (t.history.events[i].wait > 1)
			strcpy(t.history.events[i].name, "y");
	}
	finds(&t, found);
}

static void behind_another_request_of_its_client(void **state)
{
	(void)state;
	it_waits((struct scene){10 + 1600, 50, true, true, NOBODY}, "");
	it_waits((struct scene){10 + 3400, 50, true, true, NOBODY}, "");
}

static void as_long_as_another_stands_still(void **state)
{
	(void)state;
	it_waits((struct scene){10 + 5400, 2010, true, true, NOBODY}, "");
	it_waits((struct scene){10 + 9000, 0, true, true, NOBODY}, "");
}

static void not_for_ever(void **state)
{
	(void)state;
	it_waits((struct scene){10 + 3600, 50, true, true, NOBODY}, "forgotten");
	it_waits((struct scene){10 + 5600, 2010, true, true, NOBODY}, "forgotten");
}

static void not_where_rows_are_not_waited_for(void **state)
{
	(void)state;
	it_waits((struct scene){10 + 1600, 0, false, true, NOBODY}, "forgotten");
}

static void not_where_nobody_has_a_row(void **state)
{
	(void)state;
	it_waits((struct scene){10 + 1600, 0, true, false, NOBODY}, "forgotten");
}

static void though_another_thread_has_answers(void **state)
{
	(void)state;
	it_waits((struct scene){10 + 1600, 0, true, true, ANOTHER_THREAD}, "");
}

static void not_where_it_had_an_answer_itself(void **state)
{
	(void)state;
	it_waits((struct scene){10 + 1600, 0, true, true, ITSELF}, "forgotten");
}

/* Client 2 waits from 10 on, for client 1, and is passed by client 4, which comes at `came`; client
 * 3 stands still meanwhile, or does not. */
static void it_is_passed(int64_t came, bool another_stands_still, const char *found)
{
	struct tape t = tape_new(4);

	for (size_t i = 0; i < t.history.n; i++)
		t.history.events[i].lease = 1000000;
	calls(&t, 5, 1, 1, FOR_EVER);
	gets_for(&t, 6, 1, 1, 100, 8000);
	if (another_stands_still) {
		befalls(&t, 7, 3, EVENT_STOPPED);
		befalls(&t, 50, 3, EVENT_CONTINUED);
	}
	calls(&t, 10, 2, 1, FOR_EVER);
	calls(&t, came, 4, 1, FOR_EVER);
	gives(&t, 5000, 1, 1, 100);
	gets(&t, 5010, 4, 1, 101);
	gives(&t, 5012, 4, 1, 101);
	gets(&t, 5020, 2, 1, 102);
	gives(&t, 5022, 2, 1, 102);
	finds(&t, found);
}

static void before_it_stands_in_queue(void **state)
{
	(void)state;
	it_is_passed(1600, true, "");
	it_is_passed(1600, false, "line");
	it_is_passed(3600, true, "line");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behind_another_request_of_its_client),
		cmocka_unit_test(as_long_as_another_stands_still),
		cmocka_unit_test(not_for_ever),
		cmocka_unit_test(not_where_rows_are_not_waited_for),
		cmocka_unit_test(not_where_nobody_has_a_row),
		cmocka_unit_test(though_another_thread_has_answers),
		cmocka_unit_test(not_where_it_had_an_answer_itself),
		cmocka_unit_test(before_it_stands_in_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
