/* SPDX-License-Identifier: MIT */
#include "bare.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <mysql.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "driver/mysql/placeholder.h"

enum { BARE_ACQUIRE, BARE_ACQUIRE_NEW, BARE_RELEASE, BARE_NOTHING, BARE_STATEMENTS };

enum { ARGS_MAX = 16 };

void bare_die(const char *what, const char *why)
{
	fprintf(stderr, "pair_cost: %s: %s\n", what, why);
	exit(1);
}

/* One of the library's statements, on a connection of its own. */
struct bare {
	const struct dbl_target *target;
	PGconn *pg;
	MYSQL *my;
	sqlite3 *lite;
	struct statement {
		const char *name;
		sqlite3_stmt *lite;
		MYSQL_STMT *my;
		struct dbl_mysql_text text;
	} statements[BARE_STATEMENTS];
};

static const char *const names[BARE_STATEMENTS] = {"acquire", "acquire_new", "release", "nothing"};

static const char mark_else[] = "\n-- else\n";

static const char *text_of(const struct dbl_target *target, int k)
{
	const char *acquire = target->dialect->sql[DBL_OP_acquire], *other;

	if (k == BARE_NOTHING)
		return "SELECT 1";
	if (k == BARE_RELEASE)
		return target->dialect->sql[DBL_OP_release];
	other = strstr(acquire, mark_else);
	return k == BARE_ACQUIRE_NEW && other ? other + strlen(mark_else) : acquire;
}

static void bare_prepare(struct bare *bare, const struct dbl_target *target, int k)
{
	struct statement *s = &bare->statements[k];
	char *sql = dbl_names_apply(&target->names, text_of(target, k));
	char *end = strstr(sql, mark_else), *met = strstr(sql, "\n-- met\n");

	if (met)
		end = met;
	if (end)
		*end = '\0';
	s->name = names[k];
	if (bare->pg)
		PQclear(PQprepare(bare->pg, s->name, sql, 0, NULL));
	if (bare->lite)
		sqlite3_prepare_v2(bare->lite, sql, -1, &s->lite, NULL);
	if (bare->my) {
		dbl_mysql_rewrite(sql, &s->text, NULL);
		s->my = mysql_stmt_init(bare->my);
		mysql_stmt_prepare(s->my, s->text.sql, strlen(s->text.sql));
	}
}

static void bare_open_mysql(struct bare *bare, const struct dbl_url *url)
{
	bare->my = mysql_init(NULL);
	if (!mysql_real_connect(bare->my, url->host, url->user, url->password, url->path, 0,
				dbl_url_param(url, "socket"), 0))
		bare_die(url->shown, mysql_error(bare->my));
}

struct bare *bare_open(const struct dbl_target *target)
{
	const struct dbl_url *url = &target->url;
	struct bare *bare = calloc(1, sizeof(*bare));

	bare->target = target;
	if (strcmp(target->dialect->name, "sqlite") == 0) {
		if (sqlite3_open(url->path, &bare->lite) != SQLITE_OK)
			bare_die(url->shown, sqlite3_errmsg(bare->lite));
		sqlite3_exec(bare->lite, "PRAGMA synchronous=NORMAL", NULL, NULL, NULL);
	} else if (strcmp(target->dialect->name, "postgresql") == 0) {
		bare->pg = PQconnectdb(url->whole);
		PQclear(PQexec(bare->pg, target->dialect->sql[DBL_OP_setup]));
	} else {
		bare_open_mysql(bare, url);
	}
	for (int k = 0; k < BARE_STATEMENTS; k++)
		bare_prepare(bare, target, k);
	return bare;
}

void bare_close(struct bare *bare)
{
	for (int k = 0; k < BARE_STATEMENTS; k++) {
		sqlite3_finalize(bare->statements[k].lite);
		if (bare->my)
			mysql_stmt_close(bare->statements[k].my);
	}
	PQfinish(bare->pg);
	sqlite3_close(bare->lite);
	if (bare->my)
		mysql_close(bare->my);
	free(bare);
}

static int64_t run_pg(const struct bare *bare, const struct statement *s,
		      const struct dbl_value *args, int n)
{
	char numbers[ARGS_MAX][24];
	const char *texts[ARGS_MAX] = {NULL};
	PGresult *result;
	int64_t token = 0;

	for (int i = 0; i < n; i++) {
		if (args[i].type == DBL_INT)
			snprintf(numbers[i], sizeof(numbers[i]), "%" PRId64, args[i].i);
		texts[i] = args[i].type == DBL_INT ? numbers[i] : args[i].text;
	}
	result = PQexecPrepared(bare->pg, s->name, n, texts, NULL, NULL, 0);
	if (PQresultStatus(result) != PGRES_TUPLES_OK && PQresultStatus(result) != PGRES_COMMAND_OK)
		bare_die(s->name, PQerrorMessage(bare->pg));
	if (PQntuples(result))
		token = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
	PQclear(result);
	return token;
}

