/* SPDX-License-Identifier: MIT */
/* The reaper: what the dead left behind. Each step is conditional on what was seen, so that any
 * number of reapers, and everybody else, may be at work at once. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lock/admin.h"
#include "lock/name.h"
#include "lock/value.h"

#define BATCH 200

/* How often a watching reaper asks whether to stop. */
#define STEP_US 100000

/* A session dead for less long may still be named by a statement that its client sent before and
 * that the server carries out only now. */
#define DEAD_FOR_US (60 * 1000000LL)

/* ---- batches -------------------------------------------------------------------------------- */

/* One thing to work on: a session or a lock, with what was seen of it. */
struct item {
	char key[DBL_NAME_MAX + 1]; /* session id, or name */
	int64_t a, b;               /* beat, ttl; or token, expires */
	bool b_given;
	char session[33];
	bool session_given;
};

struct batch {
	struct item items[BATCH];
	unsigned n;
};

static struct item *add(struct batch *batch, const struct dbl_value *key)
{
	struct item *item = &batch->items[batch->n++];

	*item = (struct item){.a = 0};
	dbl_copy_text(item->key, sizeof(item->key), key);
	return item;
}

static int take_session(void *batch, const struct dbl_value *row)
{
	struct item *item = add(batch, &row[0]);

	item->a = row[1].i;
	item->b = row[2].i;
	return 0;
}

static int take_lock(void *batch, const struct dbl_value *row)
{
	struct item *item = add(batch, &row[0]);

	item->a = row[1].i;
	item->session_given = row[2].type != DBL_NULL;
	dbl_copy_text(item->session, sizeof(item->session), &row[2]);
	item->b_given = row[3].type != DBL_NULL;
	item->b = row[3].i;
	return 0;
}

static int take_key(void *batch, const struct dbl_value *row)
{
	add(batch, &row[0]);
	return 0;
}

static bool canceled(const struct dbl_reap *reap)
{
	return reap->canceled && reap->canceled(reap->canceled_arg);
}

static int was_canceled(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_CANCELED, "the reaper was canceled");
}

/* A statement about one item. A row that is locked is somebody else's business for now: the next
 * pass meets it again. *done goes up by what it changed. */
static int run(struct dbl_locks *locks, enum dbl_op op, const struct dbl_value *args, int64_t *done,
	       struct dblock_error *err)
{
	struct dbl_request request = {
		.op = op, .args = args, .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_link_run(locks->link, &request, err);

	if (rc == 0)
		*done += request.changed;
	return rc == DBLOCK_E_LOCKED ? 0 : rc;
}

static int fetch(struct dbl_locks *locks, enum dbl_op op, const struct dbl_value *args,
		 int (*row)(void *, const struct dbl_value *), struct batch *batch,
		 struct dblock_error *err)
{
	struct dbl_request request = {.op = op,
				      .args = args,
				      .row = row,
				      .ctx = batch,
				      .deadline = dbl_locks_deadline(locks)};

	batch->n = 0;
	return dbl_link_run(locks->link, &request, err);
}

/* One kind of work: fetch pages in order of key, do `each` for every item. */
struct task {
	enum dbl_op list;
	int (*row)(void *, const struct dbl_value *);
	int (*each)(struct dbl_locks *, struct dbl_reap *, const struct item *,
		    struct dblock_error *);
	int64_t param; /* second argument of the list, where it takes three */
};

static int work_batch(struct dbl_locks *locks, struct dbl_reap *reap, const struct task *task,
		      const struct batch *batch, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < batch->n && rc == 0; i++) {
		rc = canceled(reap) ? was_canceled(err)
				    : task->each(locks, reap, &batch->items[i], err);
	}
	return rc;
}

static int work(struct dbl_locks *locks, struct dbl_reap *reap, const struct task *task,
		struct batch *batch, struct dblock_error *err)
{
	char after[DBL_NAME_MAX + 1] = "";
	bool has_param = strlen(dbl_ops[task->list].args) == 3;
	int rc;

