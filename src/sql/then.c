/* SPDX-License-Identifier: MIT */
/* Operations that read, and then write what they have read; what is written besides: see ops.def. */
#include <string.h>

#include "sql/own.h"

/* Copy the texts, as those of a driver last only until its next call. */
static bool keep_texts(struct dbl_db *db, struct dbl_value *row, unsigned n)
{
	size_t at = 0;

	db->kept.len = 0;
	db->kept.failed = false;
	for (unsigned i = 0; i < n; i++) {
		if (row[i].type == DBL_TEXT)
			dbl_str_addn(&db->kept, row[i].text, row[i].len);
	}
	for (unsigned i = 0; i < n && !db->kept.failed; i++) {
		if (row[i].type != DBL_TEXT)
			continue;
		row[i].text = db->kept.text + at;
		at += row[i].len;
	}
	return !db->kept.failed;
}

/* Read the row, to row[0 .. *n-1]. 1: there is one; 0: there is none. */
static int read_row(struct dbl_db *db, const struct dbl_request *request, struct dbl_value *row,
		    unsigned room, unsigned *n, struct dblock_error *err)
{
	struct dbl_stmt *read = db->stmts[request->op][DBL_FIRST];
	int64_t ignored;
	int rc = dbl_db_run_part(db, request, DBL_FIRST, &ignored, err);

	*n = read->columns;
	if (rc == 0 && *n > room)
		rc = dbl_fail(err, DBLOCK_E_BUG, "%u columns are read, %u fit", *n, room);
	if (rc == 0)
		rc = db->head.target->driver->next(read, row, *n, err);
	if (rc == 1 && !keep_texts(db, row, *n))
		rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return rc;
}

/* The write is done: give its integer, and then what was read. */
static int give_row(struct dbl_db *db, struct dbl_request *request, const struct dbl_value *read,
		    struct dblock_error *err)
{
	const char *columns = dbl_ops[request->op].columns;
	struct dbl_value row[DBL_COLUMNS_MAX];
	int rc = db->head.target->driver->next(db->stmts[request->op][DBL_THEN], row, 1, err);

	if (rc == 0)
		rc = dbl_fail(err, DBLOCK_E_UNSURE, "the write gave nothing");
	if (rc < 0)
		return rc;
	memcpy(row + 1, read, (strlen(columns) - 1) * sizeof(*row));
	rc = dbl_db_check_row(row, columns, err);
	request->rows++;
	return rc == 0 && request->row ? request->row(request->ctx, row) : rc;
}

int dbl_db_run_then(struct dbl_db *db, struct dbl_request *request, struct dblock_error *err)
{
	unsigned n = dbl_op_takes(request->op), more;
	struct dbl_value args[DBL_ARGS_MAX];
	int rc;

	request->changed = 0;
	memcpy(args, request->args.list, n * sizeof(*args));
	rc = read_row(db, request, args + n, DBL_ARGS_MAX - n, &more, err);
	if (rc <= 0)
		return rc;
	DBL_COUNT(db->head.target->tally, statements);
	rc = db->head.target->driver->run(db->stmts[request->op][DBL_THEN], args, n + more,
					  &request->changed, err);
	return rc == 0 && request->changed > 0 ? give_row(db, request, args + n, err) : rc;
}

void dbl_db_run_also(struct dbl_db *db, const struct dbl_request *request)
{
	int64_t ignored;

	/* If the connection goes with it, the next call finds that out, before it sends anything. */
	if (request->changed > 0)
		(void)dbl_db_run_part(db, request, DBL_ALSO, &ignored, NULL);
}
