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
	 * a second write. */
	struct dbl_stmt *stmts[DBL_OP_COUNT], *answers[DBL_OP_COUNT], *seconds[DBL_OP_COUNT];
	struct dbl_str batch; /* the arguments of the last one */
};

#endif
