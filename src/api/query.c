/* SPDX-License-Identifier: MIT */
/* Values, and the caller's statements. */
#include "api/tx.h"

int dbl_values_read(struct dbl_value *ours, const struct dblock_value *given, size_t n,
		    struct dblock_error *err)
{
	static const enum dbl_type types[] = {
		[DBLOCK_NULL] = DBL_NULL, [DBLOCK_INT] = DBL_INT, [DBLOCK_TEXT] = DBL_TEXT};

	if (n > DBLOCK_VALUES_MAX)
		return dbl_fail(err, DBLOCK_E_INVALID, "%zu values; at most %d", n,
				DBLOCK_VALUES_MAX);
	if (n > 0 && !given)
		return dbl_fail(err, DBLOCK_E_INVALID, "values is NULL, and n is %zu", n);
	for (size_t i = 0; i < n; i++) {
		if ((unsigned)given[i].type > DBLOCK_TEXT ||
		    (given[i].type == DBLOCK_TEXT && !given[i].text && given[i].len > 0))
			return dbl_fail(err, DBLOCK_E_INVALID, "value %zu: type or text is wrong",
					i + 1);
		ours[i] = (struct dbl_value){.type = types[given[i].type],
					     .i = given[i].i,
					     .text = given[i].text,
					     .len = given[i].len};
	}
	return 0;
}

int dbl_values_pass(void *ctx, const struct dbl_value *row, unsigned n)
{
	static const enum dblock_type types[] = {
		[DBL_NULL] = DBLOCK_NULL, [DBL_INT] = DBLOCK_INT, [DBL_TEXT] = DBLOCK_TEXT};
	struct dblock_value values[DBLOCK_VALUES_MAX];
	struct dbl_reader *reader = ctx;

	if (n > DBLOCK_VALUES_MAX)
		return dbl_fail(reader->err, DBLOCK_E_INVALID, "rows of %u columns; at most %d", n,
				DBLOCK_VALUES_MAX);
	for (unsigned i = 0; i < n; i++)
		values[i] = (struct dblock_value){types[row[i].type], row[i].i, row[i].text,
						  row[i].len};
	return reader->row(reader->arg, values, n);
}

int dblock_tx_query(struct dblock_tx *tx, const char *sql, const struct dblock_value *values,
		    size_t n, int64_t *changed,
		    int (*row)(void *arg, const struct dblock_value *row, size_t n), void *arg,
		    struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_value ours[DBLOCK_VALUES_MAX];
	struct dbl_reader reader = {row, arg, &heard};
	struct dbl_query query = {.sql = sql, .args = ours, .n = (unsigned)n, .ctx = &reader};
	int rc = dbl_tx_check(tx, &heard);

	if (changed)
		*changed = 0;
	if (rc == 0 && !sql)
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "sql is NULL");
	if (rc == 0)
		rc = dbl_values_read(ours, values, n, &heard);
	if (rc)
		return dbl_tell(err, &heard, rc);
	query.row = row ? dbl_values_pass : NULL;
	query.deadline = dbl_tx_deadline(tx);
	tx->used = true;
	rc = dbl_db_query(tx->db, &query, &heard);
	if (changed)
		*changed = query.changed;
	return dbl_tell(err, &heard, rc);
}
