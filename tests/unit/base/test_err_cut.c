/* SPDX-License-Identifier: MIT */
/* Messages that do not fit end at a character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/utf8.h"

enum { ROOM = sizeof(((struct dblock_error *)0)->message) - 1 };

/* Characters of 1 to 4 bytes, more than fit. */
static const char *const alphabets[] = {"a", "é", "€", "😀"};

static void fill_with(char *text, size_t size, const char *character)
{
	size_t step = strlen(character);

	text[0] = '\0';
	for (size_t len = 0; len + step < size; len += step)
		memcpy(text + len, character, step + 1);
}

static void assert_utf8(const struct dblock_error *err)
{
	size_t len = strlen(err->message), at = 0, step;
	uint32_t c;

	assert_in_range(len, ROOM - 3, ROOM);
	for (; at < len; at += step) {
		step = dbl_utf8_next(err->message + at, len - at, &c);
		assert_true(step > 0);
	}
}

static void a_cut_message_is_utf8(void **state)
{
	char text[2 * ROOM];

	(void)state;
	for (int i = 0; i < 4; i++) {
		fill_with(text, sizeof(text), alphabets[i]);
		for (int pad = 0; pad < 4; pad++) {
			struct dblock_error err;

			dbl_fail(&err, DBLOCK_BUSY, "%.*s%s", pad, "xxx", text);
			assert_utf8(&err);
			dbl_err_prefix(&err, "%.*s", pad, "xxx");
			assert_utf8(&err);
			dbl_fail(&err, DBLOCK_BUSY, "x");
			dbl_err_suffix(&err, "%.*s%s", pad, "xxx", text);
			assert_utf8(&err);
			dbl_err_replace(&err, "x", "***");
			assert_utf8(&err);
		}
	}
}

/* A message that fits exactly loses nothing. */
static void a_message_that_just_fits_stays(void **state)
{
	struct dblock_error err;
	char text[ROOM + 1];

	(void)state;
	memset(text, 'a', ROOM);
	memcpy(text + ROOM - 3, "€", 4);
	dbl_fail(&err, DBLOCK_BUSY, "%s", text);
	assert_string_equal(err.message, text);
}

/* The next step for the user is cut last. */
static void a_line_has_room(void **state)
{
	struct dblock_error err;
	char text[3 * ROOM];

	(void)state;
	for (int i = 0; i < 4; i++) {
		fill_with(text, sizeof(text), alphabets[i]);
		dbl_fail(&err, DBLOCK_BUSY, "%s", text);
		dbl_err_line(&err, DBL_LINE_NEXT, "do\nthis");
		assert_utf8(&err);
		assert_string_equal(strchr(err.message, '\n'), "\nnext:  do this");
		dbl_err_line(&err, DBL_LINE_MORE, "%s", text);
		assert_utf8(&err);
	}
}

static void lines_are_told_apart_and_joined(void **state)
{
	struct dblock_error err;

	(void)state;
	dbl_fail(&err, DBLOCK_BUSY, "what\nnext: of the database's");
	assert_string_equal(err.message, "what next: of the database's");
	assert_false(dbl_err_has_line(&err, DBL_LINE_NEXT));
	dbl_err_line(&err, DBL_LINE_STATEMENT, "SELECT %d", 1);
	dbl_err_line(&err, DBL_LINE_NEXT, "try");
	dbl_err_prefix(&err, "x");
	assert_string_equal(err.message, "x: what next: of the database's\n  SELECT 1\nnext:  try");
	assert_true(dbl_err_has_line(&err, DBL_LINE_NEXT));
	assert_false(dbl_err_has_line(&err, DBL_LINE_STATE));
	dbl_err_join(&err);
	assert_string_equal(err.message, "x: what next: of the database's; SELECT 1; next:  try");
	dbl_err_join(NULL);
	dbl_err_line(NULL, DBL_LINE_NEXT, "nothing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cut_message_is_utf8),
		cmocka_unit_test(a_message_that_just_fits_stays),
		cmocka_unit_test(a_line_has_room),
		cmocka_unit_test(lines_are_told_apart_and_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
