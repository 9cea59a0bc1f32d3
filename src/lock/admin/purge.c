/* SPDX-License-Identifier: MIT */
/*
 * The reaper forgets names that nobody has used for long. It raises the floor, waits for
 * transactions that have read the old floor, and deletes names. Each step is committed by itself,
 * so a reaper that stops between them blocks nobody. A floor that is too high does no harm.
 */
#include "lock/admin/reap.h"

#include <string.h>

#include "lock/core/value.h"

struct purge {
	struct dbl_locks *locks;
	int64_t unused_for;
	int64_t names, token;         /* how many names the page has, and their largest token */
	char after[DBL_NAME_MAX + 1]; /* they come after this one; */
	char last[DBL_NAME_MAX + 1];  /* the last of them */
	int64_t deleted;              /* how many of these names have been deleted */
};

static int take_page(void *ctx, const struct dbl_value *row)
{
	struct purge *p = ctx;

	p->names = row[0].i;
	p->token = row[1].i;
	if (p->names > 0)
		dbl_copy_text(p->last, sizeof(p->last), &row[2]);
	DBL_ASSERT(p->names >= 0 && p->names <= DBL_REAP_BATCH, "%lld", (long long)p->names);
	return 0;
}

static int list(struct purge *p, struct dblock_error *err)
{
	const struct dbl_value args[] = {dbl_int(p->unused_for), dbl_int(DBL_REAP_BATCH),
					 dbl_text(p->after)};
	struct dbl_request request = {.op = DBL_OP_purge_list,
				      .args = DBL_ARGS(args),
				      .row = take_page,
				      .ctx = p,
				      .deadline = dbl_locks_deadline(p->locks)};

	p->names = 0;
	return dbl_link_run(p->locks->link, &request, err);
}

static int raise_floor(struct purge *p, struct dblock_error *err)
{
	struct dbl_value floor = dbl_int(p->token);
	struct dbl_request request = {.op = DBL_OP_purge_floor,
				      .args = DBL_ARG(floor),
				      .deadline = dbl_locks_deadline(p->locks)};

	return dbl_link_run(p->locks->link, &request, err);
}

static int wait_for_others(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	const struct purge *p = ctx;

	return dbl_db_script(db, DBL_OP_purge_lock, dbl_locks_deadline(p->locks), err);
}

static int delete_page(struct purge *p, struct dblock_error *err)
{
	const struct dbl_value args[] = {dbl_int(p->unused_for), dbl_int(DBL_REAP_BATCH),
					 dbl_int(p->token), dbl_text(p->after), dbl_text(p->last)};
	struct dbl_request request = {.op = DBL_OP_purge_delete,
				      .args = DBL_ARGS(args),
				      .deadline = dbl_locks_deadline(p->locks)};
	int rc = dbl_link_run(p->locks->link, &request, err);

	DBL_ASSERT(rc || request.changed <= DBL_REAP_BATCH, "%lld", (long long)request.changed);
	p->deleted = rc ? 0 : request.changed;
	return rc;
}

/* Each step delays others for a moment, so it is done only for a page that has names. */
static int purge_page(struct purge *p, struct dblock_error *err)
{
	int rc = list(p, err);

	p->deleted = 0;
	if (rc || p->names == 0)
		return rc;
	DBL_ASSERT(p->token > 0, "%lld", (long long)p->token); /* 0 would not raise the floor */
	rc = raise_floor(p, err);
	if (rc == 0)
		rc = dbl_link_transaction(p->locks->link, wait_for_others, p,
					  dbl_locks_deadline(p->locks), err);
	return rc ? rc : delete_page(p, err);
}

int dbl_reap_purge(struct dbl_locks *locks, struct dbl_reap *reap, struct dblock_error *err)
{
	struct purge p = {.locks = locks, .unused_for = reap->purge_after};
	int rc;

	do {
		memcpy(p.after, p.last, sizeof(p.after));
		rc = dbl_reap_go_on(reap, err);
		if (rc == 0)
			rc = purge_page(&p, err);
		if (rc == 0)
			reap->purged += p.deleted;
	} while (rc == 0 && p.names == DBL_REAP_BATCH);
	/* What is blocked, and rows that somebody has locked, are left for the next pass. */
	return rc == DBLOCK_E_BLOCKED ? 0 : rc;
}
