/* SPDX-License-Identifier: MIT */
/* Just enough of SQL's lexical rules to tell what is not code in the library's own statements. */
#ifndef DBL_BASE_SQLSCAN_H
#define DBL_BASE_SQLSCAN_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the comment, string or quoted identifier that begins at `at`; 0 if none does. Comments
 * that MySQL executes are code. */
size_t dbl_sql_skip(const char *at);

/* Can this byte be inside an unquoted identifier? */
static inline bool dbl_sql_is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

#endif
