/* SPDX-License-Identifier: MIT */
#include "migrate/engine/run.h"

#include <stdio.h>
#include <string.h>

#include "base/host.h"
#include "base/mem.h"
#include "migrate/report/words.h"

#define WAIT_MS       60000
#define LOCK_MS       5000
#define LOCK_NEVER_MS 86400000

/* ---- beginning and end ---------------------------------------------------------------------- */

static void set_defaults(struct dbl_run *run, const struct dblock_migrate_options *which)
{
	struct dblock_migrate_options *o = &run->which;

	if (which)
		*o = *which;
	o->wait_ms = o->wait_ms == 0 ? WAIT_MS : o->wait_ms < 0 ? 0 : o->wait_ms;
	/* MySQL's timeout is in seconds. */
	o->lock_timeout_ms = o->lock_timeout_ms == 0  ? LOCK_MS
			     : o->lock_timeout_ms < 0 ? LOCK_NEVER_MS
						      : (o->lock_timeout_ms + 999) / 1000 * 1000;
}

static void read_by(struct dbl_run *run)
{
	struct dbl_host host;
	char user[64];

	dbl_host_read(&host);
	dbl_host_user(user, sizeof(user));
	snprintf(run->by, sizeof(run->by), "%s@%s (pid %lld)", user, host.name,
		 (long long)dbl_host_pid());
}

