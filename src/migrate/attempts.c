/* SPDX-License-Identifier: MIT */
/* Waiting for others, and trying again. */
#include "migrate/run.h"
#include "migrate/words.h"

#define PAUSE_LAST_US 1000000

/* ---- waiting -------------------------------------------------------------------------------- */

static void say_waiting(const struct dbl_run *run, const char *holder)
{
	dbl_run_say(run, &(struct dblock_migrate_progress){.waiting = true,
							   .holder = holder,
							   .waited_ms = run->waited / 1000,
							   .name = ""});
}

static int waited_enough(const struct dbl_run *run, const char *holder, struct dblock_error *err)
{
	char command[DBL_COMMAND_TEXT];

	dbl_fail(err, DBLOCK_BUSY, "waited %lld s for another process that is migrating%s%s",
		 (long long)(run->waited / 1000000), *holder ? ": " : "", holder);
	dbl_words_again(command, run->down, &run->which, run->done);
	dbl_err_line(err, DBL_LINE_NEXT,
		     "look with 'dblock migrate status' how far it is, or wait longer: 'dblock "
		     "migrate %s --wait 10m'",
		     command);
	return DBLOCK_BUSY;
}

/* Of all of the call, and so of its waiting. */
static int check_deadline(const struct dbl_run *run, struct dblock_error *err)
{
	int64_t deadline = run->ask->deadline;

	if (!deadline || dbl_now(run->target->env) < deadline)
		return 0;
	return dbl_fail(err, DBLOCK_E_TIMEOUT,
			"no time left to wait for another process that is migrating");
}

int dbl_run_wait(struct dbl_run *run, int64_t *pause, struct dblock_error *err)
{
	const struct dbl_env *env = run->target->env;
	int64_t limit = dbl_ms(run->which.wait_ms), before = dbl_now(env);
	bool enough = run->waited >= limit;
	char holder[256] = "";
	int64_t sleep = dbl_jitter(env, *pause);
	int rc = dbl_run_canceled(run, err);

	if (rc == 0)
		rc = check_deadline(run, err);
	/* Each time, until once a second. */
	if (rc == 0 && (enough || run->which.progress) && run->db && !dbl_db_broken(run->db) &&
	    !dbl_db_in_tx(run->db))
		rc = dbl_gate_holder(run, holder, sizeof(holder), err);
	if (rc)
		return rc;
	say_waiting(run, holder);
	if (enough)
		return waited_enough(run, holder, err);
	if (sleep > limit - run->waited)
		sleep = limit - run->waited;
	sleep = dbl_add(before, sleep);
	if (run->ask->deadline && sleep > run->ask->deadline)
		sleep = run->ask->deadline;
	dbl_sleep_until(env, sleep);
	run->waited += dbl_now(env) - before;
	*pause = *pause * 2 < PAUSE_LAST_US ? *pause * 2 : PAUSE_LAST_US;
	return 0;
}

/* ---- again ---------------------------------------------------------------------------------- */

/* A disk that is full or read-only may cost SQLite its connection, but a new one helps nobody. */
static bool is_final(int rc)
{
	return rc == DBLOCK_E_FULL || rc == DBLOCK_E_READONLY;
}

int dbl_run_lost(struct dbl_run *run, int rc)
{
	if (rc < 0 && !is_final(rc) && run->db && dbl_db_broken(run->db) &&
	    run->again != DBL_AGAIN_NEVER)
		run->again = DBL_AGAIN_CONNECT;
	return rc;
}

static void disconnect(struct dbl_run *run)
{
	dbl_db_close(run->db);
	run->db = NULL;
	run->locked = run->inside = false;
}

/* A lost connection may be a server that starts anew: for as long as an answer may take. */
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
	*pause = *pause * 2 < PAUSE_LAST_US ? *pause * 2 : PAUSE_LAST_US;
	return true;
}

/* Is it worth another attempt? Sleeps, if so. */
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
		waited = dbl_run_wait(run, pause, err);
	if (waited)
		*rc = waited;
	return waited == 0;
}

int dbl_run_attempts(struct dbl_run *run, int (*attempt)(struct dbl_run *, struct dblock_error *),
		     struct dblock_error *err)
{
	struct dblock_error local;
	int64_t pause = DBL_PAUSE_FIRST_US;
	int rc;

	err = err ? err : &local; /* it decides here */
	do {
		rc = dbl_run_connect(run, err);
		if (rc == DBLOCK_E_UNAVAILABLE && run->met)
			run->again = DBL_AGAIN_CONNECT;
		if (rc == 0)
			rc = dbl_run_lost(run, attempt(run, err));
	} while (once_more(run, &rc, &pause, err));
	dbl_gate_leave(run);
	disconnect(run);
	/* Tried until no time was left; and what is unsure, `status` tells. */
	if (rc == DBLOCK_E_CONFLICT || rc == DBLOCK_E_LOCKED || rc == DBLOCK_E_UNSURE)
		rc = DBLOCK_E_TIMEOUT;
	if (rc < 0)
		err->code = rc;
	return rc ? rc : run->said;
}
