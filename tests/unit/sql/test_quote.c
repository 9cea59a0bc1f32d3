/* SPDX-License-Identifier: MIT */
/* The caller's identifiers. */
#include "sql/quote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static const struct dbl_dialect marks = {.name = "marks", .quote = '"', .name_max = 63};
static const struct dbl_dialect ticks = {.name = "ticks", .quote = '`', .name_max = 63};

static void becomes(const struct dbl_dialect *dialect, const char *table, const char *wanted)
{
	struct dblock_error err = {0};
	struct dbl_str text = {0};

	assert_int_equal(dbl_quote_table(&text, dialect, table, &err), 0);
	assert_string_equal(text.text, wanted);
	dbl_str_free(&text);
}

static void refused(const char *table, const char *why)
{
	struct dblock_error err = {0};
	struct dbl_str text = {0};

	assert_int_equal(dbl_quote_table(&text, &marks, table, &err), DBLOCK_E_INVALID);
	assert_non_null(strstr(err.message, why));
	dbl_str_free(&text);
}

/* Naive: the name is put between quotes, and a quote in it ends it. */
static void names_stay_names(void **state)
{
	(void)state;
	becomes(&marks, "t", "\"t\"");
	becomes(&marks, "S.Tt", "\"S\".\"Tt\"");
	becomes(&marks, "a\"; DROP TABLE t; --", "\"a\"\"; DROP TABLE t; --\"");
	becomes(&marks, "a`b\\", "\"a`b\\\"");
	becomes(&ticks, "a`b.\"", "`a``b`.`\"`");
	becomes(&marks, "s\xc3\xa4ule $1", "\"s\xc3\xa4ule $1\"");
}

static void what_is_no_name_is_refused(void **state)
{
	char longer[65];

	(void)state;
	memset(longer, 'x', 64);
	longer[64] = '\0';
	refused(longer, "64 bytes; marks takes 63");
	refused("", "empty");
	refused(NULL, "empty");
	refused(".t", "empty");
	refused("s.", "empty");
	refused("a.b.c", "more than one dot");
	refused("a\nb", "control");
	refused("a\x80", "UTF-8");
	becomes(&marks, longer + 1,
		"\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stay_names),
		cmocka_unit_test(what_is_no_name_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
