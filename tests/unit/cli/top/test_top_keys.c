/* SPDX-License-Identifier: MIT */
/* What is typed at `dblock top`: keys out of bytes, and what they do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/top/top.h"

static void key_is(const char *typed, int key, size_t length)
{
	size_t taken = 99;

	assert_int_equal(dbl_key_read(typed, strlen(typed), false, &taken), key);
	assert_int_equal(taken, length);
}

static void keys_of_bytes(void **unused)
{
	size_t length;

	(void)unused;
	key_is("q", 'q', 1);
	key_is("\xc3\xa9", 0xc3, 1);
	key_is("\033[Aq", DBL_KEY_UP, 3);
	key_is("\033OB", DBL_KEY_DOWN, 3);
	key_is("\033[5~\033[6~", DBL_KEY_PAGE_UP, 4);
	key_is("\033[6~", DBL_KEY_PAGE_DOWN, 4);
	key_is("\033[H", DBL_KEY_HOME, 3);
	key_is("\033[4~", DBL_KEY_END, 4);
	/* Nothing of one that is not known is left over, to be taken for other keys. */
	key_is("\033[15;2~q", DBL_KEY_OTHER, 7);
	key_is("\033q", DBL_KEY_ESCAPE, 1);
	/* What has only begun is waited for; and if nothing comes, it is the key Escape. */
	key_is("\033", DBL_KEY_NONE, 0);
	key_is("\033[5", DBL_KEY_NONE, 0);
	assert_int_equal(dbl_key_read("\033", 1, true, &length), DBL_KEY_ESCAPE);
	assert_int_equal(length, 1);
}

static void type(struct dbl_top_view *view, const char *keys)
{
	for (; *keys; keys++)
		dbl_top_key(view, (unsigned char)*keys, 100, 18);
}

static void a_delay(void **unused)
{
	struct dbl_top_view view = {.delay_ms = 2000};

	(void)unused;
	type(&view, "d");
	assert_int_equal(view.prompt, DBL_TOP_ASK_DELAY);
	type(&view, "5");
	assert_int_equal(dbl_top_key(&view, '\n', 0, 1), DBL_TOP_READ);
	assert_int_equal(view.delay_ms, 5000);
	type(&view, "s250ms\r");
	assert_int_equal(view.delay_ms, 250);
	/* Neither of these is one; 1ms would be a busy loop. */
	type(&view, "dsoon\n");
	assert_string_not_equal(view.message, "");
	type(&view, "d1ms\n");
	type(&view, "d\n");
	type(&view, "d9");
	assert_int_equal(dbl_top_key(&view, DBL_KEY_ESCAPE, 0, 1), DBL_TOP_DRAW);
	assert_int_equal(view.prompt, DBL_TOP_NO_PROMPT);
	assert_int_equal(view.delay_ms, 250);
}

static void a_pattern(void **unused)
{
	struct dbl_top_view view = {.first = 7};

	(void)unused;
	/* In a prompt keys are letters, and a letter of two bytes is rubbed out as a whole. */
	type(&view, "oqh\xc3\xa9\x7f*\n");
	assert_string_equal(view.pattern, "qh*");
	assert_int_equal(view.first, 0);
	type(&view, "oabc\x15xyz\n");
	assert_string_equal(view.pattern, "xyz");
	assert_int_equal(dbl_top_key(&view, '=', 100, 18), DBL_TOP_READ);
	assert_string_equal(view.pattern, "");
	type(&view, "o");
	for (int i = 0; i < 2 * DBL_TOP_TYPED; i++)
		type(&view, "x");
	type(&view, "\n");
	assert_int_equal(strlen(view.pattern), DBL_TOP_TYPED - 1);
}

static void scrolling(void **unused)
{
	struct dbl_top_view view = {.first = 0};

	(void)unused;
	dbl_top_key(&view, DBL_KEY_UP, 100, 18);
	assert_int_equal(view.first, 0);
	dbl_top_key(&view, DBL_KEY_DOWN, 100, 18);
	assert_int_equal(view.first, 1);
	dbl_top_key(&view, DBL_KEY_PAGE_DOWN, 100, 18);
	assert_int_equal(view.first, 19);
	dbl_top_key(&view, DBL_KEY_END, 100, 18);
	assert_int_equal(view.first, 82);
	dbl_top_key(&view, DBL_KEY_PAGE_DOWN, 100, 18);
	assert_int_equal(view.first, 82);
	dbl_top_key(&view, DBL_KEY_HOME, 100, 18);
	assert_int_equal(view.first, 0);
	dbl_top_key(&view, DBL_KEY_END, 3, 18);
	assert_int_equal(view.first, 0);
}

static void orders(void **unused)
{
	struct dbl_top_view view = {.order = DBL_TOP_BY_LINE, .first = 9};

	(void)unused;
	assert_int_equal(dbl_top_key(&view, 'T', 100, 18), DBL_TOP_SORT);
	assert_int_equal(view.order, DBL_TOP_BY_AGE);
	assert_int_equal(view.first, 0);
	type(&view, ">");
	assert_int_equal(view.order, DBL_TOP_BY_NAME);
	type(&view, ">");
	assert_int_equal(view.order, DBL_TOP_BY_LINE);
	type(&view, "<");
	assert_int_equal(view.order, DBL_TOP_BY_NAME);
	type(&view, "R");
	assert_true(view.reverse);
	type(&view, "RM");
	assert_false(view.reverse);
	assert_int_equal(view.order, DBL_TOP_BY_WAIT);
}

static void quitting(void **unused)
{
	struct dbl_top_view view = {.first = 0};

	(void)unused;
	assert_int_equal(dbl_top_key(&view, 'q', 0, 1), DBL_TOP_QUIT);
	type(&view, "?");
	assert_true(view.help);
	assert_int_equal(dbl_top_key(&view, 'q', 0, 1), DBL_TOP_DRAW);
	assert_false(view.help);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_bytes), cmocka_unit_test(a_delay),
		cmocka_unit_test(a_pattern),     cmocka_unit_test(scrolling),
		cmocka_unit_test(orders),        cmocka_unit_test(quitting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
