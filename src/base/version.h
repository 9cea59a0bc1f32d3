/* SPDX-License-Identifier: MIT */
/* Version numbers, and which servers and libraries are too old: for opening, and for the doctor. */
#ifndef DBL_BASE_VERSION_H
#define DBL_BASE_VERSION_H

#include <stdbool.h>

#include <dblock/error.h>

/* The reason for each is in docs/operator/: postgresql.md, mysql.md, sqlite.md. */
#define DBL_LEAST_POSTGRESQL "12"
#define DBL_LEAST_MARIADB    "10.6"
#define DBL_LEAST_MYSQL      "8.0.22"
#define DBL_LEAST_SQLITE     "3.37"

/* Compare the leading numbers of both: "10.11.6-MariaDB" is not before "10.6". A version that lacks
 * a number which the other has is not known to be before it. */
bool dbl_version_before(const char *version, const char *least);

/* 0, or DBLOCK_E_INVALID with what to do next: this version of `what` is before the least. */
int dbl_version_check(const char *what, const char *version, const char *least, const char *remedy,
		      struct dblock_error *err);

#endif
