/* SPDX-License-Identifier: MIT */
/* What `dblock top` says while the database cannot be read, and its help, on a screen of 80 columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/top/top.h"

enum { COLUMNS = 80, ROWS = 24 };

/* Draws for a file, where all is kept that fits the columns. To be freed. */
static char *drawn(const struct dbl_top_view *view)
{
	static const struct dbl_top_look nothing = {.new_per_s = -1};
	char *text = NULL;
	size_t size;
	struct dbl_top_frame frame = {.out = open_memstream(&text, &size),
				      .columns = COLUMNS,
				      .rows = ROWS,
				      .is_plain = true};

	assert_non_null(frame.out);
	dbl_top_draw(&frame, view, &nothing, "a database");
	fclose(frame.out);
	assert_non_null(text);
	return text;
}

static bool says(const struct dbl_top_view *view, const char *line)
{
	char *text = drawn(view);
	bool found = strstr(text, line) != NULL;

	if (!found)
		print_error("not there: '%s'\n in: '%s'\n", line, text);
	free(text);
	return found;
}

/* A look that failed after so many seconds; what was seen before was read longer ago. */
static struct dbl_top_view failed(const char *why)
{
	struct dbl_top_view view = {.delay_ms = 500, .seen_us = dbl_now_us() - 125 * 1000000};

	snprintf(view.failed, sizeof(view.failed), "%s", why);
	return view;
}

static void since_the_last_look(void **unused)
{
	struct dbl_top_view view = failed("it is away");

	(void)unused;
	assert_true(says(&view, "\nNo look for 2m5s: it is away\n"));
	view.failed[0] = '\0';
	view.overdue = true;
	assert_true(says(&view, "\nNo look for 2m5s: the database has not answered yet\n"));
	view.overdue = false;
	assert_false(says(&view, "No look"));
}

static void the_reason_is_not_cut_off(void **unused)
{
	struct dbl_top_view view = failed("connection to server at \"127.0.0.1\", port 1 failed: "
					  "Connection refused; Is the server running on that host "
					  "and accepting TCP/IP connections?");

	(void)unused;
	assert_true(says(&view, ", port 1 failed: Connection refused\n"));
	view = failed("connection to server on socket \"/a/path/that/is/longer/than/most/of/them/"
		      ".s.PGSQL.5432\" failed: No such file or directory; Is the server running "
		      "locally and accepting connections on that socket?");
	assert_true(says(&view, "\nNo look for 2m5s: ..."));
	assert_true(says(&view, ".s.PGSQL.5432\" failed: No such file or directory\n"));
	view = failed("/a/path/of/some/length/locks.db: no such table; run 'dblock schema up'");
	assert_true(says(&view, "/locks.db: no such table\n"));
	view = failed("what is short; do this");
	assert_true(says(&view, "what is short; do this\n"));
}

static void the_help_fits(void **unused)
{
	struct dbl_top_view view = {.help = true};
	char *text = drawn(&view), *line = text;
	int n = 0;

	(void)unused;
	for (char *end; (end = strchr(line, '\n')); line = end + 1, n++) {
		*end = '\0';
		/* What is too long is cut at the last column. */
		assert_true(dbl_text_width(line) < COLUMNS);
	}
	assert_in_range(n, 10, ROWS);
	free(text);
}

/* One long name must not take the values away from all. */
static void a_long_name_leaves_room_for_values(void **unused)
{
	char name[100];
	struct dblock_holder holders[] = {
		{.name = name, .hold = DBLOCK_HOLD_LEASE, .host = "a-host", .pid = 12345},
		{.name = "short", .hold = DBLOCK_HOLD_LEASE, .host = "a-host", .pid = 12345}};
	struct dbl_top_row rows[] = {{&holders[0], 0, INT64_MIN}, {&holders[1], 0, INT64_MIN}};
	struct dbl_top_look look = {.rows = rows, .n_rows = 2, .new_per_s = -1};
	struct dbl_top_view view = {.delay_ms = 500};
	char *text = NULL;
	size_t size;
	struct dbl_top_frame frame = {
		.out = open_memstream(&text, &size), .columns = 200, .rows = 50, .is_plain = true};

	(void)unused;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 2; i++)
		holders[i].app = holders[i].session = holders[i].value = "";
	holders[1].value = "release 2.4 by Ada and Grace";
	dbl_top_draw(&frame, &view, &look, "");
	fclose(frame.out);
	assert_non_null(strstr(text, " release 2.4 by Ada and Grace\n"));
	/* Without values it has all the room that it wants. */
	free(text);
	holders[1].value = "";
	frame = (struct dbl_top_frame){
		.out = open_memstream(&text, &size), .columns = 200, .rows = 50, .is_plain = true};
	dbl_top_draw(&frame, &view, &look, "");
	fclose(frame.out);
	assert_non_null(strstr(text, name));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(since_the_last_look),
		cmocka_unit_test(the_reason_is_not_cut_off),
		cmocka_unit_test(the_help_fits),
		cmocka_unit_test(a_long_name_leaves_room_for_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
