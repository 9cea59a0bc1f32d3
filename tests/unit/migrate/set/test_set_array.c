/* SPDX-License-Identifier: MIT */
/* Sets that are no folder: arrays, and the library's own; and whose they are. */
#include "set_kit.h"

#include "sql/dialect.h"

static int read_array(const struct dblock_migration_file *files, size_t n)
{
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;

	which.files = files;
	which.n_files = n;
	return read_which(&which, &kit_sqlite);
}

/* The texts have no NUL at their end. */
static void an_array_is_copied(void **unused)
{
	char up[] = {'S', 'E', 'L', 'E', 'C', 'T', '\r', '\n', '1', '!'};
	char down[] = {'-', '-', 'x', '!'};
	struct dblock_migration_file files[] = {
		{1, "a", up, 9, down, 3},
		{20260101120000, "b", "", 0, NULL, 0},
		{DBLOCK_MIGRATION_REPEATABLE - 1, "c", "", 0, "", 0}};

	(void)unused;
	accepted_at(read_array(files, 3), __FILE__, __LINE__);
	memset(up, '?', sizeof(up));
	memset(down, '?', sizeof(down));
	memset(files, 0, sizeof(files));
	assert_int_equal(kit_set.n, 3);
	assert_string_equal(kit_set.files[0].up.text.text, "SELECT\n1");
	assert_int_equal(kit_set.files[0].up.text.len, 8);
	assert_string_equal(kit_set.files[0].up.path, "0001_a.up.sql");
	assert_string_equal(kit_set.files[0].down.text.text, "--x");
	assert_string_equal(kit_set.files[0].down.path, "0001_a.down.sql");
	assert_string_equal(kit_set.files[1].up.path, "20260101120000_b.up.sql");
	assert_null(kit_set.files[1].down.text.text);
	assert_non_null(kit_set.files[2].down.text.text);
	assert_string_equal(kit_set.scope, "app");
}

static void one(int64_t version, const char *name, const char *up, const char *part)
{
	struct dblock_migration_file files[] = {{5, "first", "", 0, NULL, 0},
						{version, name, up, up ? strlen(up) : 0, NULL, 0}};

	refused(read_array(files, 2), part);
}

static void arrays_that_are_not_sound(void **unused)
{
	static const struct dblock_migration_file zero = {0, "a", "", 0, NULL, 0};

	(void)unused;
	one(5, "a", "", "version 5 follows 5; they have to be above 0, and to rise");
	one(4, "a", "", "version 4 follows 5");
	one(-1, "a", "", "version -1 follows 5");
	one(6, NULL, "", "migration 6 of the array: 'NULL' is no name");
	one(6, "", "", "'' is no name");
	one(6, "a b", "", "'a b' is no name");
	one(6, "../a", "", "'../a' is no name");
	one(6, "a", NULL, "0006_a of the array: `up` is NULL; give it a text");
	/* The position is as in files. */
	one(6, "a", "SELECT\n'x", "0006_a.up.sql:2:1:");
	one(6, "a", "-- +goose Up\n", "goose");
	one(6, "a", "SELECT 1; COMMIT;", "0006_a.up.sql:1:11:");
	refused(read_array(&zero, 1), "number 1 of the array: version 0 follows 0");
	refused(read_array(&zero, 0), "is empty; give it one");
}

static void repeatable_ones_come_last(void **unused)
{
	int64_t a = dbl_repeatable("a", 1), b = dbl_repeatable("b", 1);
	struct dblock_migration_file files[] = {{7, "x", "SELECT 1", 8, NULL, 0},
						{a, "a", "SELECT 2", 8, NULL, 0},
						{b, "b", "", 0, NULL, 0}};

	(void)unused;
	assert_true(a >= DBLOCK_MIGRATION_REPEATABLE && b >= DBLOCK_MIGRATION_REPEATABLE && a != b);
	accepted_at(read_array(files, 3), __FILE__, __LINE__);
	assert_string_equal(kit_set.files[1].up.path, "R_a.sql");
	assert_int_equal(dbl_set_last(&kit_set), 7);
	/* They run in the order that they have here. */
	files[1] = files[2];
	files[2] = (struct dblock_migration_file){a, "a", "", 0, NULL, 0};
	accepted_at(read_array(files, 3), __FILE__, __LINE__);
	files[2].name = "c";
	refused(read_array(files, 3), "'c' of the array: its number is not that of its name");
	files[2] = (struct dblock_migration_file){a, "a", "", 0, "SELECT 1", 8};
	refused(read_array(files, 3), "'a' of the array: it cannot be undone");
	files[2] = (struct dblock_migration_file){8, "y", "", 0, NULL, 0};
	refused(read_array(files, 3), "version 8 follows");
}

