/* SPDX-License-Identifier: MIT */
/* Locking rows: what is the same on every database. */
#include "row/rows_own.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

/* ---- names ----------------------------------------------------------------------------------- */

static int add_column(struct dbl_rows_names *names, const struct dbl_dialect *dialect,
		      const char *column, struct dblock_error *err)
{
	struct dbl_str text = {0};
	int rc;

	dbl_str_add(&text, names->table);
	dbl_str_add(&text, ".");
	rc = dbl_quote_name(&text, dialect, "column", column, err);
	names->columns[names->n] = dbl_str_take(&text);
	if (rc == 0 && !names->columns[names->n])
		rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	names->n++;
	return rc;
}

static int quote_bare(struct dbl_rows_names *names, const struct dbl_dialect *dialect,
		      const char *table, struct dblock_error *err)
{
	const char *dot = strchr(table, '.');
	struct dbl_str text = {0};
	int rc = dbl_quote_name(&text, dialect, "table", dot ? dot + 1 : table, err);

	names->bare = dbl_str_take(&text);
	return rc || names->bare ? rc : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

int dbl_rows_names_init(struct dbl_rows_names *names, const struct dblock_tx *tx, const char *table,
			const char *const *key, unsigned n_key, const char *const *columns,
			unsigned n_columns, struct dblock_error *err)
{
	const struct dbl_dialect *dialect = tx->target->dialect;
	struct dbl_str text = {0};
	int rc = dbl_quote_table(&text, dialect, table, err);

	*names = (struct dbl_rows_names){.table = dbl_str_take(&text), .n_key = n_key};
	if (rc == 0 && !names->table)
		rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	if (rc == 0)
		rc = quote_bare(names, dialect, table, err);
	for (unsigned i = 0; rc == 0 && i < n_key; i++)
		rc = add_column(names, dialect, key[i], err);
	for (unsigned i = 0; rc == 0 && i < n_columns; i++)
		rc = add_column(names, dialect, columns[i], err);
	return rc;
}

void dbl_rows_names_free(struct dbl_rows_names *names)
{
	for (unsigned i = 0; i < names->n; i++)
		dbl_free(names->columns[i]);
	dbl_free(names->table);
	dbl_free(names->bare);
}

void dbl_rows_list(struct dbl_str *to, const struct dbl_rows_names *names, unsigned from,
		   unsigned end, const char *between)
{
	for (unsigned i = from; i < end; i++) {
		dbl_str_add(to, i > from ? between : "");
		dbl_str_add(to, names->columns[i]);
	}
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool is_deadlock(const struct dblock_error *err)
{
	enum { MYSQL_DEADLOCK = 1213 };

	return err->native == MYSQL_DEADLOCK || strcmp(err->sqlstate, "40P01") == 0;
}

/* Stopped by a limit that was set for the statement: MariaDB's max_statement_time, PostgreSQL's
 * statement_timeout. A limit of the caller's own strikes sooner than ours. */
static bool is_late(const struct dbl_rows_job *job, const struct dblock_error *err)
{
	enum { MARIADB_LATE = 1969 };

	return (err->native == MARIADB_LATE || strcmp(err->sqlstate, "57014") == 0) &&
	       dbl_now(job->tx->target->env) >= job->until;
}

static int outcome_of(const struct dbl_rows_job *job, int rc, const struct dblock_error *err)
{
	if (rc == DBLOCK_E_LOCKED)
		return job->wait == DBL_ROW_WAIT ? DBLOCK_TIMEOUT : DBLOCK_BUSY;
	if (rc == DBLOCK_E_CONFLICT && is_deadlock(err))
		return DBLOCK_DEADLOCK;
	if (rc == DBLOCK_E_TIMEOUT && is_late(job, err))
		return DBLOCK_TIMEOUT;
	return rc;
}

int dbl_rows_query(struct dbl_rows_job *job, char *sql, const struct dbl_value *args, unsigned n,
		   int (*row)(void *, const struct dbl_value *, unsigned), void *ctx,
		   struct dblock_error *err)
{
	struct dbl_query query = {.sql = sql,
				  .args = args,
				  .n = n,
				  .reads = true, /* a lock goes with its connection */
				  .row = row,
				  .ctx = ctx,
				  .deadline = job->deadline};
	int rc;

	if (!sql)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = dbl_db_query(job->db, &query, err);
	dbl_free(sql);
	if (rc && !job->called)
		err->code = rc = outcome_of(job, rc, err);
	return rc;
}

int dbl_rows_set(struct dbl_rows_job *job, enum dbl_op op, int64_t number, struct dblock_error *err)
{
	struct dbl_value arg = {.type = DBL_INT, .i = number};
	struct dbl_request request = {
		.op = op, .args = DBL_ARG(arg), .deadline = dbl_tx_deadline(job->tx)};

	return dbl_db_run(job->db, &request, err);
}

/* ---- what the states come to ----------------------------------------------------------------- */

static unsigned count_state(const struct dbl_rows *rows, int state, unsigned *first)
{
	unsigned n = 0;

	for (unsigned i = rows->n; i-- > 0;) {
		if (rows->states[i] == state) {
			*first = i;
			n++;
		}
	}
	return n;
}

static void add_value(struct dblock_error *err, const struct dbl_value *value)
{
	enum { SHOWN = 60 };

	if (value->type == DBL_INT)
		dbl_err_suffix(err, "%" PRId64, value->i);
	else
		dbl_err_suffix(err, "'%.*s'", (int)(value->len < SHOWN ? value->len : SHOWN),
			       value->len ? value->text : "");
}

/* "row 2 (id = 7)": the row as the caller counts, from 0. */
static int fail_row(const struct dbl_rows *rows, unsigned at, int code, const char *why,
		    struct dblock_error *err)
{
	dbl_fail(err, code, "%.100s, row %u (", rows->table, at);
	for (unsigned i = 0; i < rows->n_key; i++) {
		dbl_err_suffix(err, "%s%.63s = ", i ? ", " : "", rows->key[i]);
		add_value(err, &rows->keys[at * rows->n_key + i]);
	}
	dbl_err_suffix(err, ") %s", why);
	return code;
}

int dbl_rows_verdict(const struct dbl_rows_job *job, struct dblock_error *err)
{
	const struct dbl_rows *rows = job->rows;
	unsigned first, busy = count_state(rows, DBLOCK_BUSY, &first);

	if (rows->wait == DBL_ROW_SKIP && count_state(rows, DBLOCK_OK, &first) > 0)
		return 0;
	if (busy > 0 && rows->wait == DBL_ROW_SKIP)
		return dbl_fail(err, DBLOCK_BUSY,
				"%.100s: every row that is there is locked by somebody else",
				rows->table);
	if (count_state(rows, DBLOCK_GONE, &first) > 0)
		return fail_row(rows, first, DBLOCK_GONE, "is not there", err);
	if (count_state(rows, DBLOCK_BUSY, &first) > 0)
		return fail_row(rows, first, DBLOCK_BUSY, "is locked by somebody else", err);
	return 0;
}

/* ---- a call ---------------------------------------------------------------------------------- */

typedef int rows_way(void *, struct dbl_db *, struct dblock_error *);

static int refuse_strength(const struct dbl_rows *rows, enum dbl_row_locks locks,
			   struct dblock_error *err)
{
	if (rows->strength == DBL_FOR_UPDATE || locks == DBL_ROWS_AS_RESULT)
		return 0;
	if (locks == DBL_ROWS_AS_FILE)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"SQLite has one lock for the whole file, for one writer: ask for "
				"DBLOCK_FOR_UPDATE");
	if (rows->strength == DBL_FOR_SHARE)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"MySQL and MariaDB lock a row as a whole: ask for DBLOCK_FOR_UPDATE or "
			"DBLOCK_FOR_SHARE");
}

