/* SPDX-License-Identifier: MIT */
/* SQLSTATEs as outcomes, and libpq's messages about connections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver/postgresql/own.h"

struct expected {
	const char *sqlstate;
	int reading, writing;
	bool over; /* the connection is over */
};

static void each_state_has_its_outcome(void **unused)
{
	static const struct expected all[] = {
		{"", DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNSURE, true},
		{"08006", DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNSURE, true},
		{"08P01", DBLOCK_E_BUG, DBLOCK_E_BUG, false},
		{"22003", DBLOCK_E_BUG, DBLOCK_E_BUG, false},
		{"23505", DBLOCK_E_BUG, DBLOCK_E_BUG, false},
		{"25006", DBLOCK_E_READONLY, DBLOCK_E_READONLY, false},
		{"28000", DBLOCK_E_DENIED, DBLOCK_E_DENIED, false},
		{"28P01", DBLOCK_E_DENIED, DBLOCK_E_DENIED, false},
		{"3D000", DBLOCK_E_INVALID, DBLOCK_E_INVALID, false},
		{"3F000", DBLOCK_E_SCHEMA, DBLOCK_E_SCHEMA, false},
		{"40001", DBLOCK_E_CONFLICT, DBLOCK_E_CONFLICT, false},
		{"40003", DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNSURE, true},
		{"40P01", DBLOCK_E_CONFLICT, DBLOCK_E_CONFLICT, false},
		{"42501", DBLOCK_E_DENIED, DBLOCK_E_DENIED, false},
		{"42601", DBLOCK_E_BUG, DBLOCK_E_BUG, false},
		{"42703", DBLOCK_E_SCHEMA, DBLOCK_E_SCHEMA, false},
		{"42804", DBLOCK_E_SCHEMA, DBLOCK_E_SCHEMA, false},
		{"42P01", DBLOCK_E_SCHEMA, DBLOCK_E_SCHEMA, false},
		{"53100", DBLOCK_E_FULL, DBLOCK_E_FULL, false},
		{"53300", DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNAVAILABLE, true},
		{"55P03", DBLOCK_E_BLOCKED, DBLOCK_E_BLOCKED, false},
		{"57014", DBLOCK_E_NO_ANSWER, DBLOCK_E_NO_ANSWER, false},
		{"57P01", DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNSURE, true},
		{"57P02", DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNSURE, true},
		{"57P03", DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNAVAILABLE, true},
		{"P0001", DBLOCK_E_BUG, DBLOCK_E_BUG, false},
		{"XX001", DBLOCK_E_NOTDB, DBLOCK_E_NOTDB, false},
		{"ZZZZZ", DBLOCK_E_BUG, DBLOCK_E_BUG, false},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		bool over = !all[i].over;

		assert_int_equal(dbl_pg_outcome(all[i].sqlstate, false, &over), all[i].reading);
		assert_int_equal(over, all[i].over);
		over = !all[i].over;
		assert_int_equal(dbl_pg_outcome(all[i].sqlstate, true, &over), all[i].writing);
		assert_int_equal(over, all[i].over);
	}
}

static void assert_message(const char *message, const char *wanted_state, const char *wanted_text)
{
	struct dbl_str text = {0};
	char state[6] = "?";

	dbl_pg_read_message(message, state, &text);
	assert_string_equal(state, wanted_state);
	assert_string_equal(text.text ? text.text : "", wanted_text);
	dbl_str_free(&text);
}

static void messages_give_state_and_text(void **unused)
{
	(void)unused;
	assert_message("", "", "");
	assert_message("\n", "", "");
	assert_message("connection to server at \"::1\", port 1 failed: Connection refused\n"
		       "\tIs the server running on that host and accepting TCP/IP connections?\n",
		       "",
		       "connection to server at \"::1\", port 1 failed: Connection refused; "
		       "Is the server running on that host and accepting TCP/IP connections?");
	assert_message("connection to server on socket \"/s\" failed: FATAL:  28P01: password "
		       "authentication failed for user \"u\"\n"
		       "LOCATION:  auth_failed, auth.c:338\n",
		       "28P01",
		       "connection to server on socket \"/s\" failed: FATAL:  password "
		       "authentication failed for user \"u\"");
	/* This message is translated. */
	assert_message("FATAL:  3D000: Datenbank \xc2\xbbx\xc2\xab existiert nicht\n"
		       "ORT:  InitPostgres, postinit.c:960",
		       "3D000", "FATAL:  Datenbank \xc2\xbbx\xc2\xab existiert nicht");
	/* There were two hosts: the last error counts. */
	assert_message("FATAL:  57P03: starting up\nFATAL:  28000: no pg_hba.conf entry\n", "28000",
		       "FATAL:  starting up; FATAL:  no pg_hba.conf entry");
}

static void what_only_looks_like_a_state_is_text(void **unused)
{
	(void)unused;
	assert_message("FATAL:  28P0", "", "FATAL:  28P0");
	assert_message("FATAL:  28P01:", "", "FATAL:  28P01:");
	assert_message("host:  Hello: x", "", "host:  Hello: x");
	assert_message("a 12345: b", "", "a 12345: b");
	assert_message(".c:", "", ".c:");
	assert_message("1", "", "1");
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(each_state_has_its_outcome),
		cmocka_unit_test(messages_give_state_and_text),
		cmocka_unit_test(what_only_looks_like_a_state_is_text),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
