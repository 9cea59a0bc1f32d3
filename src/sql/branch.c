/* SPDX-License-Identifier: MIT */
/* A branch of a transaction over several databases, by its name, which is put into the statements: none of them takes
 * arguments. */
#include <string.h>

#include "base/assert.h"
#include "sql/own.h"
#include "sql/tx.h"

int dbl_db_branch(struct dbl_db *db, enum dbl_op op, const char *gtrid, const char *bqual,
		  int64_t deadline, struct dblock_error *err)
{
	const struct dbl_word words[] = {{":gtrid", gtrid}, {":bqual", bqual}, {NULL, NULL}};
	int rc;

	DBL_ASSERT(strspn(gtrid, "0123456789abcdef:dblock") == strlen(gtrid), "%s", gtrid);
	DBL_ASSERT(strspn(bqual, "0123456789abcdef:") == strlen(bqual), "%s", bqual);
	if (op == DBL_OP_branch_end && !db->head.target->dialect->no_branch)
		return 0;
	rc = dbl_db_script_with(db, op, words, deadline, err);
	if (rc)
		dbl_err_prefix(err, "%s", dbl_ops[op].name);
	return rc;
}
