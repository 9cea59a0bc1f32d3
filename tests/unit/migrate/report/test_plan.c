/* SPDX-License-Identifier: MIT */
/* The set of files against the history, without a database. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "migrate/report/drift.h"

static struct dbl_file files[] = {
	{.version = 1, .name = "one", .up = {.checksum = "sum1"}},
	{.version = 2, .name = "two", .up = {.checksum = "sum2"}},
	{.version = 3, .name = "three", .up = {.checksum = "sum3"}},
};

static const struct dbl_set known = {.scope = "app", .files = files, .n = 3};
static const struct dbl_set nothing_known = {.scope = "app"};

/* Returns the walk as text: the last digit and a letter for each version's state, `*` behind it if
 * its text changed, `<` if it is out of order, `+` if it is newer than the set. */
static const char *walk(const struct dbl_set *set, struct dbl_past *rows, size_t n)
{
	static char out[64];
	struct dbl_history history = {.rows = rows, .n = n, .there = true};
	struct dbl_plan plan = {set, &history, 0, 0};
	struct dbl_step step;
	size_t at = 0;
	int64_t last = 0;

	while (dbl_plan_next(&plan, &step)) {
		assert_true(step.version > last);
		last = step.version;
		out[at++] = (char)('0' + step.version % 10);
		out[at++] = "pARMF"[step.state];
		if (step.changed)
			out[at++] = '*';
		if (step.out_of_order)
			out[at++] = '<';
		if (step.newer)
			out[at++] = '+';
	}
	out[at] = '\0';
	return out;
}

static struct dbl_past row(int64_t version, bool applied, const char *checksum)
{
	struct dbl_past past = {.version = version,
				.state = applied ? DBL_ROW_APPLIED : DBL_ROW_RUNNING};

	strcpy(past.checksum, checksum);
	return past;
}

static void nothing_was_applied(void **unused)
{
	struct dbl_history none = {.n = 0};

	(void)unused;
	assert_string_equal(walk(&known, NULL, 0), "1p2p3p");
	assert_int_equal(dbl_plan_count(&known, &none), 3);
}

static void all_was_applied(void **unused)
{
	struct dbl_past rows[] = {row(1, true, "sum1"), row(2, true, "sum2"), row(3, true, "sum3")};
	struct dbl_history all = {.rows = rows, .n = 3, .there = true};

	(void)unused;
	assert_string_equal(walk(&known, rows, 3), "1A2A3A");
	assert_int_equal(dbl_plan_count(&known, &all), 0);
}

static void a_runner_died(void **unused)
{
	struct dbl_past rows[] = {row(1, true, "sum1"), row(2, false, "other")};
	struct dbl_history some = {.rows = rows, .n = 2, .there = true};
	struct dbl_plan plan = {&known, &some, 0, 0};
	struct dbl_step step;

	(void)unused;
	/* Another text that was only begun is not a change: the file will be run again from ours.
	 */
	assert_string_equal(walk(&known, rows, 2), "1A2R3p");
	assert_true(dbl_plan_pending(&plan, &step));
	assert_ptr_equal(step.file, &files[1]);
	assert_ptr_equal(step.past, &rows[1]);
	assert_true(dbl_plan_pending(&plan, &step));
	assert_ptr_equal(step.file, &files[2]);
	assert_null(step.past);
	assert_false(dbl_plan_pending(&plan, &step));
}

static void a_newer_library_was_here(void **unused)
{
	struct dbl_past rows[] = {row(1, true, "sum1"), row(2, true, "sum2"), row(3, true, "sum3"),
				  row(4, true, "sum4"), row(7, true, "sum7")};
	struct dbl_history newer = {.rows = rows, .n = 5, .there = true};

	(void)unused;
	assert_string_equal(walk(&known, rows, 5), "1A2A3A4M+7M+");
	assert_int_equal(dbl_plan_count(&known, &newer), 0);
	/* The process is still at work: there is nothing that we could do. */
	rows[4].state = DBL_ROW_RUNNING;
	assert_string_equal(walk(&known, rows, 5), "1A2A3A4M+7R+");
	assert_int_equal(dbl_plan_count(&known, &newer), 0);
}

static void a_gap_is_pending(void **unused)
{
	struct dbl_past rows[] = {row(1, true, "sum1"), row(3, true, "sum3")};
	struct dbl_history gap = {.rows = rows, .n = 2, .there = true};

	(void)unused;
	assert_string_equal(walk(&known, rows, 2), "1A2p<3A");
	assert_int_equal(dbl_plan_count(&known, &gap), 1);
}

