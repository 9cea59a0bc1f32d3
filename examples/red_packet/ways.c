/* SPDX-License-Identifier: MIT */
/* Five ways to draw a gift. Each looks how many are left, thinks, and gives one away; they differ
 * in what keeps other clerks from doing the same at the same time. */
#include <time.h>

#include <dblock/rows.h>
#include <dblock/versioned.h>

#include "shop.h"

enum { THINK_MS = 1, DRAW_MS = 100 };

static const char *const key[] = {"id"};

/* A real shop computes a price here, or asks somebody. It is what makes the race wide. */
static void think(struct clerk *clerk)
{
	stumble(clerk);
	nanosleep(&(struct timespec){.tv_nsec = THINK_MS * 1000000L}, NULL);
}

static int begin(struct clerk *clerk, struct dblock_error *err)
{
	return dblock_tx_begin(clerk->tx, NULL, err);
}

/* Commit if all went well; else nothing was given away. */
static int end(struct clerk *clerk, int rc, struct dblock_error *err)
{
	if (rc == DBLOCK_OK)
		return dblock_tx_commit(clerk->tx, err);
	dblock_tx_rollback(clerk->tx, NULL);
	return rc;
}

/* --- no lock ------------------------------------------------------------------------------------
 * Look in one transaction, give in another, as many a shop does: two clerks who look at the same
 * time give the same gift away. */

static int draw_unlocked(struct clerk *clerk, struct dblock_error *err)
{
	int64_t left;
	int rc = shop_look(clerk, &left, err);

	if (rc != DBLOCK_OK || left == 0)
		return rc;
	think(clerk);
	rc = begin(clerk, err);
	if (rc == DBLOCK_OK)
		rc = shop_give(clerk, left, err);
	return end(clerk, rc, err);
}

/* --- lock table ---------------------------------------------------------------------------------
 * The same, while nobody else has the lock. dblock_valid() says that no other is let in for DRAW_MS
 * more; but who is stopped right behind it, for longer than the lock lives, acts late when it
 * wakes. What dblock_release() says then comes too late. */

static int draw_locked(struct clerk *clerk, struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = dblock_acquire(clerk->client, "red packet", NULL, &lock, err);

	if (rc != DBLOCK_OK)
		return rc;
	rc = dblock_valid(lock, DRAW_MS) ? draw_unlocked(clerk, err) : DBLOCK_LOST;
	dblock_release(lock, NULL);
	return rc;
}

/* --- row lock -----------------------------------------------------------------------------------
 * All in one transaction, which has the row from the look to the commit. */

static int look_and_give(struct clerk *clerk, struct dblock_error *err)
{
	int64_t left;
	int rc = shop_look(clerk, &left, err);

	if (rc != DBLOCK_OK || left == 0)
		return rc;
	think(clerk);
	return shop_give(clerk, left, err);
}

static int draw_by_row(struct clerk *clerk, struct dblock_error *err)
{
	const struct dblock_value id = dblock_int(clerk->bonus);
	const struct dblock_rows row = {"t_bonus", key, 1, &id, 1};
	int rc = begin(clerk, err);

	if (rc == DBLOCK_OK)
		rc = dblock_rows_lock(clerk->tx, &row, NULL, err);
	if (rc == DBLOCK_OK)
		rc = look_and_give(clerk, err);
	return end(clerk, rc, err);
}

/* --- optimistic ---------------------------------------------------------------------------------
 * Look in one transaction, give in another, if the row's version is still the one that was seen:
 * else DBLOCK_STALE, and somebody else was faster. */

static int draw_by_version(struct clerk *clerk, struct dblock_error *err)
{
	static const char *const columns[] = {"left_count"};
	const struct dblock_value id = dblock_int(clerk->bonus);
	const struct dblock_versioned_row row = {"t_bonus",         key,      &id, 1,
						 DBLOCK_BY_VERSION, "version"};
	struct dblock_value less;
	int64_t left, version;
	int rc = dblock_versioned_read(clerk->tx, &row, columns, 1, shop_keep_number, &left,
				       &version, err);

	if (rc != DBLOCK_OK || left == 0)
		return rc;
	think(clerk);
	less = dblock_int(left - 1);
	rc = begin(clerk, err);
	if (rc == DBLOCK_OK)
		rc = dblock_versioned_update(clerk->tx, &row, &version, columns, &less, 1, err);
	if (rc == DBLOCK_OK)
		rc = shop_write_down(clerk, left, err);
	return end(clerk, rc, err);
}

/* --- fence --------------------------------------------------------------------------------------
 * The lock table, but the transaction itself proves that the lock is held: from the fence to the
 * commit nobody else gets it. Who was stopped before is told DBLOCK_STALE, and has done no harm.
 * (dblock_tx_release() would save a commit, but not where others stand in line, as here.) */

static int draw_fenced(struct clerk *clerk, struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = dblock_acquire(clerk->client, "red packet", NULL, &lock, err);

	if (rc != DBLOCK_OK)
		return rc;
	stumble(clerk);
	rc = begin(clerk, err);
	if (rc == DBLOCK_OK)
		rc = dblock_fence(clerk->tx, lock, err);
	if (rc == DBLOCK_OK)
		rc = look_and_give(clerk, err);
	rc = end(clerk, rc, err);
	dblock_release(lock, NULL);
	return rc;
}

const struct way ways[WAYS] = {
	[NO_LOCK] = {"none", "no lock", draw_unlocked,
		     "look, think, and give in a second transaction, as many a shop does"},
	[LOCK_TABLE] = {"table", "lock table", draw_locked,
			"the same between dblock_acquire() and dblock_release(): 2 commits more"},
	[ROW_LOCK] = {"row", "row lock", draw_by_row,
		      "one transaction, open while it thinks, FOR UPDATE (SQLite: the file)"},
	[OPTIMISTIC] = {"optimistic", "optimistic", draw_by_version,
			"nothing is locked; who finds another version did it for nothing"},
	[FENCE] = {"fence", "fence", draw_fenced,
		   "lock table, and the transaction proves the lock: dblock_fence()"},
};
