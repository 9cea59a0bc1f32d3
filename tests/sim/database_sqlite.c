/* SPDX-License-Identifier: MIT */
/* SQLite's texts on SQLite in memory: one for each server that there may be. */
#include "sim/database.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/value.h"
#include "sim/mutants/mutants.h"
#include "sim/world.h"

enum { BUGS_MAX = 4, OWN_MAX = 32 };

/* A statement of the simulator, prepared once for all worlds. */
struct own {
	const char *sql;
	sqlite3_stmt *stmt;
};

static struct database {
	sqlite3 *db;
	sqlite3_stmt *stmts[DBL_OP_COUNT][PARTS];
	bool gives_wall[DBL_OP_COUNT][PARTS]; /* see `next` in struct dbl_driver */
	struct own own[OWN_MAX];
	bool synced; /* there is a savepoint that stands for the disk */
} databases[DATABASES_MAX];

static const struct mutant_sql *bugs[BUGS_MAX];
static int n_bugs;

const char *const database_url = "sqlite:/sim";

static struct database *of(const struct server *s)
{
	return &databases[s->database];
}

/* The simulator's own statements must not fail. */
static void must(const struct database *d, int rc, const char *what)
{
	if (rc == SQLITE_OK || rc == SQLITE_ROW || rc == SQLITE_DONE)
		return;
	fprintf(stderr, "sim: %s: %s\n", what, sqlite3_errmsg(d->db));
	exit(1);
}

/* `sql` has to stay in memory. */
static sqlite3_stmt *prepared(struct database *d, const char *sql)
{
	struct own *own = d->own;

	while (own->sql && strcmp(own->sql, sql) != 0)
		own++;
	if (own == &d->own[OWN_MAX - 1]) {
		fprintf(stderr, "sim: more statements of its own than OWN_MAX\n");
		exit(1);
	}
	if (!own->sql)
		must(d, sqlite3_prepare_v2(d->db, sql, -1, &own->stmt, NULL), sql);
	own->sql = sql;
	return own->stmt;
}

static void exec(struct database *d, const char *sql)
{
	sqlite3_stmt *stmt = prepared(d, sql);

	must(d, sqlite3_step(stmt), sql);
	must(d, sqlite3_reset(stmt), sql);
}

void database_create(const struct server *s)
{
	struct database *d = of(s);

	/* There is only one thread, and nobody asks how much memory is in use. */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	must(d, sqlite3_open(":memory:", &d->db), "open");
	exec(d, "PRAGMA synchronous=OFF");
	exec(d, "PRAGMA page_size=1024");
}

void database_keep(const struct server *s)
{
	/* All worlds live inside this one transaction, which is never committed. */
	exec(of(s), "SAVEPOINT start");
}

void database_reset(const struct server *s)
{
	exec(of(s), "ROLLBACK TO start");
	of(s)->synced = false;
}

void database_begin(const struct server *s)
{
	exec(of(s), "SAVEPOINT tx");
}

void database_commit(const struct server *s)
{
	exec(of(s), "RELEASE tx");
}

void database_rollback(const struct server *s)
{
	exec(of(s), "ROLLBACK TO tx");
	exec(of(s), "RELEASE tx");
}

void database_sync(const struct server *s)
{
	if (of(s)->synced)
		exec(of(s), "RELEASE synced");
	exec(of(s), "SAVEPOINT synced");
	of(s)->synced = true;
}

void database_lose(const struct server *s)
{
	if (!of(s)->synced)
		return;
	exec(of(s), "ROLLBACK TO synced");
	exec(of(s), "RELEASE synced");
	of(s)->synced = false;
}

static void forget(struct database *d)
{
	for (int op = 0; op < DBL_OP_COUNT; op++) {
		for (int i = 0; i < PARTS; i++) {
			sqlite3_finalize(d->stmts[op][i]);
			d->stmts[op][i] = NULL;
		}
	}
}

void database_plant(const struct mutant_sql *bug)
{
	for (int i = 0; i < DATABASES_MAX; i++)
		forget(&databases[i]);
	if (!bug)
		n_bugs = 0;
	else if (n_bugs < BUGS_MAX)
		bugs[n_bugs++] = bug;
}

/* Frees the text, and returns it with the bug in it. If there are several parts, the bug is in all
 * that contain its words: the first part is prepared last. */
static char *with_bug(const struct database *d, char *sql, const struct mutant_sql *bug,
		      enum letter_part part)
{
	const char *at = strstr(sql, bug->from);
	char *changed;

	if (!at && (part != PART_FIRST || d->stmts[bug->op][PART_ELSE]))
		return sql;
	if (!at || strstr(at + 1, bug->from)) {
		fprintf(stderr, "sim: '%s' stands not once in: %s\n", bug->from, sql);
		exit(1);
	}
	changed =
		sqlite3_mprintf("%.*s%s%s", (int)(at - sql), sql, bug->to, at + strlen(bug->from));
	sqlite3_free(sql);
	return changed;
}

