/* SPDX-License-Identifier: MIT */
/* A call is tried again, if what stopped it will pass. */
#include "migrate/engine/run.h"

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
	*pause = *pause * 2 < DBL_PAUSE_LAST_US ? *pause * 2 : DBL_PAUSE_LAST_US;
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
		waited = dbl_gate_wait(run, pause, err);
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
