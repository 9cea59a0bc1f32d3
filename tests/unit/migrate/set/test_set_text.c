/* SPDX-License-Identifier: MIT */
/* Texts: their normal form, and bytes that are no text for a database. */
#include "set_kit.h"

static void checksum_is(const char *text, size_t len, const char *expected)
{
	accepted_at(read_only("1_a.sql", text, len, &kit_sqlite), __FILE__, __LINE__);
	assert_string_equal(kit_set.files[0].up.checksum, expected);
}

/* Formatting in case 21 of tests/migrate-cases.md; the checksum is by sha256sum(1) of the first
 * form. */
static void one_form_one_checksum(void **unused)
{
	static const char sum[] =
		"a9bf562b0a4a51770ce94a2ca7c9f3c0c8c51fa95bc2151c0e03f70de89e7348";

	(void)unused;
	checksum_is(BYTES("SELECT\n'a\nb';\n"), sum);
	checksum_is(BYTES("SELECT\r\n'a\r\nb';\r\n"), sum);
	checksum_is(BYTES("SELECT\r'a\rb';\r"), sum);
	checksum_is(BYTES("SELECT\r\n'a\nb';\r"), sum);
	checksum_is(BYTES("\xEF\xBB\xBFSELECT\n'a\nb';\n"), sum);
	checksum_is(BYTES("\xEF\xBB\xBFSELECT\r\n'a\r\nb';\r\n"), sum);
	assert_string_equal(kit_set.files[0].up.text.text, "SELECT\n'a\nb';\n");
	assert_int_equal(kit_set.files[0].up.text.len, strlen(kit_set.files[0].up.text.text));
}

static void another_text_another_checksum(void **unused)
{
	char first[65];

	(void)unused;
	assert_int_equal(read_text("SELECT 1;\n", &kit_sqlite), 0);
	strcpy(first, kit_set.files[0].up.checksum);
	assert_int_equal(read_text("SELECT 1;", &kit_sqlite), 0);
	assert_string_not_equal(kit_set.files[0].up.checksum, first);
	assert_int_equal(read_text("SELECT 1;\r\r\n", &kit_sqlite), 0);
	assert_string_not_equal(kit_set.files[0].up.checksum, first);
}

static void nothing_to_do_is_fine(void **unused)
{
	static const char *const texts[] = {"",           "\n",   "-- nothing\n", "/* nothing */",
					    "-- nothing", ";;\n;"};

	(void)unused;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(read_text(texts[i], &kit_postgresql), 0);
		assert_int_equal(kit_set.files[0].up.steps, 0);
		assert_false(kit_set.files[0].up.stepwise);
	}
	assert_int_equal(read_only("1_a.sql", BYTES("\xEF\xBB\xBF"), &kit_mysql), 0);
	assert_int_equal(kit_set.files[0].up.text.len, 0);
	assert_string_equal(kit_set.files[0].up.checksum, /* sha256 of nothing */
			    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

#define NO_TEXT(literal, ...)                                                                      \
	refused(read_only("1_a.sql", BYTES(literal), &kit_sqlite), "/1_a.sql", __VA_ARGS__)

static void what_is_no_text(void **unused)
{
	(void)unused;
	NO_TEXT("SELECT 1;\n-- \0\n", ":2:4:", "NUL");
	NO_TEXT("SELECT\r\n'\xE4';", ":2:2:", "UTF-8");
	NO_TEXT("\xC0\xAF", ":1:1:", "UTF-8");
	NO_TEXT("'\xED\xA0\x80'", ":1:2:", "UTF-8");
	NO_TEXT("SELECT '\xC3", ":1:9:", "UTF-8");
	/* Columns count characters. */
	NO_TEXT("'\xC3\xA4\xC3\xA4' \xFF", ":1:6:", "UTF-8");
	NO_TEXT("\xFF\xFES\0E\0L\0", "UTF-16");
	NO_TEXT("\xFE\xFF\0S\0E\0L", "UTF-16");
	NO_TEXT("S\0E\0L\0E\0C\0T\0", "UTF-16");
}

/* The message names the line where it was opened. */
static void what_never_ends(void **unused)
{
	(void)unused;
	refused(read_text("SELECT 1;\n\nSELECT 'it''s;\nSELECT 2;\n", &kit_sqlite), ":3:8:");
	refused(read_text("SELECT 1;\n  /* SELECT 2;\n\n", &kit_mysql), ":2:3:");
	refused(read_text("SELECT 1;\r\nSELECT $x$ ; $$ ;", &kit_postgresql), ":2:8:");
	refused(read_text("SELECT 1;\n\nSELECT \"a;", &kit_postgresql), ":3:8:");
}

struct foreign {
	const char *tool, *file, *place, *text;
};

/* Case 23 of tests/migrate-cases.md: files in the form of these tools. */
static const struct foreign foreign[] = {
	{"dbmate", "20260101120000_a.sql", ":1:1:",
	 "-- migrate:up\nCREATE TABLE a (id integer);\n\n-- migrate:down\nDROP TABLE a;\n"},
	{"dbmate", "20260101120000_b.sql",
	 ":1:1:", "-- migrate:up transaction:false\nVACUUM;\n\n-- migrate:down\n"},
	{"goose", "00001_a.sql",
	 ":1:1:", "-- +goose Up\nCREATE TABLE a (id int);\n\n-- +goose Down\nDROP TABLE a;\n"},
	{"goose", "00002_b.sql", ":1:1:", "-- +goose NO TRANSACTION\n-- +goose Up\nVACUUM;\n"},
	{"goose", "00003_c.sql",
	 ":1:1:", "-- +goose Up\n-- +goose StatementBegin\nSELECT 1;\n-- +goose StatementEnd\n"},
	{"sql-migrate", "1_a.sql",
	 ":1:1:", "-- +migrate Up\nCREATE TABLE a (id int);\n-- +migrate Down\nDROP TABLE a;\n"},
	{"Liquibase", "1_a.sql", ":1:1:",
	 "--liquibase formatted sql\n\n--changeset ada:1\nCREATE TABLE a (id int);\n"
	 "--rollback DROP TABLE a;\n"},
	{"Liquibase", "1_b.sql", ":1:1:", "-- liquibase formatted sql\nSELECT 1;\n"},
	{"Atlas", "20260101120000_a.sql", ":1:1:", "-- atlas:txmode none\n\nVACUUM;\n"},
	{"Atlas", "1_b.sql", ":2:1:", "-- Create \"a\"\n-- atlas:delimiter \\n\\n\nSELECT 1\n"},
};

static void files_of_other_tools(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		const struct foreign *f = &foreign[i];
		int rc = read_only(f->file, f->text, strlen(f->text), &kit_postgresql);

		refused(rc, path_of(f->file), f->place, f->tool, "NNNN_name.up.sql");
	}
}

