/* SPDX-License-Identifier: MIT */
/* The version that a server has in its greeting; knows no client library. */
#ifndef DBL_DRIVER_MYSQL_VERSION_H
#define DBL_DRIVER_MYSQL_VERSION_H

#include <dblock/error.h>

/* "9.7.4", "11.4.2-MariaDB", "5.5.5-10.11.6-MariaDB-log", or what a proxy says. NULL: nothing. 0,
 * or DBLOCK_E_INVALID: it is too old. */
int dbl_mysql_check_version(const char *said, struct dblock_error *err);

#endif
