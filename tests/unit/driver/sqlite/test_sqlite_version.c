/* SPDX-License-Identifier: MIT */
/* A program was built with a new SQLite, and runs with an old one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "driver/driver.h"

/* By the linker (--wrap) the driver calls this. */
const char *__wrap_sqlite3_libversion(void);
const char *__wrap_sqlite3_libversion(void)
{
	return "3.36.0";
}

static void an_old_library_is_refused(void **state)
{
	struct dblock_error err = {0};
	struct dbl_conn *conn;
	struct dbl_url url;

	(void)state;
	assert_int_equal(dbl_url_parse(&url, "sqlite:/nowhere/x", &err), 0);
	assert_int_equal(dbl_sqlite.open(&conn, &url, dbl_env_system(), DBL_NEVER, &err),
			 DBLOCK_E_INVALID);
	assert_null(conn);
	assert_string_equal(err.message, "SQLite 3.36.0 is too old for dblock, which needs 3.37 or "
					 "newer; run with a newer library");
	assert_int_equal(dbl_sqlite.adopt(&conn, NULL, dbl_env_system(), &err), DBLOCK_E_INVALID);
	assert_non_null(strstr(err.message, "3.36.0"));
	dbl_url_free(&url);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(an_old_library_is_refused)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
