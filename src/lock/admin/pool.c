/* SPDX-License-Identifier: MIT */
/* Names that stand in for each other, and which of them are drained. Nothing of a lock changes by that. */
#include "lock/admin/pool.h"

#include <stdio.h>

#include "base/mem.h"
#include "lock/core/cancel.h"
#include "lock/core/name.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"

enum { PAGE = 100, HOST_MAX = 256, APP_MAX = 256 };

/* The connection is locked while rows come, so they are copied, and shown afterwards. */
struct page {
	struct member {
		struct dblock_pool_member told;
		char pool[DBL_NAME_MAX + 1], name[DBL_NAME_MAX + 1], host[HOST_MAX], app[APP_MAX];
	} members[PAGE];
	unsigned n;
};

static int take_member(void *ctx, const struct dbl_value *row)
{
	enum { POOL, NAME, DRAINED, SINCE, CAPACITY, HOLDERS, WAITERS, TOKEN, HOST, PID, APP, NOW };
	struct page *page = ctx;
	struct member *m = &page->members[page->n++];
	bool held = row[HOLDERS].i > 0;

	DBL_ASSERT(page->n <= PAGE, "%u", page->n);
	dbl_copy_text(m->pool, sizeof(m->pool), &row[POOL]);
	dbl_copy_text(m->name, sizeof(m->name), &row[NAME]);
	*m->host = *m->app = '\0';
	if (held && row[HOST].type != DBL_NULL)
		dbl_copy_text(m->host, sizeof(m->host), &row[HOST]);
	if (held && row[APP].type != DBL_NULL)
		dbl_copy_text(m->app, sizeof(m->app), &row[APP]);
	m->told = (struct dblock_pool_member){
		.size = sizeof(m->told),
		.pool = m->pool,
		.name = m->name,
		.drained = row[DRAINED].i != 0,
		.since_us = row[SINCE].i,
		.since_ms = row[NOW].i > row[SINCE].i ? (row[NOW].i - row[SINCE].i) / 1000 : 0,
		.capacity = dbl_int_or(&row[CAPACITY], -1),
		.holders = row[HOLDERS].i,
		.waiters = row[WAITERS].i,
		.token = held ? dbl_int_or(&row[TOKEN], 0) : 0,
		.host = m->host,
		.pid = held ? dbl_int_or(&row[PID], 0) : 0,
		.app = m->app,
	};
	return 0;
}

static int show(const struct page *page, dblock_pool_member_cb *cb, void *arg)
{
	int rc = 0;

	for (unsigned i = 0; i < page->n && rc == 0; i++)
		rc = cb(arg, &page->members[i].told);
	return rc;
}

static int show_pages(struct dbl_locks *locks, const char *pool, struct page *page,
		      dblock_pool_member_cb *cb, void *arg, struct dblock_error *err)
{
	char after[DBL_NAME_MAX + 1], behind[DBL_NAME_MAX + 1] = "";
	int rc;

	snprintf(after, sizeof(after), "%s", pool);
	do {
		struct dbl_value args[] = {dbl_text(pool), dbl_text(after), dbl_text(behind),
					   dbl_int(PAGE)};
		struct dbl_request request = {.op = DBL_OP_pool_list,
					      .args = DBL_ARGS(args),
					      .row = take_member,
					      .ctx = page,
					      .deadline = dbl_locks_deadline(locks)};

		page->n = 0;
		rc = dbl_retry_while_locked(locks, &request, err);
		if (rc == 0)
			rc = show(page, cb, arg);
		if (page->n) {
			memcpy(after, page->members[page->n - 1].pool, sizeof(after));
			memcpy(behind, page->members[page->n - 1].name, sizeof(behind));
		}
	} while (rc == 0 && page->n == PAGE);
	return rc;
}

int dbl_pool_members(struct dbl_locks *locks, const char *pool, dblock_pool_member_cb *cb,
		     void *arg, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct page *page = dbl_alloc(sizeof(*page));
	int rc;

	if (!page)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = show_pages(locks, pool, page, cb, arg, err);
	dbl_free(page);
	return rc;
}

/* *changed: a row was there to change, or an earlier copy may have changed it. */
static int change(struct dbl_locks *locks, enum dbl_op op, struct dbl_args args, bool *changed,
		  struct dblock_error *err)
{
	struct dbl_request request = {
		.op = op, .args = args, .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_run_durable(locks, &request, err);

	*changed = rc == 0 && (request.changed > 0 || request.resent);
	return rc;
}

static int change_member(struct dbl_locks *locks, enum dbl_op op, const char *pool,
			 const char *member, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	bool changed;
	int rc = change(locks, op, DBL_ARGS_OF(dbl_text(pool), dbl_text(member)), &changed, err);

	if (rc || changed)
		return rc;
	return dbl_fail(err, DBLOCK_STALE, "'%s' is no member of the pool '%s'", member, pool);
}

int dbl_pool_add(struct dbl_locks *locks, const char *pool, const char *member,
		 struct dblock_error *err)
{
	DBL_INSIDE(locks);
	bool changed; /* not if it was a member */

	return change(locks, DBL_OP_pool_put,
		      DBL_ARGS_OF(dbl_text(pool), dbl_text(member), dbl_int(0)), &changed, err);
}

int dbl_pool_drain(struct dbl_locks *locks, const char *pool, const char *member,
		   struct dblock_error *err)
{
	return change_member(locks, DBL_OP_pool_drain, pool, member, err);
}

int dbl_pool_remove(struct dbl_locks *locks, const char *pool, const char *member,
		    struct dblock_error *err)
{
	return change_member(locks, DBL_OP_pool_remove, pool, member, err);
}
