/* SPDX-License-Identifier: MIT */
/* Inside src/sql: what a connection is made of. */
#ifndef DBL_SQL_OWN_H
#define DBL_SQL_OWN_H

#include "base/str.h"
#include "sql/db.h"

struct dbl_db {
	const struct dbl_target *target;
	struct dbl_conn *conn;
	bool adopted;
	/* Prepared at first use: the statement, and what comes after it where it has an answer, or
	 * a second write, or writes what the first has read, or is not all there is to try. */
	struct dbl_stmt *stmts[DBL_OP_COUNT], *answers[DBL_OP_COUNT], *seconds[DBL_OP_COUNT],
		*thens[DBL_OP_COUNT], *mets[DBL_OP_COUNT], *elses[DBL_OP_COUNT];
	struct dbl_str kept;  /* texts that were read, until they are written */
	struct dbl_str batch; /* the arguments of the last one */
};

/* db.c: a row as it must be; DBLOCK_E_SCHEMA. */
int dbl_db_check_row(const struct dbl_value *row, const char *columns, struct dblock_error *err);

/* then.c: run an operation that reads, and then writes what it has read. */
int dbl_db_run_then(struct dbl_db *, struct dbl_request *, struct dblock_error *err);

#endif
