/* SPDX-License-Identifier: MIT */
/*
 * Files made of statements that are known: each is written by a small grammar of its dialect, with
 * blanks and comments strewn in, and must come back as it was written. No server is needed to say
 * where a statement ends that was made here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "split_files.h"

enum { FILES = 3000, MOST = 8, ROOM = 1 << 16 };

struct maker {
	uint64_t seed;
	char text[ROOM];
	size_t len;
	bool hash; /* # comments */
	bool nested;
	size_t from[MOST], to[MOST]; /* of the statements */
	int n;
};

/* xorshift64: the same files on every machine. */
static unsigned draw(struct maker *m, unsigned n)
{
	m->seed ^= m->seed << 13;
	m->seed ^= m->seed >> 7;
	m->seed ^= m->seed << 17;
	return (unsigned)(m->seed >> 33) % n;
}

static void put(struct maker *m, const char *text)
{
	size_t len = strlen(text);

	assert_true(m->len + len < ROOM);
	memcpy(m->text + m->len, text, len);
	m->len += len;
}

static void put_gap(struct maker *m)
{
	static const char *const gaps[] = {" ",          "\n",          "\t",          " ",
					   "\r\n  ",     " /* ; ' */ ", " -- it's;\n", "\n/**/\n",
					   " -- END;\n", "/* $$ */"};

	if (m->hash && draw(m, 12) == 0)
		put(m, " # it's; \"\n");
	else if (m->nested && draw(m, 12) == 0)
		put(m, " /* one /* two; */ ' */ ");
	else
		put(m, gaps[draw(m, draw(m, 3) ? 4 : 10)]);
}

/* Words and what else must stay together; between them anything may lie. */
static void words(struct maker *m, const char *text)
{
	char part[2] = "";

	for (; *text; text++) {
		part[0] = *text;
		if (*text == ' ')
			put_gap(m);
		else
			put(m, *text == '_' ? " " : part); /* inside quotes */
	}
}

#define PICK(m, list) (list)[draw((m), sizeof(list) / sizeof((list)[0]))]

/* ---- MySQL ---------------------------------------------------------------------------------- */

static void mysql_statement(struct maker *m, int depth);

static void mysql_simple(struct maker *m)
{
	static const char *const all[] = {
		"SELECT 'a;_b' , \"it\\\";_\"",
		"SET @end = IF ( 1 , 2 , 3 )",
		"SET x = CASE WHEN x THEN REPEAT('a',2) ELSE IF(1,2,3) END",
		"INSERT INTO t ( `end` , `;` ) VALUES ( 1 , CASE x WHEN 1 THEN 2 END )",
		"DO SLEEP(0)",
		"SELECT a.end , a.begin , a.if FROM a ORDER BY CASE WHEN 1 THEN 2 END FOR UPDATE",
		"DROP TABLE IF EXISTS t",
		"SET @begin := 5--3",
		"REPLACE INTO t VALUES ( 'END;_BEGIN' , \\N )",
		"CALL p ( ( SELECT ( CASE WHEN 1 THEN ( 2 ) END ) ) )",
	};

	words(m, PICK(m, all));
}

static void mysql_condition(struct maker *m)
{
	static const char *const all[] = {" x > 0 ", " IF(x,1,2) ", " ( a OR b ) AND c ",
					  " CASE x WHEN 1 THEN 2 END = 2 ",
					  " NOT EXISTS ( SELECT 1 ) "};

	words(m, PICK(m, all));
}

static void mysql_list(struct maker *m, int depth)
{
	for (unsigned n = 1 + draw(m, 2); n > 0; n--) {
		put_gap(m);
		mysql_statement(m, depth);
		words(m, "; ");
	}
}

static void mysql_handler(struct maker *m, int depth)
{
	static const char *const all[] = {
		"DECLARE EXIT HANDLER FOR SQLEXCEPTION , SQLWARNING ",
		"DECLARE CONTINUE HANDLER FOR NOT FOUND ",
		"DECLARE EXIT HANDLER FOR SQLSTATE VALUE '42000' , 1050 , gone ",
		"DECLARE UNDO HANDLER FOR SQLSTATE '1' ",
	};

	words(m, "DECLARE i , n INT DEFAULT 0 ; DECLARE c CURSOR FOR SELECT 1 ; ");
	words(m, PICK(m, all));
	mysql_statement(m, depth);
	words(m, "; ");
}

static void mysql_begin(struct maker *m, int depth)
{
	words(m, "BEGIN ");
	if (draw(m, 3) == 0)
		mysql_handler(m, depth);
	if (draw(m, 5) > 0)
		mysql_list(m, depth);
	words(m, "END");
}

