/* SPDX-License-Identifier: MIT */
#include "sql/tx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "sql/own.h"

void *dbl_db_handle(struct dbl_db *db)
{
	return db->head.target->driver->handle(db->head.conn);
}

enum dbl_tx_state dbl_db_state(struct dbl_db *db)
{
	return db->head.target->driver->state(db->head.conn);
}

void dbl_db_give_up(struct dbl_db *db)
{
	db->head.conn->broken = true;
}

/* The time for undoing, as the failed statement may have used up its own. */
#define UNDO_US 5000000LL

/* How often a transaction is begun that meets a limit on time which others have set behind a pooler:
 * the next time it is another session of the server's, or faster. */
#define FRAME_TRIES 20

/* ---- begin ----------------------------------------------------------------------------------- */

/* Behind a pooler the settings go with it: so it may have begun when it was refused. */
static int start_once(struct dbl_db *db, const struct dbl_word *words, int64_t deadline,
		      struct dblock_error *err)
{
	int rc = dbl_db_script_with(db, DBL_OP_tx_start, words, deadline, err);

	if (rc && dbl_db_pooled(db) && dbl_db_in_tx(db))
		(void)dbl_db_end(db, rc, dbl_add(dbl_now(db->head.target->env), UNDO_US), NULL);
	return rc;
}

int dbl_db_start(struct dbl_db *db, int isolation, bool read_only, int64_t deadline,
		 struct dblock_error *err)
{
	static const char *const levels[] = {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"};
	const struct dbl_word words[] = {{":isolation", levels[isolation]},
					 {":access", read_only ? "ONLY" : "WRITE"},
					 {":begin", read_only ? "DEFERRED" : "IMMEDIATE"},
					 {NULL, NULL}};

	int rc, tries = 0;

	do
		rc = start_once(db, words, deadline, err);
	while (rc == DBLOCK_E_CONFLICT && dbl_db_pooled(db) && ++tries < FRAME_TRIES);
	return rc;
}

/* ---- guard ----------------------------------------------------------------------------------- */

/* Has the server ended the transaction? MySQL's error does not say so, but its next answer does. */
static bool has_ended(struct dbl_db *db, int64_t deadline)
{
	if (dbl_db_state(db) == DBL_TX_OPEN)
		(void)dbl_db_script(db, DBL_OP_tx_look, deadline, NULL);
	return dbl_db_state(db) == DBL_TX_NONE;
}

static void say_once(struct dblock_error *err, const char *text)
{
	if (err && !strstr(err->message, text))
		dbl_err_suffix(err, "; %s", text);
}

void dbl_db_tell_end(struct dbl_db *db, struct dblock_error *err)
{
	if (has_ended(db, dbl_add(dbl_now(db->head.target->env), UNDO_US)))
		say_once(err, "the database has rolled the transaction back");
	else if (dbl_db_state(db) == DBL_TX_FAILED)
		say_once(err, "the transaction has failed with it: roll it back");
	else if (dbl_db_state(db) == DBL_TX_LOST)
		say_once(err, "the transaction is lost");
}

/* After a failure, put the transaction back to how it was before. */
static void undo(struct dbl_db *db, struct dblock_error *err)
{
	int64_t deadline = dbl_add(dbl_now(db->head.target->env), UNDO_US);
	enum dbl_tx_state state = dbl_db_state(db);
	struct dblock_error why = {0};

	if (state != DBL_TX_LOST && state != DBL_TX_NONE &&
	    dbl_db_script(db, DBL_OP_tx_undo, deadline, &why) == 0)
		return;
	if (!has_ended(db, deadline))
		dbl_db_give_up(db);
	dbl_db_tell_end(db, err);
	if (*why.message && dbl_db_state(db) == DBL_TX_LOST)
		dbl_err_suffix(err, ": %s", why.message);
}

/* A savepoint is missing where the server has rolled the transaction back and not said so: Galera does, if it was the
 * victim of another node's between two statements. */
static int keep(struct dbl_db *db, int64_t deadline, struct dblock_error *err)
{
	struct dblock_error heard = {0};
	int rc = dbl_db_script(db, DBL_OP_tx_keep, deadline, &heard);

	if (rc == DBLOCK_E_BUG && has_ended(db, deadline))
		heard.code = rc = DBLOCK_E_CONFLICT;
	if (rc && err)
		*err = heard;
	return rc;
}

int dbl_db_guarded(struct dbl_db *db, int (*body)(void *, struct dbl_db *, struct dblock_error *),
		   void *ctx, int64_t deadline, struct dblock_error *err)
{
	int rc = dbl_db_script(db, DBL_OP_tx_guard, deadline, err);

	if (rc == 0) {
		rc = body(ctx, db, err);
		if (rc == 0)
			rc = keep(db, deadline, err);
		if (rc)
			undo(db, err);
	} else {
		/* Without a savepoint nothing was done, but the failure may have ended the
		 * transaction. */
		dbl_db_tell_end(db, err);
	}
	return rc;
}

static bool is_one_statement(const struct dbl_db *db, enum dbl_op op)
{
	for (int part = DBL_FIRST + 1; part < DBL_PARTS; part++) {
		if (db->stmts[op][part])
			return false;
	}
	return true;
}

int dbl_db_run_guarded(struct dbl_db *db, struct dbl_request *request, int64_t ms,
		       struct dblock_error *err)
{
	const char *const *sql = db->head.target->dialect->sql;
	struct dbl_around around = {.before = {{.sql = sql[DBL_OP_tx_guard]}}, .n_before = 1};
	char limit[24];
	int rc;

