/* SPDX-License-Identifier: MIT */
/* Opening, adopting, resetting and closing connections. */
#include <string.h>

#include "base/mem.h"
#include "sql/own.h"

static struct dbl_db *make(const struct dbl_target *target, struct dblock_error *err)
{
	struct dbl_db *db = dbl_alloc(sizeof(*db));

	if (db)
		db->head.target = target;
	else
		dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return db;
}

/* Close the connection unless rc is 0. */
static int keep(struct dbl_db **db, int rc, struct dblock_error *err)
{
	if (rc) {
		dbl_url_hide(&(*db)->head.target->url, err);
		dbl_db_close(*db);
		*db = NULL;
	}
	return rc;
}

static int open_it(struct dbl_db **out, const struct dbl_target *target, int64_t deadline,
		   struct dblock_error *err)
{
	struct dbl_db *db = *out = make(target, err);
	int rc;

	if (!db)
		return DBLOCK_E_NOMEM;
	rc = target->driver->open(&db->head.conn, &target->url, target->env, deadline, err);
	if (rc == 0)
		DBL_COUNT(target->tally, connects);
	return keep(out, rc, err);
}

int dbl_db_open_plain(struct dbl_db **out, const struct dbl_target *target, int64_t deadline,
		      struct dblock_error *err)
{
	int rc = open_it(out, target, deadline, err);

	return rc ? rc : keep(out, dbl_db_set_up_plain(*out, deadline, err), err);
}

int dbl_db_open(struct dbl_db **out, const struct dbl_target *target, int64_t deadline,
		struct dblock_error *err)
{
	int rc = open_it(out, target, deadline, err);

	if (rc)
		return rc;
	/* If the connection was lost, what was set went with it. */
	rc = target->dialect->pools ? dbl_db_set_up(*out, deadline, err)
				    : dbl_db_script(*out, DBL_OP_setup, deadline, err);
	rc = dbl_db_undone(*out, rc, deadline, err);
	return keep(out, rc, err);
}

int dbl_db_adopt(struct dbl_db **out, const struct dbl_target *target, void *handle,
		 struct dblock_error *err)
{
	struct dbl_db *db = *out = make(target, err);

	if (!db)
		return DBLOCK_E_NOMEM;
	db->adopted = true;
	return keep(out, target->driver->adopt(&db->head.conn, handle, target->env, err), err);
}

void dbl_db_reset(struct dbl_db *db, int64_t deadline)
{
	const struct dbl_driver *driver = db->head.target->driver;

	memset(db->stmts, 0, sizeof(db->stmts));
	db->head.conn->deadline = deadline;
	/* Behind a pooler that would be about the session of somebody else. */
	if (dbl_db_pooled(db))
		db->head.conn->broken = true;
	if (!db->head.conn->broken && (!driver->reset || driver->reset(db->head.conn, NULL)))
		db->head.conn->broken = true;
}

void dbl_db_close(struct dbl_db *db)
{
	if (!db)
		return;
	if (db->head.conn)
		db->head.target->driver->close(db->head.conn);
	dbl_free(db->frame_texts[0]);
	dbl_free(db->frame_texts[1]);
	dbl_str_free(&db->kept);
	dbl_str_free(&db->batch);
	dbl_free(db);
}

int dbl_db_not_done(const struct dbl_db *db, int64_t deadline, struct dblock_error *err)
{
	if (dbl_now(db->head.target->env) >= deadline)
		return dbl_fail(err, DBLOCK_E_NO_ANSWER, "%s: the database did not answer in time",
				db->head.target->url.shown);
	if (err)
		err->code = DBLOCK_E_UNAVAILABLE;
	return DBLOCK_E_UNAVAILABLE;
}