/* The connection ends a statement at its deadline, and itself with it: so that comes later than
 * what the server does by itself, and never where nothing is known of that. */
static void set_times(struct dbl_rows_job *job, int64_t timeout)
{
	int64_t now = dbl_now(job->tx->target->env), grace = job->tx->timeout;

	job->timeout = job->wait == DBL_ROW_WAIT ? timeout : 0;
	job->until = job->timeout ? dbl_add(now, job->timeout) : DBL_NEVER;
	job->deadline = dbl_add(job->wait == DBL_ROW_WAIT ? job->until : now, grace);
}

static int run_guarded(struct dbl_rows_job *job, const char *table, rows_way *const ways[],
		       struct dblock_error *err)
{
	rows_way *way = ways[job->tx->target->dialect->row_locks];

	int rc;

	job->db = job->tx->db;
	job->tx->used = true;
	rc = dbl_tx_guarded(job->tx, way, job, job->deadline, err);
	if (job->called)
		return rc;
	if (rc == DBLOCK_TIMEOUT)
		dbl_err_prefix(err, "%.100s: a row was not free in time", table);
	/* That it does not, the guard has said. */
	if ((rc == DBLOCK_DEADLOCK || rc == DBLOCK_E_CONFLICT) &&
	    dbl_db_state(job->db) == DBL_TX_OPEN)
		dbl_err_suffix(err, "; the transaction goes on, without these locks: roll it back "
				    "and run it again");
	return rc;
}

