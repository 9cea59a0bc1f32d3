/* SPDX-License-Identifier: MIT */
/* `dblock migrate embed` writes C99 without a warning, by gcc and by clang, and the result reads as
 * the same set as the folder. */
#include "files_kit.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>

#include "migrate/set/set.h"

static const struct dbl_dialect postgresql = {.name = "postgresql"};

static int embed(const char *dialect, const char *symbol)
{
	char out[2 * KIT_PATH];

	snprintf(out, sizeof(out), "%s", path_of("made.c"));
	return dbl_migrate_embed(path_of("set"), dialect, symbol, out, &kit_err);
}

/* Makes a set with every byte that a text can have, Unicode's last character among them, and
 * without an end of line at the end; with an empty text; and with a long one. */
static void make_set(void)
{
	static char text[70000];
	size_t at = 0;

	fresh();
	make_folder("set");
	at += (size_t)sprintf(text, "SELECT '?"
				    "?/ \\\\ \"\r\n");
	for (int c = 1; c < 128; c++) {
		if (c != '\'' && c != '\r')
			text[at++] = (char)c;
	}
	for (int lead = 0xC2; lead < 0xE0; lead++) {
		for (int c = 0x80; c < 0xC0; c++) {
			text[at++] = (char)lead;
			text[at++] = (char)c;
		}
	}
	at += (size_t)sprintf(text + at, "\xEF\xBF\xBF\xF4\x8F\xBF\xBF'");
	put_bytes("set/0001_bytes.up.sql", text, at);
	put("set/0001_bytes.down.sql", "");
	memset(text, 'x', sizeof(text));
	memcpy(text, "\xEF\xBB\xBF-- ", 6);
	put_bytes("set/20260101120000_long-name.v2.sql", text, sizeof(text));
	put("set/4611686018427387903_wrapped.up.sql", "BEGIN;\nSELECT 1;\nCOMMIT;\n");
	put("set/4611686018427387903_wrapped.down.sql", "-- nothing\n");
}

static void run(const char *compiler, const char *options)
{
	char command[4 * KIT_PATH];
	const char *source = getenv("DBLOCK_SOURCE_DIR");

	assert_non_null(source);
	snprintf(command, sizeof(command),
		 "%s %s -Wall -Wextra -Wpedantic -Werror"
		 " -I '%s/include' -shared -fPIC -o '%s/%s.so' '%s/made.c'",
		 compiler, options, source, kit_dir, compiler, kit_dir);
	if (system(command) != 0)
		fail_msg("%s", command);
}

static void same_text(const struct dbl_script *a, const struct dbl_script *b)
{
	assert_int_equal(a->text.text == NULL, b->text.text == NULL);
	assert_int_equal(a->text.len, b->text.len);
	assert_string_equal(a->checksum, b->checksum);
	if (a->text.text) {
		assert_string_equal(a->original.text, b->original.text);
		assert_string_equal(a->text.text, b->text.text);
	}
}

static void same_set(const struct dblock_migrate_options *one,
		     const struct dblock_migrate_options *other)
{
	struct dbl_set a = {0}, b = {0};

	done(dbl_set_read(&a, one, &postgresql, &kit_err));
	done(dbl_set_read(&b, other, &postgresql, &kit_err));
	assert_int_equal(a.n, b.n);
	for (size_t i = 0; i < a.n; i++) {
		assert_int_equal(a.files[i].version, b.files[i].version);
		assert_string_equal(a.files[i].name, b.files[i].name);
		same_text(&a.files[i].up, &b.files[i].up);
		same_text(&a.files[i].down, &b.files[i].down);
	}
	dbl_set_free(&a);
	dbl_set_free(&b);
}

static void *load(const char *compiler)
{
	char file[2 * KIT_PATH];
	void *library;

	snprintf(file, sizeof(file), "%s/%s.so", kit_dir, compiler);
	library = dlopen(file, RTLD_NOW);
	if (!library)
		fail_msg("%s", dlerror());
	return library;
}

static void compiled_is_the_same(const char *compiler, const char *options)
{
	struct dblock_migrate_options folder = DBLOCK_MIGRATE_OPTIONS_INIT;
	struct dblock_migrate_options array = DBLOCK_MIGRATE_OPTIONS_INIT;
	void *library;

	run(compiler, options);
	library = load(compiler);
	array.files = dlsym(library, "shop");
	assert_non_null(array.files);
	array.n_files = *(const size_t *)dlsym(library, "shop_count");
	assert_int_equal(array.n_files, 3);
	folder.dir = path_of("set");
	same_set(&folder, &array);
	dlclose(library);
}

static void it_compiles_and_is_the_same(void **unused)
{
	(void)unused;
	make_set();
	done(embed("postgresql", "shop"));
	compiled_is_the_same("gcc", "-std=c99");
	compiled_is_the_same("clang", "-std=c99 -Wmissing-variable-declarations");
	run("gcc", "-std=c99 -funsigned-char");
	assert_int_equal(count_files(kit_dir), 4); /* no temporary file */
}

