/* SPDX-License-Identifier: MIT */
/*
 * Bringing the schema up to date, exactly once with any number of processes at it:
 *
 *   look   is anything pending? Mostly not, and then nothing is locked or written
 *   gate   one at a time: a lock of the server's that is polled, never waited for (a blocked
 *          statement would hold up CREATE INDEX CONCURRENTLY); it ends with the connection
 *   apply  look again, then for each file: claim its row, run it, check the table, finish the row
 *
 * Where CREATE TABLE can be rolled back, all of `apply` is one transaction: nobody ever sees half a
 * schema, and the claims alone make it happen once, should the gate be open to two (a pooler). Else
 * each step is its own, the files can be run again (IF NOT EXISTS), and a row that still says
 * `running` to who is inside the gate was left by one who died: it is run again.
 */
#include "migrate/migrate.h"

#include <stdio.h>
#include <string.h>

#include "base/host.h"
#include "base/mem.h"
#include "driver/value.h"
#include "migrate/history.h"

#define POLL_FIRST_US 25000
#define POLL_LAST_US  500000

struct run {
	const struct dbl_target *target;
	int64_t deadline;
	struct dbl_db *db; /* NULL: not connected */
	bool met;          /* the database has answered once */
	struct dbl_history history;
	bool *tried; /* for each known file: did we get as far as finishing it? */
	char by[401];
};

static struct dbl_runner runner(const struct run *run)
{
	return dbl_runner_db(run->db, run->target, run->deadline);
}

static unsigned pending(const struct run *run)
{
	return dbl_plan_count(run->target->dialect->migrations, &run->history);
}

static bool *tried(const struct run *run, const struct dbl_migration_text *text)
{
	return &run->tried[text - run->target->dialect->migrations];
}

static int look(struct run *run, struct dblock_error *err)
{
	struct dbl_runner on = runner(run);

	return dbl_history_read(&on, &run->history, err);
}

/* Sleep, twice as long each time. E_TIMEOUT: no time is left. */
static int pause_for(struct run *run, int64_t *pause, const char *what, struct dblock_error *err)
{
	const struct dbl_env *env = run->target->env;
	int64_t until = dbl_add(dbl_now(env), dbl_jitter(env, *pause));

	if (until >= run->deadline)
		return dbl_fail(err, DBLOCK_E_TIMEOUT,
				"no time left to wait for %s; run 'dblock migrate status', or "
				"again with more time",
				what);
	dbl_sleep_until(env, until);
	*pause = *pause * 2 < POLL_LAST_US ? *pause * 2 : POLL_LAST_US;
	return 0;
}

static int turn_gate(struct run *run, enum dbl_op op, int64_t *answer, struct dblock_error *err)
{
	const struct dbl_names *names = &run->target->names;
	struct dbl_runner on = runner(run);
	char what[sizeof(names->prefix) + 32];

	snprintf(what, sizeof(what), "%smigration %s", names->prefix, DBL_MIGRATE_SCOPE);
	return dbl_ask(&on, op, (struct dbl_value[]){dbl_text(names->schema), dbl_text(what)},
		       answer, err);
}

/* Be the only one to apply, or see that there is nothing left to apply. */
static int pass_gate(struct run *run, struct dblock_error *err)
{
	int64_t pause = POLL_FIRST_US, got;
	int rc;

	while ((rc = turn_gate(run, DBL_OP_migrate_lock, &got, err)) == 0 && !got) {
		rc = pause_for(run, &pause, "another process that is migrating these tables", err);
		if (rc == 0)
			rc = look(run, err);
		if (rc || pending(run) == 0)
			return rc;
	}
	return rc;
}

/* E_CONFLICT: somebody else claimed it since we looked. */
static int claim(struct run *run, const struct dbl_migration_text *text, struct dblock_error *err)
{
	struct dbl_request request = {
		.op = DBL_OP_migration_claim,
		.args = (struct dbl_value[]){dbl_text(DBL_MIGRATE_SCOPE), dbl_int(text->version),
					     dbl_text(text->name), dbl_text(text->checksum),
					     dbl_int(1), dbl_text(run->by)},
		.deadline = run->deadline,
	};
	int rc = dbl_db_run(run->db, &request, err);

	if (rc == 0 && request.changed == 0)
		return dbl_fail(err, DBLOCK_E_CONFLICT, "another process is applying it");
	return rc;
}

static int finish(struct run *run, const struct dbl_migration_text *text, struct dblock_error *err)
{
	struct dbl_request request = {
		.op = DBL_OP_migration_finish,
		.args = (struct dbl_value[]){dbl_text(DBL_MIGRATE_SCOPE), dbl_int(text->version),
					     dbl_text(text->checksum), dbl_text(run->by)},
		.deadline = run->deadline,
	};

	return dbl_db_run(run->db, &request, err);
}

static int run_text(struct run *run, const char *text, struct dblock_error *err)
{
	int rc = dbl_db_exec(run->db, text, run->deadline, err);

	/* The texts are sound, so what the database will not have is in its own state: a stranger's
	 * view under our name, say. */
	if (rc != DBLOCK_E_BUG)
		return rc;
	if (err)
		err->code = DBLOCK_E_SCHEMA;
	return DBLOCK_E_SCHEMA;
}