static void mysql_if(struct maker *m, int depth)
{
	words(m, "IF ");
	mysql_condition(m);
	words(m, "THEN ");
	mysql_list(m, depth);
	if (draw(m, 2)) {
		words(m, "ELSEIF ");
		mysql_condition(m);
		words(m, "THEN ");
		mysql_list(m, depth);
	}
	if (draw(m, 2)) {
		words(m, "ELSE ");
		mysql_list(m, depth);
	}
	words(m, "END IF");
}

static void mysql_case(struct maker *m, int depth)
{
	words(m, "CASE ");
	if (draw(m, 2))
		mysql_condition(m);
	for (unsigned n = 1 + draw(m, 2); n > 0; n--) {
		words(m, "WHEN ");
		mysql_condition(m);
		words(m, "THEN ");
		mysql_list(m, depth);
	}
	if (draw(m, 2)) {
		words(m, "ELSE ");
		mysql_list(m, depth);
	}
	words(m, "END CASE");
}

static void mysql_loop(struct maker *m, int depth)
{
	static const char *const heads[] = {"LOOP ", "REPEAT ", "FOR i IN 1..3 DO ",
					    "FOR r IN ( SELECT 1 ) DO ", "WHILE "};
	static const char *const ends[] = {"END LOOP", "END REPEAT", "END FOR", "END FOR",
					   "END WHILE"};
	unsigned which = draw(m, 5);
	bool label = draw(m, 2);

	words(m, label ? "l1 : " : "");
	words(m, heads[which]);
	if (which == 4) {
		mysql_condition(m);
		words(m, "DO ");
	}
	mysql_list(m, depth);
	if (which == 1) {
		words(m, "UNTIL ");
		mysql_condition(m);
	}
	words(m, ends[which]);
	words(m, label ? " l1" : "");
}

static void mysql_statement(struct maker *m, int depth)
{
	static void (*const compound[])(struct maker *, int) = {mysql_begin, mysql_if, mysql_case,
								mysql_loop};

	if (depth == 0 || draw(m, 3) == 0)
		mysql_simple(m);
	else
		compound[draw(m, 4)](m, depth - 1);
}

static void mysql_top(struct maker *m)
{
	static const char *const heads[] = {
		"CREATE PROCEDURE p ( a INT , b SET('x','y') ) COMMENT 'c;_BEGIN' ",
		"CREATE OR REPLACE DEFINER = `a`@`b` PROCEDURE IF NOT EXISTS p() READS SQL DATA ",
		"CREATE FUNCTION f() RETURNS CHAR(3) CHARACTER SET utf8mb4 DETERMINISTIC ",
		"CREATE FUNCTION f() RETURNS INT ",
		"CREATE FUNCTION f() RETURNS SET('a','b') NO SQL ",
		"CREATE DEFINER=root@localhost TRIGGER t BEFORE INSERT ON a FOR EACH ROW ",
		"CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW FOLLOWS t1 ",
		"CREATE EVENT e ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01' COMMENT 'DO' DO ",
		"/*!50003_CREATE*/ /*!50017_DEFINER=`a`@`b`*/ "
		"/*!50003_TRIGGER_t_BEFORE_INSERT_ON_a_FOR_EACH_ROW_*/ ",
		"ALTER EVENT e DO ",
	};

	if (draw(m, 3) == 0) {
		mysql_simple(m);
		return;
	}
	if (draw(m, 8) == 0) {
		words(m, "BEGIN NOT ATOMIC ");
		mysql_list(m, 3);
		words(m, "END");
		return;
	}
	words(m, PICK(m, heads));
	mysql_statement(m, 4);
}

/* ---- PostgreSQL ----------------------------------------------------------------------------- */

static void postgresql_expression(struct maker *m, int depth)
{
	static const char *const all[] = {"'a;_\\'",         "E'it\\';_'", "$$;_'$$",
					  "$a$_$b$_;_$_$a$", "\"end;\"",   "a$1$b",
					  "U&'\\0061;'",     "$1",         "x.end"};

	if (depth == 0 || draw(m, 2)) {
		words(m, PICK(m, all));
	} else if (draw(m, 2)) {
		words(m, "( ");
		postgresql_expression(m, depth - 1);
		words(m, " )");
	} else {
		words(m, "CASE WHEN ");
		postgresql_expression(m, depth - 1);
		words(m, " THEN ");
		postgresql_expression(m, depth - 1);
		words(m, " END");
	}
}

static void postgresql_select(struct maker *m)
{
	words(m, "SELECT ");
	postgresql_expression(m, 3);
	words(m, draw(m, 2) ? " AS end" : "");
}

