/* SPDX-License-Identifier: MIT */
/* Transactions over databases of several kinds, each on a server of the test's own, and a file: processes are killed, and
 * stand still, at each statement; servers are killed in between; and money is moved in a storm. The variables of
 * ../storm.h go for it, too, and DBLOCK_STRIKE_ALL: see support/thin.h. */
#include "storm/global/tests.h"

#include "history/event.h"
#include "storm/crowd.h"
#include "storm/global/money.h"
#include "storm/global/scene.h"

uint64_t tests_seed(void)
{
	static uint64_t seed;

	if (!seed) {
		seed = number_of("DBLOCK_STORM_SEED", (uint64_t)event_now() % 1000000);
		print_message("DBLOCK_STORM_SEED=%llu\n", (unsigned long long)seed);
	}
	return seed;
}

static int set_up(void **state)
{
	(void)state;
	places_start();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	places_stop();
	return 0;
}

/* Without the libraries' ends: Kerberos' takes its mutexes away under a thread that connects, and who is killed while
 * leaks are looked for leaves half a report. */
static _Noreturn void leave(int code)
{
	(void)fflush(NULL);
	_exit(code);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_begins_is_struck), cmocka_unit_test(who_recovers_is_struck),
		cmocka_unit_test(a_server_is_killed),   cmocka_unit_test(money_between_servers),
		cmocka_unit_test(money_from_a_file),
	};

	if (argc == 5 && strcmp(argv[1], "worker") == 0)
		leave(mover_run(atoi(argv[2]), strtoull(argv[3], NULL, 10),
				strtoll(argv[4], NULL, 10)));
	if (argc > 6)
		leave(part_run(argc, argv));
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
