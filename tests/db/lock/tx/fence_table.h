/* SPDX-License-Identifier: MIT */
/* A table with the trigger of `dblock migrate new --fence`, made and applied by the program. */
#ifndef TESTS_DB_FENCE_TABLE_H
#define TESTS_DB_FENCE_TABLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Runs a line as the user types it. */
static inline void shell(const char *line)
{
	if (system(line) != 0) /* NOLINT: the test is about what is typed */
		fail_msg("failed: %s", line);
}

static inline int make_trigger(void **unused)
{
	(void)unused;
	shell("dblock -q -u \"$DBLOCK_TEST_URL\" schema up >/dev/null");
	shell("mkdir -p \"$DBLOCK_TEST_TMP/m\" && cd \"$DBLOCK_TEST_TMP/m\" && "
	      "echo 'CREATE TABLE fenced (id INTEGER PRIMARY KEY, n INTEGER NOT NULL);' "
	      ">0001_fenced.sql && "
	      "dblock -u \"$DBLOCK_TEST_URL\" migrate new --fence fenced --lock account --seq "
	      "--dir . >/dev/null && "
	      "dblock -q -u \"$DBLOCK_TEST_URL\" migrate up --dir . >/dev/null");
	return 0;
}

#endif