	do {
		struct dbl_value args[3] = {dbl_text(after), dbl_int(BATCH)};

		if (has_param) {
			args[1] = dbl_int(task->param);
			args[2] = dbl_int(BATCH);
		}
		rc = fetch(locks, task->list, args, task->row, batch, err);
		if (rc == 0)
			rc = work_batch(locks, reap, task, batch, err);
		if (batch->n > 0)
			memcpy(after, batch->items[batch->n - 1].key, sizeof(after));
	} while (rc == 0 && batch->n == BATCH);
	return rc;
}

/* ---- the steps ------------------------------------------------------------------------------ */

static int free_lock(struct dbl_locks *locks, struct dbl_reap *reap, const struct item *item,
		     struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(item->key), dbl_int(item->a),
				   dbl_text(item->session_given ? item->session : NULL),
				   dbl_int_if(item->b_given, item->b)};

	return run(locks, DBL_OP_reap_free, args, &reap->freed, err);
}

static int delete_session(struct dbl_locks *locks, struct dbl_reap *reap, const struct item *item,
			  struct dblock_error *err)
{
	struct dbl_value id = dbl_text(item->key);

	return run(locks, DBL_OP_session_delete, &id, &reap->deleted, err);
}

/* Until `until`, in steps; DBLOCK_CANCELED if asked to stop. */
static int sleep_until(struct dbl_locks *locks, const struct dbl_reap *reap, int64_t until,
		       struct dblock_error *err)
{
	int64_t now;

	while ((now = dbl_now(locks->env)) < until) {
		if (canceled(reap))
			return was_canceled(err);
		dbl_sleep_until(locks->env, now + STEP_US < until ? now + STEP_US : until);
	}
	return 0;
}

/* Bury one that was first seen at `seen`, once its whole ttl has been watched: the statement itself
 * is the second look, since a heartbeat would have changed beat. */
static int bury_watched(struct dbl_locks *locks, struct dbl_reap *reap, const struct item *item,
			int64_t seen, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(item->key), dbl_int(item->a), dbl_int(item->b)};
	int rc = sleep_until(locks, reap, dbl_add(seen, item->b), err);

	return rc ? rc : run(locks, DBL_OP_bury, args, &reap->buried, err);
}

static int by_ttl(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->b > y->b) - (x->b < y->b);
}

/* All pages of suspects are read before the watch begins, so that one ttl is enough for all. */
struct suspects {
	struct item *items;
	size_t n, room;
};

static int keep_suspects(struct suspects *all, const struct batch *batch)
{
	if (all->n + batch->n > all->room) {
		size_t room = (all->n + batch->n) * 2;
		struct item *items = dbl_realloc(all->items, room * sizeof(*items));

		if (!items)
			return DBLOCK_E_NOMEM;
		all->items = items;
		all->room = room;
	}
	memcpy(all->items + all->n, batch->items, batch->n * sizeof(*batch->items));
	all->n += batch->n;
	return 0;
}

static int find_suspects(struct dbl_locks *locks, struct suspects *all, struct batch *batch,
			 struct dblock_error *err)
{
	char after[sizeof(batch->items[0].key)] = "";
	int rc;

	do {
		struct dbl_value args[] = {dbl_text(after), dbl_int(BATCH)};

		rc = fetch(locks, DBL_OP_reap_sessions, args, take_session, batch, err);
		if (rc == 0 && keep_suspects(all, batch))
			rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
		if (batch->n > 0)
			memcpy(after, batch->items[batch->n - 1].key, sizeof(after));
	} while (rc == 0 && batch->n == BATCH);
	return rc;
}

static int bury(struct dbl_locks *locks, struct dbl_reap *reap, struct batch *batch,
		struct dblock_error *err)
{
	struct suspects all = {0};
	int rc = find_suspects(locks, &all, batch, err);
	int64_t seen = dbl_now(locks->env);

