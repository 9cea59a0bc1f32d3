/* SPDX-License-Identifier: MIT */
/* How durable a connection's commits are. setup.sql, and SQLite's driver, make all of them durable;
 * a client's own setting is applied after that, to each connection. */
#include "driver/value.h"
#include "sql/own.h"
#include "sql/tx.h"

static int refuse(const struct dbl_dialect *dialect, struct dblock_error *err)
{
	if (dialect->is_file)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"durability is DBLOCK_REMOTE: a file has no standby; use "
				"DBLOCK_DURABLE");
	return dbl_fail(err, DBLOCK_E_INVALID,
			"durability is DBLOCK_REMOTE: on %s no connection can ask for that; set up "
			"semi-synchronous replication on the server, and use DBLOCK_DURABLE",
			dialect->name);
}

int dbl_target_endure(struct dbl_target *target, enum dblock_durability durability,
		      struct dblock_error *err)
{
	const struct dbl_dialect *dialect = target->dialect;

	target->requested = durability;
	if (durability == DBLOCK_DURABILITY_DEFAULT)
		durability = dialect->is_file ? DBLOCK_RELAXED : DBLOCK_DURABLE;
	if (durability == DBLOCK_REMOTE && !dialect->replicates)
		return refuse(dialect, err);
	if (durability == DBLOCK_RELAXED && !dialect->relaxes)
		durability = DBLOCK_DURABLE;
	target->durability = durability;
	return target->direct ? dbl_target_endure(target->direct, target->requested, err) : 0;
}

static int take_standby(void *ctx, const struct dbl_value *row)
{
	*(bool *)ctx = row[0].i != 0;
	return 0;
}

static int wait_for_standby(struct dbl_db *db, int64_t deadline, struct dblock_error *err)
{
	bool has_standby = false;
	struct dbl_value local = dbl_int(dbl_db_pooled(db));
	struct dbl_request request = {.op = DBL_OP_setup_remote,
				      .args = DBL_ARG(local),
				      .row = take_standby,
				      .ctx = &has_standby,
				      .deadline = deadline};
	int rc = dbl_db_run(db, &request, err);

	if (rc || has_standby)
		return rc;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"durability is DBLOCK_REMOTE, but this server waits for no standby: "
			"synchronous_standby_names is empty");
}

int dbl_db_endure(struct dbl_db *db, enum dblock_durability durability, int64_t deadline,
		  struct dblock_error *err)
{
	int rc = dbl_db_pooled(db) ? dbl_db_frame(db, durability, err) : 0;

	if (rc)
		return rc;
	if (durability == DBLOCK_RELAXED && !dbl_db_pooled(db))
		return dbl_db_script(db, DBL_OP_setup_relaxed, deadline, err);
	return durability == DBLOCK_REMOTE ? wait_for_standby(db, deadline, err) : 0;
}
