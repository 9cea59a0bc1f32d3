/* SPDX-License-Identifier: MIT */
/* MySQL's texts on the test's real MySQL or MariaDB: all worlds live inside one transaction of one
 * connection, which is never committed. The server's clock is an argument of each text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/url.h"
#include "driver/value.h"
#include "sim/mysql_statement.h"
#include "sim/world.h"
#include "sql/dialect.h"
#include "support/env.h"

enum { OWN_MAX = 32 };

/* A statement of the simulator, prepared once for all worlds. */
struct own {
	const char *sql;
	struct mysql_statement stmt;
};

static struct {
	MYSQL *db;
	struct mysql_statement stmts[DBL_OP_COUNT][PARTS];
	struct own own[OWN_MAX];
	bool kept;   /* the transaction for all worlds has begun */
	bool synced; /* there is a savepoint that stands for the disk */
} sim;

const char *const database_url = "mysql://server/sim";

/* The simulator's own statements must not fail. */
static void must(bool done, const char *what)
{
	if (done)
		return;
	fprintf(stderr, "sim: %s: %s\n", what, mysql_error(sim.db));
	exit(1);
}

static void exec(const char *sql)
{
	must(mysql_query(sim.db, sql) == 0, sql);
}

/* ---- the server ----------------------------------------------------------------------------- */

/* The settings are those of the library's connections, but || is not OR in the checks' questions.
 */
static void settings(void)
{
	const struct dbl_dialect *dialect;
	char *steps, *at;

	must(dbl_dialect_find("mysql", &dialect, NULL) == 0, "the dialect");
	steps = at = strdup(dialect->sql[DBL_OP_setup]);
	while (at) {
		char *end = strstr(at, "\n-- step\n");

		if (end)
			*end = '\0';
		exec(at);
		at = end ? end + strlen("\n-- step\n") : NULL;
	}
	free(steps);
	exec("SET SESSION sql_mode = CONCAT(@@sql_mode, ',PIPES_AS_CONCAT')");
}

void database_create(const struct server *s)
{
	struct dblock_error err = {0};
	struct dbl_url url;

	(void)s;
	if (dbl_url_parse(&url, test_url(), &err) != 0) {
		fprintf(stderr, "sim: %s\n", err.message);
		exit(1);
	}
	sim.db = mysql_init(NULL);
	must(mysql_real_connect(sim.db, NULL, url.user, url.password, url.path, 0,
				dbl_url_param(&url, "socket"), 0) != NULL,
	     "connect");
	dbl_url_free(&url);
	settings();
}

void database_keep(const struct server *s)
{
	(void)s;
	exec("START TRANSACTION");
	exec("SAVEPOINT start");
	sim.kept = true;
}

void database_reset(const struct server *s)
{
	(void)s;
	exec("ROLLBACK TO SAVEPOINT start");
	sim.synced = false;
}

void database_begin(const struct server *s)
{
	(void)s;
	exec(sim.kept ? "SAVEPOINT tx" : "START TRANSACTION");
}

void database_commit(const struct server *s)
{
	(void)s;
	exec(sim.kept ? "RELEASE SAVEPOINT tx" : "COMMIT");
}

void database_rollback(const struct server *s)
{
	(void)s;
	exec(sim.kept ? "ROLLBACK TO SAVEPOINT tx" : "ROLLBACK");
}

void database_sync(const struct server *s)
{
	(void)s;
	exec("SAVEPOINT synced");
	sim.synced = true;
}

void database_lose(const struct server *s)
{
	(void)s;
	if (!sim.synced)
		return;
	exec("ROLLBACK TO SAVEPOINT synced");
	exec("RELEASE SAVEPOINT synced");
	sim.synced = false;
}

/* ---- statements ----------------------------------------------------------------------------- */

int database_prepare(const struct server *s, enum dbl_op op, enum letter_part part, const char *sql)
{
	enum { NO_SUCH_TABLE = 1146 };
	struct mysql_statement *stmt = &sim.stmts[op][part];
	unsigned rc = stmt->lib ? 0 : mysql_statement_prepare(sim.db, stmt, sql);

	(void)s;
	must(rc == 0 || rc == NO_SUCH_TABLE, sql);
	return rc ? DBLOCK_E_SCHEMA : 0;
}

/* Tells the history at once what the client learns later, or puts together: the rows of an answer;
 * and, behind the integer that a write gives, what it has written. */
static void look_ahead(struct letter *l)
{
	struct mysql_statement *answer = &sim.stmts[l->op][PART_ANSWER];
	unsigned columns = l->columns;

	if (l->part == PART_FIRST && answer->lib && l->changed > 0) {
		l->n_values = 0;
		must(mysql_statement_run(answer, l), "an answer");
		return;
	}
	for (unsigned i = dbl_op_takes(l->op); l->part == PART_THEN && columns && i < l->n; i++)
		letter_add_value(l, l->args[i]);
}

void database_run(struct letter *l)
{
	struct mysql_statement *stmt = l->op == LETTER_SCRIPT ? NULL : &sim.stmts[l->op][l->part];
	bool done = stmt ? mysql_statement_run(stmt, l) : mysql_query(sim.db, l->sql) == 0;

	l->rc = done ? 0 : DBLOCK_E_BUG;
	l->message = "";
	if (!done)
		l->message = stmt ? mysql_stmt_error(stmt->lib) : mysql_error(sim.db);
	else if (stmt)
		look_ahead(l);
}

/* ---- questions ------------------------------------------------------------------------------ */

/* `sql` has to stay in memory. */
static struct mysql_statement *prepared(const char *sql)
{
	struct own *own = sim.own;

	while (own->sql && strcmp(own->sql, sql) != 0)
		own++;
	must(own != &sim.own[OWN_MAX - 1], "more statements of our own than OWN_MAX");
	must(own->sql || mysql_statement_prepare(sim.db, &own->stmt, sql) == 0, sql);
	own->sql = sql;
	return &own->stmt;
}

static struct letter *ask(struct server *s, const char *sql, const struct dbl_value *args,
			  unsigned n)
{
	struct letter *l = letter_new();

	l->to = s;
	if (n > 0)
		memcpy(l->args, args, n * sizeof(*args));
	must(mysql_statement_run(prepared(sql), l), sql);
	return l;
}

int64_t database_ask(struct server *s, const char *sql)
{
	return database_ask_about(s, sql, NULL, 0);
}

int64_t database_ask_about(struct server *s, const char *sql, const struct dbl_value *args,
			   unsigned n)
{
	struct letter *l = ask(s, sql, args, n);
	struct dbl_value row[1];
	int64_t answer = 0;

	if (letter_next(l, row, 1))
		answer = row[0].type == DBL_TEXT ? strtoll(row[0].text, NULL, 10) : row[0].i;
	letter_drop(l);
	return answer;
}

const char *database_ask_text(struct server *s, const char *sql, char *to, size_t size)
{
	struct letter *l = ask(s, sql, NULL, 0);
	struct dbl_value row[1];
	size_t used = 0;

	*to = '\0';
	while (letter_next(l, row, 1) && used + 1 < size)
		used += (size_t)snprintf(to + used, size - used, "%.*s ", (int)row[0].len,
					 row[0].text);
	letter_drop(l);
	return to;
}
