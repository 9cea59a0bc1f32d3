/* SPDX-License-Identifier: MIT */
/* What may stand in a line "-- dblock:allow". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "migrate/lint/lint.h"

static void what_allows(void **state)
{
	static const struct {
		const char *line;
		const char *wrong; /* a part of what is; "": nothing */
	} lines[] = {
		{"-- dblock:allow drop-table since it is empty", ""},
		{"-- dblock:allow copies-table since it is empty", ""},
		{"-- dblock:allow drop-tables since it is empty", "no such rule"},
		{"-- dblock:allow drop since it is empty", "no such rule"},
		{"-- dblock:allow drop-table", "why"},
		{"-- dblock:allow drop-table  ", "why"},
		{"-- dblock:allow", "which rule"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *why = dbl_allow_check(lines[i].line, strlen(lines[i].line));

		if (*lines[i].wrong ? !why || !strstr(why, lines[i].wrong) : why != NULL)
			fail_msg("%s: %s", lines[i].line, why ? why : "nothing");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_allows)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
