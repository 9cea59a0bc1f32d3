/* SPDX-License-Identifier: MIT */
/* Folders: which one is read, which files are in it, and which belong together. */
#include "set_kit.h"

#include <errno.h>

#include "base/mem.h"
#include "base/str.h"

/* ---- which folder --------------------------------------------------------------------------- */

static void the_dialects_own_folder_goes_first(void **unused)
{
	(void)unused;
	fresh();
	make_folder("mysql");
	put("mysql/1_m.sql", "");
	accept(&kit_mysql);
	assert_string_equal(kit_set.files[0].name, "m");
	/* The folder has nothing for the other dialects. */
	refuse(&kit_sqlite, kit_dir, "no migration for sqlite", "put NNNN_name.up.sql there");
	put("1_plain.sql", "");
	accept(&kit_sqlite);
	assert_string_equal(kit_set.files[0].name, "plain");
	refuse(&kit_mysql, "only one can be meant", kit_dir, path_of("mysql"));
	assert_int_equal(unlink(path_of("mysql/1_m.sql")), 0);
	/* The dialect's folder exists, so it is meant, even if it is empty. */
	refuse(&kit_mysql, path_of("mysql"), "no migration for mysql");
}

static void a_file_is_no_dialects_folder(void **unused)
{
	(void)unused;
	fresh();
	put("sqlite", "");
	put("1_a.sql", "");
	accept(&kit_sqlite);
}

static void missing_or_empty(void **unused)
{
	char dir[2 * KIT_PATH];

	(void)unused;
	fresh();
	refuse(&kit_sqlite, kit_dir, "no migration for sqlite");
	snprintf(dir, sizeof(dir), "%s/none", kit_dir);
	refused(read_dir(dir, &kit_sqlite), dir, "No such file", "name the folder");
	assert_int_equal(kit_err.native, ENOENT);
	put("file", "");
	snprintf(dir, sizeof(dir), "%s/file", kit_dir);
	refused(read_dir(dir, &kit_sqlite), dir, "Not a directory");
	refused(read_dir("", &kit_sqlite), "is empty; name one");
}

static void slashes_at_the_end(void **unused)
{
	char dir[2 * KIT_PATH];

	(void)unused;
	fresh();
	put("1_a.sql", "");
	snprintf(dir, sizeof(dir), "%s///", kit_dir);
	assert_int_equal(read_dir(dir, &kit_sqlite), 0);
	assert_string_equal(kit_set.files[0].up.path, path_of("1_a.sql"));
}

/* ---- what lies there ------------------------------------------------------------------------ */

static void what_is_not_sql_is_passed_over(void **unused)
{
	(void)unused;
	fresh();
	put("1_a.up.sql", "");
	put("README.md", "");
	put("sql", "");
	put("atlas.sum", "");
	put("1_a.up.sql~", "");
	put("2_b.up.sql.orig", "");
	put(".1_hidden.sql", "");
	put(".sql", "");
	make_folder("postgresql");
	accept(&kit_sqlite);
	assert_int_equal(kit_set.n, 1);
}

/* Case 22 of tests/migrate-cases.md: the order is that of numbers, not of letters. */
static void in_order_of_number(void **unused)
{
	static const int64_t order[] = {1, 2, 10, 100, 20260101000000};
	static const char *const files[] = {"10_ten.sql", "2_two.sql", "0100_h.sql",
					    "20260101000000_t.sql", "01_one.sql"};

	(void)unused;
	fresh();
	for (size_t i = 0; i < 5; i++)
		put(files[i], "");
	accept(&kit_sqlite);
	assert_int_equal(kit_set.n, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(kit_set.files[i].version, order[i]);
		assert_ptr_equal(dbl_set_find(&kit_set, order[i]), &kit_set.files[i]);
	}
	assert_null(dbl_set_find(&kit_set, 3));
	assert_null(dbl_set_find(&kit_set, 0));
	assert_null(dbl_set_find(&kit_set, INT64_MAX));
}