static int apply_one(struct run *run, const struct dbl_step *step, struct dblock_error *err)
{
	const struct dbl_migration_text *text = step->text;
	struct dbl_runner on = runner(run);
	int rc = step->past ? 0 : claim(run, text, err);

	if (rc == 0)
		rc = run_text(run, text->up, err);
	if (rc == 0)
		rc = dbl_shape_check(&on, text->version, err);
	if (rc == 0) {
		rc = finish(run, text, err);
		*tried(run, text) = rc == 0 || rc == DBLOCK_E_UNSURE;
	}
	if (rc)
		dbl_err_prefix(err, "migration %04lld_%s", (long long)text->version, text->name);
	return rc;
}

static int apply_all(struct run *run, struct dblock_error *err)
{
	struct dbl_plan plan = {run->target->dialect->migrations, &run->history, 0};
	struct dbl_runner on = runner(run);
	struct dbl_step step;
	int rc = dbl_history_make(run->db, &on, err);

	if (rc == 0)
		rc = look(run, err);
	while (rc == 0 && dbl_plan_pending(&plan, &step))
		rc = apply_one(run, &step, err);
	return rc;
}

static void forget_tries(struct run *run)
{
	const struct dbl_migration_text *known = run->target->dialect->migrations;

	for (const struct dbl_migration_text *text = known; text->version; text++)
		*tried(run, text) = false;
}

static int apply(struct run *run, struct dblock_error *err)
{
	int rc;

	if (!run->target->dialect->ddl_in_tx)
		return apply_all(run, err);
	rc = dbl_db_begin(run->db, run->deadline, err);
	if (rc)
		return rc;
	/* COMMIT was not sent, so whatever was lost is not there. */
	rc = dbl_db_undone(run->db, apply_all(run, err), run->deadline, err);
	rc = dbl_db_end(run->db, rc, run->deadline, err);
	if (rc && rc != DBLOCK_E_UNSURE)
		forget_tries(run);
	return rc;
}

static int attempt(struct run *run, struct dblock_error *err)
{
	int64_t left;
	int rc = dbl_db_open(&run->db, run->target, run->deadline, err);

	if (rc)
		return rc;
	run->met = true;
	rc = look(run, err);
	if (rc || pending(run) == 0)
		return rc;
	rc = pass_gate(run, err);
	if (rc || pending(run) == 0)
		return rc;
	rc = apply(run, err);
	if (rc)
		return rc;
	rc = look(run, err);
	/* Last: it may take what is left of the time. Behind a pooler the connection lives on when
	 * ours is closed. */
	(void)turn_gate(run, DBL_OP_migrate_unlock, &left, NULL);
	return rc;
}

static bool may_try_again(const struct run *run, int rc)
{
	return rc == DBLOCK_E_CONFLICT || rc == DBLOCK_E_LOCKED || rc == DBLOCK_E_UNSURE ||
	       (rc == DBLOCK_E_UNAVAILABLE && run->met);
}

static int attempts(struct run *run, struct dblock_error *err)
{
	int64_t pause = POLL_FIRST_US;
	int rc;

	do {
		rc = attempt(run, err);
		dbl_db_close(run->db);
		run->db = NULL;
	} while (may_try_again(run, rc) && pause_for(run, &pause, "", NULL) == 0);
	/* Tried until no time was left; and what is unsure, `status` tells. */
	if (rc == DBLOCK_E_CONFLICT || rc == DBLOCK_E_LOCKED || rc == DBLOCK_E_UNSURE) {
		rc = DBLOCK_E_TIMEOUT;
		if (err)
			err->code = rc;
	}
	return rc;
}

/* What the history says is done, that we tried, and that it says we did: a lost reply is settled
 * by this. */
static int report(const struct run *run, dblock_migration_cb *applied, void *arg)
{
	struct dbl_plan plan = {run->target->dialect->migrations, &run->history, 0};
	struct dbl_step step;
	int rc = 0;

	while (rc == 0 && dbl_plan_next(&plan, &step)) {
		struct dblock_migration migration;

		if (!step.text || step.state != DBLOCK_MIGRATION_APPLIED ||
		    !*tried(run, step.text) || strcmp(step.past->by, run->by) != 0)
			continue;
		migration = (struct dblock_migration){
			.size = sizeof(migration),
			.version = step.text->version,
			.name = step.text->name,
			.state = step.state,
			.applied_us = step.past->finished,
			.applied_by = step.past->by,
			.now = true,
		};
		rc = applied(arg, &migration);
	}
	return rc;
}

int dbl_migrate_up(const struct dbl_target *target, dblock_migration_cb *applied, void *arg,
		   int64_t deadline, struct dblock_error *err)
{
	unsigned known = dbl_plan_count(target->dialect->migrations, &(struct dbl_history){0});
	struct run run = {.target = target, .deadline = deadline};
	struct dbl_host host;
	char user[64];
	int rc, said = 0;

	dbl_host_read(&host);
	dbl_host_user(user, sizeof(user));
	snprintf(run.by, sizeof(run.by), "%s@%s", user, host.name);
	run.tried = dbl_alloc((known + 1) * sizeof(*run.tried));
	if (!run.tried)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = attempts(&run, err);
	if (applied)
		said = report(&run, applied, arg);
	dbl_history_free(&run.history);
	dbl_free(run.tried);
	return rc ? rc : said;
}
