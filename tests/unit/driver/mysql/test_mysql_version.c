/* SPDX-License-Identifier: MIT */
/* What MySQL, MariaDB and proxies say of themselves as they greet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "driver/mysql/version.h"

static void is_let_in(const char *said)
{
	struct dblock_error err = {0};

	if (dbl_mysql_check_version(said, &err))
		fail_msg("%s", err.message);
}

static void is_refused(const char *said, const char *as)
{
	struct dblock_error err = {0};

	if (dbl_mysql_check_version(said, &err) != DBLOCK_E_INVALID)
		fail_msg("'%s' is let in", said);
	if (strncmp(err.message, as, strlen(as)) != 0)
		fail_msg("'%s' does not begin with '%s'", err.message, as);
	assert_non_null(strstr(err.message, "; update the server"));
}

static void servers(void **state)
{
	(void)state;
	is_refused("5.7.44-log", "MySQL 5.7.44-log is too old for dblock, which needs 8.0.22");
	is_refused("8.0.21", "MySQL 8.0.21 is");
	is_refused("5.5.5-m3", "MySQL 5.5.5-m3 is");
	is_refused("5.5.5-", "MySQL 5.5.5- is");
	is_refused("8.0.11-TiDB-v7.5.1", "MySQL 8.0.11-TiDB-v7.5.1 is");
	is_let_in("8.0.22");
	is_let_in("8.0.36-28.1");
	is_let_in("8.4.3");
	is_let_in("9.7.4");
}

/* A client library may have removed the prefix that MariaDB puts before its version for MySQL's
 * clients. */
static void servers_of_mariadb(void **state)
{
	(void)state;
	is_refused("5.5.5-10.5.9-MariaDB", "MariaDB 10.5.9-MariaDB is too old for dblock, which "
					   "needs 10.6 or newer");
	is_refused("10.5.29-MariaDB-log", "MariaDB 10.5.29-MariaDB-log is");
	is_refused("5.5.68-MariaDB", "MariaDB 5.5.68-MariaDB is");
	is_refused("5.5.5-10.3.1", "MariaDB 10.3.1 is");
	is_let_in("5.5.5-10.6.0-MariaDB");
	is_let_in("5.5.5-10.11.6-MariaDB-0+deb12u1");
	is_let_in("10.6.23-MariaDB");
	is_let_in("11.4.2-MariaDB-ubu2404");
}

/* ProxySQL says this, unless it is configured otherwise. */
static void proxies(void **state)
{
	(void)state;
	is_refused("5.5.30", "MySQL 5.5.30 is");
	is_refused("8.0.11", "MySQL 8.0.11 is");
}

static void no_number(void **state)
{
	(void)state;
	is_let_in(NULL);
	is_let_in("");
	is_let_in("nonsense");
	is_let_in("8.0.mysql_aurora.3.05.2");
	is_let_in("-MariaDB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(servers),
		cmocka_unit_test(servers_of_mariadb),
		cmocka_unit_test(proxies),
		cmocka_unit_test(no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
