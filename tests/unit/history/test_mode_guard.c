/* SPDX-License-Identifier: MIT */
/* Several readers of the protected resource. */
#include "modes.h"

static struct tape two_readers_read(int64_t wrote, bool accepted)
{
	struct tape t = tape_new(2);
	struct event e = in_mode(EVENT_PRESENTED, 1, 1, S);

	takes(&t, 10, 50, 1, 1, S, 100);
	takes(&t, 12, 60, 2, 1, S, 101);
	e.token = 100;
	e.before = 101;
	e.wrote = wrote;
	e.outcome = accepted ? 0 : DBLOCK_STALE;
	put(&t, 30, e);
	return t;
}

static void the_older_one_reads_last(void **state)
{
	struct tape t = two_readers_read(99, true);

	(void)state;
	finds(&t, "");
}

static void it_reads_what_a_newer_one_wrote(void **state)
{
	struct tape t = two_readers_read(101, true);

	(void)state;
	finds(&t, "guard");
}

static void it_is_refused_though_nobody_wrote(void **state)
{
	struct tape t = two_readers_read(99, false);

	(void)state;
	finds(&t, "guard");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_older_one_reads_last),
		cmocka_unit_test(it_reads_what_a_newer_one_wrote),
		cmocka_unit_test(it_is_refused_though_nobody_wrote),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
