/* SPDX-License-Identifier: MIT */
/* Connections: opened, adopted, used again, closed. */
#include "base/mem.h"
#include "sql/own.h"

static struct dbl_db *make(const struct dbl_target *target, struct dblock_error *err)
{
	struct dbl_db *db = dbl_alloc(sizeof(*db));

	if (db)
		db->target = target;
	else
		dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return db;
}

int dbl_db_open_plain(struct dbl_db **out, const struct dbl_target *target, int64_t deadline,
		      struct dblock_error *err)
{
	struct dbl_db *db = *out = make(target, err);
	int rc;

	if (!db)
		return DBLOCK_E_NOMEM;
	rc = target->driver->open(&db->conn, &target->url, target->env, deadline, err);
	if (rc == 0)
		return 0;
	dbl_url_hide(&target->url, err);
	dbl_db_close(db);
	*out = NULL;
	return rc;
}

int dbl_db_open(struct dbl_db **out, const struct dbl_target *target, int64_t deadline,
		struct dblock_error *err)
{
	int rc = dbl_db_open_plain(out, target, deadline, err);

	if (rc)
		return rc;
	/* What was set went with the connection. */
	rc = dbl_db_undone(*out, dbl_db_script(*out, DBL_OP_setup, deadline, err), deadline, err);
	if (rc) {
		dbl_url_hide(&target->url, err);
		dbl_db_close(*out);
		*out = NULL;
	}
	return rc;
}

int dbl_db_adopt(struct dbl_db **out, const struct dbl_target *target, void *handle,
		 struct dblock_error *err)
{
	struct dbl_db *db = *out = make(target, err);
	int rc;

	if (!db)
		return DBLOCK_E_NOMEM;
	db->adopted = true;
	rc = target->driver->adopt(&db->conn, handle, target->env, err);
	if (rc) {
		dbl_db_close(db);
		*out = NULL;
	}
	return rc;
}

void dbl_db_reset(struct dbl_db *db, int64_t deadline)
{
	const struct dbl_driver *driver = db->target->driver;

	for (enum dbl_op op = 0; op < DBL_OP_COUNT; op++) {
		db->stmts[op] = db->answers[op] = db->seconds[op] = NULL;
		db->thens[op] = db->mets[op] = db->elses[op] = NULL;
	}
	db->conn->deadline = deadline;
	if (!db->conn->broken && (!driver->reset || driver->reset(db->conn, NULL)))
		db->conn->broken = true;
}

void dbl_db_close(struct dbl_db *db)
{
	if (!db)
		return;
	if (db->conn)
		db->target->driver->close(db->conn);
	dbl_str_free(&db->kept);
	dbl_str_free(&db->batch);
	dbl_free(db);
}

int dbl_db_undone(const struct dbl_db *db, int rc, int64_t deadline, struct dblock_error *err)
{
	if (rc != DBLOCK_E_UNSURE)
		return rc;
	if (dbl_now(db->target->env) >= deadline)
		return dbl_fail(err, DBLOCK_E_TIMEOUT, "%s: the database did not answer in time",
				db->target->url.shown);
	if (err)
		err->code = DBLOCK_E_UNAVAILABLE;
	return DBLOCK_E_UNAVAILABLE;
}
