/* SPDX-License-Identifier: MIT */
/* Tests names, values and patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lock/core/name.h"

static const struct {
	const char *pattern, *name;
	bool matches;
} globs[] = {
	{"", "", true},
	{"", "a", false},
	{"a", "", false},
	{"a", "a", true},
	{"a", "A", false},
	{"a", "ab", false},
	{"ab", "a", false},
	{"*", "", true},
	{"*", "abc", true},
	{"**", "abc", true},
	{"*a", "a", true},
	{"*a", "ba", true},
	{"*a", "ab", false},
	{"a*", "abc", true},
	{"a*c", "abc", true},
	{"a*c", "ac", true},
	{"a*c", "abd", false},
	{"*ab*ab", "abab", true},
	{"*ab*ab", "aab", false},
	{"*ab*", "aaaab", true},
	{"*aab", "aaaab", true},
	{"a*b*c", "a1b2b3c", true},
	{"a*b*c", "a1c2b", false},
	{"?", "", false},
	{"?", "a", true},
	{"?", "\xc3\xa9", true},
	{"?", "\xf0\x9f\x94\x92", true},
	{"??", "\xc3\xa9", false},
	{"?", "ab", false},
	{"a?c", "abc", true},
	{"*?", "a", true},
	{"*?", "", false},
	{"*??", "a\xf0\x9f\x94\x92", true},
	{"\xc3\xa9*", "\xc3\xa9t\xc3\xa9", true},
	{"*\xa9", "\xc3\xa9", false}, /* half a character matches nothing */
	{"\\*", "*", true},
	{"\\*", "a", false},
	{"\\?", "?", true},
	{"\\?", "a", false},
	{"\\\\", "\\", true},
	{"\\a", "a", true},
	{"a\\", "a\\", true}, /* the last backslash stands for itself */
	{"*\\**", "a*b", true},
	{"*\\**", "ab", false},
	{"[a]", "a", false},
	{"%", "a", false},
	{"_", "a", false},
	{"%", "%", true},
};

static void patterns(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(globs) / sizeof(globs[0]); i++) {
		if (dbl_name_matches(globs[i].name, globs[i].pattern) != globs[i].matches)
			fail_msg("'%s' %s '%s'", globs[i].name,
				 globs[i].matches ? "should match" : "should not match",
				 globs[i].pattern);
	}
}

/* Matching goes back to the last star only, so many stars take no exponential time. */
static void many_stars(void **state)
{
	char pattern[256] = "", name[256];

	(void)state;
	for (int i = 0; i < 60; i++)
		strcat(pattern, "*a");
	strcat(pattern, "*b");
	memset(name, 'a', 255);
	name[255] = '\0';
	assert_false(dbl_name_matches(name, pattern));
	name[254] = 'b';
	assert_true(dbl_name_matches(name, pattern));
}

static void name_is(const char *name, int outcome, const char *said)
{
	struct dblock_error err = {0};

	assert_int_equal(dbl_name_check(name, &err), outcome);
	if (said)
		assert_non_null(strstr(err.message, said));
}

static void names(void **state)
{
	char name[300];

	(void)state;
	name_is("a", 0, NULL);
	name_is(" ", 0, NULL);
	name_is("\xf0\x9f\x94\x92", 0, NULL);
	name_is("\xc2\xa0", 0, NULL); /* the first character above the controls */
	name_is(NULL, DBLOCK_E_INVALID, "NULL");
	name_is("", DBLOCK_E_INVALID, "empty");
	name_is("ab\x1f", DBLOCK_E_INVALID, "control character, at byte 3");
	name_is("ab\xc2\x9f", DBLOCK_E_INVALID, "control character, at byte 3");
	name_is("\xc3\xa9\xff", DBLOCK_E_INVALID, "not UTF-8, at byte 3");
	memset(name, 'n', sizeof(name));
	name[255] = '\0';
	name_is(name, 0, NULL);
	name[255] = 'n';
	name[256] = '\0';
	name_is(name, DBLOCK_E_INVALID, "256 bytes");
	/* The last character does not fit: bytes count, not characters. */
	strcpy(name + 254, "\xc3\xa9");
	name_is(name, DBLOCK_E_INVALID, "256 bytes");
}

static void values(void **state)
{
	struct dblock_error err = {0};
	char value[1100];

	(void)state;
	assert_int_equal(dbl_value_check(NULL, &err), 0);
	assert_int_equal(dbl_value_check("", &err), 0);
	assert_int_equal(dbl_value_check("two\nlines\t", &err), 0);
	assert_int_equal(dbl_value_check("a\xc3", &err), DBLOCK_E_INVALID);
	assert_non_null(strstr(err.message, "at byte 2"));
	memset(value, 'v', sizeof(value));
	value[1024] = '\0';
	assert_int_equal(dbl_value_check(value, &err), 0);
	value[1024] = 'v';
	value[1025] = '\0';
	assert_int_equal(dbl_value_check(value, &err), DBLOCK_E_INVALID);
	assert_non_null(strstr(err.message, "1025 bytes"));
}

static void labels(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	assert_int_equal(dbl_label_check("app", NULL, 3, &err), 0);
	assert_int_equal(dbl_label_check("app", "", 3, &err), 0);
	assert_int_equal(dbl_label_check("app", "abc", 3, &err), 0);
	assert_int_equal(dbl_label_check("app", "abcd", 3, &err), DBLOCK_E_INVALID);
	assert_non_null(strstr(err.message, "app is 4 bytes"));
	assert_int_equal(dbl_label_check("app", "a\nb", 3, &err), DBLOCK_E_INVALID);
	assert_non_null(strstr(err.message, "app has a control character, at byte 2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns), cmocka_unit_test(many_stars), cmocka_unit_test(names),
		cmocka_unit_test(values),   cmocka_unit_test(labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
