/* SPDX-License-Identifier: MIT */
#include "api/tx.h"

#define TIMEOUT_DEFAULT_MS 10000

int dbl_tx_check(const struct dblock_tx *tx, struct dblock_error *err)
{
	if (!tx)
		return dbl_fail(err, DBLOCK_E_INVALID, "tx is NULL");
	if (dbl_host_pid() != tx->pid)
		return dbl_fail(err, DBLOCK_E_FORKED,
				"the transaction's connection belongs to process %lld; after a "
				"fork the child opens its own",
				(long long)tx->pid);
	return 0;
}

/* What ends a part ends all of it. */
static int check_alone(const struct dblock_tx *tx, struct dblock_error *err)
{
	int rc = dbl_tx_check(tx, err);

	if (rc == 0 && tx->global)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "it is part of a global transaction: dblock_global_commit() and "
			      "dblock_global_rollback() end it");
	return rc;
}

/* ---- open, adopt, close ---------------------------------------------------------------------- */

int dblock_tx_open(struct dblock_client *client, struct dblock_tx **tx, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_client_check(client, &heard);

	if (rc == 0 && !tx)
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "tx is NULL");
	else if (tx)
		*tx = NULL;
	if (rc == 0)
		rc = dbl_tx_take(tx, &client->pool, client->locks->timeout, &heard);
	return dbl_tell(err, &heard, rc);
}

int dbl_tx_adopt_handle(const char *dialect, void *handle,
			const struct dblock_tx_from_options *given, const struct dbl_env *env,
			struct dblock_tx **tx, struct dblock_error *err)
{
	struct dblock_tx_from_options o;
	int64_t timeout;
	int rc;

	if (!tx)
		return dbl_fail(err, DBLOCK_E_INVALID, "tx is NULL");
	*tx = NULL;
	rc = dbl_options_read(&o, sizeof(o), given, "DBLOCK_TX_FROM_OPTIONS", err);
	if (rc == 0 && !handle)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "the connection is NULL");
	if (rc == 0)
		rc = dbl_time_read(&timeout, "timeout_ms", o.timeout_ms, 1, DBLOCK_TIMEOUT_MAX_MS,
				   TIMEOUT_DEFAULT_MS, err);
	return rc ? rc : dbl_tx_adopt(tx, dialect, handle, o.schema, o.prefix, timeout, env, err);
}

void *dbl_tx_handle_of(struct dblock_tx *tx, const char *dialect)
{
	if (!tx || strcmp(tx->target->dialect->name, dialect) != 0)
		return NULL;
	tx->used = true;
	return dbl_db_handle(tx->db);
}

void dblock_tx_close(struct dblock_tx *tx)
{
	DBL_UNCANCELED;

	/* In a child process the connection is the parent's: it stays open. */
	if (tx && dbl_host_pid() == tx->pid)
		dbl_tx_close(tx);
}

/* ---- begin, commit, roll back ---------------------------------------------------------------- */

static int read_options(struct dblock_tx_options *o, const struct dblock_tx_options *given,
			struct dblock_error *err)
{
	int rc = dbl_options_read(o, sizeof(*o), given, "DBLOCK_TX_OPTIONS", err);

	if (rc == 0 && (unsigned)o->isolation > DBLOCK_SERIALIZABLE)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "isolation is %d; see enum dblock_isolation",
			      (int)o->isolation);
	if (rc == 0 && o->attempts < 0)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "attempts is %lld; it must not be negative",
			      (long long)o->attempts);
	return rc;
}

int dblock_tx_begin(struct dblock_tx *tx, const struct dblock_tx_options *options,
		    struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dblock_tx_options o;
	int rc = check_alone(tx, &heard);

	if (rc == 0)
		rc = read_options(&o, options, &heard);
	if (rc == 0)
		rc = dbl_tx_begin(tx, (int)o.isolation, o.read_only != 0, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_tx_commit(struct dblock_tx *tx, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = check_alone(tx, &heard);

	if (rc == 0)
		rc = dbl_tx_commit(tx, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_tx_rollback(struct dblock_tx *tx, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = check_alone(tx, &heard);

	if (rc == 0)
		rc = dbl_tx_rollback(tx, &heard);
	return dbl_tell(err, &heard, rc);
}

void dblock_tx_ended(struct dblock_tx *tx, enum dblock_tx_end end)
{
	DBL_UNCANCELED;

	if (tx && dbl_host_pid() == tx->pid)
		dbl_tx_tell(tx, end == DBLOCK_TX_COMMITTED     ? DBL_TX_COMMITTED
				: end == DBLOCK_TX_ROLLED_BACK ? DBL_TX_ROLLED_BACK
							       : DBL_TX_UNKNOWN);
}

enum dblock_tx_state dblock_tx_state_of(const struct dblock_tx *tx)
{
	static const enum dblock_tx_state states[] = {
		[DBL_TX_NONE] = DBLOCK_TX_NONE,     [DBL_TX_OPEN] = DBLOCK_TX_OPEN,
		[DBL_TX_FAILED] = DBLOCK_TX_FAILED, [DBL_TX_IN_USE] = DBLOCK_TX_IN_USE,
		[DBL_TX_LOST] = DBLOCK_TX_LOST,
	};

	return tx && dbl_host_pid() == tx->pid ? states[dbl_db_state(tx->db)] : DBLOCK_TX_LOST;
}

int dbl_run_read(struct dbl_run *run, const struct dblock_tx_options *given, int64_t retry,
		 struct dblock_error *err)
{
	struct dblock_tx_options o;
	int rc = read_options(&o, given, err);

	if (rc == 0)
		rc = dbl_time_read(&run->retry, "retry_ms", o.retry_ms, 1, DBLOCK_TIMEOUT_MAX_MS,
				   retry / 1000, err);
	run->isolation = (int)o.isolation;
	run->read_only = o.read_only != 0;
	run->attempts = o.attempts;
	return rc;
}

int dblock_tx_run(struct dblock_client *client, const struct dblock_tx_options *options,
		  int (*fn)(void *arg, struct dblock_tx *tx, struct dblock_error *err), void *arg,
		  struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_run run = {.fn = fn, .arg = arg};
	int rc = dbl_client_check(client, &heard);

	if (rc == 0 && !fn)
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "fn is NULL");
	if (rc == 0)
		rc = dbl_run_read(&run, options, client->locks->timeout, &heard);
	if (rc == 0)
		rc = dbl_run_tx(&client->pool, client->locks->timeout, &run, &heard);
	return dbl_tell(err, &heard, rc);
}
