/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/mem.h"
#include "sql/own.h"
#include "sql/tx.h"

/* An adopted connection's transaction may have changed since our last statement. */
bool dbl_db_in_tx(const struct dbl_db *db)
{
	const struct dbl_driver *driver = db->head.target->driver;

	return db->adopted ? driver->state(db->head.conn) != DBL_TX_NONE : db->head.conn->in_tx;
}

static int prepare_text(struct dbl_db *db, const char *text, struct dbl_stmt **stmt,
			struct dblock_error *err)
{
	char *sql = dbl_names_apply(&db->head.target->names, text);
	int rc;

	if (!sql)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = db->head.target->driver->prepare(db->head.conn, sql, stmt, err);
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

/* Prepare the parts from the last to the first: each ends where the next one begins. */
static int prepare_all(struct dbl_db *db, enum dbl_op op, struct dblock_error *err)
{
	static const char *const marks[DBL_PARTS] = {
		"",           "\n-- met\n",    "\n-- else\n", "\n-- then\n",
		"\n-- and\n", "\n-- answer\n", "\n-- also\n"};
	const char *text = db->head.target->dialect->sql[op], *end = text + strlen(text);
	int rc = 0;

	for (int part = DBL_ALSO; rc == 0 && part >= DBL_FIRST; part--) {
		const char *at = strstr(text, marks[part]);

		if (!at)
			continue;
		rc = prepare_part(db, at + strlen(marks[part]), end, &db->stmts[op][part], err);
		end = at;
	}
	return rc;
}

static int prepare(struct dbl_db *db, enum dbl_op op, struct dblock_error *err)
{
	struct dbl_stmt *const *stmts = db->stmts[op];
	int rc;

	/* The first part is prepared last, so if it is there, all are. */
	if (stmts[DBL_FIRST])
		return 0;
	rc = prepare_all(db, op, err);
	if (rc)
		return rc;
	stmts[DBL_FIRST]->reads = dbl_ops[op].kind == DBL_KIND_READ || stmts[DBL_THEN];
	if (stmts[DBL_ANSWER])
		stmts[DBL_ANSWER]->reads = true;
	if (stmts[DBL_MET])
		stmts[DBL_MET]->reads = true;
	return 0;
}

int dbl_db_prepare(struct dbl_db *db, enum dbl_op op, int64_t deadline, struct dblock_error *err)
{
	int rc;

	db->head.conn->deadline = deadline;
	rc = prepare(db, op, err);
	if (rc == 0)
		return 0;
	dbl_url_hide(&db->head.target->url, err);
	dbl_err_prefix(err, "%s", dbl_ops[op].name);
	return rc;
}

static int take_rows(struct dbl_db *db, enum dbl_part part, struct dbl_request *request,
		     struct dblock_error *err)
{
	const struct dbl_op_info *info = &dbl_ops[request->op];
	struct dbl_stmt *stmt = db->stmts[request->op][part];
	struct dbl_value row[DBL_COLUMNS_MAX];
	unsigned n = (unsigned)strlen(info->columns);
	int rc;

	if (n == 0)
		return 0;
	while ((rc = db->head.target->driver->next(stmt, row, n, err)) > 0) {
		rc = dbl_db_check_row(row, info->columns, err);
		request->rows++;
		if (rc == 0 && request->row)
			rc = request->row(request->ctx, row);
		if (rc)
			return rc;
	}
	return rc;
}

/* Nothing was changed: is there no need for the `-- else` part? */
static int is_met(struct dbl_db *db, const struct dbl_request *request, bool *met,
		  struct dblock_error *err)
{
	struct dbl_stmt *const *stmts = db->stmts[request->op];
	struct dbl_value row[1];
	int64_t ignored;
	int rc;

	*met = !stmts[DBL_ELSE] || stmts[DBL_FIRST]->met;
	if (*met || !stmts[DBL_MET])
		return 0;
	rc = dbl_db_run_part(db, request, DBL_MET, &ignored, err);
	if (rc == 0)
		rc = db->head.target->driver->next(stmts[DBL_MET], row, 1, err);
	*met = rc > 0;
	return rc < 0 ? rc : 0;
}

/* Run the operation's statement. *from is the part that has its rows; DBL_PARTS: none has. */
static int run_op(struct dbl_db *db, struct dbl_request *request, enum dbl_part *from,
		  struct dblock_error *err)
{
	bool met = true;
	int64_t ignored;
	int rc = dbl_db_run_part(db, request, DBL_FIRST, &request->changed, err);

