/* SPDX-License-Identifier: MIT */
/*
 * The gate lets one process at a time migrate a scope. It is a lock of the server's that is polled,
 * never waited for (a blocked statement would hold up CREATE INDEX CONCURRENTLY, and be held up by
 * it for ever), and ends with the connection. It only saves work: its row makes a file run once.
 * But only who is certainly inside may take a row that says `running` for one of a dead process.
 */
#include <stdio.h>

#include "driver/value.h"
#include "migrate/engine/run.h"
#include "migrate/report/words.h"

/* How long to try for a file's write lock before the caller is asked and told again. */
#define BEGIN_US 500000

enum { GATE_NAME = DBL_PREFIX_MAX + 32 + 65, HOLDER = 256 };

static const char *name_of(const struct dbl_run *run, char name[GATE_NAME])
{
	snprintf(name, GATE_NAME, "%smigration %s", run->target->names.prefix, run->set.scope);
	return name;
}

static int ask(const struct dbl_run *run, enum dbl_op op, int64_t *answer, struct dblock_error *err)
{
	char name[GATE_NAME];

	return dbl_ask(
		dbl_run_on(run), op,
		DBL_ARGS_OF(dbl_text(run->target->names.schema), dbl_text(name_of(run, name))),
		answer, err);
}

int dbl_gate_holder(const struct dbl_run *run, char *who, size_t room, struct dblock_error *err)
{
	char name[GATE_NAME];

	return dbl_ask_text(
		dbl_run_on(run), DBL_OP_migrate_holder,
		DBL_ARGS_OF(dbl_text(run->target->names.schema), dbl_text(name_of(run, name))), who,
		room, err);
}

static int take(struct dbl_run *run, int64_t *got, struct dblock_error *err)
{
	int64_t number, ours = dbl_db_backend(run->db);
	int rc = ask(run, DBL_OP_migrate_lock, got, err);

	if (rc || !*got)
		return rc;
	run->locked = true;
	rc = ask(run, DBL_OP_migrate_mine, &number, err);
	run->inside = rc == 0 && number == ours;
	if (rc || !number || !ours || run->inside)
		return rc;
	/* If a pooler's connection had the lock, it would keep others out when we are long gone. */
	run->locked = false;
	return ask(run, DBL_OP_migrate_unlock, &number, err);
}

/* Tries to get in. That is one transaction, so that a pooler does all of it on one connection. */
static int enter(struct dbl_run *run, int64_t *got, struct dblock_error *err)
{
	int rc;

	/* Behind a pooler that lock would be somebody else's, and stay when we are long gone. */
	if (dbl_db_pooled(run->db)) {
		*got = 1;
		return 0;
	}
	if (run->target->dialect->is_file)
		return take(run, got, err);
	rc = dbl_db_begin(run->db, dbl_run_deadline(run), err);
	if (rc == 0)
		rc = dbl_db_end(run->db, take(run, got, err), dbl_run_deadline(run), err);
	return dbl_db_undone(run->db, rc, dbl_run_deadline(run), err);
}

/* ---- waiting -------------------------------------------------------------------------------- */

static int waited_enough(const struct dbl_run *run, const char *holder, struct dblock_error *err)
{
	char command[DBL_COMMAND_TEXT];
	int code = run->which.wait_ms == 0 ? DBLOCK_BUSY : DBLOCK_TIMEOUT;

	dbl_fail(err, code, "waited %lld.%lld s for another process that is migrating%s%s",
		 (long long)(run->waited / 1000000), (long long)(run->waited / 100000 % 10),
		 *holder ? ": " : "", holder);
	dbl_err_line(err, DBL_LINE_NEXT,
		     "look with 'dblock migrate status' how far it is, or wait longer: 'dblock "
		     "migrate %s --wait 10m'",
		     dbl_words_again(command, run->down, &run->which, run->done));
	return code;
}

/* Tells the caller that we wait. `enough`: the holder is read for the message that follows. */
static int tell_waiting(struct dbl_run *run, bool enough, char holder[HOLDER],
			struct dblock_error *err)
{
	int rc = 0;

	*holder = '\0';
	if ((enough || run->which.progress) && run->db && !dbl_db_broken(run->db) &&
	    !dbl_db_in_tx(run->db))
		rc = dbl_gate_holder(run, holder, HOLDER, err);
	if (rc == 0)
		dbl_run_say(run, &(struct dblock_migrate_progress){.waiting = true,
								   .holder = holder,
								   .waited_ms = run->waited / 1000,
								   .name = ""});
	return rc;
}

int dbl_gate_wait(struct dbl_run *run, int64_t *pause, struct dblock_error *err)
{
	const struct dbl_env *env = run->target->env;
	int64_t limit = dbl_ms(run->which.wait_ms), before = dbl_now(env);
	int64_t deadline = run->ask->deadline; /* of the whole call, its waiting included */
	bool enough = run->waited >= limit;
	char holder[HOLDER];
	int64_t sleep = dbl_jitter(env, *pause);
	int rc = dbl_run_canceled(run, err);

	if (rc == 0 && deadline && before >= deadline)
		rc = dbl_fail(err, DBLOCK_E_NO_ANSWER,
			      "no time left to wait for another process that is migrating");
	if (rc == 0)
		rc = tell_waiting(run, enough, holder, err);
	if (rc)
		return rc;
	if (enough)
		return waited_enough(run, holder, err);
	sleep = dbl_add(before, dbl_least(sleep, limit - run->waited));
	dbl_sleep_until(env, deadline ? dbl_least(sleep, deadline) : sleep);
	run->waited += dbl_now(env) - before;
	*pause = dbl_least(*pause * 2, DBL_PAUSE_LAST_US);
	return 0;
}

/* ---- in and out ----------------------------------------------------------------------------- */

int dbl_gate_enter(struct dbl_run *run, bool (*wanted)(struct dbl_run *, void *ctx), void *ctx,
		   struct dblock_error *err)
{
	int64_t pause = DBL_PAUSE_FIRST_US, got;
	int rc;

	while ((rc = enter(run, &got, err)) == 0 && !got) {
		rc = dbl_gate_wait(run, &pause, err);
		if (rc == 0)
			rc = dbl_run_look(run, err);
		if (rc || (wanted && !wanted(run, ctx)))
			return rc;
	}
	return rc ? rc : dbl_run_look(run, err);
}

/* The lock ends with the connection, too, but only when the server notices that it is closed. */
void dbl_gate_leave(struct dbl_run *run)
{
	int64_t left;

	if (run->locked && run->db && !dbl_db_broken(run->db))
		(void)ask(run, DBL_OP_migrate_unlock, &left, NULL);
	run->locked = run->inside = false;
}

int dbl_gate_begin(struct dbl_run *run, struct dblock_error *err)
{
	const struct dbl_env *env = run->target->env;
	bool is_file = run->target->dialect->is_file;
	int64_t pause = DBL_PAUSE_FIRST_US, before;
	int rc;

	do {
		before = dbl_now(env);
		rc = dbl_db_begin(run->db,
				  is_file ? dbl_add(before, BEGIN_US) : dbl_run_deadline(run), err);
		if (rc != DBLOCK_E_BLOCKED || !is_file)
			break;
		run->waited += dbl_now(env) - before;
		rc = dbl_gate_wait(run, &pause, err);
	} while (rc == 0);
	/* Only a BEGIN was sent, so a lost connection has lost nothing. */
	return dbl_run_lost(run, dbl_db_undone(run->db, rc, dbl_run_deadline(run), err));
}
