/* SPDX-License-Identifier: MIT */
/* The names of files: case 22 of tests/migrate-cases.md. */
#include "set_kit.h"

struct good {
	const char *file;
	int64_t version;
	const char *name;
};

static const struct good good[] = {
	{"0001_a.up.sql", 1, "a"},
	{"1_a.sql", 1, "a"},
	{"00000000000000000000000000000007_x.sql", 7, "x"},
	{"20260131235959_Add-owner.v2_.up.sql", 20260131235959, "Add-owner.v2_"},
	/* The numbers have 18 and 19 digits. */
	{"999999999999999999_a.sql", 999999999999999999, "a"},
	{"4611686018427387903_a.up.sql", DBLOCK_MIGRATION_REPEATABLE - 1, "a"},
	{"1_2.up.sql", 1, "2"},
	{"1_up.up.sql", 1, "up"},
	{"1_setup.sql", 1, "setup"},
	{"1_down.sql", 1, "down"},
	{"1_a.sql.up.sql", 1, "a.sql"},
};

static void these_are_names(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		fresh();
		put(good[i].file, "SELECT 1;");
		accept(&kit_sqlite);
		assert_int_equal(kit_set.n, 1);
		assert_int_equal(kit_set.files[0].version, good[i].version);
		assert_string_equal(kit_set.files[0].name, good[i].name);
		assert_string_equal(kit_set.files[0].up.path, path_of(good[i].file));
	}
}

/* A file, and what the message must say besides its name. */
static const char *const bad[][2] = {
	{"0005-x.up.sql", "no name for a migration; call it NNNN_name.up.sql"},
	{"x.sql", "no name"},
	{"_x.up.sql", "no name"},
	{"1.up.sql", "no name"},
	{"1_.up.sql", "no name"},
	{"1_.sql", "no name"},
	{"1__a.up.sql", "no name"},
	{"1_-a.up.sql", "no name"},
	{"+1_a.up.sql", "no name"},
	{"1a_a.up.sql", "no name"},
	{"0x1_a.up.sql", "no name"},
	{" 1_a.up.sql", "no name"},
	{"1_a b.up.sql", "no name"},
	{"1_a.UP.sql", "no name"},
	{"1_a.up.SQL", "no name"},
	{"1_a.UP.SQL", "no name"},
	{"1_a.Down.sql", "no name"},
	{"1_a.up.down.sql", "no name"},
	{"1_a.up.up.sql", "no name"},
	{"1_\xC3\xA4.up.sql", "no name"},
	{"1_a;.up.sql", "no name"},
	{"0_a.up.sql", "give it one from 1 on"},
	{"0000_a.up.sql", "give it one from 1 on"},
	{"4611686018427387904_a.up.sql", "too large; give it one of at most 4611686018427387903"},
	{"99999999999999999999_a.up.sql", "too large"},
	{"18446744073709551617_a.up.sql", "too large"}, /* it is 1 if the number overflows */
	/* These are for case 23 of tests/migrate-cases.md. */
	{"V1__x.sql", "Flyway"},
	{"V1.2__x.sql", "Flyway"},
	{"V2026_01_31__x.sql", "Flyway"},
	{"U1__x.sql", "Flyway"},
	{"B7__x.sql", "Flyway"},
	{"R__x.sql", "Flyway"},
};

static void these_are_none(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(read_only(bad[i][0], "", 0, &kit_sqlite), bad[i][0], bad[i][1]);
}

/* Foreign names that are not Flyway's. */
static void not_all_is_flyway(void **unused)
{
	static const char *const names[] = {"Vx__y.sql", "R_.sql", "V1_x.sql", "A1__x.sql"};

	(void)unused;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		refused(read_only(names[i], "", 0, &kit_sqlite), names[i], "no name");
		assert_null(strstr(kit_err.message, "Flyway"));
	}
}

/* A message is one line, even if the name has a newline. */
static void a_newline_in_a_name(void **unused)
{
	(void)unused;
	refused(read_only("1_a\n.up.sql", "", 0, &kit_sqlite), "no name");
	assert_null(strchr(kit_err.message, '\n'));
}

static void the_longest_name(void **unused)
{
	char file[300];

	(void)unused;
	snprintf(file, sizeof(file), "1_%0200d.up.sql", 0);
	assert_int_equal(read_only(file, "", 0, &kit_sqlite), 0);
	assert_int_equal(strlen(kit_set.files[0].name), 200);
	snprintf(file, sizeof(file), "1_%0201d.up.sql", 0);
	refused(read_only(file, "", 0, &kit_sqlite), "at most 200");
}

/* Of several faults the first by name is told. */
static void the_first_fault_is_told(void **unused)
{
	(void)unused;
	fresh();
	put("c.sql", "");
	put("a.sql", "");
	put("b.sql", "");
	refuse(&kit_sqlite, "/a.sql");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(these_are_names),   cmocka_unit_test(these_are_none),
		cmocka_unit_test(not_all_is_flyway), cmocka_unit_test(a_newline_in_a_name),
		cmocka_unit_test(the_longest_name),  cmocka_unit_test(the_first_fault_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, kit_tear_down);
}
