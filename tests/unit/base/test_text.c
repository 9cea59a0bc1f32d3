/* SPDX-License-Identifier: MIT */
/* UTF-8, growing strings, error messages, SQL's lexical rules, arithmetic on times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/env.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/sqlscan.h"
#include "base/str.h"
#include "base/utf8.h"

/* Encodes by the definition, to compare with. */
static size_t encode(uint32_t c, char *to)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xC0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xE0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3F));
		to[2] = (char)(0x80 | (c & 0x3F));
		return 3;
	}
	to[0] = (char)(0xF0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3F));
	to[2] = (char)(0x80 | (c >> 6 & 0x3F));
	to[3] = (char)(0x80 | (c & 0x3F));
	return 4;
}

static void every_character(void **state)
{
	char text[4];
	uint32_t got;

	(void)state;
	for (uint32_t c = 0; c < 0x1FFFFF; c++) {
		size_t len = encode(c, text);
		bool good = c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);

		assert_int_equal(dbl_utf8_next(text, len, &got), good ? len : 0);
		if (good)
			assert_int_equal(got, c);
		if (good && len > 1) /* cut short */
			assert_int_equal(dbl_utf8_next(text, len - 1, &got), 0);
	}
}

/* These are all sequences of two bytes, and those of three and four whose first two are at an edge.
 */
static void what_is_not_utf8(void **state)
{
	static const char *const bad[] = {"\x80",
					  "\xbf",
					  "\xc0\x80",
					  "\xc1\xbf",
					  "\xe0\x9f\xbf",
					  "\xf0\x8f\xbf\xbf",
					  "\xf4\x90\x80\x80",
					  "\xf5\x80\x80\x80",
					  "\xff",
					  "\xfe",
					  "\xe2\x28\xa1",
					  "\xe2\x82\x28",
					  "\xf0\x9f\x28\x92",
					  "\xf8\x88\x80\x80\x80"};
	char two[2];
	uint32_t c;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(dbl_utf8_next(bad[i], strlen(bad[i]), &c), 0);
	for (int i = 0x80; i < 0x10000; i++) {
		int first = i >> 8, second = i & 0xFF;
		bool good = first >= 0xC2 && first <= 0xDF && second >= 0x80 && second <= 0xBF;

		two[0] = (char)first;
		two[1] = (char)second;
		if (first >= 0x80)
			assert_int_equal(dbl_utf8_next(two, 2, &c), good ? 2 : 0);
	}
}

static void controls(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 0x200; c++)
		assert_int_equal(dbl_utf8_is_control(c), c < 0x20 || (c >= 0x7F && c <= 0x9F));
}

static void strings_grow(void **state)
{
	struct dbl_str s = {0};
	char *text;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		dbl_str_add(&s, "abc");
		dbl_str_addn(&s, "defgh", 2);
		dbl_str_addf(&s, "%d", i % 10);
	}
	assert_int_equal(s.len, 6000);
	text = dbl_str_take(&s);
	assert_int_equal(strlen(text), 6000);
	for (int i = 0; i < 1000; i++) {
		assert_memory_equal(text + 6 * i, "abcde", 5);
		assert_int_equal(text[6 * i + 5], '0' + i % 10);
	}
	dbl_free(text);
	text = dbl_str_take(&s); /* empty again, and still a string */
	assert_string_equal(text, "");
	dbl_free(text);
	dbl_str_add(&s, "x");
	s.failed = true; /* as after a failed allocation */
	dbl_str_add(&s, "y");
	assert_null(dbl_str_take(&s));
}