static void one_source_only(void **unused)
{
	static const struct dblock_migration_file file = {1, "a", "", 0, NULL, 0};
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;

	(void)unused;
	which.files = &file;
	which.n_files = 1;
	which.dir = ".";
	refused(read_which(&which, &kit_sqlite), "both a folder and an array");
}

/* ---- whose ---------------------------------------------------------------------------------- */

static int read_scope(const char *scope)
{
	static const struct dblock_migration_file file = {1, "a", "", 0, NULL, 0};
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;

	which.files = &file;
	which.n_files = 1;
	which.scope = scope;
	return read_which(&which, &kit_sqlite);
}

static void scopes(void **unused)
{
	static const char *const bad[] = {"", "App", "a b", "a#failed", "\xC3\xA4", "a/b"};
	char longest[66];

	(void)unused;
	memset(longest, 'x', sizeof(longest));
	longest[64] = '\0';
	assert_int_equal(read_scope(longest), 0);
	assert_string_equal(kit_set.scope, longest);
	longest[64] = 'x';
	longest[65] = '\0';
	refused(read_scope(longest), "is no scope; name 1 to 64");
	assert_int_equal(read_scope("shop-2.x_y"), 0);
	assert_string_equal(kit_set.scope, "shop-2.x_y");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(read_scope(bad[i]), "is no scope");
	refused(read_scope("dblock"), "is for the library's own migrations");
}

/* ---- the library's own ---------------------------------------------------------------------- */

static const struct dbl_dialect *const *own_dialects(void)
{
	static const char *const names[] = {"sqlite", "postgresql", "mysql"};
	static const struct dbl_dialect *found[4];
	size_t n = 0;

	for (size_t i = 0; i < 3; i++)
		n += dbl_dialect_find(names[i], &found[n], NULL) == 0;
	assert_true(n > 0);
	found[n] = NULL;
	return found;
}

static void check_own(const struct dbl_dialect *dialect)
{
	const struct dbl_migration_text *own = dialect->migrations;

	assert_string_equal(kit_set.scope, "dblock");
	assert_true(kit_set.own);
	for (size_t i = 0; i < kit_set.n; i++, own++) {
		const struct dbl_file *file = &kit_set.files[i];

		assert_int_equal(file->version, own->version);
		assert_string_equal(file->name, own->name);
		assert_string_equal(file->up.text.text, own->up);
		assert_string_equal(file->down.text.text, own->down);
		/* cmake has computed the same checksum. */
		assert_string_equal(file->up.checksum, own->checksum);
	}
	assert_int_equal(own->version, 0);
}

static void our_own_are_sound(void **unused)
{
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;

	(void)unused;
	for (const struct dbl_dialect *const *d = own_dialects(); *d; d++) {
		accepted_at(read_which(NULL, *d), __FILE__, __LINE__);
		check_own(*d);
		accepted_at(read_which(&which, *d), __FILE__, __LINE__);
		check_own(*d);
	}
	which.scope = "dblock";
	accepted_at(read_which(&which, *own_dialects()), __FILE__, __LINE__);
	which.scope = "app";
	refused(read_which(&which, *own_dialects()), "those are in no other");
}

/* The outline tells whether they are applied without reading their texts. */
static void our_own_in_outline(void **unused)
{
	struct dbl_set outline = {.n = 0};
	struct dblock_error err = {0};

	(void)unused;
	for (const struct dbl_dialect *const *d = own_dialects(); *d; d++) {
		accepted_at(read_which(NULL, *d), __FILE__, __LINE__);
		assert_int_equal(dbl_set_outline_own(&outline, *d, &err), 0);
		assert_true(outline.own);
		assert_string_equal(outline.scope, kit_set.scope);
		assert_int_equal(outline.n, kit_set.n);
		for (size_t i = 0; i < outline.n; i++) {
			const struct dbl_file *file = &kit_set.files[i];

			assert_ptr_equal(dbl_set_find(&outline, file->version), &outline.files[i]);
			assert_string_equal(outline.files[i].name, file->name);
			assert_string_equal(outline.files[i].up.checksum, file->up.checksum);
		}
		dbl_set_free(&outline);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_is_copied),
		cmocka_unit_test(arrays_that_are_not_sound),
		cmocka_unit_test(repeatable_ones_come_last),
		cmocka_unit_test(one_source_only),
		cmocka_unit_test(scopes),
		cmocka_unit_test(our_own_are_sound),
		cmocka_unit_test(our_own_in_outline),
	};

	return cmocka_run_group_tests(tests, NULL, kit_tear_down);
}
