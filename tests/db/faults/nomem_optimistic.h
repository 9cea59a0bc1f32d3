/* SPDX-License-Identifier: MIT */
/* A scene of nomem.c: a row with a version. */
#ifndef TESTS_DB_NOMEM_OPTIMISTIC_H
#define TESTS_DB_NOMEM_OPTIMISTIC_H

#include "db/faults/nomem_calls.h"
#include "support/versioned.h"

/* The scene uses the helper's connections: a new client each time would cost much more than the
 * call. */
static inline void with_article(struct stage *s)
{
	static bool made;
	struct dblock_tx *tx = tx_open(s->helper);

	if (!made)
		article_make(tx, 1);
	made = true;
	tx_exec(tx, "UPDATE article SET stock = 100");
	dblock_tx_close(tx);
}

/* The scene updates in a transaction, and by time, so that all of the code runs. */
static inline int call_update(struct stage *s, struct dblock_error *err)
{
	struct dblock_value key[2];
	struct dblock_versioned_row row = article_row(key, 1, DBLOCK_BY_UPDATED_AT);
	struct dblock_tx *tx;
	int64_t stock, version = 0, seen;
	int rc = dblock_tx_open(s->helper, &tx, err);

	if (rc == 0)
		rc = dblock_tx_begin(tx, NULL, err);
	if (rc == 0)
		rc = article_read_stock(tx, &row, &stock, &version, err);
	seen = version;
	if (rc == 0)
		rc = article_set_stock(tx, &row, 5, &version, err);
	/* An update that was undone has no new version. */
	assert_true(rc == 0 || version == seen);
	if (rc == 0)
		rc = dblock_tx_commit(tx, err);
	dblock_tx_close(tx);
	return rc;
}

/* The update is done, or the call says that it is not. */
static inline void check_update(struct stage *s, int rc)
{
	struct dblock_tx *tx = tx_open(s->helper);

	assert_int_equal(article_stock(tx, 1), rc == DBLOCK_OK ? 5 : 100);
	dblock_tx_close(tx);
}

#endif