static void errors(void **state)
{
	struct dblock_error err;

	(void)state;
	assert_int_equal(dbl_fail(&err, DBLOCK_BUSY, "%s\n%d\r\n\t.\n \n", "one", 2), DBLOCK_BUSY);
	assert_int_equal(err.code, DBLOCK_BUSY);
	assert_string_equal(err.message, "one 2   .");
	assert_int_equal(err.native, 0);
	assert_string_equal(err.sqlstate, "");
	dbl_fail_native(&err, DBLOCK_E_DENIED, 5, "42501", "no");
	assert_int_equal(err.native, 5);
	assert_string_equal(err.sqlstate, "42501");
	dbl_err_prefix(&err, "at %d", 7);
	dbl_err_suffix(&err, "; %s", "go");
	assert_string_equal(err.message, "at 7: no; go");
	dbl_err_replace(&err, "o", "***");
	assert_string_equal(err.message, "at 7: n***; g***");
	dbl_err_replace(&err, "", "x");
	dbl_err_replace(&err, NULL, "x");
	assert_string_equal(err.message, "at 7: n***; g***");
	dbl_err_clear(&err);
	assert_int_equal(err.code, 0);
	assert_string_equal(err.message, "");
	/* The caller may pass no error. */
	assert_int_equal(dbl_fail(NULL, DBLOCK_LOST, "x"), DBLOCK_LOST);
	dbl_err_prefix(NULL, "x");
	dbl_err_suffix(NULL, "x");
	dbl_err_replace(NULL, "x", "y");
}

static void outcomes_have_names(void **state)
{
	(void)state;
	assert_string_equal(dblock_outcome_name(0), "DBLOCK_OK");
	assert_string_equal(dblock_outcome_name(DBLOCK_E_UNSURE), "DBLOCK_E_UNSURE");
	assert_string_equal(dblock_outcome_name(12345), "DBLOCK_?");
	for (int code = -14; code <= 5; code++) {
		assert_non_null(strstr(dblock_outcome_name(code), "DBLOCK_"));
		assert_null(strstr(dblock_outcome_name(code), "?"));
		assert_true(strlen(dblock_outcome_text(code)) > 3);
	}
}

static void what_is_not_code_in_sql(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} texts[] = {
		{"select", 0},
		{"-- it's\nselect", 7},
		{"--", 2},
		{"- -", 0},
		{"/* a\n* / ' */x", 13},
		{"/* open", 7},
		{"/*! code */", 0},  /* MySQL runs this */
		{"/*M! code */", 0}, /* and MariaDB this */
		{"/*Mx*/", 6},
		{"'it''s'x", 4}, /* and then 's' */
		{"'open", 5},
		{"'-- x'y", 6},
		{"\"a b\"c", 5},
		{"`a`b", 3},
		{"$1", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(dbl_sql_skip(texts[i].text), texts[i].len);
	for (int c = 0; c < 256; c++) {
		bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			    (c >= 'A' && c <= 'Z') || c == '_';

		assert_int_equal(dbl_sql_is_word((char)c), word);
	}
}

static void times(void **state)
{
	const struct dbl_env *env = dbl_env_system();
	int64_t before = dbl_now(env);

	(void)state;
	assert_int_equal(dbl_ms(3), 3000);
	assert_int_equal(dbl_ms(INT64_MAX / 1000), INT64_MAX / 1000 * 1000);
	assert_int_equal(dbl_ms(INT64_MAX / 1000 + 1), INT64_MAX);
	assert_int_equal(dbl_add(1, 2), 3);
	assert_int_equal(dbl_add(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(dbl_add(INT64_MAX - 5, 5), INT64_MAX);
	dbl_sleep_until(env, before + 2000);
	assert_true(dbl_now(env) >= before + 2000);
	dbl_sleep_until(env, before); /* a time in the past */
	for (int i = 0; i < 1000; i++) {
		int64_t jittered = dbl_jitter(env, 1000);

		assert_in_range(jittered, 1000, 1250);
		assert_true(dbl_random_id(env) > 0);
	}
	assert_int_equal(dbl_jitter(env, 3), 3);
}

static void integers(void **state)
{
	static const int64_t numbers[] = {0,         7,        -1, 10, -10, 1795319082022744,
					  INT64_MAX, INT64_MIN};
	char expected[32];

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct dbl_str text = {0};

		snprintf(expected, sizeof(expected), "n %lld", (long long)numbers[i]);
		dbl_str_add(&text, "n ");
		dbl_str_addi(&text, numbers[i]);
		assert_string_equal(text.text, expected);
		dbl_str_free(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(every_character),
		cmocka_unit_test(what_is_not_utf8),
		cmocka_unit_test(controls),
		cmocka_unit_test(strings_grow),
		cmocka_unit_test(errors),
		cmocka_unit_test(outcomes_have_names),
		cmocka_unit_test(what_is_not_code_in_sql),
		cmocka_unit_test(times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
