/* SPDX-License-Identifier: MIT */
/* Waits until a database answers. */
#include <string.h>

#include "migrate/command/database.h"
#include "migrate/report/words.h"

#define PAUSE_FIRST_US 50000
#define PAUSE_LAST_US  1000000
#define LAST_US        1000000

/* Whether it may be otherwise soon, though nobody mends anything. */
static bool may_pass(int rc)
{
	return rc == DBLOCK_E_UNAVAILABLE || rc == DBLOCK_E_NO_ANSWER || rc == DBLOCK_E_UNSURE ||
	       rc == DBLOCK_E_CONFLICT || rc == DBLOCK_E_BLOCKED || rc == DBLOCK_E_READONLY;
}

static int no_database(const struct dbl_database *database, struct dblock_error *err)
{
	const char *name = dbl_database_name(database);

	return dbl_fail(err, DBLOCK_GONE,
			"there is no database %.1000s yet: 'dblock migrate create' makes it",
			name ? name : "of that name");
}

/* A file that is not there would be made by opening it. */
static int attempt(const struct dbl_database *database, int64_t deadline, struct dblock_error *err)
{
	int64_t now = dbl_now(database->target->env), by = dbl_add(now, database->timeout);
	int rc;

	if (dbl_database_lacks_file(database))
		return no_database(database, err);
	/* The last one needs time as well, to say what is wrong. */
	if (deadline)
		by = dbl_least(by, deadline > now + LAST_US ? deadline : now + LAST_US);
	rc = dbl_database_try(database, by, err);
	return dbl_words_no_database(rc, err) ? no_database(database, err) : rc;
}

int dbl_database_wait(const struct dbl_database *database, int64_t wait, dblock_waiting_cb *waiting,
		      void *arg, struct dblock_error *err)
{
	const struct dbl_env *env = database->target->env;
	int64_t deadline = wait ? dbl_add(dbl_now(env), wait) : 0, pause = PAUSE_FIRST_US;
	int rc, said;

	while (may_pass(rc = attempt(database, deadline, err))) {
		said = waiting ? waiting(arg, err) : 0;
		if (said)
			return said;
		if (dbl_now(env) >= deadline) {
			dbl_err_prefix(err, "no answer in that time");
			return err->code = DBLOCK_E_UNAVAILABLE;
		}
		dbl_sleep_until(env, dbl_least(dbl_add(dbl_now(env), pause), deadline));
		pause = dbl_least(2 * pause, PAUSE_LAST_US);
	}
	return rc;
}
