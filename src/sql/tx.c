/* SPDX-License-Identifier: MIT */
#include "sql/tx.h"

#include <string.h>

#include "base/mem.h"
#include "sql/own.h"
#include "sql/words.h"

void *dbl_db_handle(struct dbl_db *db)
{
	return db->target->driver->handle(db->conn);
}

enum dbl_tx_state dbl_db_state(struct dbl_db *db)
{
	return db->target->driver->state(db->conn);
}

/* ---- begin ----------------------------------------------------------------------------------- */

static int exec_words(struct dbl_db *db, const char *text, size_t len, const struct dbl_word *words,
		      int64_t deadline, struct dblock_error *err)
{
	char *sql = dbl_words_put(text, len, words);
	int rc = sql ? dbl_db_send(db, sql, deadline, err)
		     : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");

	dbl_free(sql);
	return rc;
}

int dbl_db_start(struct dbl_db *db, int isolation, bool read_only, int64_t deadline,
		 struct dblock_error *err)
{
	static const char step[] = "\n-- step\n";
	static const char *const levels[] = {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"};
	const struct dbl_word words[] = {{":isolation", levels[isolation]},
					 {":access", read_only ? "ONLY" : "WRITE"},
					 {":begin", read_only ? "DEFERRED" : "IMMEDIATE"},
					 {NULL, NULL}};
	const char *at = db->target->dialect->sql[DBL_OP_tx_start], *end;
	int rc = 0;

	for (; rc == 0 && at; at = end ? end + sizeof(step) - 1 : NULL) {
		end = strstr(at, step);
		rc = exec_words(db, at, end ? (size_t)(end - at) : strlen(at), words, deadline,
				err);
	}
	return rc;
}

/* ---- guard ----------------------------------------------------------------------------------- */

/* What failed may have used up all the time there was. */
#define UNDO_US 5000000LL

/* MySQL does not say with an error that it has rolled the transaction back: the savepoint is gone.
 * With its next answer it says what is open. */
static bool is_rolled_back(struct dbl_db *db, const struct dblock_error *why, int64_t deadline)
{
	enum { MYSQL_NO_SAVEPOINT = 1305 };

	if (why->native != MYSQL_NO_SAVEPOINT)
		return dbl_db_state(db) == DBL_TX_NONE;
	return dbl_db_script(db, DBL_OP_tx_look, deadline, NULL) == 0;
}

/* After a failure: the transaction as it was. */
static void undo(struct dbl_db *db, struct dblock_error *err)
{
	int64_t deadline = dbl_add(dbl_now(db->target->env), UNDO_US);
	struct dblock_error why = {0};

	if (dbl_db_state(db) == DBL_TX_NONE) {
		dbl_err_suffix(err, "; the database has rolled the transaction back");
		return;
	}
	if (dbl_db_state(db) != DBL_TX_LOST &&
	    dbl_db_script(db, DBL_OP_tx_undo, deadline, &why) == 0)
		return;
	if (is_rolled_back(db, &why, deadline)) {
		dbl_err_suffix(err, "; the database has rolled the transaction back");
		return;
	}
	db->conn->broken = true;
	dbl_err_suffix(err, "; the transaction is lost%s%s", *why.message ? ": " : "", why.message);
}

int dbl_db_guarded(struct dbl_db *db, int (*body)(void *, struct dbl_db *, struct dblock_error *),
		   void *ctx, int64_t deadline, struct dblock_error *err)
{
	int rc = dbl_db_script(db, DBL_OP_tx_guard, deadline, err);

	if (rc == 0) {
		rc = body(ctx, db, err);
		if (rc == 0)
			rc = dbl_db_script(db, DBL_OP_tx_keep, deadline, err);
		if (rc)
			undo(db, err);
	}
	return rc;
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
	while (n && rc == 0 && (rc = db->target->driver->next(stmt, row, n, err)) > 0) {
		query->rows++;
		rc = query->row ? query->row(query->ctx, row, n) : 0;
	}
	dbl_free(row);
	return rc;
}

static int run_prepared(struct dbl_db *db, struct dbl_query *query, struct dblock_error *err)
{
	const struct dbl_driver *driver = db->target->driver;
	struct dbl_stmt *stmt;
	int rc = driver->prepare(db->conn, query->sql, &stmt, err);

	if (rc)
		return rc;
	stmt->reads = query->reads;
	stmt->passing = true;
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
	db->conn->deadline = query->deadline;
	rc = run_prepared(db, query, err);
	if (rc >= 0)
		return rc;
	if (rc == DBLOCK_E_BUG)
		rc = DBLOCK_E_REFUSED;
	if (err)
		err->code = rc;
	dbl_url_hide(&db->target->url, err);
	return rc;
}
