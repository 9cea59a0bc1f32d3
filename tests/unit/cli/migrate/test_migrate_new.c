/* SPDX-License-Identifier: MIT */
/* The files that `dblock migrate new` makes. */
#include "files_kit.h"

#include <time.h>

/* This is 2026-11-21 09:05:07 UTC, in whatever time zone. */
static const time_t now = 1795251907;

static int make_in(const char *dir, const char *name, bool seq)
{
	struct dbl_making making = {
		.dir = dir, .name = name, .seq = seq, .now = now, .url_dialect = "sqlite"};

	return dbl_migrate_new(&making, NULL, NULL, &kit_err);
}

static int make(const char *name, bool seq)
{
	return make_in(kit_dir, name, seq);
}

static void two_files_with_the_time(void **unused)
{
	(void)unused;
	fresh();
	setenv("TZ", "Asia/Kathmandu", 1);
	tzset();
	done(make("add-owner.v2", false));
	holds("20261121090507_add-owner.v2.up.sql", "-- Applies 20261121090507_add-owner.v2.\n");
	holds("20261121090507_add-owner.v2.down.sql", "-- Undoes 20261121090507_add-owner.v2.\n");
	assert_int_equal(count_files(kit_dir), 2);
}

static void numbers_in_sequence(void **unused)
{
	(void)unused;
	fresh();
	done(make("one", true));
	done(make("two", true));
	holds("0001_one.up.sql", "-- Applies 0001_one.\n");
	holds("0002_two.down.sql", "-- Undoes 0002_two.\n");
	put("0041_x.sql", "");
	put("7_x.sql", "");
	put("99_x.txt", "");
	put("98x.sql", "");
	done(make("three", true));
	holds("0042_three.up.sql", "-- Applies 0042_three.\n");
	put("9999_x.sql", "");
	done(make("four", true));
	holds("10000_four.up.sql", "-- Applies 10000_four.\n");
}

/* Otherwise the new file would have to be applied out of order. */
static void always_above_all_others(void **unused)
{
	(void)unused;
	fresh();
	done(make("a", false));
	done(make("b", false));
	holds("20261121090508_b.up.sql", "-- Applies 20261121090508_b.\n");
	put("20300101000000_x.up.sql", "");
	done(make("c", false));
	holds("20300101000001_c.up.sql", "-- Applies 20300101000001_c.\n");
	put("4611686018427387903_x.sql", "");
	refused(make("d", false), "renumber that one");
	refused(make("d", true), "renumber that one");
}

static void nothing_is_overwritten(void **unused)
{
	(void)unused;
	fresh();
	done(make("a", true));
	put("0001_a.up.sql", "mine");
	done(make("a", true));
	holds("0001_a.up.sql", "mine");
	holds("0002_a.up.sql", "-- Applies 0002_a.\n");
}

struct told {
	char paths[8][KIT_PATH];
	size_t n;
};

static void tell(void *arg, const char *path)
{
	struct told *told = arg;

	snprintf(told->paths[told->n++], KIT_PATH, "%s", path);
}

/* The files of all dialects have one number. */
static void in_each_dialects_folder(void **unused)
{
	struct dbl_making making = {.dir = kit_dir, .name = "a", .seq = true, .url_dialect = ""};
	struct told told = {.n = 0};

	(void)unused;
	fresh();
	make_folder("sqlite");
	make_folder("mysql");
	make_folder("oracle");
	put("mysql/0006_x.up.sql", "");
	done(dbl_migrate_new(&making, tell, &told, &kit_err));
	assert_int_equal(told.n, 4);
	assert_string_equal(told.paths[0], path_of("sqlite/0007_a.up.sql"));
	assert_string_equal(told.paths[1], path_of("sqlite/0007_a.down.sql"));
	assert_string_equal(told.paths[2], path_of("mysql/0007_a.up.sql"));
	assert_string_equal(told.paths[3], path_of("mysql/0007_a.down.sql"));
	for (size_t i = 0; i < told.n; i++)
		assert_int_equal(access(told.paths[i], R_OK | W_OK), 0);
	assert_int_equal(count_files(kit_dir), 3);
	assert_int_equal(count_files(path_of("oracle")), 0);
}

static void the_folder_is_made(void **unused)
{
	(void)unused;
	fresh();
	done(make_in(path_of("migrations"), "a", true));
	holds("migrations/0001_a.up.sql", "-- Applies 0001_a.\n");
	refused(make_in(path_of("x/y"), "a", true), "cannot be made");
	put("file", "");
	refused(make_in(path_of("file"), "a", true), "cannot be read as a folder");
	refused(make_in("", "a", true), "is empty");
}

/* All files are made, or none. In /proc nobody can make a file. */
static void what_was_begun_is_removed(void **unused)
{
	(void)unused;
	fresh();
	make_folder("postgresql");
	assert_int_equal(symlink("/proc", path_of("mysql")), 0);
	refused(make("a", true), "/mysql/0001_a.up.sql: cannot be made");
	assert_int_equal(count_files(path_of("postgresql")), 0);
}

static void names_that_would_not_be_read_again(void **unused)
{
	static const char *const bad[] = {"",      "a b",      "../a", "a/b",  "-a",
					  "_a",    ".a",       "a.up", "a.UP", "a.down",
					  "a.sql", "\xC3\xA4", "a\nb", "a;"};
	char longest[300];

	(void)unused;
	fresh();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(make(bad[i], true), "is no name for a migration");
	snprintf(longest, sizeof(longest), "%0201d", 0);
	refused(make(longest, true), "at most 200");
	assert_int_equal(count_files(kit_dir), 0);
	longest[200] = '\0';
	done(make(longest, true));
}

static int count(void *arg, const struct dblock_migration_file *file)
{
	assert_non_null(file->down);
	++*(int *)arg;
	return 0;
}

/* The files that it makes are read as migrations. */
static void they_are_migrations(void **unused)
{
	int n = 0;

	(void)unused;
	fresh();
	make_folder("sqlite");
	done(make("a", true));
	done(make("b", false));
	done(dblock_migrate_check(kit_dir, "sqlite", count, NULL, &n, &kit_err));
	assert_int_equal(n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_files_with_the_time),
		cmocka_unit_test(numbers_in_sequence),
		cmocka_unit_test(always_above_all_others),
		cmocka_unit_test(nothing_is_overwritten),
		cmocka_unit_test(in_each_dialects_folder),
		cmocka_unit_test(the_folder_is_made),
		cmocka_unit_test(what_was_begun_is_removed),
		cmocka_unit_test(names_that_would_not_be_read_again),
		cmocka_unit_test(they_are_migrations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
