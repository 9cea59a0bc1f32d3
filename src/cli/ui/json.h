/* SPDX-License-Identifier: MIT */
/* JSON objects, one per line. */
#ifndef DBL_CLI_JSON_H
#define DBL_CLI_JSON_H

#include <stdint.h>

#include <jansson.h>

/* Text of any bytes: what is not UTF-8 is replaced. NULL: null. */
void dbl_json_text(json_t *object, const char *key, const char *text);

void dbl_json_number(json_t *object, const char *key, int64_t number);

/* `<key>_us` as a number and `<key>` as ISO 8601, null if us is 0. */
void dbl_json_time(json_t *object, const char *key, int64_t us);

/* Print the object on a line of its own, and free it; -1: out of memory. */
int dbl_json_line(json_t *object);

#endif
