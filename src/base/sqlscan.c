/* SPDX-License-Identifier: MIT */
#include "base/sqlscan.h"

#include <string.h>

static size_t to_end_of_line(const char *at)
{
	return strcspn(at, "\n");
}

static size_t to_comment_end(const char *at)
{
	const char *end = strstr(at + 2, "*/");

	return end ? (size_t)(end + 2 - at) : strlen(at);
}

/* Past the closing quote. Doubled quotes count as two quoted parts, which gives the same end. */
static size_t to_quote(const char *at)
{
	const char *end = strchr(at + 1, *at);

	return end ? (size_t)(end + 1 - at) : strlen(at);
}

static bool is_executable(const char *at)
{
	return at[2] == '!' || (at[2] == 'M' && at[3] == '!');
}

size_t dbl_sql_skip(const char *at)
{
	if (at[0] == '-' && at[1] == '-')
		return to_end_of_line(at);
	if (at[0] == '/' && at[1] == '*')
		return is_executable(at) ? 0 : to_comment_end(at);
	if (at[0] == '\'' || at[0] == '"' || at[0] == '`')
		return to_quote(at);
	return 0;
}