	if (rc == 0 && all.n > 1)
		qsort(all.items, all.n, sizeof(*all.items), by_ttl);
	for (size_t i = 0; i < all.n && rc == 0; i++)
		rc = bury_watched(locks, reap, &all.items[i], seen, err);
	dbl_free(all.items);
	return rc;
}

/* ---- purge: in one transaction, so that the floor is never below a token that was forgotten ----
 */

struct purge {
	struct dbl_locks *locks;
	struct batch *batch;
	int64_t unused_for;
	int64_t purged;
};

static int take_token(void *batch, const struct dbl_value *row)
{
	add(batch, &row[0])->a = row[1].i;
	return 0;
}

static int run_in(struct dbl_db *db, struct dbl_request *request, int64_t deadline,
		  struct dblock_error *err)
{
	request->deadline = deadline;
	return dbl_db_run(db, request, err);
}

static int64_t largest(const struct batch *batch)
{
	int64_t token = 0;

	for (unsigned i = 0; i < batch->n; i++) {
		if (batch->items[i].a > token)
			token = batch->items[i].a;
	}
	return token;
}

static int purge_items(struct purge *p, struct dbl_db *db, int64_t deadline,
		       struct dblock_error *err)
{
	struct dbl_value floor = dbl_int(largest(p->batch));
	struct dbl_request raise = {.op = DBL_OP_purge_floor, .args = &floor};
	int rc = run_in(db, &raise, deadline, err);

	for (unsigned i = 0; i < p->batch->n && rc == 0; i++) {
		const struct item *item = &p->batch->items[i];
		struct dbl_value args[] = {dbl_text(item->key), dbl_int(item->a)};
		struct dbl_request request = {.op = DBL_OP_purge_delete, .args = args};

		rc = run_in(db, &request, deadline, err);
		p->purged += request.changed;
	}
	return rc;
}

static int purge_batch(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	struct purge *p = ctx;
	int64_t deadline = dbl_locks_deadline(p->locks);
	struct dbl_value args[] = {dbl_int(p->unused_for), dbl_int(BATCH)};
	struct dbl_request list = {
		.op = DBL_OP_purge_list, .args = args, .row = take_token, .ctx = p->batch};
	int rc;

	p->batch->n = 0;
	p->purged = 0;
	rc = run_in(db, &list, deadline, err);
	return rc || p->batch->n == 0 ? rc : purge_items(p, db, deadline, err);
}

static int purge(struct dbl_locks *locks, struct dbl_reap *reap, struct batch *batch,
		 struct dblock_error *err)
{
	struct purge p = {.locks = locks, .batch = batch, .unused_for = reap->purge_after};
	int rc;

	do {
		if (canceled(reap))
			return was_canceled(err);
		rc = dbl_link_transaction(locks->link, purge_batch, &p, dbl_locks_deadline(locks),
					  err);
		if (rc == 0)
			reap->purged += p.purged;
	} while (rc == 0 && batch->n == BATCH);
	/* Rows that somebody locks can wait for the next pass. */
	return rc == DBLOCK_E_LOCKED ? 0 : rc;
}

int dbl_reap(struct dbl_locks *locks, struct dbl_reap *reap, struct dblock_error *err)
{
	static const struct task frees = {DBL_OP_reap_locks, take_lock, free_lock, 0};
	static const struct task deletes = {DBL_OP_reap_dead, take_key, delete_session,
					    DEAD_FOR_US};
	struct batch *batch = dbl_alloc(sizeof(*batch));
	int rc;

	if (!batch)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = bury(locks, reap, batch, err);
	if (rc == 0)
		rc = work(locks, reap, &frees, batch, err);
	if (rc == 0)
		rc = work(locks, reap, &deletes, batch, err);
	if (rc == 0)
		rc = purge(locks, reap, batch, err);
	dbl_free(batch);
	return rc;
}
