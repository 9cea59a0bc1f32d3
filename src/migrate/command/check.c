/* SPDX-License-Identifier: MIT */
/* Checks, before a client is opened, that the library's own tables are there. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "migrate/command/migrate.h"
#include "migrate/history/history.h"
#include "migrate/report/words.h"

struct check {
	const struct dbl_target *target;
	struct dbl_set set;
	struct dbl_history history;
	struct dbl_runner on;
};

static int missing(const struct check *check, const char *where, const char *options,
		   struct dblock_error *err)
{
	const char *prefix = check->target->names.prefix, *shown = check->target->url.shown;
	const char *elsewhere = check->history.elsewhere;

	if (*elsewhere)
		return dbl_fail(
			err, DBLOCK_E_SCHEMA,
			"the tables of dblock (%s*) are missing in %s%s, but they are in "
			"another schema: give --schema %s (in a program: the option schema)",
			prefix, where, shown, elsewhere);
	return dbl_fail(err, DBLOCK_E_SCHEMA,
			"the tables of dblock (%s*) are missing in %s%s; run 'dblock schema up%s'",
			prefix, where, shown, options);
}

/* Fails; the message says where the tables should be, and which command makes them. */
static int refuse(const struct check *check, const struct dbl_step *step, struct dblock_error *err)
{
	const struct dbl_names *names = &check->target->names;
	const char *usual = check->target->dialect->default_schema;
	bool given = *names->schema && (!usual || strcmp(names->schema, usual) != 0);
	bool other = strcmp(names->prefix, "dblock_") != 0;
	char where[DBLOCK_SCHEMA_MAX + 32] = "", options[DBLOCK_SCHEMA_MAX + DBL_PREFIX_MAX + 32];

	if (*names->schema)
		snprintf(where, sizeof(where), "%s %s of ", usual ? "schema" : "database",
			 names->schema);
	snprintf(options, sizeof(options), "%s%s%s%s", given ? " --schema " : "",
		 given ? names->schema : "", other ? " --prefix " : "", other ? names->prefix : "");
	if (check->history.n == 0)
		return missing(check, where, options, err);
	return dbl_fail(err, DBLOCK_E_SCHEMA,
			"the tables of dblock in %s%s are too old for this library: migration "
			"%04lld_%s %s; run 'dblock schema up%s'",
			where, check->target->url.shown, (long long)step->version, step->name,
			step->past ? "is being applied, or was left half done"
				   : "was never applied",
			options);
}

static int bring_up(const struct check *check, int64_t deadline, struct dblock_error *err)
{
	const struct dbl_env *env = check->target->env;
	int64_t now = dbl_now(env), left = deadline > now ? deadline - now : 1;
	struct dblock_migrate_options which = {.size = sizeof(which)};
	struct dbl_migrate ask = {
		.target = check->target, .which = &which, .timeout = left, .deadline = deadline};
	int rc;

	which.wait_ms = left / 1000 + 1;
	rc = dbl_migrate_up(&ask, err);
	dbl_err_join(err);
	if (err)
		dbl_words_own(err->message);
	/* To a caller that opens a client, DBLOCK_TIMEOUT would be about a lock. */
	if (rc == DBLOCK_TIMEOUT && err)
		err->code = DBLOCK_E_NO_ANSWER;
	return rc == DBLOCK_TIMEOUT ? DBLOCK_E_NO_ANSWER : rc;
}

static int check_set(struct check *check, enum dbl_bring_up how, struct dblock_error *err)
{
	struct dbl_plan plan = {&check->set, &check->history, 0, 0};
	struct dbl_step step;
	int64_t ours = how == DBL_BRING_UP;
	int rc = dbl_history_read(check->on, &check->history, err);

	if (rc || dbl_plan_count(&check->set, &check->history) == 0)
		return rc;
	if (how == DBL_BRING_UP_NEW)
		rc = dbl_ask(check->on, DBL_OP_is_new, DBL_NO_ARGS, &ours, err);
	if (rc)
		return rc;
	if (ours)
		return bring_up(check, check->on.deadline, err);
	/* Another process may have filled the new file since we read the history: then it is not
	 * new, and the history is complete. */
	rc = dbl_history_read(check->on, &check->history, err);
	return rc || !dbl_plan_pending(&plan, &step) ? rc : refuse(check, &step, err);
}

static int run_on_link(void *on, struct dbl_request *request, struct dblock_error *err)
{
	request->patient = true;
	return dbl_link_run(on, request, err);
}

int dbl_migrate_check(struct dbl_link *link, enum dbl_bring_up how, int64_t deadline,
		      struct dbl_tables_version *version, struct dblock_error *err)
{
	struct check check = {
		.target = dbl_link_target(link),
		.on = {run_on_link, link, dbl_link_target(link), DBL_MIGRATE_SCOPE, deadline},
	};
	int rc = dbl_set_outline_own(&check.set, check.target->dialect, err);

	if (rc == 0)
		rc = check_set(&check, how, err);
	version->known = check.set.n ? check.set.files[check.set.n - 1].version : 0;
	version->applied = dbl_history_last(&check.history);
	if (version->applied < version->known) /* bring_up() has just applied them */
		version->applied = version->known;
	dbl_history_free(&check.history);
	dbl_set_free(&check.set);
	return rc;
}
