/* SPDX-License-Identifier: MIT */
/* Texts that are the same though they look different, and texts that only look the same. */
#include "set_kit.h"

static const char *sum_of(const struct dbl_dialect *dialect, const char *text)
{
	static char sum[DBL_TOKEN_SUM + 1];

	accepted_at(read_text(text, dialect), __FILE__, __LINE__);
	strcpy(sum, kit_set.files[0].up.token_checksum);
	assert_int_equal(strlen(sum), DBL_TOKEN_SUM);
	assert_memory_equal(sum, "t1:", 3);
	return sum;
}

static void compare(const struct dbl_dialect *dialect, const char *a, const char *b, bool same)
{
	char first[DBL_TOKEN_SUM + 1];

	strcpy(first, sum_of(dialect, a));
	if ((strcmp(first, sum_of(dialect, b)) == 0) != same)
		fail_msg("%s: <%s> and <%s> are %sthe same", dialect->name, a, b,
			 same ? "not " : "");
}

struct couple {
	const char *a, *b;
};

#define ALL(dialect, couples, same)                                                                \
	for (size_t i = 0; i < sizeof(couples) / sizeof((couples)[0]); i++)                        \
	compare(&(dialect), (couples)[i].a, (couples)[i].b, same)

static const struct couple same_everywhere[] = {
	{"CREATE TABLE t (i int);", "-- Licence: MIT\n\nCREATE TABLE t (i int);\n"},
	{"CREATE TABLE t (i int, j int);", "CREATE TABLE t (\n\ti int, -- one\n\tj int\n)"},
	{"SELECT a FROM b WHERE c=1;", "SELECT\r\n  a\r\nFROM b\r\nWHERE c = 1 ;\r\n"},
	{"SELECT a, b;", "SELECT a,b/* two */;;\n-- the end"},
	{"SELECT 1; SELECT 2", "SELECT 1;\n\n/* ; */ SELECT 2;"},
	{"INSERT INTO t(a) VALUES('x  y');", "INSERT INTO t ( a )\nVALUES ( 'x  y' );"},
	{"SELECT a <= b", "SELECT  a<=b"},
	{"SELECT a/**/b", "SELECT a b"},
};

static const struct couple different_everywhere[] = {
	{"SELECT a b", "SELECT ab"},
	{"SELECT a, b", "SELECT a b"},
	{"SELECT 'x  y'", "SELECT 'x y'"},
	{"SELECT 'a -- b'", "SELECT 'a'"},
	{"SELECT '/*a*/'", "SELECT ''"},
	{"SELECT 'a;b'", "SELECT 'a; b'"},
	{"SELECT 1; SELECT 2", "SELECT 1 SELECT 2"},
	{"SELECT (1); SELECT 2", "SELECT (1) SELECT 2"},
	{"SELECT 1; SELECT 2", "SELECT 1"},
	{"SELECT - -1", "SELECT -1"},
	{"SELECT 1 - -1", "SELECT 1 -1"},
	{"SELECT a < = b", "SELECT a <= b"},
	{"SELECT 1e5", "SELECT 1 e5"},
	{"SELECT x'41'", "SELECT x '41'"},
	{"SELECT \"a b\"", "SELECT \"a  b\""},
	{"SELECT a", "SELECT A"},
	/* A hint is no comment. */
	{"SELECT /*+ one */ 1", "SELECT /*+ two */ 1"},
	{"SELECT /*+ one */ 1", "SELECT 1"},
	{"/*+ one */ SELECT 1", "SELECT 1"},
};

static void in_every_dialect(void **unused)
{
	(void)unused;
	ALL(kit_sqlite, same_everywhere, true);
	ALL(kit_postgresql, same_everywhere, true);
	ALL(kit_mysql, same_everywhere, true);
	ALL(kit_sqlite, different_everywhere, false);
	ALL(kit_postgresql, different_everywhere, false);
	ALL(kit_mysql, different_everywhere, false);
}

static void in_postgresql(void **unused)
{
	static const struct couple same[] = {
		{"SELECT /* /* nested */ */ 1", "SELECT 1"},
		{"SELECT /*! a */ 1", "SELECT 1"},
		{"SELECT 'a'\n'b'", "SELECT 'a'\n\n   'b'"},
		{"-- no-transaction\nVACUUM;", "-- no-transaction\n\n  -- why\n  VACUUM"},
	};
	static const struct couple different[] = {
		/* In two lines this is one string; in one line it is an error. */
		{"SELECT 'a'\n'b'", "SELECT 'a' 'b'"},
		{"SELECT 'a'\n'b'", "SELECT 'a''b'"},
		{"SELECT $$a  b$$", "SELECT $$a b$$"},
		{"SELECT $$ -- x $$", "SELECT $$ $$"},
		{"SELECT $a$x$a$", "SELECT $$x$$"},
		{"SELECT a @- b", "SELECT a @ -b"},
		{"SELECT a #> b", "SELECT a # > b"},
		{"SELECT U&'x'", "SELECT U & 'x'"},
		{"SELECT 1 --1", "SELECT 1 - -1"},
		{"-- no-transaction\nSELECT 1;", "SELECT 1;"},
	};

	(void)unused;
	ALL(kit_postgresql, same, true);
	ALL(kit_postgresql, different, false);
}

#define BODY "CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END"

static void in_mysql(void **unused)
{
	static const struct couple same[] = {
		{"SELECT 1 # one\n", "SELECT 1 -- one"},
		{"DELIMITER //\n" BODY "//\nDELIMITER ;", "DELIMITER $$\n" BODY "\n$$\n"},
		{"SELECT /*!40101 a*/ b", "SELECT  -- x\n /*!40101  a*/ b"},
		{"SELECT --1", "SELECT --1 -- x"},
	};
	static const struct couple different[] = {
		{"SELECT 1 /*!40101 + 1*/", "SELECT 1"},
		{"SELECT 1 /*!40101 + 1*/", "SELECT 1 /*!50101 + 1*/"},
		{"SELECT 1 /*!40101 + 1*/", "SELECT 1 + 1"},
		{"SELECT 5--3", "SELECT 5 -- 3"},
		{"SELECT 'a' 'b'", "SELECT 'a''b'"},
		{"SELECT `a b`", "SELECT `a  b`"},
		{"DELIMITER //\nSELECT 1//\nSELECT 2//", "DELIMITER //\nSELECT 1 SELECT 2//"},
	};

	(void)unused;
	ALL(kit_mysql, same, true);
	ALL(kit_mysql, different, false);
}

static void in_sqlite(void **unused)
{
	static const struct couple same[] = {
		{"CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; END;",
		 "CREATE TRIGGER t AFTER INSERT ON a\nBEGIN\n  DELETE FROM b; -- x\nEND;"},
		{"PRAGMA foreign_keys=OFF; SELECT 1", "PRAGMA foreign_keys = OFF;\nSELECT 1"},
	};
	static const struct couple different[] = {
		{"SELECT [a b]", "SELECT [a  b]"},
		/* A part that is left out is not run, but it is in the file. */
		{"BEGIN; SELECT 1; COMMIT", "SELECT 1"},
	};

	(void)unused;
	ALL(kit_sqlite, same, true);
	ALL(kit_sqlite, different, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_every_dialect),
		cmocka_unit_test(in_postgresql),
		cmocka_unit_test(in_mysql),
		cmocka_unit_test(in_sqlite),
	};

	return cmocka_run_group_tests(tests, NULL, kit_tear_down);
}
