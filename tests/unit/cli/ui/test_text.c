/* SPDX-License-Identifier: MIT */
/* Text on its way to a terminal: its width, and where it is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/ui/print.h"

#define WIDE   "\xe6\x97\xa5" /* an East Asian letter */
#define EMOJI  "\xf0\x9f\x98\x80"
#define ACCENT "e\xcc\x81" /* e, and a combining acute */

static void widths(void **unused)
{
	(void)unused;
	assert_int_equal(dbl_text_width(""), 0);
	assert_int_equal(dbl_text_width("a b "), 4);
	assert_int_equal(dbl_text_width(WIDE EMOJI), 4);
	assert_int_equal(dbl_text_width(ACCENT "x"), 2);
	assert_int_equal(dbl_text_width("\xff\xfe"), 2);
}

static void cut_is(const char *text, size_t columns, const char *expected)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", text);
	dbl_text_cut(copy, columns);
	assert_string_equal(copy, expected);
}

static void cuts(void **unused)
{
	(void)unused;
	cut_is("", 0, "");
	cut_is("abc", 0, "");
	cut_is("abc", 2, "ab");
	cut_is("abc", 3, "abc");
	cut_is("abc", SIZE_MAX, "abc");
	/* A character is there as a whole, or not at all. */
	cut_is(WIDE WIDE, 1, "");
	cut_is(WIDE WIDE, 2, WIDE);
	cut_is(WIDE WIDE, 3, WIDE);
	cut_is("a" EMOJI "b", 2, "a");
	cut_is("a" EMOJI "b", 3, "a" EMOJI);
	/* An accent belongs to the letter before it. */
	cut_is(ACCENT "x", 1, ACCENT);
	cut_is("a\xff"
	       "b",
	       2, "a\xff");
}

static void the_end_of_a_text(void **unused)
{
	(void)unused;
	assert_string_equal(dbl_text_tail("", 0), "");
	assert_string_equal(dbl_text_tail("abc", 0), "");
	assert_string_equal(dbl_text_tail("abc", 2), "bc");
	assert_string_equal(dbl_text_tail("abc", 3), "abc");
	assert_string_equal(dbl_text_tail(WIDE "b", 2), "b");
	assert_string_equal(dbl_text_tail(WIDE "b", 3), WIDE "b");
	assert_string_equal(dbl_text_tail("\xff\xff", 1), "\xff");
}

static void safe_is(const char *text, const char *expected)
{
	char *safe = dbl_text_safe(text);

	assert_string_equal(safe, expected);
	free(safe);
}

/* Naive: only at the beginning, where a message has it in the middle. */
static void a_cluster_s_lock_can_be_read(void **unused)
{
	(void)unused;
	safe_is("quorum\x1fx", "quorum/x");
	safe_is("'quorum\x1fx': busy; 'quorum\x1f", "'quorum/x': busy; 'quorum/");
	safe_is("quorum\x1e", "quorum\\x1E");
	safe_is("my\x1fx quorum", "my\\x1Fx quorum");
}

static void patterns(void **unused)
{
	(void)unused;
	assert_true(dbl_text_fits("", ""));
	assert_true(dbl_text_fits("", "*"));
	assert_false(dbl_text_fits("", "?"));
	assert_false(dbl_text_fits("a", ""));
	assert_true(dbl_text_fits("web-1", "web-?"));
	assert_false(dbl_text_fits("web-12", "web-?"));
	assert_true(dbl_text_fits("web-" WIDE, "web-?"));
	assert_true(dbl_text_fits("aXbXc", "a*X*c"));
	assert_true(dbl_text_fits("abab", "*ab"));
	assert_false(dbl_text_fits("abac", "*ab"));
	assert_true(dbl_text_fits("a*b", "a\\*b"));
	assert_false(dbl_text_fits("axb", "a\\*b"));
	assert_true(dbl_text_fits("a\\", "a\\"));
	assert_true(dbl_text_fits("[a]", "[a]"));
	/* No way back but to the last star. */
	assert_false(dbl_text_fits("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
				   "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths),
		cmocka_unit_test(cuts),
		cmocka_unit_test(the_end_of_a_text),
		cmocka_unit_test(a_cluster_s_lock_can_be_read),
		cmocka_unit_test(patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
