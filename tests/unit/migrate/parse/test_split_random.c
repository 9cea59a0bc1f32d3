/* SPDX-License-Identifier: MIT */
/*
 * Files made of known statements: each is written by a small grammar of its dialect, with blanks
 * and comments strewn in, and must come back as it was written. No server is needed to tell where
 * such a statement ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "split_files.h"
#include "split_maker.h"
#include "support/split_token_laws.h"

enum { FILES = 3000 };

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
	int n = (int)draw(m, MAKER_STATEMENTS + 1);

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
	struct sql_text t = {dialect, m->text, m->len};
	struct dblock_error err;
	struct dbl_statement st;
	struct dbl_split s;
	law broken = check_laws(&t);

	if (!broken)
		broken = check_tokens(&t);
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
