/* SPDX-License-Identifier: MIT */
/* SQLite's result codes as outcomes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver/sqlite/own.h"

struct expected {
	int native;
	const char *message;
	int reading, writing;
};

static void each_code_has_its_outcome(void **unused)
{
	static const struct expected all[] = {
		{SQLITE_ERROR, "near \"x\": syntax error", DBLOCK_E_BUG, DBLOCK_E_BUG},
		{SQLITE_ERROR, "no such table: x", DBLOCK_E_SCHEMA, DBLOCK_E_SCHEMA},
		{SQLITE_ERROR, "no such column: x", DBLOCK_E_SCHEMA, DBLOCK_E_SCHEMA},
		{SQLITE_ERROR, "table t has no column named x", DBLOCK_E_SCHEMA, DBLOCK_E_SCHEMA},
		/* Only SQLITE_ERROR depends on the message. */
		{SQLITE_CONSTRAINT_TRIGGER, "no such table", DBLOCK_E_BUG, DBLOCK_E_BUG},
		{SQLITE_BUSY, "", DBLOCK_E_BLOCKED, DBLOCK_E_BLOCKED},
		{SQLITE_BUSY_RECOVERY, "", DBLOCK_E_BLOCKED, DBLOCK_E_BLOCKED},
		{SQLITE_BUSY_SNAPSHOT, "", DBLOCK_E_CONFLICT, DBLOCK_E_CONFLICT},
		{SQLITE_LOCKED, "", DBLOCK_E_BLOCKED, DBLOCK_E_BLOCKED},
		{SQLITE_NOMEM, "", DBLOCK_E_NOMEM, DBLOCK_E_NOMEM},
		{SQLITE_IOERR_NOMEM, "", DBLOCK_E_NOMEM, DBLOCK_E_NOMEM},
		{SQLITE_READONLY, "", DBLOCK_E_READONLY, DBLOCK_E_READONLY},
		{SQLITE_READONLY_DIRECTORY, "", DBLOCK_E_READONLY, DBLOCK_E_READONLY},
		{SQLITE_READONLY_DBMOVED, "", DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNSURE},
		{SQLITE_INTERRUPT, "", DBLOCK_E_NO_ANSWER, DBLOCK_E_NO_ANSWER},
		{SQLITE_IOERR, "", DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNSURE},
		{SQLITE_IOERR_FSYNC, "", DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNSURE},
		{SQLITE_CORRUPT, "", DBLOCK_E_NOTDB, DBLOCK_E_NOTDB},
		{SQLITE_CORRUPT_INDEX, "", DBLOCK_E_NOTDB, DBLOCK_E_NOTDB},
		{SQLITE_NOTADB, "", DBLOCK_E_NOTDB, DBLOCK_E_NOTDB},
		{SQLITE_FULL, "", DBLOCK_E_FULL, DBLOCK_E_FULL},
		{SQLITE_CANTOPEN, "", DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNAVAILABLE},
		{SQLITE_PERM, "", DBLOCK_E_DENIED, DBLOCK_E_DENIED},
		{SQLITE_AUTH, "", DBLOCK_E_DENIED, DBLOCK_E_DENIED},
		{SQLITE_CONSTRAINT_UNIQUE, "", DBLOCK_E_BUG, DBLOCK_E_BUG},
		{SQLITE_MISUSE, "", DBLOCK_E_BUG, DBLOCK_E_BUG},
		{SQLITE_RANGE, "", DBLOCK_E_BUG, DBLOCK_E_BUG},
		/* A code that no table has may have changed something. */
		{199, "", DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNSURE},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct expected *e = &all[i];

		assert_int_equal(dbl_lite_outcome(e->native, e->message, false), e->reading);
		assert_int_equal(dbl_lite_outcome(e->native, e->message, true), e->writing);
	}
}

static void the_system_may_know_more(void **unused)
{
	(void)unused;
	assert_int_equal(dbl_lite_system_outcome(SQLITE_IOERR_WRITE, EROFS), DBLOCK_E_READONLY);
	assert_int_equal(dbl_lite_system_outcome(SQLITE_IOERR_WRITE, EDQUOT), DBLOCK_E_FULL);
	assert_int_equal(dbl_lite_system_outcome(SQLITE_IOERR_WRITE, ENOSPC), DBLOCK_E_FULL);
	assert_int_equal(dbl_lite_system_outcome(SQLITE_IOERR_WRITE, EIO), 0);
	/* A write before a failed sync may be found after a crash. */
	assert_int_equal(dbl_lite_system_outcome(SQLITE_IOERR_FSYNC, EDQUOT), 0);
	assert_int_equal(dbl_lite_system_outcome(SQLITE_BUSY, EROFS), 0);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(each_code_has_its_outcome),
		cmocka_unit_test(the_system_may_know_more),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
