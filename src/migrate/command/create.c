/* SPDX-License-Identifier: MIT */
/* Makes a database that is not there. */
#include <string.h>

#include "base/mem.h"
#include "driver/value.h"
#include "migrate/command/database.h"
#include "migrate/report/words.h"

struct creation {
	char *statement, *grant;
};

static int take(void *ctx, const struct dbl_value *row)
{
	struct creation *c = ctx;
	int rc = dbl_database_copy(&c->statement, &row[0]);

	return rc ? rc : dbl_database_copy(&c->grant, &row[1]);
}

static int there_already(const struct dbl_database *database, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_DONE, "nothing to do: the database %.1000s is there already",
			dbl_database_name(database) ? dbl_database_name(database) : "of this URL");
}

/* Somebody else was faster: PostgreSQL says so in two ways. */
static bool is_made_by_other(const struct dblock_error *err)
{
	return strcmp(err->sqlstate, "42P04") == 0 || strcmp(err->sqlstate, "23505") == 0 ||
	       err->native == 1007;
}

static int make_by(struct dbl_db *db, const struct dbl_database *database, struct creation *c,
		   struct dblock_error *err)
{
	struct dbl_request request = {.op = DBL_OP_database_create,
				      .args = DBL_ARGS_OF(dbl_text(dbl_database_name(database))),
				      .row = take,
				      .ctx = c,
				      .deadline = dbl_database_deadline(database)};
	int rc = dbl_db_run(db, &request, err);

	if (rc == 0)
		rc = dbl_db_send(db, c->statement, request.deadline, err);
	if (rc && is_made_by_other(err))
		return there_already(database, err);
	return dbl_database_refused(rc, c->grant, err);
}

static int make(const struct dbl_database *database, struct dblock_error *err)
{
	struct creation c = {NULL, NULL};
	struct dbl_beside beside;
	int rc = dbl_database_beside(database, &beside, err);

	if (rc == 0)
		rc = make_by(beside.db, database, &c, err);
	dbl_database_leave(&beside);
	dbl_free(c.statement);
	dbl_free(c.grant);
	return rc;
}

/* After a lost reply: to make it again is what tells whether it was made, or is being made. */
static int make_again(const struct dbl_database *database, struct dblock_error *err)
{
	const struct dbl_env *env = database->target->env;
	int64_t by = dbl_add(dbl_now(env), database->timeout);
	int rc = DBLOCK_E_UNSURE, there;

	do {
		there = dbl_database_look(database, by);
		if (there == DBLOCK_OK)
			return 0;
		if (there == DBLOCK_GONE)
			rc = make(database, err);
	} while (rc == DBLOCK_E_UNSURE && there == DBLOCK_GONE && dbl_now(env) < by);
	if (rc == DBLOCK_E_UNSURE)
		return dbl_database_unsure(database, there, "create", err);
	return rc == DBLOCK_DONE ? 0 : rc;
}

/* MySQL tells a user without rights on it nothing of a database. */
static bool may_lack(int rc, const struct dblock_error *err)
{
	return dbl_words_no_database(rc, err) || (rc == DBLOCK_E_DENIED && err->native == 1044);
}

int dbl_database_create(const struct dbl_database *database, struct dblock_error *err)
{
	struct dblock_database found = {.size = sizeof(found), .name = dbl_database_name(database)};
	bool lacks_file = dbl_database_lacks_file(database);
	int rc = dbl_database_try(database, dbl_database_deadline(database), err);

	if (rc == 0 && !lacks_file)
		rc = there_already(database, err);
	else if (may_lack(rc, err))
		rc = make(database, err);
	if (rc == DBLOCK_E_UNSURE)
		rc = make_again(database, err);
	if (rc >= 0 && database->cb)
		(void)database->cb(database->arg, &found);
	return rc;
}