static void postgresql_list(struct maker *m)
{
	for (unsigned n = draw(m, 4); n > 0; n--) {
		postgresql_select(m);
		words(m, " ; ");
	}
}

static void postgresql_top(struct maker *m)
{
	static const char *const heads[] = {
		"CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC ",
		"create or replace procedure begin ( a int DEFAULT 1 ) begin atomic "};

	switch (draw(m, 4)) {
	case 0:
		words(m, PICK(m, heads));
		postgresql_list(m);
		words(m, "END");
		break;
	case 1:
		words(m, "CREATE RULE r AS ON INSERT TO a DO ALSO ( ");
		postgresql_list(m);
		words(m, ")");
		break;
	case 2:
		words(m,
		      "CREATE FUNCTION f() RETURNS int AS $f$_BEGIN_RETURN_1;_END_$f$ LANGUAGE x");
		break;
	default:
		postgresql_select(m);
	}
}

/* ---- SQLite --------------------------------------------------------------------------------- */

static void sqlite_simple(struct maker *m)
{
	static const char *const all[] = {
		"SELECT 'a;_\\' , [b;'] , `c;` , \"END;\"",
		"UPDATE a SET \"end\" = CASE WHEN 1 THEN CASE 2 WHEN 3 THEN 4 END ELSE 5 END",
		"INSERT INTO log VALUES ( new.id , 'x;_END;' )",
		"SELECT 1 AS \"END\"",
	};

	words(m, PICK(m, all));
}

static void sqlite_top(struct maker *m)
{
	static const char *const heads[] = {
		"CREATE TRIGGER t AFTER INSERT ON a BEGIN ",
		"create temp trigger if not exists t update of id on a for each row begin ",
		"EXPLAIN QUERY PLAN CREATE TEMPORARY TRIGGER t DELETE ON a WHEN ( 1 ) BEGIN "};

	if (draw(m, 2)) {
		sqlite_simple(m);
		return;
	}
	words(m, PICK(m, heads));
	for (unsigned n = 1 + draw(m, 3); n > 0; n--) {
		sqlite_simple(m);
		words(m, " ; ");
	}
	words(m, "END");
}

/* ---- files ---------------------------------------------------------------------------------- */

static void make_file(struct maker *m, void (*top)(struct maker *))
{
	int n = (int)draw(m, MOST + 1);

	m->len = 0;
	for (m->n = 0; m->n < n; m->n++) {
		put_gap(m);
		m->from[m->n] = m->len;
		top(m);
		m->to[m->n] = m->len;
		put_gap(m);
		put(m, m->n + 1 < n || draw(m, 2) ? ";" : "");
	}
	put_gap(m);
}

static void check_file(const struct maker *m, const char *dialect)
{
	struct sql_text t = {dialect, 0, m->text, m->len};
	struct dblock_error err;
	struct dbl_statement st;
	struct dbl_split s;
	law broken = check_laws(&t);

	if (broken)
		fail_msg("%s in\n%.*s", broken, (int)m->len, m->text);
	assert_int_equal(begin_split(&s, &t, &err), 0);
	for (int i = 0; i <= m->n; i++) {
		if (dbl_split_next(&s, &st, &err))
			fail_msg("%s in\n%.*s", err.message, (int)m->len, m->text);
		if (i == m->n ? st.text != NULL
			      : st.offset != m->from[i] || st.offset + st.len != m->to[i])
			fail_msg("statement %d is not\n%.*s\nbut\n%.*s\nin\n%.*s", i + 1,
				 i < m->n ? (int)(m->to[i] - m->from[i]) : 0, m->text + m->from[i],
				 (int)st.len, st.text, (int)m->len, m->text);
	}
}

static void check_files(const char *dialect, void (*top)(struct maker *))
{
	static struct maker m;

	m = (struct maker){.seed = 88172645463325252U};
	m.hash = strcmp(dialect, "mysql") == 0;
	m.nested = strcmp(dialect, "postgresql") == 0;
	for (int i = 0; i < FILES; i++) {
		make_file(&m, top);
		check_file(&m, dialect);
	}
}

static void mysql_files_come_back(void **state)
{
	(void)state;
	check_files("mysql", mysql_top);
}

static void postgresql_files_come_back(void **state)
{
	(void)state;
	check_files("postgresql", postgresql_top);
}

static void sqlite_files_come_back(void **state)
{
	(void)state;
	check_files("sqlite", sqlite_top);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mysql_files_come_back),
		cmocka_unit_test(postgresql_files_come_back),
		cmocka_unit_test(sqlite_files_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
