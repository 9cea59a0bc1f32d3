/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "sql/own.h"

/* On a connection that was adopted it may have changed since our last statement. */
bool dbl_db_in_tx(const struct dbl_db *db)
{
	const struct dbl_driver *driver = db->target->driver;

	return db->adopted ? driver->state(db->conn) != DBL_TX_NONE : db->conn->in_tx;
}

unsigned dbl_db_error_at(const struct dbl_db *db)
{
	return db->conn->error_at;
}

bool dbl_db_broken(const struct dbl_db *db)
{
	return db->conn->broken;
}

int64_t dbl_db_backend(const struct dbl_db *db)
{
	return db->conn->backend;
}

static int prepare_text(struct dbl_db *db, const char *text, struct dbl_stmt **stmt,
			struct dblock_error *err)
{
	char *sql = dbl_names_apply(&db->target->names, text);
	int rc;

	if (!sql)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = db->target->driver->prepare(db->conn, sql, stmt, err);
	dbl_free(sql);
	return rc;
}

static int prepare_part(struct dbl_db *db, const char *from, const char *end,
			struct dbl_stmt **stmt, struct dblock_error *err)
{
	char *text = *stmt ? NULL : dbl_strndup(from, (size_t)(end - from));
	int rc;

	if (*stmt)
		return 0;
	if (!text)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = prepare_text(db, text, stmt, err);
	dbl_free(text);
	return rc;
}

/* What stands behind the mark in an operation's text, up to *end, prepared; what goes before it
 * ends there. */
static int prepare_after(struct dbl_db *db, const char *text, const char *mark,
			 struct dbl_stmt **stmt, const char **end, struct dblock_error *err)
{
	const char *at = strstr(text, mark), *from = *end;

	if (!at)
		return 0;
	*end = at;
	return prepare_part(db, at + strlen(mark), from, stmt, err);
}

static int prepare_all(struct dbl_db *db, enum dbl_op op, struct dblock_error *err)
{
	const char *text = db->target->dialect->sql[op], *end = text + strlen(text);
	int rc = prepare_after(db, text, "\n-- answer\n", &db->answers[op], &end, err);

	if (rc == 0)
		rc = prepare_after(db, text, "\n-- and\n", &db->seconds[op], &end, err);
	if (rc == 0)
		rc = prepare_after(db, text, "\n-- then\n", &db->thens[op], &end, err);
	if (rc == 0)
		rc = prepare_after(db, text, "\n-- else\n", &db->elses[op], &end, err);
	if (rc == 0)
		rc = prepare_after(db, text, "\n-- met\n", &db->mets[op], &end, err);
	if (rc)
		return rc;
	if (db->answers[op])
		db->answers[op]->reads = true;
	if (db->mets[op])
		db->mets[op]->reads = true;
	return prepare_part(db, text, end, &db->stmts[op], err);
}

static int prepare(struct dbl_db *db, enum dbl_op op, struct dblock_error *err)
{
	int rc = db->stmts[op] ? 0 : prepare_all(db, op, err);

	if (rc == 0)
		db->stmts[op]->reads = dbl_ops[op].kind == DBL_KIND_READ || db->thens[op];
	return rc;
}

int dbl_db_prepare(struct dbl_db *db, enum dbl_op op, int64_t deadline, struct dblock_error *err)
{
	int rc;

	db->conn->deadline = deadline;
	rc = prepare(db, op, err);
	if (rc == 0)
		return 0;
	dbl_url_hide(&db->target->url, err);
	dbl_err_prefix(err, "%s", dbl_ops[op].name);
	return rc;
}

static bool fits(char column, const struct dbl_value *value)
{
	if (value->type == DBL_NULL)
		return isupper((unsigned char)column);
	return value->type == (tolower((unsigned char)column) == 'i' ? DBL_INT : DBL_TEXT);
}

int dbl_db_check_row(const struct dbl_value *row, const char *columns, struct dblock_error *err)
{
	for (unsigned i = 0; columns[i]; i++) {
		if (!fits(columns[i], &row[i]))
			return dbl_fail(err, DBLOCK_E_SCHEMA,
					"column %u of the answer is of an unexpected type: the "
					"tables are of another shape than dblock's",
					i + 1);
	}
	return 0;
}

