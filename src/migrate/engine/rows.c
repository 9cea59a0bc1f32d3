/* SPDX-License-Identifier: MIT */
/*
 * Rows that are inserted one after another go together, in a transaction with one count: a dump has
 * thousands, and each transaction costs a write to the disk. Only INSERT ... VALUES: who cuts an
 * UPDATE, or a copy from another table, into parts wants short transactions.
 */
#include <string.h>
#include <strings.h>

#include "base/sqlscan.h"
#include "migrate/engine/job.h"

enum { ROWS_MAX = 1000, BYTES_MAX = 4 << 20 };

/* Finds the next word that is not quoted from *at on, and moves *at behind it; 0: there is none. */
static size_t next_word(const char **at, const char **word)
{
	const char *from = *at;
	size_t len = 0;

	while (*from && !dbl_sql_is_word(*from)) {
		size_t skip = dbl_sql_skip(from);

		from += skip ? skip : 1;
	}
	while (dbl_sql_is_word(from[len]))
		len++;
	*word = from;
	*at = from + len;
	return len;
}

static bool is(const char *word, size_t len, const char *what)
{
	return len == strlen(what) && strncasecmp(word, what, len) == 0;
}

static bool inserts_values(const struct dbl_statement *statement)
{
	const char *sql = statement->text, *end = sql + statement->len, *word;
	size_t len = next_word(&sql, &word);

	if (!is(word, len, "insert") && !is(word, len, "replace"))
		return false;
	while ((len = next_word(&sql, &word)) > 0 && sql <= end && !is(word, len, "select")) {
		if (is(word, len, "values") || is(word, len, "value"))
			return true;
	}
	return false;
}

static unsigned count_rows(const struct dbl_job *job, unsigned k)
{
	unsigned n = 0;

	for (size_t bytes = 0; n < ROWS_MAX && k + n <= job->pieces->n; n++) {
		const struct dbl_statement *statement = dbl_piece(job->pieces, k + n);

		bytes += statement->len;
		if (bytes > BYTES_MAX || statement->kind != DBL_STATEMENT_ORDINARY ||
		    !inserts_values(statement))
			break;
	}
	return n ? n : 1;
}

/* MySQL keeps rows of some tables when a transaction is rolled back: then none is to hold more than
 * one statement, as they would be inserted twice. */
static int heed_engines(struct dbl_job *job, unsigned k, unsigned *n, struct dblock_error *err)
{
	/* One before it has made what only this session sees, as a temporary table. */
	bool has_things = job->script->makes && job->script->makes < k;
	int64_t keeps = 1;
	int rc = 0;

	if (!has_things)
		rc = dbl_run_lost(job->run, dbl_ask(dbl_run_on(job->run), DBL_OP_migrate_keeps,
						    DBL_NO_ARGS, &keeps, err));
	if (keeps)
		*n = 1;
	return rc;
}

int dbl_job_rows(struct dbl_job *job, unsigned k, unsigned *n, struct dblock_error *err)
{
	*n = k > job->singly ? count_rows(job, k) : 1;
	return *n > 1 && !job->target->dialect->ddl_in_tx ? heed_engines(job, k, n, err) : 0;
}
