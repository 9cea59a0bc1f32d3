/* SPDX-License-Identifier: MIT */
/* Rows with a version. */
#include <dblock/versioned.h>

#include <strings.h>

#include "api/tx.h"
#include "base/mem.h"
#include "row/optimistic.h"
#include "sql/quote.h"

#define ATTEMPTS_DEFAULT 16

static const char *version_of(const struct dblock_versioned_row *row)
{
	if (row->version)
		return row->version;
	return row->kind == DBLOCK_BY_UPDATED_AT ? "updated_at" : "version";
}

static int check_row(const struct dblock_versioned_row *row, struct dblock_error *err)
{
	if (!row)
		return dbl_fail(err, DBLOCK_E_INVALID, "row is NULL");
	if ((unsigned)row->kind > DBLOCK_BY_UPDATED_AT)
		return dbl_fail(err, DBLOCK_E_INVALID, "kind is %d; see enum dblock_version_kind",
				(int)row->kind);
	if (row->n_key == 0 || row->n_key > DBL_VERSIONED_SET_MAX || !row->key)
		return dbl_fail(err, DBLOCK_E_INVALID, "the key has %zu columns; 1 to %d",
				row->key ? row->n_key : (size_t)0, DBL_VERSIONED_SET_MAX);
	return 0;
}

/* The row as lower floors know it, with space for what is made of its parts. */
struct named {
	struct dbl_versioned row;
	struct dbl_value key[DBLOCK_VALUES_MAX];
	char *schema, *table;
};

/* Read and check the row for all three calls. named_free() is due after a failure, too. */
static int begin(const struct dblock_tx *tx, struct named *ours,
		 const struct dblock_versioned_row *row, const int64_t *version,
		 struct dblock_error *err)
{
	int rc = dbl_tx_check(tx, err);

	ours->schema = ours->table = NULL;
	if (rc == 0 && !version)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "version is NULL");
	if (rc == 0)
		rc = check_row(row, err);
	if (rc == 0)
		rc = dbl_values_read(ours->key, row->key_values, row->n_key, err);
	if (rc == 0)
		rc = dbl_quote_split(row->table, &ours->schema, &ours->table, err);
	if (rc == 0)
		ours->row = (struct dbl_versioned){.schema = ours->schema,
						   .table = ours->table,
						   .key = row->key,
						   .key_values = ours->key,
						   .n_key = (unsigned)row->n_key,
						   .version = version_of(row),
						   .is_time = row->kind == DBLOCK_BY_UPDATED_AT};
	return rc;
}

static int end(struct named *ours, struct dblock_error *to, const struct dblock_error *heard,
	       int rc)
{
	dbl_free(ours->schema);
	dbl_free(ours->table);
	return dbl_tell(to, heard, rc);
}

static int check_columns(const char *const *names, size_t n, size_t most, const char *what,
			 struct dblock_error *err)
{
	if (n > most)
		return dbl_fail(err, DBLOCK_E_INVALID, "%zu %s; at most %zu", n, what, most);
	if (n > 0 && !names)
		return dbl_fail(err, DBLOCK_E_INVALID, "%s: NULL, and n is %zu", what, n);
	return 0;
}

/* ---- read ------------------------------------------------------------------------------------ */

int dblock_versioned_read(struct dblock_tx *tx, const struct dblock_versioned_row *row,
			  const char *const *columns, size_t n,
			  int (*found)(void *arg, const struct dblock_value *values, size_t n),
			  void *arg, int64_t *version, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_reader reader = {found, arg, &heard};
	struct dbl_versioned_columns wanted = {
		.names = columns, .n = (unsigned)n, .found = dbl_values_pass, .ctx = &reader};
	struct named ours;
	int rc = begin(tx, &ours, row, version, &heard);

	if (rc == 0)
		rc = check_columns(columns, n, DBLOCK_VALUES_MAX, "columns", &heard);
	if (rc == 0 && n > 0 && !found)
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "found is NULL, and n is %zu", n);
	if (rc == 0)
		rc = dbl_versioned_read(tx, &ours.row, &wanted, version, &heard);
	return end(&ours, err, &heard, rc);
}

/* ---- update, delete -------------------------------------------------------------------------- */

static int check_set(const struct dbl_versioned *row, const char *const *columns, size_t n,
		     struct dblock_error *err)
{
	int rc = check_columns(columns, n, DBL_VERSIONED_SET_MAX - row->n_key,
			       "columns to set beside those of the key", err);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (columns[i] && strcasecmp(columns[i], row->version) == 0)
			rc = dbl_fail(err, DBLOCK_E_INVALID,
				      "the column '%.80s' is the version, which is set in any case",
				      columns[i]);
	}
	return rc;
}

int dblock_versioned_update(struct dblock_tx *tx, const struct dblock_versioned_row *row,
			    int64_t *version, const char *const *columns,
			    const struct dblock_value *values, size_t n, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_value set[DBLOCK_VALUES_MAX];
	struct dbl_versioned_columns wanted = {.names = columns, .values = set, .n = (unsigned)n};
	struct named ours;
	int rc = begin(tx, &ours, row, version, &heard);

	if (rc == 0)
		rc = check_set(&ours.row, columns, n, &heard);
	if (rc == 0)
		rc = dbl_values_read(set, values, n, &heard);
	if (rc == 0)
		rc = dbl_versioned_update(tx, &ours.row, &wanted, version, &heard);
	return end(&ours, err, &heard, rc);
}

int dblock_versioned_delete(struct dblock_tx *tx, const struct dblock_versioned_row *row,
			    int64_t *version, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct named ours;
	int rc = begin(tx, &ours, row, version, &heard);

	if (rc == 0)
		rc = dbl_versioned_delete(tx, &ours.row, version, &heard);
	return end(&ours, err, &heard, rc);
}

/* ---- run again ------------------------------------------------------------------------------- */

static bool is_stale(int rc)
{
	return rc == DBLOCK_STALE;
}

int dblock_versioned_run(struct dblock_client *client, const struct dblock_tx_options *options,
			 int (*fn)(void *arg, struct dblock_tx *tx, struct dblock_error *err),
			 void *arg, struct dblock_error *err)
{
	struct dblock_error heard = {0};
	struct dbl_run run = {.fn = fn, .arg = arg, .again = is_stale};
	int rc = dbl_client_check(client, &heard);

	if (rc == 0 && !fn)
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "fn is NULL");
	if (rc == 0)
		rc = dbl_run_read(&run, options, client->locks->timeout, &heard);
	if (rc)
		return dbl_tell(err, &heard, rc);
	if (run.attempts == 0)
		run.attempts = ATTEMPTS_DEFAULT;
	rc = dbl_run_tx(&client->pool, client->locks->timeout, &run, &heard);
	if (rc == DBLOCK_STALE)
		dbl_err_suffix(&heard, "; it was run %d times", run.runs);
	return dbl_tell(err, &heard, rc);
}
