/* SPDX-License-Identifier: MIT */
/* Error numbers by class, on which it depends what a caller may do next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dblock/error.h>

#include "driver/mysql/error.h"

static void is(unsigned native, bool writes, int code, bool lost, bool broken)
{
	struct dbl_mysql_verdict verdict = dbl_mysql_judge(native, writes);

	if (verdict.code != code || verdict.lost != lost || verdict.broken != broken)
		fail_msg("%u, writes %d: %s, lost %d, broken %d", native, writes,
			 dblock_outcome_name(verdict.code), verdict.lost, verdict.broken);
}

/* The server said no: reads and writes have the same outcome, and the connection goes on. */
static void refused(unsigned native, int code)
{
	is(native, false, code, false, false);
	is(native, true, code, false, false);
}

/* The statement was certainly not carried out, but the connection cannot be used any more. */
static void gone(unsigned native, int code)
{
	is(native, false, code, false, true);
	is(native, true, code, false, true);
}

static void lost(unsigned native)
{
	is(native, false, DBLOCK_E_UNAVAILABLE, true, true);
	is(native, true, DBLOCK_E_UNSURE, true, true);
}

static void what_the_server_refuses(void **state)
{
	(void)state;
	refused(1205, DBLOCK_E_BLOCKED);
	refused(1467, DBLOCK_E_BLOCKED);
	refused(3572, DBLOCK_E_BLOCKED);
	refused(1213, DBLOCK_E_CONFLICT);
	refused(1020, DBLOCK_E_CONFLICT);
	refused(3101, DBLOCK_E_CONFLICT);
	refused(1969, DBLOCK_E_NO_ANSWER);
	refused(3024, DBLOCK_E_NO_ANSWER);
	refused(1146, DBLOCK_E_SCHEMA);
	refused(1054, DBLOCK_E_SCHEMA);
	refused(1045, DBLOCK_E_DENIED);
	refused(1142, DBLOCK_E_DENIED);
	refused(1049, DBLOCK_E_INVALID);
	refused(1290, DBLOCK_E_READONLY);
	refused(3989, DBLOCK_E_READONLY);
	refused(1114, DBLOCK_E_FULL);
	refused(1064, DBLOCK_E_BUG);
}

static void what_ends_the_connection(void **state)
{
	(void)state;
	gone(1040, DBLOCK_E_UNAVAILABLE);
	gone(1047, DBLOCK_E_UNAVAILABLE);
	gone(2003, DBLOCK_E_UNAVAILABLE);
	gone(3032, DBLOCK_E_UNAVAILABLE);
	gone(3797, DBLOCK_E_UNAVAILABLE);
	gone(2059, DBLOCK_E_DENIED);
	gone(2014, DBLOCK_E_BUG);
}

static void what_leaves_a_write_in_doubt(void **state)
{
	(void)state;
	lost(1053);
	lost(1180);
	lost(1927);
	lost(2006);
	lost(2013);
	lost(2026);
	lost(2055);
	lost(3100);
}

/* An unknown number of a server means a refusal; an unknown one of a client library means nothing.
 */
static void unknown_numbers(void **state)
{
	(void)state;
	refused(1000, DBLOCK_E_BUG);
	refused(1999, DBLOCK_E_BUG);
	refused(3000, DBLOCK_E_BUG);
	refused(4999, DBLOCK_E_BUG);
	refused(6000, DBLOCK_E_BUG);
	lost(0);
	lost(999);
	lost(2000);
	lost(2999);
	lost(5000);
	lost(5999);
}

/* The server could not read or write a packet. */
static void network_errors_of_the_server(void **state)
{
	(void)state;
	gone(1153, DBLOCK_E_BUG);
	lost(1156);
	lost(1158);
	lost(1161);
	refused(1152, DBLOCK_E_BUG);
	refused(1162, DBLOCK_E_BUG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_server_refuses),
		cmocka_unit_test(what_ends_the_connection),
		cmocka_unit_test(what_leaves_a_write_in_doubt),
		cmocka_unit_test(unknown_numbers),
		cmocka_unit_test(network_errors_of_the_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
