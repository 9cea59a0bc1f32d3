/* SPDX-License-Identifier: MIT */
/* URLs that are made of others: with another database, without the password. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/url.h"

/* Naive: a slash in a parameter ends the authority, or dbname= still wins. */
static void another_database(void **state)
{
	static const char *const cases[][2] = {
		{"postgresql://u:p%40@h:1/shop?x=1", "postgresql://u:p%40@h:1/postgres?x=1"},
		{"postgresql://h", "postgresql://h/postgres"},
		{"postgresql://h?x=a/b", "postgresql://h/postgres?x=a/b"},
		{"postgresql://a:1,b:2/shop", "postgresql://a:1,b:2/postgres"},
		{"postgresql:///?host=%2Frun&dbname=shop&y=2",
		 "postgresql:///postgres?host=%2Frun&y=2"},
		{"mysql://u@h/sh%2Fop", "mysql://u@h/postgres"},
	};
	struct dblock_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dbl_url of, url;

		assert_int_equal(dbl_url_parse(&of, cases[i][0], &err), 0);
		assert_int_equal(dbl_url_beside(&url, &of, "postgres", &err), 0);
		assert_string_equal(url.whole, cases[i][1]);
		assert_string_equal(url.path, "postgres");
		dbl_url_free(&of);
		dbl_url_free(&url);
	}
}

/* Naive: the password ends at the first '@', or one that is a parameter is forgotten. */
static void without_its_password(void **state)
{
	static const char *const cases[][2] = {
		{"postgresql://u:p%40x@h:1/d?x=1", "postgresql://u@h:1/d?x=1"},
		{"mysql://u:p@x@h/d", "mysql://u@h/d"},
		{"mysql://u:p:x@h:3306/d", "mysql://u@h:3306/d"},
		{"mysql://u@h:3306/d", "mysql://u@h:3306/d"},
		{"postgresql://:p@h/d", "postgresql://@h/d"},
		{"postgresql://[::1]:5432/d", "postgresql://[::1]:5432/d"},
		{"postgresql://u:@h/d", "postgresql://u@h/d"},
		{"postgresql://u@h/d?password=p&x=1", "postgresql://u@h/d?x=1"},
	};
	struct dblock_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dbl_url url;
		char *text;

		assert_int_equal(dbl_url_parse(&url, cases[i][0], &err), 0);
		text = dbl_url_open_text(&url);
		assert_string_equal(text, cases[i][1]);
		dbl_free(text);
		dbl_url_free(&url);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_database),
		cmocka_unit_test(without_its_password),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
