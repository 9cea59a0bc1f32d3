/* SPDX-License-Identifier: MIT */
#include "row/run.h"

/* The pause between two attempts: short at first, since most conflicts are between two. */
#define PAUSE_FIRST_US 1000
#define PAUSE_LAST_US  100000

/* Runs the function in the transaction, and ends that. *committing: COMMIT may have been sent. */
static int run_in(struct dblock_tx *tx, const struct dbl_run *run, bool *committing,
		  struct dblock_error *err)
{
	int rc = run->fn(run->arg, tx, err);

	if (rc == 0) {
		*committing = true;
		return dbl_tx_commit(tx, err);
	}
	if (err->code != rc)
		dbl_fail(err, rc, "the function that ran in the transaction returned %d", rc);
	if (dbl_db_state(tx->db) != DBL_TX_NONE)
		(void)dbl_tx_rollback(tx, NULL);
	return rc;
}

/* Begins a transaction, on another connection if an idle one has been lost meanwhile. */
static int begin(struct dbl_pool *pool, int64_t timeout, const struct dbl_run *run,
		 struct dblock_tx **tx, struct dblock_error *err)
{
	int rc;

	for (int tries = 0;; tries++) {
		rc = dbl_tx_take(tx, pool, timeout, err);
		if (rc == 0)
			rc = dbl_tx_begin(*tx, run->isolation, run->read_only, err);
		if (rc == 0)
			return 0;
		dbl_tx_close(*tx);
		*tx = NULL;
		if (rc != DBLOCK_E_UNAVAILABLE || tries == DBL_POOL_KEEPS)
			return rc;
	}
}

static bool conflicts(int rc)
{
	return rc == DBLOCK_DEADLOCK || rc == DBLOCK_E_CONFLICT || rc == DBLOCK_E_UNAVAILABLE;
}

/* Makes one attempt. *again: another attempt may succeed. */
static int run_once(struct dbl_pool *pool, int64_t timeout, const struct dbl_run *run, bool *again,
		    struct dblock_error *err)
{
	bool committing = false;
	struct dblock_tx *tx;
	int rc = begin(pool, timeout, run, &tx, err);

	*again = false;
	if (rc)
		return rc;
	rc = run_in(tx, run, &committing, err);
	*again = conflicts(rc) || (!committing && run->again && run->again(rc));
	dbl_tx_close(tx);
	return rc;
}

/* Sleeps at random up to twice the pause, so that those who lost a conflict together do not meet
 * again. False: there is no time left for another attempt. */
static bool pause_before(const struct dbl_env *env, int attempt, int64_t until)
{
	int64_t pause = attempt > 7 ? PAUSE_LAST_US : PAUSE_FIRST_US << (attempt - 1);
	int64_t then = dbl_add(dbl_now(env), dbl_random_id(env) % (2 * pause));

	if (then >= until)
		return false;
	dbl_sleep_until(env, then);
	return true;
}

int dbl_run_tx(struct dbl_pool *pool, int64_t timeout, struct dbl_run *run,
	       struct dblock_error *err)
{
	const struct dbl_env *env = pool->target->env;
	int64_t until = dbl_add(dbl_now(env), run->retry);
	bool again;

	for (run->runs = 1;; run->runs++) {
		int rc = run_once(pool, timeout, run, &again, err);

		if (!again || run->runs == run->attempts || !pause_before(env, run->runs, until))
			return rc;
	}
}
