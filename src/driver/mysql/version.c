/* SPDX-License-Identifier: MIT */
#include "driver/mysql/version.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/version.h"

/* MariaDB 10 puts a version of MySQL's before its own, for old replicas. MariaDB's client library
 * removes it, Oracle's does not. */
static const char prefix[] = "5.5.5-";

int dbl_mysql_check_version(const char *said, struct dblock_error *err)
{
	const char *text = said ? said : "";
	size_t len = strncmp(text, prefix, sizeof(prefix) - 1) == 0 ? sizeof(prefix) - 1 : 0;
	bool has_prefix = len > 0 && isdigit((unsigned char)text[len]);
	bool is_mariadb = has_prefix || strstr(text, "MariaDB");

	return dbl_version_check(is_mariadb ? "MariaDB" : "MySQL", has_prefix ? text + len : text,
				 is_mariadb ? DBL_LEAST_MARIADB : DBL_LEAST_MYSQL,
				 "update the server; if a proxy says so for a newer one, have it "
				 "say that one's version: see docs/operator/mysql.md",
				 err);
}