static int take_rows(struct dbl_db *db, struct dbl_stmt *stmt, struct dbl_request *request,
		     struct dblock_error *err)
{
	const struct dbl_op_info *info = &dbl_ops[request->op];
	struct dbl_value row[DBL_COLUMNS_MAX];
	unsigned n = (unsigned)strlen(info->columns);
	int rc;

	if (n == 0)
		return 0;
	while ((rc = db->target->driver->next(stmt, row, n, err)) > 0) {
		rc = dbl_db_check_row(row, info->columns, err);
		request->rows++;
		if (rc == 0 && request->row)
			rc = request->row(request->ctx, row);
		if (rc)
			return rc;
	}
	return rc;
}

/* Nothing was changed: is that all there is to say? */
static int is_met(struct dbl_db *db, const struct dbl_request *request, bool *met,
		  struct dblock_error *err)
{
	const struct dbl_driver *driver = db->target->driver;
	struct dbl_stmt *read = db->mets[request->op];
	struct dbl_value row[1];
	int64_t ignored;
	int rc;

	*met = !db->elses[request->op] || db->stmts[request->op]->met;
	if (*met || !read)
		return 0;
	rc = driver->run(read, request->args.list, dbl_op_takes(request->op), &ignored, err);
	if (rc == 0)
		rc = driver->next(read, row, 1, err);
	*met = rc > 0;
	return rc < 0 ? rc : 0;
}

/* Run the operation's statement; *from is what has its rows, NULL if there are none. */
static int run_op(struct dbl_db *db, struct dbl_request *request, struct dbl_stmt **from,
		  struct dblock_error *err)
{
	const struct dbl_driver *driver = db->target->driver;
	const struct dbl_value *args = request->args.list;
	unsigned n = dbl_op_takes(request->op);
	struct dbl_stmt *answer = db->answers[request->op];
	int64_t ignored;
	bool met = true;
	int rc;

	*from = db->stmts[request->op];
	rc = driver->run(*from, args, n, &request->changed, err);
	if (rc == 0 && request->changed == 0)
		rc = is_met(db, request, &met, err);
	if (rc == 0 && !met) {
		*from = db->elses[request->op];
		rc = driver->run(*from, args, n, &request->changed, err);
	}
	if (rc || !answer)
		return rc;
	*from = request->changed > 0 ? answer : NULL;
	return *from ? driver->run(answer, args, n, &ignored, err) : 0;
}

/* It was a read that failed, at its beginning or between rows, but what went before it is done. */
static int answer_lost(struct dblock_error *err)
{
	if (err)
		err->code = DBLOCK_E_UNSURE;
	return DBLOCK_E_UNSURE;
}

/* Two writes in one transaction, the caller's if there is one; the rows are the second's. They are
 * kept until it is committed: nobody is to hear of what is rolled back. */
static int run_two(struct dbl_db *db, struct dbl_request *request, struct dblock_error *err)
{
	const struct dbl_driver *driver = db->target->driver;
	const struct dbl_value *args = request->args.list;
	unsigned n = dbl_op_takes(request->op);
	struct dbl_stmt *second = db->seconds[request->op];
	bool alone = !dbl_db_in_tx(db);
	int64_t ignored;
	int rc = alone ? dbl_db_begin(db, request->deadline, err) : 0;

	if (rc)
		return rc;
	rc = driver->run(db->stmts[request->op], args, n, &request->changed, err);
	if (rc == 0 && request->changed > 0)
		rc = driver->run(second, args, n, &ignored, err);
	if (alone)
		rc = dbl_db_end(db, rc, request->deadline, err);
	if (rc || request->changed == 0)
		return rc;
	rc = take_rows(db, second, request, err);
	return rc && alone ? answer_lost(err) : rc;
}

static int run(struct dbl_db *db, struct dbl_request *request, struct dbl_stmt **from,
	       struct dblock_error *err)
{
	unsigned takes = dbl_op_takes(request->op);

