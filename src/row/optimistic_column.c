/* SPDX-License-Identifier: MIT */
/* Finds whether a column is fit for a version, and what version is in it. */
#include <inttypes.h>
#include <stdio.h>

#include "driver/value.h"
#include "row/optimistic_own.h"

struct column {
	int64_t form, largest;
	bool is_there, has_largest;
	char type[64];
};

static int keep_column(void *ctx, const struct dbl_value *row)
{
	struct column *column = ctx;

	column->is_there = true;
	snprintf(column->type, sizeof(column->type), "%.*s", (int)row[0].len, row[0].text);
	column->form = row[1].i;
	column->has_largest = row[2].type == DBL_INT;
	column->largest = row[2].i;
	return 0;
}

static int look_up(const struct dbl_optimistic *call, struct dbl_db *db, struct column *column,
		   struct dblock_error *err)
{
	const struct dbl_versioned *row = call->row;
	const struct dbl_value args[] = {dbl_text(row->schema ? row->schema : ""),
					 dbl_text(row->table), dbl_text(row->version)};
	struct dbl_request request = {.op = DBL_OP_optimistic_column,
				      .args = DBL_ARGS(args),
				      .row = keep_column,
				      .ctx = column,
				      .deadline = call->deadline};
	int rc = dbl_db_run(db, &request, err);

	if (rc || column->is_there)
		return rc;
	return dbl_fail(err, DBLOCK_E_SCHEMA, "there is no table '%.80s' with a column '%.80s'",
			row->table, row->version);
}

/* Fails for times that are coarser than microseconds, as two updates could have the same time. */
int dbl_version_check_time(struct dbl_optimistic *call, struct dbl_db *db, struct dblock_error *err)
{
	struct column column = {0};
	int rc = call->row->is_time ? look_up(call, db, &column, err) : 0;

	call->form = (unsigned)column.form;
	if (rc || !call->row->is_time || column.form)
		return rc;
	return dbl_fail(err, DBLOCK_E_SCHEMA,
			"the column '%.80s' is of type %s, which has no microseconds: two updates "
			"could have the same time, and one be lost; make it timestamp with time "
			"zone (PostgreSQL), or DATETIME(6) (MySQL)",
			call->row->version, column.type);
}

/* Whether the version is the largest value of an integer type of fewer than 64 bits. */
static bool may_be_largest(int64_t version)
{
	static const int64_t largest[] = {INT8_MAX,      UINT8_MAX,     INT16_MAX, UINT16_MAX,
					  (1 << 23) - 1, (1 << 24) - 1, INT32_MAX, UINT32_MAX};

	for (size_t i = 0; i < sizeof(largest) / sizeof(largest[0]); i++) {
		if (version == largest[i])
			return true;
	}
	return false;
}

/* Fails if the column cannot hold the next version, since not every database refuses it: SQLite
 * goes on with a float, MySQL keeps the old value. */
int dbl_version_check_largest(const struct dbl_optimistic *call, struct dbl_db *db,
			      struct dblock_error *err)
{
	int64_t old = *call->version;
	struct column column = {0};
	int rc = 0;

	if (call->row->is_time)
		return 0;
	if (may_be_largest(old))
		rc = look_up(call, db, &column, err);
	if (rc || (old != INT64_MAX && (!column.has_largest || old < column.largest)))
		return rc;
	return dbl_fail(err, DBLOCK_E_REFUSED,
			"the version %" PRId64 " is the largest that the column '%.80s' can hold",
			old, call->row->version);
}

int dbl_version_take(const struct dbl_optimistic *call, const struct dbl_value *value,
		     int64_t *version, struct dblock_error *err)
{
	if (value->type == DBL_INT) {
		*version = value->i;
		return 0;
	}
	if (value->type == DBL_TEXT)
		return dbl_fail(err, DBLOCK_E_SCHEMA,
				"the version in '%.80s' is not an integer; make the column one of "
				"64 bits",
				call->row->version);
	return dbl_fail(err, DBLOCK_E_SCHEMA,
			call->row->is_time
				? "the time in '%.80s' is NULL, or has not the form of an integer "
				  "of microseconds or 'YYYY-MM-DD HH:MM:SS.ffffff'"
				: "the version in '%.80s' is NULL; give every row one, and "
				  "declare the column NOT NULL",
			call->row->version);
}