int database_prepare(const struct server *s, enum dbl_op op, enum letter_part part,
		     const char *given)
{
	struct database *d = of(s);
	bool bugged = false;
	char *sql;
	int rc;

	if (d->stmts[op][part])
		return 0;
	sql = sqlite3_mprintf("%s", given);
	for (int i = 0; i < n_bugs; i++) {
		if (bugs[i]->op != op || part == PART_AND)
			continue;
		sql = with_bug(d, sql, bugs[i], part);
		bugged = true;
	}
	rc = sqlite3_prepare_v3(d->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &d->stmts[op][part],
				NULL);
	d->gives_wall[op][part] = strstr(sql, "\n-- gives $wall") != NULL;
	if (bugged)
		must(d, rc, sql);
	sqlite3_free(sql);
	return rc == SQLITE_OK ? 0 : DBLOCK_E_SCHEMA;
}

/* ---- statements ----------------------------------------------------------------------------- */

static struct dbl_value value_of(const struct letter *l, const char *name)
{
	if (strcmp(name, "$wall") == 0)
		return dbl_int(database_wall(l->to));
	if (strcmp(name, "$boot") == 0)
		return dbl_int(database_now(l->to));
	if (strcmp(name, "$clock") == 0)
		return dbl_text(l->to->world->kind->clock);
	if (strcmp(name, "$server") == 0)
		return dbl_text(l->to->name);
	return l->args[atoi(name + 1) - 1];
}

static void bind_all(const struct letter *l, sqlite3_stmt *stmt)
{
	int n = sqlite3_bind_parameter_count(stmt);

	for (int at = 1; at <= n; at++) {
		struct dbl_value v = value_of(l, sqlite3_bind_parameter_name(stmt, at));

		if (v.type == DBL_INT)
			sqlite3_bind_int64(stmt, at, v.i);
		else if (v.type == DBL_TEXT)
			sqlite3_bind_text(stmt, at, v.text, (int)v.len, SQLITE_STATIC);
		else
			sqlite3_bind_null(stmt, at);
	}
}

static struct dbl_value column(sqlite3_stmt *stmt, int at)
{
	int type = sqlite3_column_type(stmt, at);
	struct dbl_value value = dbl_null();

	if (type == SQLITE_INTEGER)
		return dbl_int(sqlite3_column_int64(stmt, at));
	if (type == SQLITE_NULL)
		return value;
	value.type = DBL_TEXT;
	value.text = (const char *)sqlite3_column_text(stmt, at);
	value.len = (size_t)sqlite3_column_bytes(stmt, at);
	return value;
}

static int step_all(struct letter *l, sqlite3_stmt *stmt)
{
	int rc;

	l->columns = (unsigned)sqlite3_column_count(stmt);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (unsigned i = 0; i < l->columns; i++)
			letter_add_value(l, column(stmt, (int)i));
	}
	return rc;
}

void database_run(struct letter *l)
{
	struct database *d = of(l->to);
	int64_t before = sqlite3_total_changes64(d->db);
	int rc;

	if (l->op == LETTER_SCRIPT) {
		rc = sqlite3_exec(d->db, l->sql, NULL, NULL, NULL);
	} else {
		sqlite3_stmt *stmt = d->stmts[l->op][l->part];

		bind_all(l, stmt);
		rc = step_all(l, stmt);
		sqlite3_reset(stmt);
	}
	l->rc = rc == SQLITE_OK || rc == SQLITE_DONE ? 0 : DBLOCK_E_BUG;
	l->message = l->rc ? sqlite3_errmsg(d->db) : "";
	if (sqlite3_total_changes64(d->db) != before)
		l->changed = sqlite3_changes64(d->db);
	if (l->op != LETTER_SCRIPT && d->gives_wall[l->op][l->part]) {
		l->columns = 1;
		if (l->changed > 0)
			letter_add_value(l, dbl_int(database_wall(l->to)));
	}
}

/* ---- questions ------------------------------------------------------------------------------ */

static sqlite3_stmt *ask(struct server *s, const char *sql, const struct dbl_value *args,
			 unsigned n)
{
	struct letter l = {.n = n, .to = s};
	sqlite3_stmt *stmt = prepared(of(s), sql);

	for (unsigned i = 0; i < n; i++)
		l.args[i] = args[i];
	bind_all(&l, stmt);
	return stmt;
}

int64_t database_ask(struct server *s, const char *sql)
{
	return database_ask_about(s, sql, NULL, 0);
}

int64_t database_ask_about(struct server *s, const char *sql, const struct dbl_value *args,
			   unsigned n)
{
	sqlite3_stmt *stmt = ask(s, sql, args, n);
	int64_t answer;

	must(of(s), sqlite3_step(stmt), sql);
	answer = sqlite3_column_int64(stmt, 0);
	sqlite3_reset(stmt);
	return answer;
}

const char *database_ask_text(struct server *s, const char *sql, char *to, size_t size)
{
	sqlite3_stmt *stmt = ask(s, sql, NULL, 0);
	size_t used = 0;

	*to = '\0';
	while (sqlite3_step(stmt) == SQLITE_ROW && used + 1 < size)
		used += (size_t)snprintf(to + used, size - used, "%s ",
					 (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_reset(stmt);
	return to;
}
