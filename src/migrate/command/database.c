/* SPDX-License-Identifier: MIT */
/* What the calls on the database as a whole share: where it is, and what is beside it. */
#include "migrate/command/database.h"

#include <errno.h>
#include <stdio.h>

#include "base/fs.h"
#include "base/mem.h"
#include "migrate/report/words.h"

/* A server may have to copy a database, or to write out all that it has in memory. */
#define LEAST_US (60 * 1000000LL)

static const struct dbl_target *past_pool(const struct dbl_database *database)
{
	return dbl_target_past_pool(database->target);
}

int dbl_database_try(const struct dbl_database *database, int64_t deadline,
		     struct dblock_error *err)
{
	struct dbl_db *db;
	int rc = dbl_db_open(&db, past_pool(database), deadline, err);

	dbl_db_close(db);
	return rc;
}

const char *dbl_database_name(const struct dbl_database *database)
{
	const struct dbl_url *url = &past_pool(database)->url;
	const char *param =
		database->target->dialect->is_file ? NULL : dbl_url_param(url, "dbname");
	const char *name = param ? param : url->path;

	return name && *name ? name : NULL;
}

bool dbl_database_lacks_file(const struct dbl_database *database)
{
	const struct dbl_target *target = database->target;
	const char *path = dbl_database_name(database);
	struct dbl_fs ignored;

	return target->dialect->is_file && path &&
	       dbl_fs_read(target->env, path, &ignored) == ENOENT;
}

int64_t dbl_database_deadline(const struct dbl_database *database)
{
	int64_t us = database->timeout > LEAST_US ? database->timeout : LEAST_US;

	return dbl_add(dbl_now(database->target->env), us);
}

static int open_beside(const struct dbl_database *database, const char *name,
		       struct dbl_beside *beside, struct dblock_error *err)
{
	const struct dbl_target *target = past_pool(database);
	struct dbl_url url;
	int rc = dbl_url_beside(&url, &target->url, name, err);

	if (rc == 0)
		rc = dbl_target_init(&beside->target, url.whole, NULL, NULL, target->env, err);
	dbl_url_free(&url);
	if (rc)
		return rc;
	return dbl_db_open(&beside->db, &beside->target, dbl_database_deadline(database), err);
}

int dbl_database_beside(const struct dbl_database *database, struct dbl_beside *beside,
			struct dblock_error *err)
{
	const char *const *name = database->target->dialect->beside;
	int rc;

	*beside = (struct dbl_beside){.db = NULL};
	if (!dbl_database_name(database))
		return dbl_words_refuse(err, DBLOCK_E_INVALID,
					"the URL names no database" DBL_NOTHING_DONE
					"write its name behind the host: scheme://user@host/NAME");
	do {
		dbl_database_leave(beside);
		rc = open_beside(database, *name, beside, err);
	} while (dbl_words_no_database(rc, err) && *++name);
	return rc;
}

void dbl_database_leave(struct dbl_beside *beside)
{
	dbl_db_close(beside->db);
	dbl_target_free(&beside->target);
	*beside = (struct dbl_beside){.db = NULL};
}

int dbl_database_copy(char **to, const struct dbl_value *text)
{
	*to = dbl_strndup(text->text, text->len);
	return *to ? 0 : DBLOCK_E_NOMEM;
}

int dbl_database_look(const struct dbl_database *database, int64_t by)
{
	int64_t now = dbl_now(database->target->env);
	struct dblock_error ignored;

	return dbl_database_wait(database, by > now ? by - now : 0, NULL, NULL, &ignored);
}

int dbl_database_unsure(const struct dbl_database *database, int there, const char *command,
			struct dblock_error *err)
{
	const char *state = there == DBLOCK_OK     ? "it is there, but the server may be at it"
			    : there == DBLOCK_GONE ? "it is not there, but the server may be at it"
						   : "whether it is there cannot be told";

	dbl_err_line(err, DBL_LINE_STATE, "%s: database %.300s", state,
		     dbl_database_name(database));
	dbl_err_line(err, DBL_LINE_NEXT, "run 'dblock migrate %s' again", command);
	return DBLOCK_E_UNSURE;
}

int dbl_database_refused(int rc, const char *grant, struct dblock_error *err)
{
	if (rc != DBLOCK_E_DENIED || !grant)
		return rc;
	dbl_err_line(err, DBL_LINE_STATE, "nothing was done");
	dbl_err_line(
		err, DBL_LINE_NEXT,
		"have one who may give this user the right: %s; or take a URL of one who has it",
		grant);
	return rc;
}
