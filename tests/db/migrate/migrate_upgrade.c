/* SPDX-License-Identifier: MIT */
/* An upgrade from version 0.1.0 whose process dies at each round trip in turn: the next one
 * finishes it. (cli/schema_upgrade.bats tests what is said of such a database, and that it ends as
 * a fresh one does.) */
#include "db/migrate/migrate_upgrade.h"
#include "db/migrate/migrate_cut.h"
#include "support/raw.h"
#include "support/thin.h"

/* On SQLite each play has its own file: whoever opens a file reads the tables of all that it holds.
 */
static char prefix[32], url[512];

static void name_own(unsigned at)
{
	snprintf(prefix, sizeof(prefix), "u%u_", at);
	snprintf(url, sizeof(url), "%s%s", env_text("DBLOCK_TEST_URL"),
		 backend_is("sqlite") ? prefix : "");
}

/* Counts the rows of those who hold, and who wait. */
static void assert_nothing_is_lost(void)
{
	struct raw *raw = raw_open_url(url, NULL);

	assert_int_equal(raw_int(raw, "SELECT count(*) FROM %ssession", prefix), OLD_SESSIONS);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM %slock", prefix), OLD_LOCKS);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM %squeue", prefix), OLD_ROWS);
	raw_close(raw);
}

/* Returns false if there are not so many round trips. */
static bool dies_at(unsigned at)
{
	struct dbl_env env = *dbl_env_system();
	struct schema s;
	struct told told;
	int rc;

	env.intercept = put_between;
	schema_open_url(&s, url, prefix, &env);
	cut_at(DEATH, at);
	rc = up_in(&s, &told, PLENTY_MS);
	/* The process may die at the end of its connection, when it knows that all was done. */
	assert_true(rc == 0 || (cut.struck && rc == DBLOCK_E_NOMEM));
	schema_close(&s);
	return cut.struck;
}

/* Returns false if there are not so many round trips. */
static bool made_good_at(unsigned at)
{
	struct schema s;
	bool died;

	name_own(at);
	schema_open_url(&s, url, prefix, dbl_env_system());
	make_old(&s);
	died = dies_at(at);
	assert_nothing_is_lost();
	(void)up(&s);
	assert_upgraded(&s);
	assert_nothing_is_lost();
	schema_close(&s);
	return died;
}

/* On a server every other round trip is played, so at least one of the three that a statement has.
 */
static void a_death_at_any_step_is_made_good(void **unused)
{
	unsigned at = 1;

	(void)unused;
	while (!tries_here(at, 2) || made_good_at(at))
		at++;
	assert_true(at > 20); /* there was something to cut */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_death_at_any_step_is_made_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