static int64_t run_lite(const struct dbl_target *target, const struct statement *s,
			const struct dbl_value *args, int n)
{
	static struct dbl_host host;
	int64_t token = 0;
	struct dbl_value all[ARGS_MAX + 3];
	static const char *const ours[] = {"$wall", "$boot", "$clock"};

	if (!host.pid)
		dbl_host_read(&host);
	for (int i = 0; i < n; i++)
		all[i] = args[i];
	all[n] = (struct dbl_value){.type = DBL_INT, .i = dbl_wall(target->env)};
	all[n + 1] = (struct dbl_value){.type = DBL_INT, .i = dbl_now(target->env)};
	all[n + 2] =
		(struct dbl_value){.type = DBL_TEXT, .text = host.clock, .len = strlen(host.clock)};
	for (int i = 0; i < n + 3; i++) {
		char number[8];
		int at;

		snprintf(number, sizeof(number), "$%d", i + 1);
		at = sqlite3_bind_parameter_index(s->lite, i < n ? number : ours[i - n]);
		if (all[i].type == DBL_INT)
			sqlite3_bind_int64(s->lite, at, all[i].i);
		else if (all[i].type == DBL_TEXT)
			sqlite3_bind_text(s->lite, at, all[i].text, (int)all[i].len, SQLITE_STATIC);
	}
	while (sqlite3_step(s->lite) == SQLITE_ROW)
		token = sqlite3_column_int64(s->lite, 0);
	if (sqlite3_reset(s->lite) != SQLITE_OK)
		bare_die(s->name, sqlite3_errmsg(sqlite3_db_handle(s->lite)));
	if (sqlite3_column_count(s->lite) == 0 && sqlite3_changes(sqlite3_db_handle(s->lite)))
		token = all[n].i; /* a column that gives $wall */
	return token;
}

static int64_t run_mysql(const struct statement *s, const struct dbl_value *args)
{
	MYSQL_BIND binds[64] = {{0}};

	for (unsigned k = 0; k < s->text.n_places; k++) {
		const struct dbl_value *arg = &args[s->text.order[k]];
		union {
			const void *from;
			void *to;
		} data = {.from = arg->type == DBL_INT ? (const void *)&arg->i : arg->text};

		binds[k].buffer_type = arg->type == DBL_INT    ? MYSQL_TYPE_LONGLONG
				       : arg->type == DBL_TEXT ? MYSQL_TYPE_STRING
							       : MYSQL_TYPE_NULL;
		binds[k].buffer = data.to;
		binds[k].buffer_length = arg->len;
	}
	if (mysql_stmt_bind_param(s->my, binds) || mysql_stmt_execute(s->my))
		bare_die("statement", mysql_stmt_error(s->my));
	if (mysql_stmt_field_count(s->my)) {
		mysql_stmt_store_result(s->my);
		mysql_stmt_free_result(s->my);
	}
	return (int64_t)mysql_stmt_insert_id(s->my);
}

static int64_t run(struct bare *bare, int k, const struct dbl_value *args, int n)
{
	const struct statement *s = &bare->statements[k];

	if (bare->pg)
		return run_pg(bare, s, args, n);
	return bare->lite ? run_lite(bare->target, s, args, n) : run_mysql(s, args);
}

static struct dbl_value of_text(const char *text)
{
	return (struct dbl_value){.type = DBL_TEXT, .text = text, .len = strlen(text)};
}

static struct dbl_value of_int(int64_t i)
{
	return (struct dbl_value){.type = DBL_INT, .i = i};
}

int64_t bare_acquire(struct bare *bare, const char *name, const char *session, int64_t nonce)
{
	const char *shape = dbl_ops[DBL_OP_acquire].args;
	struct dbl_value args[ARGS_MAX] = {{DBL_NULL, 0, NULL, 0}};
	int n = (int)strlen(shape);
	int64_t token;

	/* An argument that is not set here may be NULL or 0. */
	for (int i = 0; i < n; i++)
		args[i] = shape[i] == 'i' ? of_int(0) : shape[i] == 't' ? of_text("") : args[i];
	args[0] = of_text(name);
	args[1] = of_int(nonce);
	args[2] = of_text(session);
	token = run(bare, BARE_ACQUIRE, args, n);
	if (!token)
		token = run(bare, BARE_ACQUIRE_NEW, args, n);
	if (!token)
		bare_die("bare acquire", "no token");
	return token;
}

void bare_release(struct bare *bare, const char *name, int64_t token, int64_t nonce)
{
	struct dbl_value args[] = {of_text(name), of_int(token), of_int(nonce)};

	run(bare, BARE_RELEASE, args, 3);
}

void bare_nothing(struct bare *bare)
{
	run(bare, BARE_NOTHING, NULL, 0);
}
