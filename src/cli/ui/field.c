/* SPDX-License-Identifier: MIT */
#include "cli/ui/print.h"

#include <stdio.h>
#include <stdlib.h>

int dbl_field(const char *key, const char *value)
{
	char *safe;

	if (!value[0])
		return 0;
	safe = dbl_text_safe(value);
	if (!safe)
		return -1;
	printf("%-9s %s\n", key, safe);
	free(safe);
	return 0;
}

int dbl_field_time(const char *key, int64_t us, int64_t left_ms)
{
	char at[DBL_TIME_TEXT], left[DBL_TIME_TEXT], text[2 * DBL_TIME_TEXT + 4];

	if (!us)
		return 0;
	dbl_time_local(us, at);
	dbl_time_left(left_ms, left);
	snprintf(text, sizeof(text), left_ms == INT64_MIN ? "%s" : "%s (%s)", at, left);
	return dbl_field(key, text);
}
