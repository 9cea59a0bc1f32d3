/* SPDX-License-Identifier: MIT */
/*
 * A work queue on InnoDB. InnoDB's own SKIP LOCKED locks all rows that it looks at before it finds
 * one that matches, and, if it has to sort, all that match. So candidates are read without locks,
 * in pages; then each is locked by its key, if that can be done at once, and checked again.
 */
#include "base/mem.h"
#include "row/rows_shape.h"

enum { PAGE = 16 };

/* A page of candidates: their keys. It owns the texts. */
struct page {
	const struct dbl_rows_job *job;
	struct dbl_value keys[PAGE][DBLOCK_VALUES_MAX];
	char *texts[PAGE][DBLOCK_VALUES_MAX];
	unsigned n;
	bool failed, has_null;
};

static void free_page(struct page *page)
{
	for (unsigned row = 0; row < page->n; row++) {
		for (unsigned i = 0; i < page->job->names.n_key; i++)
			dbl_free(page->texts[row][i]);
	}
	page->n = 0;
}

static int keep_key(void *ctx, const struct dbl_value *row, unsigned n)
{
	struct page *page = ctx;
	struct dbl_value *key = page->keys[page->n];
	char **texts = page->texts[page->n++];

	for (unsigned i = 0; i < n; i++) {
		bool text = row[i].type == DBL_TEXT;

		texts[i] = text ? dbl_strndup(row[i].len ? row[i].text : "", row[i].len) : NULL;
		key[i] = row[i];
		key[i].text = texts[i];
		page->failed = page->failed || (text && !texts[i]);
		page->has_null = page->has_null || row[i].type == DBL_NULL;
	}
	return 0;
}

/* Adds a condition like "(k0 > $1 OR (k0 = $1 AND (k1 > $2 ...)))". */
static void add_after(struct dbl_str *sql, const struct dbl_rows_job *job,
		      const struct dbl_rows_shape *shape, const struct dbl_value *last, unsigned at)
{
	unsigned n = job->names.n_key;

	for (unsigned i = 0; i < n; i++) {
		const char *column = job->names.columns[i];

		dbl_str_addf(sql, "(%s > ", column);
		dbl_rows_value(sql, &shape->columns[i], &last[i], at + i);
		if (i + 1 < n) {
			dbl_str_addf(sql, " OR (%s = ", column);
			dbl_rows_value(sql, &shape->columns[i], &last[i], at + i);
			dbl_str_add(sql, " AND ");
		}
	}
	for (unsigned i = 0; i < 2 * n - 1; i++)
		dbl_str_add(sql, ")");
}

/* Joins the values of the caller's condition and, behind them, `more`. Returns their number. */
static unsigned join_values(struct dbl_value *to, const struct dbl_rows_job *job,
			    const struct dbl_value *more)
{
	unsigned n = job->wanted->of->n_values;

	for (unsigned i = 0; i < n; i++)
		to[i] = job->wanted->values[i];
	for (unsigned i = 0; more && i < job->names.n_key; i++)
		to[n++] = more[i];
	return n;
}

static const char *where_of(const struct dbl_rows_job *job)
{
	return job->wanted->of->where ? job->wanted->of->where : "TRUE";
}

/* Reads the candidates that come after `last`, or the first ones if that is NULL. */
static int read_page(struct dbl_rows_job *job, const struct dbl_rows_shape *shape,
		     const struct dbl_value *last, struct page *page, struct dblock_error *err)
{
	struct dbl_value args[2 * DBLOCK_VALUES_MAX];
	const struct dbl_rows_names *names = &job->names;
	unsigned n = join_values(args, job, last);
	struct dbl_str sql = {0};
	int rc;

	dbl_rows_select(&sql, names, names->n_key);
	dbl_str_addf(&sql, " WHERE (%s\n)", where_of(job));
	if (last) {
		dbl_str_add(&sql, " AND ");
		add_after(&sql, job, shape, last, job->wanted->of->n_values + 1);
	}
	dbl_rows_order(&sql, names);
	dbl_str_addf(&sql, " LIMIT %d", PAGE);
	rc = dbl_rows_query(job, dbl_str_take(&sql), args, n, keep_key, page, err);
	if (rc == 0 && page->failed)
		rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	if (rc == 0 && page->has_null)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "%.100s: a key is NULL; give the columns of the primary key",
			      job->wanted->of->table);
	return rc;
}

/* Locks a row, if that can be done at once, and hands it on if it still meets the condition. */
static int try_row(struct dbl_rows_job *job, const struct dbl_rows_shape *shape,
		   const struct dbl_value *key, struct dblock_error *err)
{
	struct dbl_value args[2 * DBLOCK_VALUES_MAX];
	unsigned n = join_values(args, job, key);
	struct dbl_str sql = {0};
	int rc;

	dbl_rows_select(&sql, &job->names, job->names.n);
	rc = dbl_rows_add_key(&sql, job, shape, key, job->wanted->of->n_values + 1, err);
	if (rc) {
		dbl_str_free(&sql);
		return rc;
	}
	dbl_str_addf(&sql, " AND (%s\n) FOR UPDATE SKIP LOCKED", where_of(job));
	rc = dbl_rows_query(job, dbl_str_take(&sql), args, n, dbl_rows_hand, job, err);
	return rc == DBLOCK_BUSY && !job->called ? 0 : rc;
}

static int try_page(struct dbl_rows_job *job, const struct dbl_rows_shape *shape,
		    const struct page *page, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < page->n && job->wanted->taken < job->wanted->of->limit;
	     i++)
		rc = try_row(job, shape, page->keys[i], err);
	return rc;
}

static int take(struct dbl_rows_job *job, const struct dbl_rows_shape *shape, struct page *pages,
		struct dblock_error *err)
{
	const struct dbl_value *last = NULL;
	struct page *page = pages, *before = pages + 1;
	int rc;

	do {
		struct page *other = page;

		page = before;
		before = other;
		free_page(page);
		rc = read_page(job, shape, last, page, err);
		if (rc == 0)
			rc = try_page(job, shape, page, err);
		last = page->keys[PAGE - 1];
	} while (rc == 0 && page->n == PAGE && job->wanted->taken < job->wanted->of->limit);
	return rc;
}

int dbl_rows_take_scanned(struct dbl_rows_job *job, struct dblock_error *err)
{
	const struct dbl_rows_shape *shape;
	struct page *pages = dbl_alloc(2 * sizeof(*pages));
	int rc = pages ? dbl_rows_find_shape(job, job->wanted->of->table, job->wanted->of->key,
					     &shape, err)
		       : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");

	if (rc == 0) {
		pages[0].job = pages[1].job = job;
		rc = take(job, shape, pages, err);
		free_page(&pages[0]);
		free_page(&pages[1]);
	}
	dbl_free(pages);
	return rc;
}
