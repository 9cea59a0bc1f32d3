/* SPDX-License-Identifier: MIT */
#include "migrate/migrate.h"

#include "driver/value.h"
#include "migrate/history.h"

static int tell(const struct dbl_step *step, dblock_migration_cb *found, void *arg)
{
	const struct dbl_past *past = step->past;
	struct dblock_migration migration = {
		.size = sizeof(migration),
		.version = step->text ? step->text->version : past->version,
		.name = step->text ? step->text->name : past->name,
		.state = step->state,
		.applied_us = past && past->applied ? past->finished : 0,
		.applied_by = past && past->applied ? past->by : "",
		.changed = step->changed,
	};

	return found(arg, &migration);
}

int dbl_migrate_status(const struct dbl_target *target, dblock_migration_cb *found, void *arg,
		       int64_t deadline, struct dblock_error *err)
{
	struct dbl_history history = {0};
	struct dbl_plan plan = {target->dialect->migrations, &history, 0};
	struct dbl_runner on;
	struct dbl_step step;
	struct dbl_db *db;
	int rc = dbl_db_open(&db, target, deadline, err);

	if (rc)
		return rc;
	on = dbl_runner_db(db, target, deadline);
	rc = dbl_history_read(&on, &history, err);
	dbl_db_close(db);
	while (rc == 0 && dbl_plan_next(&plan, &step))
		rc = tell(&step, found, arg);
	dbl_history_free(&history);
	return rc;
}

static int run_on_link(void *on, struct dbl_request *request, struct dblock_error *err)
{
	return dbl_link_run(on, request, err);
}

static int refuse(const struct dbl_target *target, const struct dbl_history *history,
		  struct dblock_error *err)
{
	struct dbl_plan plan = {target->dialect->migrations, history, 0};
	struct dbl_step step;
	const char *why = "was never applied";

	if (dbl_plan_count(plan.known, history) == 0)
		return 0;
	if (history->n == 0)
		return dbl_fail(err, DBLOCK_E_SCHEMA,
				"the tables of dblock are missing in %s; run 'dblock migrate up'",
				target->url.shown);
	(void)dbl_plan_pending(&plan, &step);
	if (step.state == DBLOCK_MIGRATION_RUNNING)
		why = "is being applied, or was left half done";
	return dbl_fail(err, DBLOCK_E_SCHEMA,
			"the tables of dblock in %s are too old for this library: migration "
			"%04lld_%s %s; run 'dblock migrate up'",
			target->url.shown, (long long)step.text->version, step.text->name, why);
}

/* Some other process may have filled the new file since we read the history: then it is not new,
 * and the history is whole. */
static int read_again(const struct dbl_runner *on, struct dbl_history *history,
		      struct dblock_error *err)
{
	int rc = dbl_history_read(on, history, err);

	return rc ? rc : refuse(on->target, history, err);
}

int dbl_migrate_check(struct dbl_link *link, bool asked, int64_t deadline, struct dblock_error *err)
{
	const struct dbl_target *target = dbl_link_target(link);
	struct dbl_runner on = {run_on_link, link, target, deadline};
	struct dbl_history history = {0};
	int64_t ours = asked;
	int rc = dbl_history_read(&on, &history, err);

	if (rc == 0 && dbl_plan_count(target->dialect->migrations, &history) > 0) {
		if (!asked)
			rc = dbl_ask(&on, DBL_OP_is_new, NULL, &ours, err);
		if (rc == 0)
			rc = ours ? dbl_migrate_up(target, NULL, NULL, deadline, err)
				  : read_again(&on, &history, err);
	}
	dbl_history_free(&history);
	return rc;
}
