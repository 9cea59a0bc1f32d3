/* SPDX-License-Identifier: MIT */
/* The line that a waiting command shows on a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/lock/wait_line.h"
#include "cli/ui/print.h"

static const struct dbl_command command = {.name = "run"};
static const struct dbl_cli cli = {.command = &command};

/* Returns the values of most cases. */
static struct dblock_waiting waiting(void)
{
	return (struct dblock_waiting){.size = sizeof(struct dblock_waiting),
				       .name = "nightly",
				       .place = 2,
				       .waiters = 5,
				       .waited_ms = 34999,
				       .held = true,
				       .token = 7,
				       .host = "web-1",
				       .pid = 731,
				       .app = "backup",
				       .held_ms = 123456};
}

static void says(const struct dblock_waiting *w, size_t columns, const char *expected)
{
	char *text = dbl_wait_line_text(&cli, w, columns);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void for_whom_and_where(void **unused)
{
	struct dblock_waiting w = waiting();

	(void)unused;
	says(&w, 200,
	     "dblock: run: 2 of 5 in line for 34s; 'nightly' is held for 2m3s by web-1:731 "
	     "(backup)");
	w.app = "";
	w.waited_ms = 999;
	w.held_ms = 3600 * 1000;
	says(&w, 200, "dblock: run: 2 of 5 in line for 0s; 'nightly' is held for 1h by web-1:731");
	w.host = "";
	says(&w, 200, "dblock: run: 2 of 5 in line for 0s; 'nightly' is held for 1h by ?:731");
	w.held = false;
	says(&w, 200, "dblock: run: 2 of 5 in line for 0s; 'nightly' is not held just now");
}

static void several_hold_it(void **unused)
{
	struct dblock_waiting w = waiting();

	(void)unused;
	w.holders = 1;
	says(&w, 200,
	     "dblock: run: 2 of 5 in line for 34s; 'nightly' is held for 2m3s by web-1:731 "
	     "(backup)");
	w.holders = 2;
	says(&w, 200,
	     "dblock: run: 2 of 5 in line for 34s; 'nightly' is held for 2m3s by web-1:731 "
	     "(backup) and 1 other");
	w.holders = 4;
	w.app = "";
	says(&w, 200,
	     "dblock: run: 2 of 5 in line for 34s; 'nightly' is held for 2m3s by web-1:731 and 3 "
	     "others");
}

static void cut_to_the_width(void **unused)
{
	struct dblock_waiting w = waiting();

	(void)unused;
	says(&w, 26, "dblock: run: 2 of 5 in lin");
	says(&w, 0, "");
	w.host = "\xe6\x97\xa5\xe6\x97\xa5";
	says(&w, 70,
	     "dblock: run: 2 of 5 in line for 34s; 'nightly' is held for 2m3s by \xe6\x97\xa5");
}

static void texts_of_others_move_no_cursor(void **unused)
{
	struct dblock_waiting w = waiting();

	(void)unused;
	w.name = "a\x1b[2J\r\n";
	w.host = "h\tx";
	w.app = "\x07";
	says(&w, 200,
	     "dblock: run: 2 of 5 in line for 34s; 'a\\x1B[2J\\x0D\\x0A' is held for 2m3s by "
	     "h\\x09x:731 (\\x07)");
}

static void long_names_leave_room(void **unused)
{
	struct dblock_waiting w = waiting();

	(void)unused;
	w.host = "h";
	w.app = "";
	w.name = "12345678901234567890123456789012";
	says(&w, 200,
	     "dblock: run: 2 of 5 in line for 34s; '12345678901234567890123456789012' is held "
	     "for 2m3s by h:731");
	w.name = "123456789012345678901234567890123";
	says(&w, 200,
	     "dblock: run: 2 of 5 in line for 34s; '12345678901234567890123456789...' is held "
	     "for 2m3s by h:731");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_whom_and_where),
		cmocka_unit_test(several_hold_it),
		cmocka_unit_test(cut_to_the_width),
		cmocka_unit_test(texts_of_others_move_no_cursor),
		cmocka_unit_test(long_names_leave_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
