/* SPDX-License-Identifier: MIT */
/* The texts' table names become a client's: identifiers are checked and quoted, and nothing else is
 * touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sql/names.h"

static const struct dbl_dialect with_schemas = {
	.name = "with", .quote = '"', .default_schema = "public", .has_schemas = true};
static const struct dbl_dialect backticks = {.name = "back", .quote = '`', .has_schemas = true};
static const struct dbl_dialect plain = {.name = "plain", .quote = '"'};

static void becomes(const struct dbl_dialect *dialect, const char *schema, const char *prefix,
		    const char *sql, const char *want)
{
	struct dblock_error err = {0};
	struct dbl_names names;
	char *got;

	assert_int_equal(dbl_names_init(&names, dialect, schema, prefix, &err), 0);
	got = dbl_names_apply(&names, sql);
	assert_string_equal(got, want);
	dbl_free(got);
}

static void tables_are_qualified_and_quoted(void **state)
{
	(void)state;
	becomes(&plain, NULL, NULL, "SELECT * FROM dblock_lock l",
		"SELECT * FROM \"dblock_lock\" l");
	becomes(&plain, NULL, "t2_", "dblock_lock", "\"t2_lock\"");
	becomes(&plain, NULL, "Team", "dblock_lock.name", "\"Teamlock\".name");
	becomes(&with_schemas, NULL, NULL, "dblock_lock", "\"public\".\"dblock_lock\"");
	becomes(&with_schemas, "My", "x", "dblock_lock,dblock_floor",
		"\"My\".\"xlock\",\"My\".\"xfloor\"");
	becomes(&backticks, NULL, NULL, "dblock_lock", "`dblock_lock`");
	becomes(&backticks, "db", "p_", "(dblock_session)", "(`db`.`p_session`)");
}

static void nothing_else_is_touched(void **state)
{
	static const char *const same[] = {
		"",
		"SELECT 1",
		"-- dblock_lock\n",
		"/* dblock_lock */",
		"'dblock_lock'",
		"'it''s dblock_lock'",
		"\"dblock_lock\"",
		"`dblock_lock`",
		"xdblock_lock",
		"_dblock_lock",
		"DBLOCK_LOCK",
		"dblock",
		"$1 = $12",
		"'\\' || x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		becomes(&plain, NULL, "other_", same[i], same[i]);
	becomes(&plain, NULL, "o_", "-- dblock_x\ndblock_lock -- dblock_y",
		"-- dblock_x\n\"o_lock\" -- dblock_y");
	becomes(&plain, NULL, "o_", "'a'dblock_lock'b'", "'a'\"o_lock\"'b'");
	becomes(&backticks, NULL, "o_", "/*! dblock_lock */", "/*! `o_lock` */");
}

static void refused(const struct dbl_dialect *dialect, const char *schema, const char *prefix,
		    const char *said)
{
	struct dblock_error err = {0};
	struct dbl_names names;

	assert_int_equal(dbl_names_init(&names, dialect, schema, prefix, &err), DBLOCK_E_INVALID);
	assert_non_null(strstr(err.message, said));
}

static void what_is_no_identifier(void **state)
{
	static const char *const bad[] = {"",     "1a",  "a b", "a-b",      "a.b", "a;b",
					  "a\"b", "a'b", "a`b", "\xc3\xa9", "a\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		refused(&plain, NULL, bad[i], "prefix");
		refused(&with_schemas, bad[i], NULL, "schema");
	}
	refused(&plain, NULL, "a23456789012345678901234567890123", "prefix"); /* 33 characters */
	becomes(&plain, NULL, "a2345678901234567890123456789012", "dblock_lock",
		"\"a2345678901234567890123456789012lock\"");
	refused(&plain, "s", NULL, "plain has no schemas");
}

static void schemes(void **state)
{
	const struct dbl_dialect *found = NULL;
	struct dblock_error err = {0};

	(void)state;
	assert_int_equal(dbl_dialect_find("sqlite", &found, &err), 0);
	assert_string_equal(found->name, "sqlite");
	assert_int_equal(dbl_dialect_find("postgres", &found, &err), 0);
	assert_string_equal(found->name, "postgresql");
	assert_int_equal(dbl_dialect_find("mariadb", &found, &err), 0);
	assert_string_equal(found->name, "mysql");
	assert_int_equal(dbl_dialect_find("oracle", &found, &err), DBLOCK_E_INVALID);
	assert_non_null(strstr(err.message, "'oracle:'"));
	assert_non_null(strstr(err.message, "postgresql:"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_qualified_and_quoted),
		cmocka_unit_test(nothing_else_is_touched),
		cmocka_unit_test(what_is_no_identifier),
		cmocka_unit_test(schemes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