int dbl_rows_lock(struct dblock_tx *tx, const struct dbl_rows *rows, struct dblock_error *err)
{
	static rows_way *const ways[] = {
		[DBL_ROWS_AS_RESULT] = dbl_rows_lock_result,
		[DBL_ROWS_AS_SCANNED] = dbl_rows_lock_scanned,
		[DBL_ROWS_AS_FILE] = dbl_rows_lock_file,
	};
	struct dbl_rows_job job = {.tx = tx, .rows = rows, .wait = rows->wait};
	int rc = refuse_strength(rows, tx->target->dialect->row_locks, err);

	for (unsigned i = 0; i < rows->n; i++)
		rows->states[i] = DBLOCK_WAITING;
	if (rc == 0)
		rc = dbl_rows_names_init(&job.names, tx, rows->table, rows->key, rows->n_key, NULL,
					 0, err);
	set_times(&job, rows->timeout);
	if (rc == 0)
		rc = run_guarded(&job, rows->table, ways, err);
	dbl_rows_names_free(&job.names);
	return rc;
}

/* ---- take ------------------------------------------------------------------------------------ */

int dbl_rows_hand(void *ctx, const struct dbl_value *row, unsigned n)
{
	struct dbl_rows_job *job = ctx;
	int rc;

	job->wanted->taken++;
	rc = job->wanted->row ? job->wanted->row(job->wanted->ctx, row, n) : 0;
	job->called = rc != 0;
	return rc;
}

/* The caller's condition stands on a line of its own: it may end in a comment. */
void dbl_rows_select(struct dbl_str *sql, const struct dbl_rows_job *job)
{
	const struct dbl_rows_names *names = &job->names;

	dbl_str_add(sql, "SELECT ");
	dbl_rows_list(sql, names, 0, names->n, ", ");
	dbl_str_addf(sql, " FROM %s", names->table);
	if (job->wanted->where)
		dbl_str_addf(sql, " WHERE (%s\n)", job->wanted->where);
	dbl_str_add(sql, " ORDER BY ");
	dbl_rows_list(sql, names, 0, names->n_key, ", ");
}

static int none_free(const struct dbl_rows_wanted *wanted, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_GONE, "%.100s: no row that nobody else has locked",
			wanted->table);
}

int dbl_rows_take(struct dblock_tx *tx, struct dbl_rows_wanted *wanted, struct dblock_error *err)
{
	static rows_way *const ways[] = {
		[DBL_ROWS_AS_RESULT] = dbl_rows_take_result,
		[DBL_ROWS_AS_SCANNED] = dbl_rows_take_scanned,
		[DBL_ROWS_AS_FILE] = dbl_rows_take_file,
	};
	struct dbl_rows_job job = {.tx = tx, .wanted = wanted, .wait = DBL_ROW_SKIP};
	int rc = dbl_rows_names_init(&job.names, tx, wanted->table, wanted->key, wanted->n_key,
				     wanted->columns, wanted->n_columns, err);

	set_times(&job, 0);
	if (rc == 0)
		rc = run_guarded(&job, wanted->table, ways, err);
	dbl_rows_names_free(&job.names);
	if (rc)
		wanted->taken = 0;
	return rc == 0 && wanted->taken == 0 ? none_free(wanted, err) : rc;
}
