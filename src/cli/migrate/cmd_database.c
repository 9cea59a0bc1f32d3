/* SPDX-License-Identifier: MIT */
/* dblock migrate wait, create, drop: the database itself, before and after all migrations. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <dblock/database.h>

#include "cli/migrate/call.h"

static const char wait_about[] =
	"Waits until the database answers, for the start of a container or of a test: it ends "
	"with\n"
	"0 as soon as it does, and with 7 after --wait. Says once what it waits for. What no\n"
	"waiting mends, as a wrong password, ends it at once. A server that answers without "
	"having\n"
	"the database is no longer waited for, as `create` can make it now. Needs no files.\n";

static const char create_about[] =
	"Makes the database that the URL names, if it is not there: PostgreSQL's over the "
	"database\n"
	"postgres, or template1, MySQL's with utf8mb4, SQLite's as a file. Its user needs the "
	"right\n"
	"to do so (PostgreSQL: CREATEDB; MySQL: CREATE). Needs no files.\n";

static const char drop_about[] =
	"Drops the database that the URL names, with all that is in it, and asks first. Not one\n"
	"that others are connected to, unless --force (PostgreSQL ends their connections then, as\n"
	"of version 13), and never one of the server's own. Needs no files.\n";

static const struct dbl_arg wait_args[] = {
	DBL_DURATION_ARG("wait", 0, DBL_MIGRATE_AT(which.wait_ms), 0, DBL_DURATION_MAX_MS,
			 "for so long; default 1m, 0: try once"),
	{0},
};

static const struct dbl_arg drop_args[] = {
	DBL_MIGRATE_FLAG("force", force, "although others are connected"),
	DBL_MIGRATE_YES,
	{0},
};

/* ---- what they share ------------------------------------------------------------------------ */

struct work {
	struct dbl_migrate_call call;
	const char *did; /* "created", "dropped" */
	char name[1024]; /* of the database; "": not known */
	int64_t since;
	bool told;
	int code; /* of an answer that was no */
};

/* What ends the library's call without a change: none of its own outcomes. */
enum { DECLINED = INT_MAX };

static int keep_name(void *arg, const struct dblock_database *what)
{
	struct work *work = arg;

	snprintf(work->name, sizeof(work->name), "%s", what->name);
	return 0;
}

static int print_json(const struct work *work, int rc, bool ok)
{
	json_t *object = json_object();

	json_object_set_new(object, "ok", json_boolean(ok));
	dbl_json_text(object, "command", work->call.cli->command->name);
	dbl_json_text(object, "dialect", dbl_migrate_dialect(work->call.cli));
	dbl_json_text(object, "database", *work->name ? work->name : NULL);
	json_object_set_new(object, "done", json_boolean(rc == DBLOCK_OK && *work->name));
	dbl_json_number(object, "waited_ms", (dbl_now_us() - work->since) / 1000);
	json_object_set_new(object, "error", ok ? json_null() : dbl_migrate_error(&work->call, rc));
	return dbl_json_line(object);
}

/* Tell how it ended: `fine` is an outcome beside DBLOCK_OK that is no failure. */
static int end(struct work *work, int rc, int fine)
{
	const struct dbl_cli *cli = work->call.cli;
	bool ok = rc == DBLOCK_OK || rc == fine;
	int code = dbl_migrate_end(&work->call, ok ? DBLOCK_OK : rc);
	char *name = dbl_text_safe(work->name);

	if (rc == fine)
		dbl_cli_note(cli, "%s", work->call.err.message);
	if (cli->json && print_json(work, rc, ok))
		code = DBL_EXIT_INTERNAL;
	else if (rc == DBLOCK_OK && name && *name && !cli->json && !cli->quiet)
		printf("%s database %s\n", work->did, name);
	free(name);
	return code;
}

static int begin(struct work *work, const struct dbl_cli *cli, const char *did)
{
	*work = (struct work){.did = did, .since = dbl_now_us(), .code = DBL_EXIT_OK};
	return dbl_migrate_begin_database(&work->call, cli);
}

/* ---- wait ----------------------------------------------------------------------------------- */

static int tell_waiting(void *arg, const struct dblock_error *why)
{
	struct work *work = arg;
	int64_t ms = work->call.args->which.wait_ms;
	char most[DBL_DURATION_TEXT];

	if (work->told || ms == 0)
		return 0;
	work->told = true;
	dbl_duration_text(ms < 0 ? 60000 : ms, most);
	dbl_cli_note(work->call.cli, "waiting for the database, at most %s: %s", most,
		     why->message);
	return 0;
}

static int wait_for(struct dbl_cli *cli)
{
	struct work work;
	struct dbl_migrate_call *call = &work.call;
	int rc, code = begin(&work, cli, NULL);

	if (code != DBL_EXIT_OK)
		return code;
	rc = dblock_migrate_wait(call->url, &call->options, call->which.wait_ms, tell_waiting,
				 &work, &call->err);
	return end(&work, rc, DBLOCK_GONE);
}

/* ---- create --------------------------------------------------------------------------------- */

static int create(struct dbl_cli *cli)
{
	struct work work;
	struct dbl_migrate_call *call = &work.call;
	int rc, code = begin(&work, cli, "created");

	if (code != DBL_EXIT_OK)
		return code;
	rc = dblock_migrate_create(call->url, &call->options, keep_name, &work, &call->err);
	return end(&work, rc, DBLOCK_DONE);
}

/* ---- drop ----------------------------------------------------------------------------------- */

static int confirm(void *arg, const struct dblock_database *what)
{
	struct work *work = arg;
	char question[1200], others[64] = "";

	(void)keep_name(work, what);
	if (what->others)
		snprintf(others, sizeof(others), ", and end %" PRId64 " connection%s of others",
			 what->others, what->others == 1 ? "" : "s");
	snprintf(question, sizeof(question), "Drop the database %s, with all that is in it%s?",
		 work->name, others);
	work->code = dbl_migrate_ask(&work->call, question);
	return work->code == DBL_EXIT_OK ? 0 : DECLINED;
}

static int drop(struct dbl_cli *cli)
{
	struct work work;
	struct dbl_migrate_call *call = &work.call;
	int rc, code = begin(&work, cli, "dropped");

	if (code != DBL_EXIT_OK)
		return code;
	rc = dblock_migrate_drop(call->url, &call->options, call->args->force, confirm, &work,
				 &call->err);
	if (rc != DECLINED)
		return end(&work, rc, DBLOCK_GONE);
	if (cli->json && print_json(&work, DBLOCK_E_INVALID, false))
		return DBL_EXIT_INTERNAL;
	return work.code;
}

const struct dbl_command dbl_migrate_command_wait = {
	.name = "wait",
	.usage = "[--wait DUR]",
	.summary = "wait until the database answers",
	.about = wait_about,
	.args = wait_args,
	.run = wait_for,
};

const struct dbl_command dbl_migrate_command_create = {
	.name = "create",
	.usage = "",
	.summary = "make the database, if it is not there",
	.about = create_about,
	.run = create,
};

const struct dbl_command dbl_migrate_command_drop = {
	.name = "drop",
	.usage = "[--yes] [--force]",
	.summary = "drop the database",
	.about = drop_about,
	.args = drop_args,
	.run = drop,
};
