/* SPDX-License-Identifier: MIT */
/* The reaper deletes dead sessions that no row names any more. To find them, all tables that name
 * sessions have to be read, so many are found at once, and deleted in pages. */
#include <string.h>

#include "base/str.h"
#include "lock/admin/reap.h"
#include "lock/core/value.h"

enum { FIND = 20000, ID_LEN = 32, STEP = ID_LEN + 1 };

static int take_id(void *ctx, const struct dbl_value *row)
{
	struct dbl_str *ids = ctx;

	if (row[0].len != ID_LEN)
		return 0; /* no client of ours wrote that row */
	dbl_str_addn(ids, row[0].text, ID_LEN);
	dbl_str_add(ids, ",");
	return ids->failed ? DBLOCK_E_NOMEM : 0;
}

/* Finds the dead sessions behind an id, in order of id. */
static int find(struct dbl_locks *locks, const char *after, struct dbl_str *ids,
		struct dblock_error *err)
{
	const struct dbl_value args[] = {dbl_text(after), dbl_int(DBL_DEAD_FOR_US), dbl_int(FIND)};
	struct dbl_request request = {.op = DBL_OP_reap_dead,
				      .args = DBL_ARGS(args),
				      .row = take_id,
				      .ctx = ids,
				      .deadline = dbl_locks_deadline(locks)};
	int rc;

	ids->len = 0;
	rc = dbl_link_run(locks->link, &request, err);
	return rc == DBLOCK_E_NOMEM ? dbl_fail(err, rc, "out of memory") : rc;
}

static int delete_page(struct dbl_locks *locks, struct dbl_reap *reap, const char *ids, size_t n,
		       struct dblock_error *err)
{
	const struct dbl_value page = {
		.type = DBL_TEXT, .text = ids, .len = n * STEP - 1 /* the last comma */};
	int rc = dbl_reap_go_on(reap, err);

	return rc ? rc
		  : dbl_reap_run(locks, DBL_OP_reap_delete, DBL_ARG(page), &reap->deleted, err);
}

static int delete_all(struct dbl_locks *locks, struct dbl_reap *reap, const struct dbl_str *ids,
		      struct dblock_error *err)
{
	size_t n = ids->len / STEP, page;
	int rc = 0;

	DBL_ASSERT(ids->len % STEP == 0 && n <= FIND, "%zu", ids->len);
	for (size_t at = 0; at < n && rc == 0; at += page) {
		page = n - at < DBL_REAP_BATCH ? n - at : DBL_REAP_BATCH;
		rc = delete_page(locks, reap, ids->text + at * STEP, page, err);
	}
	return rc;
}

int dbl_reap_dead(struct dbl_locks *locks, struct dbl_reap *reap, struct dblock_error *err)
{
	char after[ID_LEN + 1] = "";
	struct dbl_str ids = {0};
	int rc;

	do {
		rc = find(locks, after, &ids, err);
		if (rc == 0)
			rc = delete_all(locks, reap, &ids, err);
		if (rc == 0 && ids.len > 0)
			memcpy(after, ids.text + ids.len - STEP, ID_LEN);
	} while (rc == 0 && ids.len == (size_t)FIND * STEP);
	dbl_str_free(&ids);
	return rc;
}
