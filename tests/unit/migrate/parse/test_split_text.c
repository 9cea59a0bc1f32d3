/* SPDX-License-Identifier: MIT */
/* The splitter: bytes that are no text, text beside the statements, and the meaning of a backslash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "split_files.h"

static struct dblock_error err;

/* Returns the statements between bars; or the message without its file. */
static const char *split(const char *dialect, const char *text, size_t len)
{
	struct sql_text t = {dialect, text, len};
	struct dbl_statement st;
	struct dbl_split s;
	static char out[4000];
	size_t n = 0;
	int rc = begin_split(&s, &t, &err);

	out[0] = '\0';
	while (rc == 0 && (rc = dbl_split_next(&s, &st, &err)) == 0 && st.text)
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%.*s", n ? "|" : "", (int)st.len,
				      st.text);
	if (rc) {
		assert_int_equal(rc, DBLOCK_E_INVALID);
		snprintf(out, sizeof(out), "%s", err.message + strlen("f.sql:"));
	}
	return out;
}

static const char *split_in(const char *dialect, const char *text)
{
	return split(dialect, text, strlen(text));
}

#define begins_with(text, with)                                                                    \
	do {                                                                                       \
		const char *begins_text = (text);                                                  \
		if (strncmp(begins_text, with, strlen(with)) != 0)                                 \
			fail_msg("'%s' does not begin with '%s'", begins_text, with);              \
	} while (0)

static void what_is_no_text_is_refused_by_name(void **state)
{
	(void)state;
	begins_with(split("sqlite", "\xFF\xFES\0;\0", 6), " this is UTF-16");
	begins_with(split("mysql", "\xFE\xFF\0S", 4), " this is UTF-16");
	begins_with(split("postgresql", "S\0E\0", 4), " this is UTF-16");
	begins_with(split("postgresql", "\0S\0E", 4), " this is UTF-16");
	begins_with(split("sqlite", "SELECT 1;\nSELECT '\0'", 20), "2:9: a NUL byte");
	begins_with(split("postgresql", "\xC3\xA4 \xE4 ", 5), "1:3: this is not UTF-8");
	begins_with(split("postgresql", "-- \xC3", 4), "1:4: this is not UTF-8");
	begins_with(split("mysql", "\n\xED\xA0\x80", 4), "2:1: this is not UTF-8");
}

static void a_file_without_statements_gives_none(void **state)
{
	(void)state;
	assert_string_equal(split("sqlite", "", 0), "");
	assert_string_equal(split_in("postgresql", "\xEF\xBB\xBF"), "");
	assert_string_equal(split_in("mysql", ";;\n-- x\n/**/;"), "");
}

static void there_is_no_other_dialect(void **state)
{
	(void)state;
	split_in("oracle", "SELECT 1");
	assert_string_equal(err.message, "there is no dialect 'oracle'");
}

/* ---- places --------------------------------------------------------------------------------- */

static void position_is(const char *text, size_t offset, size_t line, size_t col)
{
	struct dbl_position at = dbl_position(text, strlen(text), offset);

	if (at.line != line || at.col != col)
		fail_msg("byte %zu is at %zu:%zu, not %zu:%zu", offset, line, col, at.line, at.col);
}

static void places_count_characters_from_1(void **state)
{
	static const char text[] = "\xEF\xBB\xBF"
				   "a\xC3\xA4z\r\nb\n\n\xF0\x9F\x98\x80!";

	(void)state;
	position_is(text, 0, 1, 1); /* the byte order mark does not count */
	position_is(text, 3, 1, 1);
	position_is(text, 4, 1, 2);
	position_is(text, 6, 1, 3);  /* z */
	position_is(text, 8, 1, 5);  /* the line feed of CRLF */
	position_is(text, 9, 2, 1);  /* b */
	position_is(text, 12, 4, 1); /* four bytes, one character */
	position_is(text, 16, 4, 2);
	position_is(text, 17, 4, 3);
	position_is(text, 999, 4, 3);
}

static void a_place_in_a_statement_is_one_in_the_file(void **state)
{
	static const char text[] = "-- \xC3\xA4\nSELECT '\xC3\xA4',\n  nothing;";
	struct sql_text t = {"postgresql", text, sizeof(text) - 1};
	struct dbl_statement st;
	struct dbl_position at;
	struct dbl_split s;

	(void)state;
	assert_int_equal(begin_split(&s, &t, &err), 0);
	assert_int_equal(dbl_split_next(&s, &st, &err), 0);
	at = dbl_statement_position(&st, 1);
	assert_true(at.line == 2 && at.col == 1);
	at = dbl_statement_position(&st, 9); /* the letter in quotes */
	assert_true(at.line == 2 && at.col == 9);
	at = dbl_statement_position(&st, 15); /* `nothing` */
	assert_true(at.line == 3 && at.col == 3);
	at = dbl_statement_position(&st, 9999); /* the statement's end */
	assert_true(at.line == 3 && at.col == 10);
}

/* ---- comments that are commands ------------------------------------------------------------- */

static bool directive(const char *text)
{
	return dbl_split_no_transaction(text, strlen(text));
}

static void the_directive_is_the_first_line(void **state)
{
	(void)state;
	assert_true(directive("-- no-transaction"));
	assert_true(directive("-- no-transaction\r\nSELECT 1"));
	assert_true(directive("\xEF\xBB\xBF-- no-transaction \t\nSELECT 1"));
	assert_false(directive(""));
	assert_false(directive("\n-- no-transaction"));
	assert_false(directive("--no-transaction"));
	assert_false(directive("-- No-Transaction"));
	assert_false(directive("-- no-transactions"));
	assert_false(directive("-- no-transaction for this\n"));
	assert_false(directive("-- no-transactio"));
}

