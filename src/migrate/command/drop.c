/* SPDX-License-Identifier: MIT */
/* Drops a database. */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "driver/value.h"
#include "migrate/command/database.h"
#include "migrate/report/words.h"

/* So long others may be about to close the file. */
#define ALONE_US 1000000

/* Between two looks whether it is still there. */
#define LOOK_US 200000

/* What SQLite keeps beside a file. The file itself goes last: a log that stays behind would be taken for
 * that of the next one of its name. */
static const char *const sides[] = {"-journal", "-wal", "-shm", "", NULL};

static int not_there(const struct dbl_database *database, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_GONE, "nothing to do: there is no database %.1000s",
			dbl_database_name(database));
}

static int tell(const struct dbl_database *database, int64_t others)
{
	struct dblock_database found = {
		.size = sizeof(found), .name = dbl_database_name(database), .others = others};

	return database->cb ? database->cb(database->arg, &found) : 0;
}

/* ---- on a server ---------------------------------------------------------------------------- */

struct dropping {
	const struct dbl_database *database;
	bool force, there, own, sent;
	int64_t others;
	char *statement, *grant;
};

static int take(void *ctx, const struct dbl_value *row)
{
	struct dropping *d = ctx;
	int rc = 0;

	d->there = true;
	d->own = row[0].i != 0;
	d->others = row[1].i;
	if (!d->statement)
		rc = dbl_database_copy(&d->statement, &row[d->force ? 3 : 2]);
	if (rc == 0 && !d->grant)
		rc = dbl_database_copy(&d->grant, &row[4]);
	return rc;
}

static int look(struct dropping *d, struct dbl_db *db, struct dblock_error *err)
{
	struct dbl_request request = {.op = DBL_OP_database_drop,
				      .args = DBL_ARGS_OF(dbl_text(dbl_database_name(d->database))),
				      .row = take,
				      .ctx = d,
				      .deadline = dbl_database_deadline(d->database)};

	return dbl_db_run(db, &request, err);
}

static int in_use(const struct dropping *d, struct dblock_error *err)
{
	const char *next = d->force ? "end them: this server cannot"
				    : "end them, or drop it all the same: 'dblock migrate drop "
				      "--force'";

	return dbl_words_refuse(err, DBLOCK_BUSY,
				"the database %.1000s is in use: %" PRId64
				" other connection%s" DBL_NOTHING_DONE "%s",
				dbl_database_name(d->database), d->others,
				d->others == 1 ? "" : "s", next);
}

/* MySQL does not show a user the databases of others: then it refuses to connect to it. */
static int check_hidden(const struct dbl_database *database, struct dblock_error *err)
{
	int rc = dbl_database_try(database, dbl_database_deadline(database), err);

	return rc == 0 || dbl_words_no_database(rc, err) ? not_there(database, err) : rc;
}

/* Not of the server's own, nor of one that others use. */
static int check(const struct dropping *d, struct dblock_error *err)
{
	if (!d->there)
		return check_hidden(d->database, err);
	if (d->own)
		return dbl_words_refuse(err, DBLOCK_E_INVALID,
					"%s is one of the server's own databases, which are never "
					"dropped" DBL_NOTHING_DONE "correct the URL",
					dbl_database_name(d->database));
	return d->others && !d->force ? in_use(d, err) : 0;
}

static int drop_by(struct dropping *d, struct dbl_db *db, struct dblock_error *err)
{
	int rc = look(d, db, err);

	if (rc == 0)
		rc = check(d, err);
	if (rc == 0)
		rc = tell(d->database, d->others);
	d->sent = rc == 0;
	if (rc == 0)
		rc = dbl_db_send(db, d->statement, dbl_database_deadline(d->database), err);
	/* Somebody has come meanwhile. */
	if (rc == DBLOCK_E_BLOCKED && look(d, db, err) == 0 && d->others > 0)
		return in_use(d, err);
	return dbl_database_refused(rc, d->grant, err);
}

/* After a lost reply. The server may be at it for a while yet. It is not sent again, as somebody may have
 * made another database of that name. */
static int see(const struct dbl_database *database, struct dblock_error *err)
{
	const struct dbl_env *env = database->target->env;
	int64_t by = dbl_add(dbl_now(env), database->timeout);
	int there;

	while ((there = dbl_database_look(database, by)) == DBLOCK_OK && dbl_now(env) < by)
		dbl_sleep_until(env, dbl_add(dbl_now(env), LOOK_US));
	return there == DBLOCK_GONE ? 0 : dbl_database_unsure(database, there, "drop", err);
}

static int drop_there(const struct dbl_database *database, bool force, struct dblock_error *err)
{
	struct dropping d = {.database = database, .force = force};
	struct dbl_beside beside;
	int rc = dbl_database_beside(database, &beside, err);

	if (rc == 0)
		rc = drop_by(&d, beside.db, err);
	dbl_database_leave(&beside);
	dbl_free(d.statement);
	dbl_free(d.grant);
	return d.sent && rc == DBLOCK_E_UNSURE ? see(database, err) : rc;
}

/* ---- a file --------------------------------------------------------------------------------- */

static int used_by_others(const struct dbl_database *database, struct dblock_error *err)
{
	const char *path = dbl_database_name(database);

	return dbl_words_refuse(
		err, DBLOCK_BUSY,
		"the database %.900s is in use: others have it open" DBL_NOTHING_DONE
		"end them (fuser %.900s), or drop it all the same: 'dblock migrate "
		"drop --force'",
		path, path);
}

/* From then on nobody else reads or writes the file until the connection is closed; but with `force`
 * others may go on. */
static int be_alone(const struct dbl_database *database, struct dbl_db *db, bool force,
		    struct dblock_error *err)
{
	int64_t deadline = dbl_add(dbl_now(database->target->env), ALONE_US);
	int rc = dbl_db_script(db, DBL_OP_database_alone, deadline, err);

	if (rc != DBLOCK_E_BLOCKED)
		return rc;
	return force ? 0 : used_by_others(database, err);
}

/* Only names are used: closing another descriptor of the file would give our locks back. */
static int delete_files(const struct dbl_database *database, struct dblock_error *err)
{
	const char *path = dbl_database_name(database);
	int why = dbl_file_remove(path, sides);

	if (why)
		return dbl_fail_native(err, DBLOCK_E_DENIED, why, NULL,
				       "%.1000s: cannot be deleted: %s", path, strerror(why));
	return 0;
}

/* That it can be opened says that it is a database. It stays open until it is deleted, so that nobody
 * writes meanwhile. Who waits for it then cannot write either: SQLite sees that the file has gone. */
static int drop_file(const struct dbl_database *database, bool force, struct dblock_error *err)
{
	struct dbl_db *db;
	int rc;

	if (dbl_database_lacks_file(database))
		return not_there(database, err);
	rc = dbl_db_open(&db, database->target, dbl_database_deadline(database), err);
	if (rc == 0)
		rc = tell(database, 0);
	if (rc == 0)
		rc = be_alone(database, db, force, err);
	if (rc == 0)
		rc = delete_files(database, err);
	dbl_db_close(db);
	return rc;
}

int dbl_database_drop(const struct dbl_database *database, bool force, struct dblock_error *err)
{
	return database->target->dialect->is_file ? drop_file(database, force, err)
						  : drop_there(database, force, err);
}
