/* SPDX-License-Identifier: MIT */
/* Changes the history, one row at a time. Each change names what it changes from. */
#include <string.h>

#include <dblock/version.h>

#include "driver/value.h"
#include "migrate/history/history.h"

static struct dbl_value text_or_null(const char *text)
{
	return *text ? dbl_text(text) : dbl_null();
}

static const char *kind(const struct dbl_past *row)
{
	return row->baseline ? "baseline" : "sql";
}

/* Runs a change of one row, and fails if no row was changed. */
static int change(struct dbl_runner on, enum dbl_op op, struct dbl_args args,
		  struct dblock_error *err)
{
	struct dbl_request request = {.op = op, .args = args, .deadline = on.deadline};
	int rc = on.run(on.on, &request, err);

	if (rc == 0 && request.changed == 0)
		return dbl_fail(err, DBLOCK_E_CONFLICT, "another process is at it");
	return rc;
}

int dbl_history_claim(struct dbl_runner on, const struct dbl_past *row, struct dblock_error *err)
{
	return change(on, DBL_OP_migration_claim,
		      DBL_ARGS_OF(dbl_text(on.scope), dbl_int(row->version), dbl_text(row->name),
				  dbl_text(kind(row)), dbl_text(dbl_row_state_text(row->state)),
				  dbl_text(row->checksum), dbl_int(row->steps), dbl_int(row->done),
				  dbl_text(row->by), dbl_text("dblock " DBLOCK_VERSION_STRING),
				  dbl_text(row->token_checksum)),
		      err);
}

static int forget(struct dbl_runner on, const struct dbl_past *seen, struct dblock_error *err)
{
	return change(on, DBL_OP_migration_delete,
		      DBL_ARGS_OF(dbl_text(on.scope), dbl_int(seen->version),
				  dbl_text(dbl_row_state_text(seen->state)), dbl_int(seen->begun),
				  dbl_int(seen->done), dbl_text(seen->by)),
		      err);
}

/* Whether nothing changes: MySQL counts only rows that are different afterwards as changed. */
static bool is_same(const struct dbl_past *a, const struct dbl_past *b)
{
	return a->state == b->state && a->baseline == b->baseline && a->steps == b->steps &&
	       a->begun == b->begun && a->done == b->done &&
	       strcmp(a->checksum, b->checksum) == 0 &&
	       strcmp(a->token_checksum, b->token_checksum) == 0 &&
	       strcmp(a->prefix, b->prefix) == 0 && strcmp(a->error, b->error) == 0 &&
	       strcmp(a->by, b->by) == 0;
}

int dbl_history_move(struct dbl_runner on, const struct dbl_past *seen, const struct dbl_past *to,
		     struct dblock_error *err)
{
	if (!to)
		return forget(on, seen, err);
	if (is_same(seen, to))
		return 0;
	return change(on, DBL_OP_migration_move,
		      DBL_ARGS_OF(dbl_text(on.scope), dbl_int(seen->version),
				  dbl_text(dbl_row_state_text(to->state)), dbl_text(kind(to)),
				  dbl_text(to->checksum), dbl_int(to->steps), dbl_int(to->begun),
				  dbl_int(to->done), text_or_null(to->prefix),
				  text_or_null(to->error), dbl_text(to->by),
				  dbl_text(dbl_row_state_text(seen->state)), dbl_int(seen->begun),
				  dbl_int(seen->done), dbl_text(seen->by),
				  dbl_text(to->token_checksum)),
		      err);
}
