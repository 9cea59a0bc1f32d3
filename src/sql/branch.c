/* SPDX-License-Identifier: MIT */
/* A branch of a transaction over several databases, by its name, which is put into the statements: none of them takes
 * arguments. */
#include <string.h>

#include "base/assert.h"
#include "driver/value.h"
#include "sql/own.h"
#include "sql/tx.h"

static bool is_xa(const struct dbl_db *db)
{
	return db->head.target->dialect->no_branch != 0;
}

int dbl_db_branch(struct dbl_db *db, enum dbl_op op, const char *gtrid, const char *bqual,
		  int64_t deadline, struct dblock_error *err)
{
	const struct dbl_word words[] = {{":gtrid", gtrid}, {":bqual", bqual}, {NULL, NULL}};
	int rc;

	DBL_ASSERT(strspn(gtrid, "0123456789abcdef:dblock") == strlen(gtrid), "%s", gtrid);
	DBL_ASSERT(strspn(bqual, "0123456789abcdef:") == strlen(bqual), "%s", bqual);
	if (op == DBL_OP_branch_end && !is_xa(db))
		return 0;
	rc = dbl_db_script_with(db, op, words, deadline, err);
	/* What the server does not prepare is the caller's: a NOTIFY, a temporary table; or it has no branches: Galera. */
	if (rc == DBLOCK_E_BUG && (op == DBL_OP_branch_prepare || op == DBL_OP_branch_begin))
		rc = DBLOCK_E_INVALID;
	if (rc && err)
		err->code = rc;
	if (rc)
		dbl_err_prefix(err, "%s", dbl_ops[op].name);
	return rc;
}

/* ER_XAER_RMERR: what MySQL says to who may not see them. */
enum { NOT_SHOWN = 1401 };

int dbl_db_branch_list(struct dbl_db *db, int (*row)(void *, const struct dbl_value *), void *ctx,
		       int64_t deadline, struct dblock_error *err)
{
	struct dblock_error heard = {0};
	struct dbl_request request = {
		.op = DBL_OP_branch_list, .row = row, .ctx = ctx, .deadline = deadline};
	int rc = dbl_db_run(db, &request, &heard);

	if (rc && heard.native == NOT_SHOWN && is_xa(db))
		return dbl_fail(err, DBLOCK_E_DENIED,
				"XA RECOVER, by which prepared transactions are seen, is denied: "
				"it needs the privilege XA_RECOVER_ADMIN");
	if (rc && err)
		*err = heard;
	return rc;
}

/* ER_WARNING_NOT_COMPLETE_ROLLBACK: the server knows by a flag of the transaction's, and says so at each rollback. */
enum { NOT_ROLLED_BACK = 1196 };

static int take_warning(void *ctx, const struct dbl_value *row)
{
	*(bool *)ctx |= row[1].i == NOT_ROLLED_BACK;
	return 0;
}

int dbl_db_branch_check(struct dbl_db *db, int64_t deadline, struct dblock_error *err)
{
	bool warned = false;
	struct dbl_request request = {.op = DBL_OP_branch_warned,
				      .row = take_warning,
				      .ctx = &warned,
				      .deadline = deadline};
	int rc = is_xa(db) ? dbl_db_script(db, DBL_OP_branch_probe, deadline, err) : 0;

	if (rc == 0 && is_xa(db))
		rc = dbl_db_run(db, &request, err);
	if (rc == 0 && warned)
		rc = dbl_fail(
			err, DBLOCK_E_INVALID,
			"it has written a table that keeps no transactions (it is not InnoDB: "
			"MyISAM, Aria, MEMORY), which stays written");
	return rc;
}
