/* SPDX-License-Identifier: MIT */
/* Statements: prepared if possible. Integers are sent as 64-bit integers, all else as text. */
#include <string.h>

#include "base/mem.h"
#include "driver/mysql/stmt.h"

static int no_memory(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

static int failed(const struct dbl_mysql_call *call, const struct dbl_mysql_stmt *stmt,
		  struct dblock_error *err)
{
	return dbl_mysql_call_failed(call, mysql_stmt_errno(stmt->lib),
				     mysql_stmt_sqlstate(stmt->lib), mysql_stmt_error(stmt->lib),
				     err);
}

static void free_stmt(struct dbl_mysql_stmt *stmt)
{
	if (stmt->lib)
		mysql_stmt_close(stmt->lib);
	dbl_mysql_free_columns(stmt);
	dbl_mysql_free_answer(stmt);
	dbl_mysql_text_free(&stmt->text);
	dbl_free(stmt->places);
	dbl_free(stmt);
}

void dbl_mysql_stmts_free(struct dbl_mysql_conn *conn)
{
	while (conn->stmts) {
		struct dbl_mysql_stmt *next = conn->stmts->next;

		free_stmt(conn->stmts);
		conn->stmts = next;
	}
}

void dbl_mysql_forget(struct dbl_stmt *base)
{
	struct dbl_mysql_stmt *stmt = (struct dbl_mysql_stmt *)base;
	struct dbl_mysql_conn *conn = (struct dbl_mysql_conn *)base->conn;
	struct dbl_mysql_stmt **at = &conn->stmts;
	struct dbl_mysql_call call;

	while (*at != stmt)
		at = &(*at)->next;
	*at = stmt->next;
	dbl_mysql_aside_begin(&call, conn);
	free_stmt(stmt);
	dbl_mysql_call_end(&call);
}

static int send_prepare(struct dbl_mysql_stmt *stmt, struct dblock_error *err)
{
	struct dbl_mysql_call call;
	bool done;
	int rc = dbl_mysql_call_begin(&call, stmt->base.conn, false, err);

	if (rc)
		return rc;
	done = mysql_stmt_prepare(stmt->lib, stmt->text.sql, strlen(stmt->text.sql)) == 0;
	dbl_mysql_call_end(&call);
	stmt->plain = !done && dbl_mysql_is_plain(mysql_stmt_errno(stmt->lib));
	if (stmt->plain)
		return 0;
	if (!done)
		return failed(&call, stmt, err);
	if (mysql_stmt_param_count(stmt->lib) != stmt->text.n_places)
		return dbl_fail(err, DBLOCK_E_BUG, "statement: %lu placeholders, not %u",
				mysql_stmt_param_count(stmt->lib), stmt->text.n_places);
	return 0;
}

static int make_stmt(struct dbl_mysql_stmt *stmt, const char *sql, struct dblock_error *err)
{
	struct dbl_mysql_conn *conn = (struct dbl_mysql_conn *)stmt->base.conn;
	int rc;

	if (dbl_mysql_is_empty(sql))
		return dbl_fail(err, DBLOCK_E_BUG, "the statement is empty");
	rc = dbl_mysql_rewrite(sql, &stmt->text, err);
	if (rc)
		return rc;
	stmt->places = dbl_alloc(stmt->text.n_places * sizeof(*stmt->places));
	stmt->lib = mysql_stmt_init(conn->lib);
	if (!stmt->places || !stmt->lib)
		return no_memory(err);
	stmt->plain = dbl_mysql_is_text_only(sql);
	return stmt->plain ? 0 : send_prepare(stmt, err);
}

int dbl_mysql_prepare(struct dbl_conn *base, const char *sql, struct dbl_stmt **out,
		      struct dblock_error *err)
{
	struct dbl_mysql_conn *conn = (struct dbl_mysql_conn *)base;
	struct dbl_mysql_stmt *stmt = dbl_alloc(sizeof(*stmt));
	int rc;

	*out = NULL;
	if (!stmt)
		return no_memory(err);
	stmt->base.conn = base;
	rc = make_stmt(stmt, sql, err);
	if (rc) {
		free_stmt(stmt);
		return rc;
	}
	stmt->next = conn->stmts;
	conn->stmts = stmt;
	*out = &stmt->base;
	return 0;
}

/* The library only reads an argument through its bind, but the types do not say so. */
static void bind_arg(MYSQL_BIND *bind, const struct dbl_value *arg)
{
	union {
		const void *from;
		void *to;
	} data = {.from = arg->type == DBL_INT ? (const void *)&arg->i : arg->text};

	*bind = (MYSQL_BIND){.buffer_type = MYSQL_TYPE_NULL};
	if (arg->type == DBL_NULL)
		return;
	bind->buffer_type = arg->type == DBL_INT ? MYSQL_TYPE_LONGLONG : MYSQL_TYPE_STRING;
	bind->buffer = data.to;
	bind->buffer_length = arg->type == DBL_INT ? sizeof(arg->i) : arg->len;
}

/* All of the statement's round trips. */
static bool execute(struct dbl_mysql_stmt *stmt)
{
	if (mysql_stmt_free_result(stmt->lib) || mysql_stmt_bind_param(stmt->lib, stmt->places) ||
	    mysql_stmt_execute(stmt->lib))
		return false;
	return mysql_stmt_field_count(stmt->lib) == 0 || mysql_stmt_store_result(stmt->lib) == 0;
}

/* A write has no rows (no statement of ours uses MariaDB's RETURNING: that does not tell how many
 * rows changed, and MySQL lacks it); but if it called LAST_INSERT_ID(x), its answer has x. */
static int note_result(struct dbl_mysql_stmt *stmt, int64_t *changed, struct dblock_error *err)
{
	unsigned n = stmt->base.columns = mysql_stmt_field_count(stmt->lib);

	if (n > 0) {
		stmt->rows = DBL_MYSQL_STORED;
		return n == stmt->n_columns || dbl_mysql_make_columns(stmt, n) ? 0 : no_memory(err);
	}
	*changed = (int64_t)mysql_stmt_affected_rows(stmt->lib);
	stmt->token = (int64_t)mysql_stmt_insert_id(stmt->lib);
	stmt->rows = *changed > 0 && stmt->token != 0 ? DBL_MYSQL_TOKEN : DBL_MYSQL_NONE;
	stmt->base.met = stmt->rows == DBL_MYSQL_NONE && stmt->token != 0;
	return 0;
}

int dbl_mysql_run(struct dbl_stmt *base, const struct dbl_value *args, unsigned n, int64_t *changed,
		  struct dblock_error *err)
{
	struct dbl_mysql_stmt *stmt = (struct dbl_mysql_stmt *)base;
	struct dbl_mysql_call call;
	bool done;
	int rc;

	*changed = 0;
	stmt->rows = DBL_MYSQL_NONE;
	if (n < stmt->text.n_args)
		return dbl_fail(err, DBLOCK_E_BUG, "statement: %u arguments, but it has $%u", n,
				stmt->text.n_args);
	if (stmt->plain)
		return dbl_mysql_run_plain(stmt, args, changed, err);
	for (unsigned k = 0; k < stmt->text.n_places; k++)
		bind_arg(&stmt->places[k], &args[stmt->text.order[k]]);
	rc = dbl_mysql_call_begin(&call, base->conn, !base->reads, err);
	if (rc)
		return rc;
	done = execute(stmt);
	dbl_mysql_call_end(&call);
	return done ? note_result(stmt, changed, err) : failed(&call, stmt, err);
}