	*from = DBL_FIRST;
	if (rc == 0 && request->changed == 0)
		rc = is_met(db, request, &met, err);
	if (rc == 0 && !met) {
		*from = DBL_ELSE;
		rc = dbl_db_run_part(db, request, DBL_ELSE, &request->changed, err);
	}
	if (rc || !db->stmts[request->op][DBL_ANSWER])
		return rc;
	*from = request->changed > 0 ? DBL_ANSWER : DBL_PARTS;
	return request->changed > 0 ? dbl_db_run_part(db, request, DBL_ANSWER, &ignored, err) : 0;
}

/* The read failed, at its beginning or between rows, but the write before it is done. */
static int answer_lost(struct dblock_error *err)
{
	if (err)
		err->code = DBLOCK_E_UNSURE;
	return DBLOCK_E_UNSURE;
}

/* Run two writes in one transaction, the caller's if one is open; the rows are the second's. The
 * rows are kept until the commit: nobody may see what is rolled back. */
static int run_two(struct dbl_db *db, struct dbl_request *request, struct dblock_error *err)
{
	bool alone = !dbl_db_in_tx(db);
	int64_t ignored;
	int rc = alone ? dbl_db_begin(db, request->deadline, err) : 0;

	if (rc)
		return rc;
	rc = dbl_db_run_part(db, request, DBL_FIRST, &request->changed, err);
	if (rc == 0 && request->changed > 0)
		rc = dbl_db_run_part(db, request, DBL_AND, &ignored, err);
	if (alone)
		rc = dbl_db_end(db, rc, request->deadline, err);
	if (rc || request->changed == 0)
		return rc;
	rc = take_rows(db, DBL_AND, request, err);
	return rc && alone ? answer_lost(err) : rc;
}

static int run(struct dbl_db *db, struct dbl_request *request, enum dbl_part *from,
	       struct dblock_error *err)
{
	unsigned takes = dbl_op_takes(request->op);