/* golang-migrate's pairs and sqlx's files have the names of their own examples. */
static void files_that_others_can_read_as_well(void **unused)
{
	(void)unused;
	fresh();
	put("1485949617_create_movies_table.up.sql", "CREATE TABLE movies (title text);\n");
	put("1485949617_create_movies_table.down.sql", "DROP TABLE movies;\n");
	put("20200718111257_todos.sql", "CREATE TABLE IF NOT EXISTS todos\n(\n    done BOOLEAN\n)");
	put("02_account.sql", "create table account (id bigint);\n");
	accept(&kit_postgresql);
	assert_int_equal(kit_set.n, 3);
	assert_int_equal(kit_set.files[2].version, 20200718111257);
}

/* These words only look like a tool's. */
static void not_all_is_foreign(void **unused)
{
	(void)unused;
	assert_int_equal(read_text("-- we migrate:\n-- goose and atlas\nSELECT '\n-- x\n';",
				   &kit_postgresql),
			 0);
}

static void our_first_line(void **unused)
{
	static const char *const good[] = {
		"-- no-transaction\nVACUUM;", "-- no-transaction\r\nVACUUM;",
		"\xEF\xBB\xBF-- no-transaction\nVACUUM;", "-- no-transaction"};
	static const char *const bad[] = {"\n-- no-transaction\n", "-- a\n-- no-transaction\n",
					  "--no-transaction\n", "-- NO-TRANSACTION\n",
					  "SELECT 1;\n-- no-transaction\n"};

	(void)unused;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		accepted_at(read_text(good[i], &kit_postgresql), __FILE__, __LINE__);
		assert_true(kit_set.files[0].up.no_transaction);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(read_text(bad[i], &kit_postgresql), "-- no-transaction", "first line");
}

static void lines_for_a_newer_dblock(void **unused)
{
	(void)unused;
	refused(read_text("SELECT 1;\n-- dblock:lock-timeout=5s\n", &kit_postgresql),
		":2:1:", "-- dblock:lock-timeout=5s", "leave that line out");
	assert_int_equal(read_text("-- dblock is this\n", &kit_postgresql), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_form_one_checksum),
		cmocka_unit_test(another_text_another_checksum),
		cmocka_unit_test(nothing_to_do_is_fine),
		cmocka_unit_test(what_is_no_text),
		cmocka_unit_test(what_never_ends),
		cmocka_unit_test(files_of_other_tools),
		cmocka_unit_test(files_that_others_can_read_as_well),
		cmocka_unit_test(not_all_is_foreign),
		cmocka_unit_test(our_first_line),
		cmocka_unit_test(lines_for_a_newer_dblock),
	};

	return cmocka_run_group_tests(tests, NULL, kit_tear_down);
}