static void another_text_was_applied(void **unused)
{
	struct dbl_past rows[] = {row(1, true, "sum1"), row(2, true, "other")};
	struct dbl_history changed = {.rows = rows, .n = 2, .there = true};

	(void)unused;
	assert_string_equal(walk(&known, rows, 2), "1A2A*3p");
	assert_int_equal(dbl_plan_count(&known, &changed), 1);
}

static void nothing_is_known(void **unused)
{
	struct dbl_past rows[] = {row(5, true, "sum5")};

	(void)unused;
	assert_string_equal(walk(&nothing_known, NULL, 0), "");
	assert_string_equal(walk(&nothing_known, rows, 1), "5M+");
}

/* ---- our own set, above what version 0.1.0 has applied -------------------------------------- */

static struct dbl_file own_files[] = {
	{.version = 19, .name = "nineteen", .up = {.checksum = "sum19"}},
	{.version = 20, .name = "twenty", .up = {.checksum = "sum20"}},
};

static const struct dbl_set own = {.scope = "dblock", .own = true, .files = own_files, .n = 2};

/* Returns rows 1 to `last`, applied, and `next` behind them. */
static struct dbl_history history_to(int64_t last, struct dbl_past next)
{
	static struct dbl_past rows[20];
	struct dbl_history history = {.rows = rows, .there = true};

	while (history.n < (size_t)last) {
		rows[history.n] = row((int64_t)history.n + 1, true, "older");
		history.n++;
	}
	if (next.version)
		rows[history.n++] = next;
	return history;
}

static const struct dbl_past none = {.version = 0};

static void what_0_1_0_made_is_one_that_is_applied(void **unused)
{
	const struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;
	struct dbl_history older = history_to(15, none);

	(void)unused;
	assert_string_equal(walk(&own, older.rows, older.n), "5A9p0p");
	assert_int_equal(dbl_plan_count(&own, &older), 2);
	assert_ptr_equal(dbl_plan_older(&own, &older), &older.rows[14]);
	assert_int_equal(dbl_drift_check(&own, &older, &which, NULL), 0);
	older = history_to(15, row(19, true, "sum19"));
	assert_string_equal(walk(&own, older.rows, older.n), "5A9A0p");
	assert_int_equal(dbl_drift_check(&own, &older, &which, NULL), 0);
	older = history_to(0, row(19, true, "sum19"));
	assert_null(dbl_plan_older(&own, &older));
	assert_string_equal(walk(&own, older.rows, older.n), "9A0p");
}

static void is_refused(struct dbl_history history, const char *walked, const char *named)
{
	const struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;
	struct dblock_error err = {0};

	assert_string_equal(walk(&own, history.rows, history.n), walked);
	assert_int_equal(dbl_drift_check(&own, &history, &which, &err), DBLOCK_E_SCHEMA);
	assert_non_null(strstr(err.message, named));
	assert_non_null(strstr(err.message, "\nnext:"));
}

static void what_no_release_made_is_refused_by_name(void **unused)
{
	struct dbl_past twelve = row(12, true, "older"), fifteen = row(15, false, "older");
	const struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;
	struct dbl_history begun;

	(void)unused;
	strcpy(twelve.name, "gone");
	is_refused(history_to(11, twelve), "2M9p0p", "0012_gone (applied)");
	strcpy(fifteen.name, "flight");
	is_refused(history_to(14, fifteen), "5R9p0p", "0015_flight (running)");
	is_refused(history_to(15, row(18, true, "older")), "8M9p0p", "0018_ (applied)");
	/* If the first file was begun, older ones do not matter. */
	begun = history_to(12, row(19, false, "sum19"));
	assert_int_equal(dbl_drift_check(&own, &begun, &which, NULL), 0);
}

static void a_file_that_a_user_misses_is_missing(void **unused)
{
	const struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;
	struct dbl_history older = history_to(1, row(15, true, "older"));
	struct dbl_set users = own;

	(void)unused;
	users.own = false;
	assert_string_equal(walk(&users, older.rows, older.n), "1M5M9p0p");
	assert_null(dbl_plan_older(&users, &older));
	assert_int_equal(dbl_drift_check(&users, &older, &which, NULL), DBLOCK_E_DRIFT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_was_applied),
		cmocka_unit_test(all_was_applied),
		cmocka_unit_test(a_runner_died),
		cmocka_unit_test(a_newer_library_was_here),
		cmocka_unit_test(a_gap_is_pending),
		cmocka_unit_test(another_text_was_applied),
		cmocka_unit_test(nothing_is_known),
		cmocka_unit_test(what_0_1_0_made_is_one_that_is_applied),
		cmocka_unit_test(what_no_release_made_is_refused_by_name),
		cmocka_unit_test(a_file_that_a_user_misses_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
