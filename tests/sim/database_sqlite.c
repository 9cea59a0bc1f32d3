/* SPDX-License-Identifier: MIT */
/* SQLite's texts on one SQLite in memory. */
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

static struct {
	sqlite3 *db;
	sqlite3_stmt *stmts[DBL_OP_COUNT][PARTS];
	bool gives_wall[DBL_OP_COUNT][PARTS]; /* see `next` in struct dbl_driver */
	struct own own[OWN_MAX];
	bool synced; /* there is a savepoint that stands for the disk */
	const struct mutant_sql *bugs[BUGS_MAX];
	int n_bugs;
} sim;

const char *const database_url = "sqlite:/sim";

/* The simulator's own statements must not fail. */
static void must(int rc, const char *what)
{
	if (rc == SQLITE_OK || rc == SQLITE_ROW || rc == SQLITE_DONE)
		return;
	fprintf(stderr, "sim: %s: %s\n", what, sqlite3_errmsg(sim.db));
	exit(1);
}

/* `sql` has to stay in memory. */
static sqlite3_stmt *prepared(const char *sql)
{
	struct own *own = sim.own;

	while (own->sql && strcmp(own->sql, sql) != 0)
		own++;
	if (own == &sim.own[OWN_MAX - 1]) {
		fprintf(stderr, "sim: more statements of its own than OWN_MAX\n");
		exit(1);
	}
	if (!own->sql)
		must(sqlite3_prepare_v2(sim.db, sql, -1, &own->stmt, NULL), sql);
	own->sql = sql;
	return own->stmt;
}

static void exec(const char *sql)
{
	sqlite3_stmt *stmt = prepared(sql);

	must(sqlite3_step(stmt), sql);
	must(sqlite3_reset(stmt), sql);
}

void database_create(void)
{
	/* There is only one thread, and nobody asks how much memory is in use. */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	must(sqlite3_open(":memory:", &sim.db), "open");
	exec("PRAGMA synchronous=OFF");
	exec("PRAGMA page_size=1024");
}

void database_keep(void)
{
	/* All worlds live inside this one transaction, which is never committed. */
	exec("SAVEPOINT start");
}

void database_reset(void)
{
	exec("ROLLBACK TO start");
	sim.synced = false;
}

void database_begin(void)
{
	exec("SAVEPOINT tx");
}

void database_commit(void)
{
	exec("RELEASE tx");
}

void database_rollback(void)
{
	exec("ROLLBACK TO tx");
	exec("RELEASE tx");
}

void database_sync(void)
{
	if (sim.synced)
		exec("RELEASE synced");
	exec("SAVEPOINT synced");
	sim.synced = true;
}

void database_lose(void)
{
	if (!sim.synced)
		return;
	exec("ROLLBACK TO synced");
	exec("RELEASE synced");
	sim.synced = false;
}

static void forget(int op)
{
	for (int i = 0; i < PARTS; i++) {
		sqlite3_finalize(sim.stmts[op][i]);
		sim.stmts[op][i] = NULL;
	}
}

void database_plant(const struct mutant_sql *bug)
{
	for (int i = 0; i < DBL_OP_COUNT; i++)
		forget(i);
	if (!bug)
		sim.n_bugs = 0;
	else if (sim.n_bugs < BUGS_MAX)
		sim.bugs[sim.n_bugs++] = bug;
}

/* Frees the text, and returns it with the bug in it. If there are several parts, the bug is in all
 * that contain its words: the first part is prepared last. */