	if (request->args.n < takes)
		return dbl_fail(err, DBLOCK_E_BUG, "it takes %u arguments, and was given %u", takes,
				request->args.n);
	if (db->stmts[request->op][DBL_THEN])
		return dbl_db_run_then(db, request, err);
	return db->stmts[request->op][DBL_AND] ? run_two(db, request, err)
					       : run_op(db, request, from, err);
}

/* Was it refused because somebody is taking the tables away? See schema_close. */
static bool is_closed(const struct dbl_db *db, const struct dblock_error *err)
{
	return db->head.target->dialect->closed && err &&
	       err->native == db->head.target->dialect->closed;
}

static int refuse_closed(const struct dbl_db *db, struct dblock_error *err)
{
	return dbl_fail_native(err, DBLOCK_E_SCHEMA, db->head.target->dialect->closed,
			       err->sqlstate,
			       "the tables of dblock in %s are closed: 'dblock schema down' is at "
			       "them, or was stopped halfway; run 'dblock schema up' to open them",
			       db->head.target->url.shown);
}

int dbl_db_run(struct dbl_db *db, struct dbl_request *request, struct dblock_error *err)
{
	enum dbl_part from = DBL_PARTS;
	int rc;

	request->rows = 0;
	db->head.conn->deadline = request->deadline;
	rc = prepare(db, request->op, err);
	if (rc == 0)
		rc = run(db, request, &from, err);
	if (rc == 0 && from != DBL_PARTS)
		rc = take_rows(db, from, request, err);
	if (rc == 0 && db->stmts[request->op][DBL_ALSO])
		dbl_db_run_also(db, request);
	if (rc == 0)
		return 0;
	if (is_closed(db, err))
		return refuse_closed(db, err);
	if (from == DBL_ANSWER)
		rc = answer_lost(err);
	dbl_url_hide(&db->head.target->url, err);
	dbl_err_prefix(err, "%s", dbl_ops[request->op].name);
	return rc;
}

void dbl_db_tell(struct dbl_db *db, void (*told)(void *ctx, bool refused, const char *text),
		 void *ctx)
{
	db->head.conn->told = told;
	db->head.conn->told_ctx = ctx;
}

void dbl_db_tick(struct dbl_db *db, void (*tick)(void *ctx), void *ctx)
{
	db->head.conn->tick = tick;
	db->head.conn->tick_ctx = ctx;
}

void dbl_db_copy(struct dbl_db *db, size_t (*copy)(void *ctx, const char **part), void *ctx)
{
	db->head.conn->copy = copy;
	db->head.conn->copy_ctx = ctx;
}

int dbl_db_send(struct dbl_db *db, const char *sql, int64_t deadline, struct dblock_error *err)
{
	int rc;

	db->head.conn->deadline = deadline;
	DBL_COUNT(db->head.target->tally, statements);
	rc = db->head.target->driver->exec(db->head.conn, sql, err);
	if (rc)
		dbl_url_hide(&db->head.target->url, err);
	return rc;
}

int dbl_db_exec(struct dbl_db *db, const char *text, int64_t deadline, struct dblock_error *err)
{
	char *sql = dbl_names_apply(&db->head.target->names, text);
	int rc;

	if (!sql)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = dbl_db_send(db, sql, deadline, err);
	dbl_free(sql);
	return rc;
}

static int run_step(struct dbl_db *db, const char *text, size_t len, const struct dbl_word *words,
		    int64_t deadline, struct dblock_error *err)
{
	char *step = words ? dbl_words_put(text, len, words) : dbl_strndup(text, len);
	int rc = step ? dbl_db_exec(db, step, deadline, err)
		      : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");

	dbl_free(step);
	return rc;
}

int dbl_db_script_with(struct dbl_db *db, enum dbl_op op, const struct dbl_word *words,
		       int64_t deadline, struct dblock_error *err)
{
	static const char mark[] = "\n-- step\n";
	const char *from = db->head.target->dialect->sql[op], *end;
	int rc = 0;

	for (; rc == 0 && from; from = end ? end + sizeof(mark) - 1 : NULL) {
		end = strstr(from, mark);
		rc = run_step(db, from, end ? (size_t)(end - from) : strlen(from), words, deadline,
			      err);
	}
	return rc;
}

/* Is the script to be in a transaction, as only that has our settings behind a pooler? */
static bool needs_tx(const struct dbl_db *db, enum dbl_op op)
{
	bool is_verb = op >= DBL_OP_tx_begin && op <= DBL_OP_tx_look;

	return dbl_db_pooled(db) && !is_verb && !dbl_db_in_tx(db);
}

int dbl_db_script(struct dbl_db *db, enum dbl_op op, int64_t deadline, struct dblock_error *err)
{
	bool alone = needs_tx(db, op);
	int rc = alone ? dbl_db_begin(db, deadline, err) : 0;

	if (rc)
		return rc;
	rc = dbl_db_script_with(db, op, NULL, deadline, err);
	if (alone)
		rc = dbl_db_end(db, rc, deadline, err);
	if (rc)
		dbl_err_prefix(err, "%s", dbl_ops[op].name);
	return rc;
}

int dbl_db_begin(struct dbl_db *db, int64_t deadline, struct dblock_error *err)
{
	return dbl_db_pooled(db) ? dbl_db_start(db, 0, false, deadline, err)
				 : dbl_db_script(db, DBL_OP_tx_begin, deadline, err);
}

int dbl_db_end(struct dbl_db *db, int rc, int64_t deadline, struct dblock_error *err)
{
	if (rc == 0)
		rc = dbl_db_script(db, DBL_OP_tx_commit, deadline, err);
	/* Roll back after a failed COMMIT too: SQLite keeps the transaction open then. Where that
	 * fails, perhaps for want of time, the connection must not be used again: what comes next
	 * would be in that transaction, and never be committed. */
	if (rc && !dbl_db_broken(db) && dbl_db_script(db, DBL_OP_tx_rollback, deadline, NULL))
		db->head.conn->broken = true;
	return rc;
}
