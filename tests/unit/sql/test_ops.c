/* SPDX-License-Identifier: MIT */
/* The texts agree with the list of operations: their heads, and the placeholders that they use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sqlscan.h"
#include "sql/dialect.h"

static const char *const schemes[] = {"sqlite", "postgresql", "mysql"};

static const struct dbl_dialect *dialect_of(const char *scheme)
{
	const struct dbl_dialect *dialect = NULL;
	struct dblock_error err = {0};

	assert_int_equal(dbl_dialect_find(scheme, &dialect, &err), 0);
	return dialect;
}

/* Each text has its own name in its first line. */
static void heads(void **state)
{
	(void)state;
	for (size_t d = 0; d < 3; d++) {
		for (int op = 0; op < DBL_OP_COUNT; op++) {
			const char *sql = dialect_of(schemes[d])->sql[op];
			size_t len = strlen(dbl_ops[op].name);

			if (strncmp(sql, "-- ", 3) || strncmp(sql + 3, dbl_ops[op].name, len) ||
			    sql[3 + len] != ':')
				fail_msg("%s: %s does not begin with its name", schemes[d],
					 dbl_ops[op].name);
		}
	}
}

/* Returns a bit for each $n that is code. */
static unsigned placeholders(const char *sql)
{
	unsigned used = 0;

	while (*sql) {
		size_t skip = dbl_sql_skip(sql);

		if (skip == 0 && *sql == '$' && sql[1] >= '1' && sql[1] <= '9')
			used |= 1U << strtoul(sql + 1, NULL, 10);
		sql += skip ? skip : 1;
	}
	return used;
}

/* A text uses all arguments, and no others but what is read before a write. */
static void arguments(void **state)
{
	(void)state;
	for (size_t d = 0; d < 3; d++) {
		for (int op = 0; op < DBL_OP_COUNT; op++) {
			unsigned n = (unsigned)strlen(dbl_ops[op].args);
			const char *sql = dialect_of(schemes[d])->sql[op];
			unsigned used = placeholders(sql);

			if (strstr(sql, "\n-- then\n"))
				n = DBL_ARGS_MAX;

			if (used & ~((2U << n) - 2))
				fail_msg("%s: %s uses more than its %u arguments", schemes[d],
					 dbl_ops[op].name, n);
			if (dbl_ops[op].kind == DBL_KIND_SCRIPT)
				assert_int_equal(n, 0);
		}
	}
}

/* One kind of database need not use all arguments of another (SQLite has no schema), but some
 * database uses each. */
static void no_idle_argument(void **state)
{
	(void)state;
	for (int op = 0; op < DBL_OP_COUNT; op++) {
		unsigned n = (unsigned)strlen(dbl_ops[op].args);
		unsigned used = 0;

		for (size_t d = 0; d < 3; d++)
			used |= placeholders(dialect_of(schemes[d])->sql[op]);
		if ((used & ((2U << n) - 2)) != (2U << n) - 2)
			fail_msg("%s: not every argument is used", dbl_ops[op].name);
	}
}

static void shapes(void **state)
{
	(void)state;
	for (int op = 0; op < DBL_OP_COUNT; op++) {
		assert_true(strlen(dbl_ops[op].args) <= DBL_ARGS_MAX);
		assert_true(strlen(dbl_ops[op].columns) <= DBL_COLUMNS_MAX);
		assert_int_equal(strspn(dbl_ops[op].args, "itIT"), strlen(dbl_ops[op].args));
		assert_int_equal(strspn(dbl_ops[op].columns, "itIT"), strlen(dbl_ops[op].columns));
	}
}

/* Texts that only read are marked so, and no others: a read may be sent again at will. */
static void reads(void **state)
{
	(void)state;
	for (int op = 0; op < DBL_OP_COUNT; op++) {
		const char *sql = dialect_of("sqlite")->sql[op];
		bool writes = strstr(sql, "\nINSERT") || strstr(sql, "\nUPDATE") ||
			      strstr(sql, "\nDELETE") || strstr(sql, "\nCREATE");

		if (dbl_ops[op].kind == DBL_KIND_READ && writes)
			fail_msg("%s writes", dbl_ops[op].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads),
		cmocka_unit_test(arguments),
		cmocka_unit_test(no_idle_argument),
		cmocka_unit_test(shapes),
		cmocka_unit_test(reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