static void a_directive_without_effect_is_an_error(void **state)
{
	(void)state;
	assert_string_equal(split_in("sqlite", "\xEF\xBB\xBF-- no-transaction\r\nVACUUM"),
			    "VACUUM");
	begins_with(split_in("sqlite", "\n-- no-transaction\nVACUUM"), "2:1: the file's first");
	begins_with(split_in("mysql", "# no transaction\nSELECT 1"), "1:1: the file's first");
	begins_with(split_in("postgresql", "SELECT 1;\n\t-- NO_TRANSACTION \r\n"),
		    "2:2: the file's first");
	assert_string_equal(split_in("sqlite", "-- no transaction is needed\nSELECT 1"),
			    "SELECT 1");
	assert_string_equal(split_in("sqlite", "SELECT 1; -- no-transaction\n"), "SELECT 1");
}

static void tool_is(const char *line, const char *tool)
{
	const char *found = dbl_split_tool(line, strlen(line));

	if (!found != !tool || (tool && strcmp(found, tool) != 0))
		fail_msg("'%s' is for %s", line, found ? found : "nobody");
}

static void the_commands_of_other_tools_are_known(void **state)
{
	(void)state;
	tool_is("-- +goose Up", "goose");
	tool_is("-- +goose StatementBegin", "goose");
	tool_is("--+goose Down", "goose");
	tool_is("-- migrate:up transaction:false", "dbmate");
	tool_is("--\tmigrate:down", "dbmate");
	tool_is("-- +migrate Up", "sql-migrate");
	tool_is("--liquibase formatted sql", "Liquibase");
	tool_is("-- atlas:txmode none", "Atlas");
	tool_is("-- rambler up", "Rambler");
	tool_is("---- create above / drop below ----", "tern");
	tool_is("-- //@UNDO", "MyBatis Migrations");
	tool_is("# --- !Downs", "Play evolutions");
	tool_is("-- !Ups", "Play evolutions");
	tool_is("", NULL);
	tool_is("--", NULL);
	tool_is("-- ", NULL);
	tool_is("-- migrate the rows", NULL);
	tool_is("-- goose Up", NULL);
	tool_is("+goose Up", NULL);
	tool_is("-- rollback of 5", NULL);
}

/* ---- backslashes ---------------------------------------------------------------------------- */

static void a_dialect_says_what_a_backslash_is(void **state)
{
	static const char one[] = "SELECT 'a\\'; SELECT ';'";
	static const char two[] = "SELECT \"a\\\"; SELECT \";\"";

	(void)state;
	assert_string_equal(split_in("postgresql", one), "SELECT 'a\\'|SELECT ';'");
	begins_with(split_in("mysql", one), "1:23: this '");
	begins_with(split_in("mysql", two), "1:23: this \"");
	assert_string_equal(split_in("sqlite", two), "SELECT \"a\\\"|SELECT \";\"");
}

static void after_a_change_of_settings_a_doubtful_backslash_is_an_error(void **state)
{
	static const char on[] = "SET standard_conforming_strings = on; SELECT 'a\\';";

	(void)state;
	assert_string_equal(split_in("postgresql", on),
			    "SET standard_conforming_strings = on|SELECT 'a\\'");
	begins_with(split_in("postgresql", "SELECT set_config('standard_conforming_strings', 'off',"
					   " false); SELECT 'a\\'"),
		    "1:74: a backslash");
	begins_with(
		split_in("mysql", "/*!40101 SET SQL_MODE='no_backslash_escapes' */; SELECT 'a\\'"),
		"1:59: a backslash");
	assert_string_equal(split_in("mysql", "SET sql_mode='ANSI'; SELECT \"\\n\", '\\\\'"),
			    "SET sql_mode='ANSI'|SELECT \"\\n\", '\\\\'");
}

/* ---- depth ---------------------------------------------------------------------------------- */

static const char *nested_blocks(int n)
{
	static char text[20000];
	size_t at = (size_t)snprintf(text, sizeof(text), "CREATE PROCEDURE p() ");

	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "BEGIN ");
	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "END; ");
	snprintf(text + at, sizeof(text) - at, "SELECT 1");
	return text;
}

static void blocks_are_counted_as_deep_as_there_is_room(void **state)
{
	(void)state;
	assert_non_null(strstr(split_in("mysql", nested_blocks(DBL_SPLIT_DEPTH)), "END|SELECT 1"));
	begins_with(split_in("mysql", nested_blocks(DBL_SPLIT_DEPTH + 1)),
		    "1:406: blocks in 64 others");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_text_is_refused_by_name),
		cmocka_unit_test(a_file_without_statements_gives_none),
		cmocka_unit_test(there_is_no_other_dialect),
		cmocka_unit_test(places_count_characters_from_1),
		cmocka_unit_test(a_place_in_a_statement_is_one_in_the_file),
		cmocka_unit_test(the_directive_is_the_first_line),
		cmocka_unit_test(a_directive_without_effect_is_an_error),
		cmocka_unit_test(the_commands_of_other_tools_are_known),
		cmocka_unit_test(a_dialect_says_what_a_backslash_is),
		cmocka_unit_test(after_a_change_of_settings_a_doubtful_backslash_is_an_error),
		cmocka_unit_test(blocks_are_counted_as_deep_as_there_is_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
