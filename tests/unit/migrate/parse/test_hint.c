/* SPDX-License-Identifier: MIT */
/* Hints about what statements cost others: the words that matter, and those that only look like
 * them. */
#include "migrate/parse/hint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct sample {
	const char *dialect, *sql;
	const char *has; /* a part of the hint; "": there is none */
};

static const struct sample samples[] = {
	{"postgresql", "CREATE INDEX i ON t (a)", "CONCURRENTLY"},
	{"postgresql", "create\n  unique /* big */ index i ON t (a)", "CONCURRENTLY"},
	{"postgresql", "CREATE INDEX CONCURRENTLY i ON t (a)", ""},
	{"postgresql", "CREATE INDEX \" CONCURRENTLY \" ON t (a)", "CONCURRENTLY"},
	{"postgresql", "CREATE TABLE t (a int)", ""},
	{"postgresql", "ALTER TABLE t ALTER a TYPE bigint", "write the whole table anew"},
	{"postgresql", "ALTER TABLE t ALTER a SET NOT NULL", "NOT VALID"},
	{"postgresql", "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)", "all rows are read"},
	{"postgresql", "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT VALID", "--lock-timeout"},
	{"postgresql", "ALTER TABLE t VALIDATE CONSTRAINT c", ""},
	{"postgresql", "ALTER TABLE t ADD a int DEFAULT ' TYPE '", "--lock-timeout"},
	{"postgresql", "UPDATE t SET a = 1", "every row"},
	{"postgresql", "UPDATE t SET a = 1 WHERE b", ""},
	{"postgresql", "UPDATE t SET a = 'WHERE'", "every row"},
	{"mysql", "ALTER TABLE t ADD COLUMN a INT", "copy the whole table"},
	{"mysql", "ALTER TABLE t ADD COLUMN a INT, ALGORITHM=INSTANT", ""},
	{"mysql", "DELETE FROM t", "every row"},
	{"mysql", "INSERT INTO t VALUES (1)", ""},
	{"sqlite", "VACUUM", "whole file"},
	{"sqlite", "ALTER TABLE t ADD COLUMN a", ""},
	{"sqlite", "", ""},
};

static void each_sample(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *s = &samples[i];
		const char *hint = dbl_hint(s->dialect, s->sql);

		if (*s->has ? !strstr(hint, s->has) : *hint)
			fail_msg("%s: %s: '%s'", s->dialect, s->sql, hint);
	}
}

/* The statement is longer than the part that is read. */
static void a_long_one(void **state)
{
	static char sql[100000];

	(void)state;
	memset(sql, 'x', sizeof(sql) - 1);
	memcpy(sql, "UPDATE t SET a = ", 17);
	assert_string_not_equal(dbl_hint("mysql", sql), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sample),
		cmocka_unit_test(a_long_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