	snprintf(limit, sizeof(limit), "%" PRId64, ms);
	if (ms) {
		around.before[around.n_before++] = (struct dbl_extra){sql[DBL_OP_tx_enter], limit};
		around.after[around.n_after++] = (struct dbl_extra){.sql = sql[DBL_OP_tx_leave]};
	}
	around.after[around.n_after++] = (struct dbl_extra){.sql = sql[DBL_OP_tx_keep]};
	db->head.conn->around = &around;
	rc = dbl_db_run(db, request, err);
	db->head.conn->around = NULL;
	DBL_ASSERT(is_one_statement(db, request->op), "%s", dbl_ops[request->op].name);
	if (rc && around.begun && !around.done)
		undo(db, err);
	else if (rc)
		dbl_db_tell_end(db, err);
	return rc;
}

static int run_one(struct dbl_db *db, enum dbl_op op, struct dblock_error *err)
{
	struct dbl_value none = {.type = DBL_INT};
	struct dbl_request request = {.op = op, .args = DBL_ARG(none)};

	request.deadline = dbl_add(dbl_now(db->head.target->env), UNDO_US);
	return dbl_ops[op].kind == DBL_KIND_SCRIPT ? dbl_db_script(db, op, request.deadline, err)
						   : dbl_db_run(db, &request, err);
}

int dbl_db_put_back(struct dbl_db *db, enum dbl_op op, struct dblock_error *err)
{
	int rc = 0;

	for (int tries = 0; tries < 2; tries++) {
		if (dbl_db_state(db) == DBL_TX_FAILED || dbl_db_broken(db))
			return rc;
		rc = run_one(db, op, err);
		if (rc == 0)
			return 0;
	}
	if (dbl_db_state(db) != DBL_TX_FAILED)
		dbl_db_give_up(db);
	return rc;
}

/* ---- do row locks last? ---------------------------------------------------------------------- */

static int take_node(void *ctx, const struct dbl_value *row)
{
	((struct dbl_db *)ctx)->node = row[0].i ? DBL_CERTIFIED : DBL_ONE_SERVER;
	return 0;
}

int dbl_db_certified(struct dbl_db *db, bool *certified, int64_t deadline, struct dblock_error *err)
{
	struct dbl_value none = {.type = DBL_INT};
	struct dbl_request request = {.op = DBL_OP_tx_certified,
				      .args = DBL_ARG(none),
				      .row = take_node,
				      .ctx = db,
				      .deadline = deadline};
	int rc = db->node == DBL_NOT_ASKED ? dbl_db_run(db, &request, err) : 0;
	*certified = db->node == DBL_CERTIFIED;
	return rc;
}

/* Whatever else is in the way of the question, say a proxy, it counts as a branch. */
static int ask_branch(struct dbl_db *db, bool *is_one, int64_t deadline, struct dblock_error *err)
{
	struct dblock_error why = {0};
	int rc = dbl_db_script(db, DBL_OP_tx_branch, deadline, &why);

	*is_one = why.native != db->head.target->dialect->no_branch;
	if (rc == 0 || dbl_db_state(db) == DBL_TX_OPEN)
		return 0;
	if (err)
		*err = why;
	return rc;
}

int dbl_db_must_write(struct dbl_db *db, bool plain, bool *must, int64_t deadline,
		      struct dblock_error *err)
{
	int rc;

	*must = false;
	if (!db->head.target->dialect->no_branch)
		return 0;
	rc = dbl_db_certified(db, must, deadline, err);
	/* There are no XA transactions in a cluster. */
	return rc || *must || plain ? rc : ask_branch(db, must, deadline, err);
}

/* ---- statements of the caller's -------------------------------------------------------------- */

static int take_rows(struct dbl_db *db, struct dbl_stmt *stmt, struct dbl_query *query,
		     struct dblock_error *err)
{
	unsigned n = stmt->columns;
	struct dbl_value *row = n ? dbl_alloc(n * sizeof(*row)) : NULL;
	int rc = 0;

	if (n && !row)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	while (n && rc == 0 && (rc = db->head.target->driver->next(stmt, row, n, err)) > 0) {
		query->rows++;
		rc = query->row ? query->row(query->ctx, row, n) : 0;
	}
	dbl_free(row);
	return rc;
}

static int run_prepared(struct dbl_db *db, struct dbl_query *query, struct dblock_error *err)
{
	const struct dbl_driver *driver = db->head.target->driver;
	struct dbl_stmt *stmt;
	int rc = driver->prepare(db->head.conn, query->sql, &stmt, err);

	if (rc)
		return rc;
	stmt->reads = query->reads;
	stmt->passing = true;
	DBL_COUNT(db->head.target->tally, statements);
	rc = driver->run(stmt, query->args, query->n, &query->changed, err);
	if (rc == 0)
		rc = take_rows(db, stmt, query, err);
	driver->forget(stmt);
	return rc;
}

int dbl_db_query(struct dbl_db *db, struct dbl_query *query, struct dblock_error *err)
{
	int rc;

	query->changed = query->rows = 0;
	db->head.conn->deadline = query->deadline;
	rc = run_prepared(db, query, err);
	if (rc >= 0)
		return rc;
	if (rc == DBLOCK_E_BUG)
		rc = DBLOCK_E_REFUSED;
	if (err)
		err->code = rc;
	dbl_url_hide(&db->head.target->url, err);
	return rc;
}
