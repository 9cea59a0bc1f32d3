/* SPDX-License-Identifier: MIT */
/* Migrations are cut short at every round trip, before and after the database has done it. */
#include "db/migrate/migrate_cut.h"
#include "support/thin.h"

/* On SQLite each schema has its own file: whoever opens a file reads the tables of all that it
 * holds. */
static void open_own(struct schema *s, const char *prefix, const struct dbl_env *env)
{
	char url[512];

	snprintf(url, sizeof(url), "%s%s", env_text("DBLOCK_TEST_URL"),
		 backend_is("sqlite") ? prefix : "");
	schema_open_url(s, url, prefix, env);
}

/* Runs `up` of a fresh schema, cut at round trip `at`. Returns false if there are not so many. */
static bool up_cut_at(enum fault fault, unsigned at, struct schema *s, struct told *told, int *rc)
{
	struct dbl_env env = *dbl_env_system();
	char prefix[32];

	env.intercept = put_between;
	snprintf(prefix, sizeof(prefix), "f%d_%u_", (int)fault, at);
	open_own(s, prefix, &env);
	cut_at(fault, at);
	*rc = up_in(s, told, PLENTY_MS);
	schema_close(s);
	open_own(s, prefix, dbl_env_system());
	return cut.struck;
}

/* Files are made alike, so after the first few each fourth statement is cut; on a server every
 * other one of these (support/thin.h). */
static unsigned next_cut(enum fault fault, unsigned at)
{
	unsigned stride;

	do {
		stride = at < 30 || tries_all() ? 1 : 4;
		at += stride;
	} while (!tries_here(at / stride + (unsigned)fault, 2));
	return at;
}

/* A first connection that fails is told at once: the URL may be wrong. */
static bool cut_while_opening(int rc, const struct schema *s)
{
	return rc == DBLOCK_E_UNAVAILABLE && strncmp(s->err.message, "setup:", 6) == 0;
}

/* The call itself makes up for the cut connection, and tells all that it did. */
static void heals(enum fault fault)
{
	struct schema s;
	struct told told;
	unsigned at = 1;
	bool struck;
	int rc;

	do {
		struck = up_cut_at(fault, at, &s, &told, &rc);
		if (cut_while_opening(rc, &s))
			told.n = up(&s);
		else if (rc)
			fail_msg("cut at %u: %s", at, s.err.message);
		assert_whole(&s);
		if (told.n != FILES)
			fail_msg("cut at %u: told %u of %d files", at, told.n, FILES);
		schema_close(&s);
	} while (struck && (at = next_cut(fault, at)));
	assert_true(at > 10); /* there was something to cut */
}

static void a_lost_request_is_sent_again(void **unused)
{
	(void)unused;
	heals(LOST_REQUEST);
}

static void a_lost_reply_is_settled_by_reading(void **unused)
{
	(void)unused;
	heals(LOST_REPLY);
}

/* The next process finds nothing in its way, and finishes the work. */
static void a_death_at_any_step_is_made_good(void **unused)
{
	struct schema s;
	struct told told;
	unsigned at = 1;
	bool struck;
	int rc;

	(void)unused;
	do {
		struck = up_cut_at(DEATH, at, &s, &told, &rc);
		/* The cut came at the end of the connection, when the process knew that all was
		 * done. */
		if (rc == 0)
			assert_whole(&s);
		else
			assert_true(struck && rc == DBLOCK_E_NOMEM);
		if (s.target.dialect->ddl_in_tx && struck)
			assert_true(there(&s, "session") == there(&s, "held"));
		(void)up(&s);
		assert_whole(&s);
		schema_close(&s);
	} while (struck && (at = next_cut(DEATH, at)));
	assert_true(at > 10);
}

/* A process that died left a row that says `running`, as MySQL's half-done files do. */
static void what_the_dead_left_is_run_again(void **unused)
{
	struct schema s;
	struct told told;

	(void)unused;
	schema_open(&s, "dead_");
	(void)up(&s);
	dead_had_begun(&s, FIRST + 1);
	status(&s, &told);
	assert_int_equal(told.state[0], DBLOCK_MIGRATION_APPLIED);
	assert_int_equal(told.state[1], DBLOCK_MIGRATION_RUNNING);
	assert_string_equal(told.by[1], "");
	assert_int_equal(check(&s, false), DBLOCK_E_SCHEMA);
	assert_says(&s, "half done");
	assert_int_equal(up(&s), FILES - 1);
	assert_whole(&s);
	dead_had_begun(&s, FIRST);
	by_hand(&s, "DROP VIEW dblock_held");
	assert_int_equal(up(&s), FILES);
	assert_whole(&s);
	status(&s, &told);
	assert_false(told.changed[0]);
	assert_string_not_equal(told.by[0], "them@there");
	schema_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lost_request_is_sent_again),
		cmocka_unit_test(a_lost_reply_is_settled_by_reading),
		cmocka_unit_test(a_death_at_any_step_is_made_good),
		cmocka_unit_test(what_the_dead_left_is_run_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
