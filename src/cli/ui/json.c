/* SPDX-License-Identifier: MIT */
#include "cli/ui/print.h"

#include <stdio.h>
#include <stdlib.h>

/* A value for which there is no memory is missing in the output: jansson takes NULL as value and
 * object, so a chain of calls needs no checks. */

void dbl_json_text(json_t *object, const char *key, const char *text)
{
	char *clean = text ? dbl_text_utf8(text) : NULL;

	json_object_set_new(object, key, text ? json_string(clean) : json_null());
	free(clean);
}

void dbl_json_number(json_t *object, const char *key, int64_t number)
{
	json_object_set_new(object, key, json_integer(number));
}

void dbl_json_ms(json_t *object, const char *key, int64_t ms)
{
	json_object_set_new(object, key, ms == INT64_MIN ? json_null() : json_integer(ms));
}

void dbl_json_time(json_t *object, const char *key, int64_t us)
{
	char text[DBL_TIME_TEXT];
	char key_us[32];

	snprintf(key_us, sizeof(key_us), "%s_us", key);
	dbl_time_utc(us, text);
	json_object_set_new(object, key, us ? json_string(text) : json_null());
	json_object_set_new(object, key_us, us ? json_integer(us) : json_null());
}

int dbl_json_line(json_t *object)
{
	char *line = json_dumps(object, JSON_COMPACT);

	json_decref(object);
	if (!line)
		return -1;
	puts(line);
	free(line);
	return 0;
}
