/* SPDX-License-Identifier: MIT */
/* $n becomes ?, but only in code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "driver/mysql/placeholder.h"

/* `order` counts from 1: "2 1 2". */
static void rewrites(const char *from, const char *to, const char *order, unsigned n_args)
{
	struct dbl_mysql_text text;
	struct dblock_error err;
	char got[400] = "";
	int rc = dbl_mysql_rewrite(from, &text, &err);

	if (rc)
		fail_msg("%s: %s", from, err.message);
	assert_string_equal(text.sql, to);
	for (unsigned k = 0; k < text.n_places; k++) {
		size_t used = strlen(got);

		snprintf(got + used, sizeof(got) - used, "%s%u", k ? " " : "", text.order[k] + 1U);
	}
	assert_string_equal(got, order);
	assert_int_equal(text.n_args, n_args);
	dbl_mysql_text_free(&text);
	assert_null(text.sql);
}

static void refuses(const char *from, const char *part)
{
	struct dbl_mysql_text text;
	struct dblock_error err;

	assert_int_equal(dbl_mysql_rewrite(from, &text, &err), DBLOCK_E_BUG);
	assert_null(text.sql);
	assert_null(text.order);
	if (!strstr(err.message, part))
		fail_msg("'%s' does not say '%s'", err.message, part);
}

static void without_placeholders(void **state)
{
	(void)state;
	rewrites("SELECT 1", "SELECT 1", "", 0);
	rewrites("", "", "", 0);
	rewrites("SELECT '$'", "SELECT '$'", "", 0);
	rewrites("a $ b $", "a $ b $", "", 0);
}

static void in_any_order_and_repeated(void **state)
{
	(void)state;
	rewrites("$1", "?", "1", 1);
	rewrites("f($1,$2,$3)", "f(?,?,?)", "1 2 3", 3);
	rewrites("f($3,$1,$2)", "f(?,?,?)", "3 1 2", 3);
	rewrites("$2 $1 $2 $2", "? ? ? ?", "2 1 2 2", 2);
	rewrites("$10$1", "??", "10 1", 10);
	rewrites("-$1+$2", "-?+?", "1 2", 2);
}

/* An operation has the same arguments in each dialect; its text need not use them all. */
static void an_argument_may_be_without_a_place(void **state)
{
	(void)state;
	rewrites("$1, $4", "?, ?", "1 4", 4);
}

static void not_in_comments_and_quotes(void **state)
{
	(void)state;
	rewrites("-- $1 ?\n$2", "-- $1 ?\n?", "2", 2);
	rewrites("/* $1 ? */$2/* ? */", "/* $1 ? */?/* ? */", "2", 2);
	rewrites("'$1' \"$2\" `$3` $4", "'$1' \"$2\" `$3` ?", "4", 4);
	rewrites("'it''s $1?' $2", "'it''s $1?' ?", "2", 2);
	rewrites("$1 -- ?", "? -- ?", "1", 1);
	rewrites("$1 /* ?", "? /* ?", "1", 1);
	rewrites("$1 'open ?", "? 'open ?", "1", 1);
}

/* The server runs the text of these comments. */
static void executable_comments_are_code(void **state)
{
	(void)state;
	rewrites("/*! $1 */ $2", "/*! ? */ ?", "1 2", 2);
	rewrites("/*!80000 $2 */ $1", "/*!80000 ? */ ?", "2 1", 2);
	rewrites("/*M!100000 $1 */", "/*M!100000 ? */", "1", 1);
	rewrites("/*M $1 */", "/*M $1 */", "", 0);
	refuses("/*! ? */", "bare ?");
}

static void not_inside_names(void **state)
{
	(void)state;
	rewrites("a$1", "a$1", "", 0);
	rewrites("_$1, t1$2.x$3 = $1", "_$1, t1$2.x$3 = ?", "1", 1);
	rewrites("\xc3\xa9$1 = $2", "\xc3\xa9$1 = ?", "2", 2);
}

static void the_largest_number(void **state)
{
	(void)state;
	rewrites("$99", "?", "99", 99);
	refuses("$100", "$1 to $99");
	refuses("$0", "$1 to $99");
	refuses("$00", "$1 to $99");
	refuses("$4294967297", "$1 to $99");
	refuses("$18446744073709551617", "$1 to $99");
}

static void a_bare_question_mark(void **state)
{
	(void)state;
	refuses("SELECT ?", "bare ?");
	refuses("$1 = ?", "bare ?");
}

static void empty_texts(void **state)
{
	(void)state;
	assert_true(dbl_mysql_is_empty(""));
	assert_true(dbl_mysql_is_empty(" \n\t"));
	assert_true(dbl_mysql_is_empty("-- x\n /* y */ "));
	assert_true(dbl_mysql_is_empty("-- x"));
	assert_false(dbl_mysql_is_empty("-- x\nSELECT 1"));
	assert_false(dbl_mysql_is_empty("/*! SELECT 1 */"));
	assert_false(dbl_mysql_is_empty(";"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_placeholders),
		cmocka_unit_test(in_any_order_and_repeated),
		cmocka_unit_test(an_argument_may_be_without_a_place),
		cmocka_unit_test(not_in_comments_and_quotes),
		cmocka_unit_test(executable_comments_are_code),
		cmocka_unit_test(not_inside_names),
		cmocka_unit_test(the_largest_number),
		cmocka_unit_test(a_bare_question_mark),
		cmocka_unit_test(empty_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
