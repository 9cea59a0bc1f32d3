/* SPDX-License-Identifier: MIT */
#include "link/pool.h"

int dbl_pool_init(struct dbl_pool *pool, const struct dbl_target *target)
{
	*pool = (struct dbl_pool){.target = target};
	return dbl_mutex_init(&pool->mutex);
}

void dbl_pool_fini(struct dbl_pool *pool)
{
	while (pool->n_idle > 0)
		dbl_db_close(pool->idle[--pool->n_idle]);
	dbl_mutex_fini(&pool->mutex);
}

static struct dbl_db *take_idle(struct dbl_pool *pool)
{
	struct dbl_db *db = NULL;

	dbl_lock(&pool->mutex);
	if (pool->n_idle > 0)
		db = pool->idle[--pool->n_idle];
	dbl_unlock(&pool->mutex);
	return db;
}

int dbl_pool_take(struct dbl_pool *pool, int64_t deadline, struct dbl_db **out,
		  struct dblock_error *err)
{
	int rc = 0;

	*out = take_idle(pool);
	if (!*out)
		rc = dbl_db_open_plain(out, pool->target, deadline, err);
	if (rc == 0)
		atomic_fetch_add(&pool->n_taken, 1);
	return rc;
}

static bool keep(struct dbl_pool *pool, struct dbl_db *db)
{
	bool kept;

	dbl_lock(&pool->mutex);
	kept = pool->n_idle < DBL_POOL_KEEPS;
	if (kept)
		pool->idle[pool->n_idle++] = db;
	dbl_unlock(&pool->mutex);
	return kept;
}

void dbl_pool_give(struct dbl_pool *pool, struct dbl_db *db, bool used, int64_t deadline)
{
	if (used)
		dbl_db_reset(db, deadline);
	if (dbl_db_broken(db) || dbl_db_state(db) != DBL_TX_NONE || !keep(pool, db))
		dbl_db_close(db);
	atomic_fetch_sub(&pool->n_taken, 1);
}