static void links_are_followed(void **unused)
{
	(void)unused;
	fresh();
	put("text", "SELECT 1;");
	assert_int_equal(symlink("text", path_of("1_a.sql")), 0);
	accept(&kit_sqlite);
	assert_string_equal(kit_set.files[0].up.text.text, "SELECT 1;");
	assert_int_equal(symlink("nowhere", path_of("2_b.sql")), 0);
	refuse(&kit_sqlite, path_of("2_b.sql"), "No such file");
	assert_int_equal(unlink(path_of("2_b.sql")), 0);
	/* Case 22 of tests/migrate-cases.md: a link leads to itself. */
	assert_int_equal(symlink("2_b.sql", path_of("2_b.sql")), 0);
	refuse(&kit_sqlite, path_of("2_b.sql"), "repair or remove it");
	assert_int_equal(kit_err.native, ELOOP);
}

/* Opening a FIFO to read it would wait for a writer, for ever. */
static void only_files_are_read(void **unused)
{
	(void)unused;
	fresh();
	make_folder("1_a.sql");
	refuse(&kit_sqlite, path_of("1_a.sql"), "this is a folder; remove it");
	assert_int_equal(rmdir(path_of("1_a.sql")), 0);
	assert_int_equal(mkfifo(path_of("1_a.sql"), 0666), 0);
	alarm(60);
	refuse(&kit_sqlite, path_of("1_a.sql"), "a FIFO", "remove it");
	assert_int_equal(unlink(path_of("1_a.sql")), 0);
	assert_int_equal(symlink("/dev/zero", path_of("1_a.sql")), 0);
	refuse(&kit_sqlite, path_of("1_a.sql"), "a device");
	alarm(0);
}

/* Case 22 of tests/migrate-cases.md: more than is kept in memory. Its line ends take turns, so each kind
 * stands at a border of what is read at once. */
static void one_of_20_mib(void **unused)
{
	static const char *const ends[] = {"\r\n", "\r", "\n", "\r\r\n"};
	struct dbl_str text = {0}, form = {0};
	char sum[DBL_SHA256_HEX + 1];
	unsigned n = 0;

	(void)unused;
	for (; text.len < (size_t)20 << 20; n++) {
		dbl_str_addf(&text, "SELECT %u,%s'\xC3\xA4';%s", n, ends[n / 2 % 4], ends[n % 4]);
		dbl_str_addf(&form, "SELECT %u,%s'\xC3\xA4';%s", n, n / 2 % 4 == 3 ? "\n\n" : "\n",
			     n % 4 == 3 ? "\n\n" : "\n");
	}
	fresh();
	put_bytes("1_a.sql", text.text, text.len);
	put_bytes("2_a.sql", "SELECT 1;", 9);
	accept(&kit_sqlite);
	assert_true(kit_set.files[0].up.text.mapped > 0);
	assert_int_equal(kit_set.files[0].up.steps, n);
	assert_int_equal(kit_set.files[0].up.text.len, form.len);
	assert_memory_equal(kit_set.files[0].up.text.text, form.text, form.len + 1);
	dbl_sha256_hex(form.text, form.len, sum);
	assert_string_equal(kit_set.files[0].up.checksum, sum);
	assert_int_equal(kit_set.files[1].up.text.mapped, 0);
	dbl_str_free(&text);
	dbl_str_free(&form);
}

/* There is no folder for the copy; a small file needs none. */
static void no_room_for_a_large_one(void **unused)
{
	const size_t size = (size_t)9 << 20;
	char *blanks = dbl_alloc(size), before[4096];

	(void)unused;
	snprintf(before, sizeof(before), "%s", getenv("TMPDIR") ? getenv("TMPDIR") : "/var/tmp");
	memset(blanks, ' ', size);
	fresh();
	put_bytes("1_a.sql", blanks, 9);
	setenv("TMPDIR", "/nowhere", 1);
	accept(&kit_sqlite);
	put_bytes("1_a.sql", blanks, size);
	refuse(&kit_sqlite, path_of("1_a.sql"), "copied to /nowhere: No such file", "TMPDIR");
	setenv("TMPDIR", before, 1);
	accept(&kit_sqlite);
	dbl_free(blanks);
}

/* ---- what belongs together ------------------------------------------------------------------ */

