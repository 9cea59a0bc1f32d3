/* SPDX-License-Identifier: MIT */
/* What is known against what was applied, without a database. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "migrate/history/plan.h"

static struct dbl_file files[] = {
	{.version = 1, .name = "one", .up = {.checksum = "sum1"}},
	{.version = 2, .name = "two", .up = {.checksum = "sum2"}},
	{.version = 3, .name = "three", .up = {.checksum = "sum3"}},
};

static const struct dbl_set known = {.scope = "app", .files = files, .n = 3};
static const struct dbl_set nothing_known = {.scope = "app"};

/* The walk as text: a letter for each version's state, `*` behind it if its text changed, `<` if it
 * is out of order, `+` if it is newer than the set. */
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
		out[at++] = (char)('0' + step.version);
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
	/* What another text began is not a change: it will be run again from ours. */
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
	/* It is still at work: nothing that we could do. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_was_applied), cmocka_unit_test(all_was_applied),
		cmocka_unit_test(a_runner_died),       cmocka_unit_test(a_newer_library_was_here),
		cmocka_unit_test(a_gap_is_pending),    cmocka_unit_test(another_text_was_applied),
		cmocka_unit_test(nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