	if (request->args.n < takes)
		return dbl_fail(err, DBLOCK_E_BUG, "it takes %u arguments, and was given %u", takes,
				request->args.n);
	if (db->thens[request->op])
		return dbl_db_run_then(db, request, err);
	return db->seconds[request->op] ? run_two(db, request, err)
					: run_op(db, request, from, err);
}

/* The tables are about to be taken away: see schema_close. */
static bool is_closed(const struct dbl_db *db, const struct dblock_error *err)
{
	return db->target->dialect->closed && err && err->native == db->target->dialect->closed;
}

static int refuse_closed(const struct dbl_db *db, struct dblock_error *err)
{
	return dbl_fail_native(err, DBLOCK_E_SCHEMA, db->target->dialect->closed, err->sqlstate,
			       "the tables of dblock in %s are closed: 'dblock schema down' is at "
			       "them, or was stopped halfway; run 'dblock schema up' to open them",
			       db->target->url.shown);
}

int dbl_db_run(struct dbl_db *db, struct dbl_request *request, struct dblock_error *err)
{
	struct dbl_stmt *from = NULL;
	bool answers;
	int rc;

	request->rows = 0;
	db->conn->deadline = request->deadline;
	rc = prepare(db, request->op, err);
	if (rc == 0)
		rc = run(db, request, &from, err);
	answers = from && from == db->answers[request->op];
	if (rc == 0 && !answers)
		return from ? take_rows(db, from, request, err) : 0;
	if (rc == 0)
		rc = take_rows(db, from, request, err);
	if (rc == 0)
		return 0;
	if (is_closed(db, err))
		return refuse_closed(db, err);
	if (answers)
		rc = answer_lost(err);
	dbl_url_hide(&db->target->url, err);
	dbl_err_prefix(err, "%s", dbl_ops[request->op].name);
	return rc;
}

int dbl_db_send(struct dbl_db *db, const char *sql, int64_t deadline, struct dblock_error *err)
{
	int rc;

	db->conn->deadline = deadline;
	rc = db->target->driver->exec(db->conn, sql, err);
	if (rc)
		dbl_url_hide(&db->target->url, err);
	return rc;
}

int dbl_db_exec(struct dbl_db *db, const char *text, int64_t deadline, struct dblock_error *err)
{
	char *sql = dbl_names_apply(&db->target->names, text);
	int rc;

	if (!sql)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = dbl_db_send(db, sql, deadline, err);
	dbl_free(sql);
	return rc;
}

int dbl_db_script(struct dbl_db *db, enum dbl_op op, int64_t deadline, struct dblock_error *err)
{
	static const char mark[] = "\n-- step\n";
	const char *from = db->target->dialect->sql[op];
	int rc = 0;

	while (rc == 0 && from) {
		const char *end = strstr(from, mark);
		char *step = end ? dbl_strndup(from, (size_t)(end - from)) : dbl_strdup(from);

		rc = step ? dbl_db_exec(db, step, deadline, err)
			  : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
		dbl_free(step);
		from = end ? end + sizeof(mark) - 1 : NULL;
	}
	if (rc)
		dbl_err_prefix(err, "%s", dbl_ops[op].name);
	return rc;
}

int dbl_db_begin(struct dbl_db *db, int64_t deadline, struct dblock_error *err)
{
	return dbl_db_script(db, DBL_OP_tx_begin, deadline, err);
}

int dbl_db_end(struct dbl_db *db, int rc, int64_t deadline, struct dblock_error *err)
{
	if (rc == 0)
		rc = dbl_db_script(db, DBL_OP_tx_commit, deadline, err);
	/* After a failed COMMIT too: SQLite keeps the transaction open then. Where it cannot be
	 * rolled back, perhaps only because no time is left to say so, the connection must not be
	 * used again: what comes next would be part of it, and never be committed. */
	if (rc && !dbl_db_broken(db) && dbl_db_script(db, DBL_OP_tx_rollback, deadline, NULL))
		db->conn->broken = true;
	return rc;
}