/* Reads the set, without a connection. The caller has to call done_with() in any case. */
static int begin(struct dbl_run *run, const struct dbl_migrate *ask, struct dblock_error *err)
{
	int rc;

	*run = (struct dbl_run){.ask = ask, .target = ask->target};
	set_defaults(run, ask->which);
	rc = dbl_set_read(&run->set, ask->which, ask->target->dialect, err);
	if (rc && (!ask->lenient || !run->set.unsound))
		return rc;
	if (rc)
		dbl_set_tell_unsound(&run->which, NULL, err ? err->message : "");
	if (run->which.warned && !ask->lenient)
		dbl_set_warn(&run->set, run->which.warned, run->which.warned_arg);
	read_by(run);
	run->began = dbl_alloc((run->set.n + 1) * sizeof(*run->began));
	run->rows = dbl_alloc((run->set.n + 1) * sizeof(*run->rows));
	return run->began && run->rows ? 0 : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

static void disconnect(struct dbl_run *run)
{
	dbl_db_close(run->db);
	run->db = NULL;
	run->locked = run->inside = false;
}

static void done_with(struct dbl_run *run)
{
	dbl_gate_leave(run);
	disconnect(run);
	dbl_db_close(run->watch);
	dbl_history_free(&run->history);
	dbl_set_free(&run->set);
	dbl_free(run->began);
	dbl_free(run->rows);
}

int64_t dbl_run_deadline(const struct dbl_run *run)
{
	int64_t deadline = dbl_add(dbl_now(run->target->env), run->ask->timeout);

	return run->ask->deadline && run->ask->deadline < deadline ? run->ask->deadline : deadline;
}

static int connect(struct dbl_run *run, struct dblock_error *err)
{
	int rc = run->db ? 0
			 : dbl_db_open(&run->db, dbl_target_past_pool(run->target),
				       dbl_run_deadline(run), err);

	run->met = run->met || rc == 0;
	return rc;
}

struct dbl_runner dbl_run_on(const struct dbl_run *run)
{
	return dbl_runner_db(run->db, run->target, run->set.scope, dbl_run_deadline(run));
}

int dbl_run_lost(struct dbl_run *run, int rc)
{
	/* SQLite may lose its connection when the disk is full or read-only: a new one would not
	 * help. */
	if (rc < 0 && rc != DBLOCK_E_FULL && rc != DBLOCK_E_READONLY && run->db &&
	    dbl_db_broken(run->db) && run->again != DBL_AGAIN_NEVER)
		run->again = DBL_AGAIN_CONNECT;
	return rc;
}

/* ---- telling -------------------------------------------------------------------------------- */

void dbl_run_tell(struct dbl_run *run, const struct dbl_step *step, int64_t took)
{
	const struct dbl_past *past = step->past;
	bool applied = past && past->finished != 0;
	const struct dbl_script *up = step->file ? &step->file->up : NULL;
	const struct dbl_script *down = step->file ? &step->file->down : NULL;
	struct dblock_migration migration = {
		.size = sizeof(migration),
		.version = step->version,
		.name = step->name,
		.state = step->state,
		.applied_us = applied ? past->finished : 0,
		.applied_by = applied ? past->by : "",
		.now = took >= 0,
		.changed = step->changed,
		.out_of_order = step->out_of_order,
		.newer = step->newer && step->state == DBLOCK_MIGRATION_MISSING,
		.stepwise = step->file && step->file->up.stepwise,
		.steps = past ? past->steps : (took < 0 ? up : down)->steps,
		.step_done = past ? past->done : 0,
		.took_us = took > 0 ? took : 0,
		.error = past ? past->error : "",
		.checksum = past ? past->checksum : step->file->up.checksum,
		.rows = took >= 0 ? run->rows[step->file - run->set.files] : 0,
	};

	if (run->ask->cb && run->said == 0)
		run->said = run->ask->cb(run->ask->arg, &migration);
}

/* When the file at `i` had ended: when the next one was begun, if they were one transaction, else now. */
static int64_t ended(const struct dbl_run *run, size_t i)
{
	int64_t now = dbl_now(run->target->env), until = now;

	for (size_t k = 0; k < run->set.n; k++) {
		if (run->began[k] > run->began[i] && run->began[k] < until)
			until = run->began[k];
	}
	return until;
}

void dbl_run_done(struct dbl_run *run, const struct dbl_file *file, const struct dbl_past *row)
{
	size_t i = (size_t)(file - run->set.files);
	int64_t *began = &run->began[i];
	struct dbl_step step = {
		.version = file->version,
		.name = file->name,
		.file = file,
		.past = row,
		.state = row ? DBLOCK_MIGRATION_APPLIED : DBLOCK_MIGRATION_PENDING,
	};

	dbl_run_tell(run, &step, ended(run, i) - *began);
	*began = 0;
	run->done++;
	run->lost_since = 0;
	run->overtaken = 0;
	run->waited = 0;
}

/* Whether the history says that what we tried is done, and by us: this resolves a lost reply. */
static bool is_done(const struct dbl_run *run, const struct dbl_file *file,
		    const struct dbl_past *past)
{
	if (run->down)
		return !past;
	return past && past->state == DBL_ROW_APPLIED && strcmp(past->by, run->by) == 0 &&
	       strcmp(past->checksum, file->up.checksum) == 0;
}

/* Tells of all that was done while its reply was lost, in the order in which it was done. */
static void settle(struct dbl_run *run)
{
	for (size_t n = 0; n < run->set.n; n++) {
		size_t i = run->down ? run->set.n - 1 - n : n;
		const struct dbl_past *past;

		if (!run->began[i])
			continue;
		past = dbl_history_find(&run->history, run->set.files[i].version);
		if (is_done(run, &run->set.files[i], past))
			dbl_run_done(run, &run->set.files[i], past);
	}
}

int dbl_run_look(struct dbl_run *run, struct dblock_error *err)
{
	int rc = dbl_history_read(dbl_run_on(run), &run->history, err);

	if (rc == 0)
		settle(run);
	if (run->history.n > 0)
		run->which.allow_tables = false; /* it need not be said again */
	else if (rc == DBLOCK_E_BLOCKED || rc == DBLOCK_E_CONFLICT)
		run->again = DBL_AGAIN_WAIT; /* somebody makes or alters the table */
	return rc;
}

int dbl_run_make_history(struct dbl_run *run, struct dblock_error *err)
{
	int rc = run->history.there ? 0 : dbl_history_make(run->db, dbl_run_on(run), err);

	if (rc == DBLOCK_E_CONFLICT || rc == DBLOCK_E_BLOCKED)
		run->again = DBL_AGAIN_LOOK;
	return dbl_run_lost(run, rc);
}

int dbl_run_canceled(const struct dbl_run *run, struct dblock_error *err)
{
	char command[DBL_COMMAND_TEXT];

	if (!run->which.canceled || !run->which.canceled(run->which.canceled_arg))
		return 0;
	return dbl_words_refuse(err, DBLOCK_CANCELED,
				"stopped, as asked" DBL_NEXT "run 'dblock migrate %s' to go on",
				dbl_words_again(command, run->down, &run->which, run->done));
}

void dbl_run_say(const struct dbl_run *run, struct dblock_migrate_progress *progress)
{
	progress->size = sizeof(*progress);
	progress->doing = progress->doing ? progress->doing : "";
	if (run->which.progress)
		run->which.progress(run->which.progress_arg, progress);
}

/* ---- the whole call ------------------------------------------------------------------------- */

int dbl_run_once(const struct dbl_migrate *ask, dbl_run_cb *look, void *ctx,
		 struct dblock_error *err)
{
	struct dbl_run run;
	int rc = begin(&run, ask, err);

	if (rc == 0)
		rc = connect(&run, err);
	if (rc == 0)
		rc = dbl_run_look(&run, err);
	if (rc == 0)
		rc = look(&run, ctx, err);
	done_with(&run);
	return rc ? rc : run.said;
}

/* Sleeps before the next attempt to connect, as a server may be starting anew. False: that has gone
 * on for as long as a reply may take. */
static bool recover(struct dbl_run *run, int64_t *pause)
{
	const struct dbl_env *env = run->target->env;
	int64_t now = dbl_now(env);

	if (!run->lost_since)
		run->lost_since = now;
	if (now >= dbl_add(run->lost_since, run->ask->timeout) ||
	    (run->ask->deadline && now >= run->ask->deadline))
		return false;
	dbl_sleep_until(env, dbl_add(now, dbl_jitter(env, *pause)));
	*pause = dbl_least(*pause * 2, DBL_PAUSE_LAST_US);
	return true;
}

/* Whether to make another attempt; sleeps before, if so. */
static bool once_more(struct dbl_run *run, int *rc, int64_t *pause, struct dblock_error *err)
{
	enum dbl_again again = run->again;
	int waited = 0;

	run->again = DBL_AGAIN_NOT;
	if (*rc == 0 || again == DBL_AGAIN_NOT || again == DBL_AGAIN_NEVER)
		return false;
	if (again == DBL_AGAIN_CONNECT) {
		disconnect(run);
		return recover(run, pause);
	}
	if (again == DBL_AGAIN_WAIT || run->overtaken++ > 0)
		waited = dbl_gate_wait(run, pause, err);
	if (waited)
		*rc = waited;
	return waited == 0;
}

static int try_on(struct dbl_run *run, dbl_run_cb *attempt, void *ctx, struct dblock_error *err)
{
	int64_t pause = DBL_PAUSE_FIRST_US, before;
	int rc;

	do {
		before = dbl_now(run->target->env);
		rc = connect(run, err);
		if (rc == DBLOCK_E_UNAVAILABLE && run->met)
			run->again = DBL_AGAIN_CONNECT;
		/* A file that is not in WAL mode yet is switched to it once nobody writes to it. */
		if (rc == DBLOCK_E_BLOCKED) {
			run->again = DBL_AGAIN_WAIT;
			run->waited += dbl_now(run->target->env) - before;
		}
		if (rc == 0)
			rc = dbl_run_lost(run, attempt(run, ctx, err));
	} while (once_more(run, &rc, &pause, err));
	/* It was tried until no time was left; `status` tells what became of it. */
	if (rc == DBLOCK_E_CONFLICT || rc == DBLOCK_E_BLOCKED || rc == DBLOCK_E_UNSURE)
		rc = DBLOCK_E_NO_ANSWER;
	if (rc < 0)
		err->code = rc;
	return rc ? rc : run->said;
}

int dbl_run_attempts(const struct dbl_migrate *ask, dbl_run_cb *attempt, void *ctx,
		     struct dblock_error *err)
{
	struct dblock_error local;
	struct dbl_run run;
	int rc;

	err = err ? err : &local; /* dbl_history_make() and others read it */
	rc = begin(&run, ask, err);
	if (rc == 0)
		rc = try_on(&run, attempt, ctx, err);
	done_with(&run);
	return rc;
}