static void two_and_two(void **unused)
{
	(void)unused;
	fresh();
	put("0001_a.up.sql", "SELECT 'up 1';");
	put("0001_a.down.sql", "SELECT 'down 1';");
	put("2_b.up.sql", "SELECT 'up 2';");
	put("3_c.sql", "SELECT 'up 3';");
	/* Zeros at the left mean nothing. */
	put("04_d.up.sql", "SELECT 'up 4';");
	put("4_d.down.sql", "SELECT 'down 4';");
	accept(&kit_sqlite);
	assert_int_equal(kit_set.n, 4);
	assert_string_equal(kit_set.files[0].up.text.text, "SELECT 'up 1';");
	assert_string_equal(kit_set.files[0].down.text.text, "SELECT 'down 1';");
	assert_string_equal(kit_set.files[0].down.path, path_of("0001_a.down.sql"));
	assert_null(kit_set.files[1].down.text.text);
	assert_null(kit_set.files[2].down.text.text);
	assert_string_equal(kit_set.files[3].down.text.text, "SELECT 'down 4';");
	assert_string_equal(kit_set.scope, "app");
	assert_false(kit_set.own);
}

/* Two files, and what the message says besides both names. */
static const char *const pairs[][3] = {
	{"0001_a.up.sql", "1_b.up.sql", "same number; give one of them another"},
	{"0001_a.up.sql", "1_a.up.sql", "same number"},
	{"01_a.sql", "1_a.up.sql", "same number"},
	{"1_a.sql", "1_b.sql", "same number"},
	{"1_a.up.sql", "1_b.down.sql", "does not undo"},
	{"1_a.sql", "1_a.down.sql", "cannot be undone; call that one NNNN_name.up.sql"},
};

static void what_does_not_fit_together(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		fresh();
		put(pairs[i][0], "");
		put(pairs[i][1], "");
		refuse(&kit_sqlite, kit_dir, pairs[i][0], pairs[i][1], pairs[i][2]);
	}
}

static void two_that_undo(void **unused)
{
	(void)unused;
	fresh();
	put("1_a.up.sql", "");
	put("01_a.down.sql", "");
	put("1_a.down.sql", "");
	refuse(&kit_sqlite, "01_a.down.sql", " 1_a.down.sql", "same number");
}

static void an_undo_alone(void **unused)
{
	(void)unused;
	fresh();
	put("1_a.up.sql", "");
	put("2_b.down.sql", "");
	refuse(&kit_sqlite, path_of("2_b.down.sql"), "what it undoes is missing; put");
}

/* The texts of both are checked. */
static void an_undo_is_checked_as_well(void **unused)
{
	(void)unused;
	fresh();
	put("1_a.up.sql", "SELECT 1;");
	put("1_a.down.sql", "SELECT\n'x;");
	refuse(&kit_sqlite, path_of("1_a.down.sql"), ":2:1:");
}

/* The new set takes the place of the old one. */
static void a_set_can_be_read_again(void **unused)
{
	(void)unused;
	fresh();
	put("1_a.sql", "");
	put("2_b.sql", "");
	accept(&kit_sqlite);
	assert_int_equal(unlink(path_of("2_b.sql")), 0);
	accept(&kit_sqlite);
	assert_int_equal(kit_set.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_dialects_own_folder_goes_first),
		cmocka_unit_test(a_file_is_no_dialects_folder),
		cmocka_unit_test(missing_or_empty),
		cmocka_unit_test(slashes_at_the_end),
		cmocka_unit_test(what_is_not_sql_is_passed_over),
		cmocka_unit_test(in_order_of_number),
		cmocka_unit_test(links_are_followed),
		cmocka_unit_test(only_files_are_read),
		cmocka_unit_test(one_of_20_mib),
		cmocka_unit_test(no_room_for_a_large_one),
		cmocka_unit_test(two_and_two),
		cmocka_unit_test(what_does_not_fit_together),
		cmocka_unit_test(two_that_undo),
		cmocka_unit_test(an_undo_alone),
		cmocka_unit_test(an_undo_is_checked_as_well),
		cmocka_unit_test(a_set_can_be_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, kit_tear_down);
}