/* The output depends only on the files, and does not change from one time to the next. */
static void as_it_is_written(void **unused)
{
	(void)unused;
	fresh();
	make_folder("set");
	put("set/0007_a.up.sql", "\xC3\xA4;\r\n");
	put("set/0007_a.down.sql", "");
	put("set/0008_b.sql", "--3456789012345");
	done(embed("mysql", "_Shop2"));
	holds("made.c", "/* Made by `dblock migrate embed`. Do not change it: make it again. */\n"
			"#include <stddef.h>\n"
			"\n"
			"#include <dblock/migrate.h>\n"
			"\n"
			"static const char _Shop2_up_7[] = {\n"
			"'\\303','\\244',59,10,0};\n"
			"\n"
			"static const char _Shop2_down_7[] = {\n"
			"0};\n"
			"\n"
			"static const char _Shop2_up_8[] = {\n"
			"45,45,51,52,53,54,55,56,57,48,49,50,51,52,53,0};\n"
			"\n"
			"extern const struct dblock_migration_file _Shop2[];\n"
			"extern const size_t _Shop2_count;\n"
			"\n"
			"const struct dblock_migration_file _Shop2[] = {\n"
			"\t{7, \"a\", _Shop2_up_7, sizeof(_Shop2_up_7) - 1, "
			"_Shop2_down_7, sizeof(_Shop2_down_7) - 1},\n"
			"\t{8, \"b\", _Shop2_up_8, sizeof(_Shop2_up_8) - 1, NULL, 0},\n"
			"};\n"
			"\n"
			"const size_t _Shop2_count = 2;\n");
}

static void an_array_for_each_dialect(void **unused)
{
	void *library;

	(void)unused;
	fresh();
	make_folder("set");
	refused(embed(NULL, "shop"), "has no folder sqlite, postgresql or mysql");
	make_folder("set/mysql");
	make_folder("set/sqlite");
	put("set/mysql/1_a.sql", "SELECT `a`;");
	put("set/sqlite/1_a.sql", "SELECT 1;");
	put("set/sqlite/2_b.sql", "SELECT 1;");
	done(embed(NULL, "shop"));
	run("gcc", "-std=c99");
	library = load("gcc");
	assert_int_equal(*(const size_t *)dlsym(library, "shop_mysql_count"), 1);
	assert_int_equal(*(const size_t *)dlsym(library, "shop_sqlite_count"), 2);
	assert_non_null(dlsym(library, "shop_mysql"));
	assert_null(dlsym(library, "shop_postgresql"));
	dlclose(library);
}

/* The old file stays as it was, and nothing else is left. */
static void all_or_nothing(void **unused)
{
	(void)unused;
	fresh();
	make_folder("set");
	put("set/1_a.sql", "SELECT 1;");
	put("set/2_b.sql", "SELECT '");
	put("made.c", "old");
	refused(embed("postgresql", "shop"), "2_b.sql:1:8:");
	refused(embed("oracle", "shop"), "oracle");
	holds("made.c", "old");
	assert_int_equal(unlink(path_of("set/2_b.sql")), 0);
	refused(embed("postgresql", "2shop"), "'2shop' cannot name an array in C");
	refused(embed("postgresql", "sh-op"), "cannot name");
	refused(embed("postgresql", ""), "cannot name");
	holds("made.c", "old");
	assert_int_equal(count_files(kit_dir), 2);
	refused(dbl_migrate_embed(path_of("set"), "postgresql", "shop", path_of("no/made.c"),
				  &kit_err),
		"no/made.c.");
	refused(dbl_migrate_embed(path_of("set"), "postgresql", "shop", path_of("set"), &kit_err),
		"/set: cannot be written: Is a directory");
	refused(dbl_migrate_embed(path_of("none"), NULL, "shop", path_of("made.c"), &kit_err),
		"there is no folder");
	assert_int_equal(count_files(kit_dir), 2);
	done(embed("postgresql", "shop"));
	assert_int_equal(count_files(kit_dir), 2);
}

/* A file can have no more than so many bytes, as on a full disk. */
static void half_a_file_is_none(void **unused)
{
	const struct rlimit little = {1000, RLIM_INFINITY};
	struct rlimit before;
	char text[9000];
	int rc;

	(void)unused;
	fresh();
	make_folder("set");
	memset(text, '-', sizeof(text));
	put_bytes("set/1_a.sql", text, sizeof(text));
	put("made.c", "old");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	rc = embed("postgresql", "shop");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	refused(rc, "cannot be written: File too large");
	holds("made.c", "old");
	assert_int_equal(count_files(kit_dir), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_compiles_and_is_the_same), cmocka_unit_test(as_it_is_written),
		cmocka_unit_test(an_array_for_each_dialect),   cmocka_unit_test(all_or_nothing),
		cmocka_unit_test(half_a_file_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