static char *with_bug(char *sql, const struct mutant_sql *bug, enum letter_part part)
{
	const char *at = strstr(sql, bug->from);
	char *changed;

	if (!at && (part != PART_FIRST || sim.stmts[bug->op][PART_ELSE]))
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

int database_prepare(enum dbl_op op, enum letter_part part, const char *given)
{
	bool bugged = false;
	char *sql;
	int rc;

	if (sim.stmts[op][part])
		return 0;
	sql = sqlite3_mprintf("%s", given);
	for (int i = 0; i < sim.n_bugs; i++) {
		if (sim.bugs[i]->op != op || part == PART_AND)
			continue;
		sql = with_bug(sql, sim.bugs[i], part);
		bugged = true;
	}
	rc = sqlite3_prepare_v3(sim.db, sql, -1, SQLITE_PREPARE_PERSISTENT, &sim.stmts[op][part],
				NULL);
	sim.gives_wall[op][part] = strstr(sql, "\n-- gives $wall") != NULL;
	if (bugged)
		must(rc, sql);
	sqlite3_free(sql);
	return rc == SQLITE_OK ? 0 : DBLOCK_E_SCHEMA;
}

/* ---- statements ----------------------------------------------------------------------------- */

static struct dbl_value value_of(struct world *w, const struct letter *l, const char *name)
{
	if (strcmp(name, "$wall") == 0)
		return dbl_int(database_wall(w));
	if (strcmp(name, "$boot") == 0)
		return dbl_int(database_now(w));
	if (strcmp(name, "$clock") == 0)
		return dbl_text("server");
	return l->args[atoi(name + 1) - 1];
}

static void bind_all(struct world *w, const struct letter *l, sqlite3_stmt *stmt)
{
	int n = sqlite3_bind_parameter_count(stmt);

	for (int at = 1; at <= n; at++) {
		struct dbl_value v = value_of(w, l, sqlite3_bind_parameter_name(stmt, at));

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

void database_run(struct world *w, struct letter *l)
{
	int64_t before = sqlite3_total_changes64(sim.db);
	int rc;

	if (l->op == LETTER_SCRIPT) {
		rc = sqlite3_exec(sim.db, l->sql, NULL, NULL, NULL);
	} else {
		sqlite3_stmt *stmt = sim.stmts[l->op][l->part];

		bind_all(w, l, stmt);
		rc = step_all(l, stmt);
		sqlite3_reset(stmt);
	}
	l->rc = rc == SQLITE_OK || rc == SQLITE_DONE ? 0 : DBLOCK_E_BUG;
	l->message = l->rc ? sqlite3_errmsg(sim.db) : "";
	if (sqlite3_total_changes64(sim.db) != before)
		l->changed = sqlite3_changes64(sim.db);
	if (l->op != LETTER_SCRIPT && sim.gives_wall[l->op][l->part]) {
		l->columns = 1;
		if (l->changed > 0)
			letter_add_value(l, dbl_int(database_wall(w)));
	}
}

/* ---- questions ------------------------------------------------------------------------------ */

static sqlite3_stmt *ask(struct world *w, const char *sql, const struct dbl_value *args, unsigned n)
{
	struct letter l = {.n = n};
	sqlite3_stmt *stmt = prepared(sql);

	for (unsigned i = 0; i < n; i++)
		l.args[i] = args[i];
	bind_all(w, &l, stmt);
	return stmt;
}

int64_t database_ask(struct world *w, const char *sql)
{
	return database_ask_about(w, sql, NULL, 0);
}

int64_t database_ask_about(struct world *w, const char *sql, const struct dbl_value *args,
			   unsigned n)
{
	sqlite3_stmt *stmt = ask(w, sql, args, n);
	int64_t answer;

	must(sqlite3_step(stmt), sql);
	answer = sqlite3_column_int64(stmt, 0);
	sqlite3_reset(stmt);
	return answer;
}

const char *database_ask_text(struct world *w, const char *sql, char *to, size_t size)
{
	sqlite3_stmt *stmt = ask(w, sql, NULL, 0);
	size_t used = 0;

	*to = '\0';
	while (sqlite3_step(stmt) == SQLITE_ROW && used + 1 < size)
		used += (size_t)snprintf(to + used, size - used, "%s ",
					 (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_reset(stmt);
	return to;
}
