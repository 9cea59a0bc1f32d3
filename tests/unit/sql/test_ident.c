/* SPDX-License-Identifier: MIT */
/* Names of a caller's tables and columns stay names, whatever they are made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sql/ident.h"
#include "sql/words.h"

static const struct dbl_dialect doubled = {.name = "doubled", .quote = '"'};
static const struct dbl_dialect backticks = {.name = "backticks", .quote = '`'};

static void becomes(const struct dbl_dialect *dialect, const char *text, const char *want)
{
	struct dblock_error err = {0};
	struct dbl_ident_table table;
	struct dbl_str out = {0};

	assert_int_equal(dbl_ident_table_read(&table, text, &err), 0);
	dbl_ident_table_add(&out, dialect, &table);
	assert_string_equal(out.text, want);
	dbl_str_free(&out);
}

static void names_are_quoted(void **state)
{
	(void)state;
	becomes(&doubled, "account", "\"account\"");
	becomes(&doubled, "shop.account", "\"shop\".\"account\"");
	becomes(&backticks, "shop.account", "`shop`.`account`");
	becomes(&doubled, "x; DROP TABLE y --", "\"x; DROP TABLE y --\"");
	becomes(&doubled, "we\"ird", "\"we\"\"ird\"");
	becomes(&backticks, "we`ird", "`we``ird`");
	becomes(&doubled, "\"a.b\".\"c\"\"d\"", "\"a.b\".\"c\"\"d\"");
	becomes(&backticks, "\"a.b\".c", "`a.b`.`c`");
	becomes(&doubled, "\"\"\"\"", "\"\"\"\"");
	becomes(&doubled, "\xc3\xa4", "\"\xc3\xa4\"");
}

static void refused(const char *text)
{
	struct dblock_error err = {0};
	struct dbl_ident_table table;

	assert_int_equal(dbl_ident_table_read(&table, text, &err), DBLOCK_E_INVALID);
	assert_non_null(strstr(err.message, "table"));
}

static void what_is_no_name_is_refused(void **state)
{
	char name[DBL_IDENT_MAX + 2];
	struct dblock_error err = {0};
	struct dbl_ident_table table;

	(void)state;
	refused(NULL);
	refused("");
	refused(".");
	refused("a.");
	refused(".a");
	refused("a.b.c");
	refused("\"a");
	refused("\"\"");
	refused("\"a\"b");
	refused("a.\"b\"\"");
	memset(name, 'n', sizeof(name));
	name[DBL_IDENT_MAX + 1] = '\0';
	refused(name);
	assert_int_equal(dbl_ident_check(name, &err), DBLOCK_E_INVALID);
	name[DBL_IDENT_MAX] = '\0';
	assert_int_equal(dbl_ident_table_read(&table, name, &err), 0);
	assert_int_equal(dbl_ident_check(name, &err), 0);
	assert_int_equal(dbl_ident_check(NULL, &err), DBLOCK_E_INVALID);
	assert_int_equal(dbl_ident_check("", &err), DBLOCK_E_INVALID);
}

/* Naive: what was put in is looked at again, and a column called :table becomes a table. */
static void words_are_put_in_once(void **state)
{
	const struct dbl_word words[] = {{":a", "<:b>"}, {":b", ":a"}, {NULL, NULL}};
	char *got = dbl_words_put(":a and :b; :c", 10, words);

	(void)state;
	assert_string_equal(got, "<:b> and :a;");
	dbl_free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_quoted),
		cmocka_unit_test(what_is_no_name_is_refused),
		cmocka_unit_test(words_are_put_in_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
