/* SPDX-License-Identifier: MIT */
/* The first `up` of all looks whose tables there are, and may take over another tool's history: others do so at
 * the same time, and any reply may be lost. */
#include <dblock/adopt.h>

#include "db/migrate/migrate_app.h"
#include "support/spy.h"

static const struct dblock_migration_file files[] = {
	UP(1, "a", "CREATE TABLE race_a (k INTEGER)"),
	UP(2, "b", "CREATE TABLE race_b (k INTEGER)"),
	UP(3, "c", "CREATE TABLE race_c (k INTEGER)"),
};

/* Two copies of an application: the one is slow, and the other one comes first. */
static struct app slow, fast;
static struct spy *spy;

static void golang_at(int version)
{
	char sql[80];

	plain(&fast, "CREATE TABLE schema_migrations (version BIGINT NOT NULL PRIMARY KEY, "
		     "dirty BOOLEAN NOT NULL)");
	snprintf(sql, sizeof(sql), "INSERT INTO schema_migrations VALUES (%d, FALSE)", version);
	plain(&fast, sql);
}

static void clear(void)
{
	plain(&fast, "DROP TABLE IF EXISTS race_a");
	plain(&fast, "DROP TABLE IF EXISTS race_b");
	plain(&fast, "DROP TABLE IF EXISTS race_c");
	plain(&fast, "DROP TABLE IF EXISTS schema_migrations");
	by_hand(&fast.s, "DROP TABLE IF EXISTS dblock_migration");
}

static int set_up(void **state)
{
	(void)state;
	spy = spy_new();
	app_open_env(&slow, "first_", &spy->env);
	app_open(&fast, "first_");
	SET(&slow, files);
	SET(&fast, files);
	clear();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	clear();
	app_close(&slow);
	app_close(&fast);
	spy_free(spy);
	return 0;
}

static enum spy_fate the_other_is_faster(struct spy *s, enum dbl_op op)
{
	if (op == DBL_OP_tables) {
		s->fate = NULL;
		EXPECT(OK, &fast, app_up(&fast));
	}
	return SPY_PASS;
}

/* Naive: tables and, at the look before, no history. */
static void tables_of_one_who_was_faster_are_ours(void **state)
{
	(void)state;
	spy->fate = the_other_is_faster;
	EXPECT(OK, &slow, app_up(&slow));
	assert_int_equal(slow.told.n, 0);
	assert_int_equal(fast.told.n, 3);
}

static void two_adopt_at_once(void **state)
{
	(void)state;
	golang_at(2);
	slow.which.adopt = fast.which.adopt = true;
	spy->fate = the_other_is_faster;
	EXPECT(OK, &slow, app_up(&slow));
	assert_int_equal(slow.told.n, 0);
	assert_int_equal(fast.told.n, 1);
}

static int adopt(struct app *app)
{
	struct dbl_migrate ask = app_ask(app);

	return dbl_migrate_adopt(&ask, NULL, NULL, NULL, &app->s.err);
}

/* Each run in turn is carried out, and its reply is lost with the connection. */
static void any_reply_may_be_lost(void **state)
{
	int n = 0, rc;

	(void)state;
	do {
		clear();
		golang_at(2);
		spy_hit_nth(spy, ++n, SPY_LOST_AFTER);
		rc = adopt(&slow);
		if (rc == DBLOCK_E_UNAVAILABLE) /* it was never connected */
			rc = adopt(&slow);
		EXPECT(OK, &slow, rc);
		EXPECT(OK, &fast, app_up(&fast));
		assert_int_equal(fast.told.n, 1);
	} while (spy_has_hit(spy));
	assert_true(n > 4);
}

/* What the caller is shown he can refuse. */
static int refuses(void *arg, const struct dblock_migrate_adopted *what)
{
	*(size_t *)arg = what->n;
	return 77;
}

static void the_caller_can_refuse(void **state)
{
	struct dbl_migrate ask = app_ask(&slow);
	size_t n = 0;

	(void)state;
	golang_at(1);
	assert_int_equal(dbl_migrate_adopt(&ask, NULL, refuses, &n, &slow.s.err), 77);
	assert_int_equal(n, 1);
	EXPECT(E_DRIFT, &slow, app_up(&slow));
	assert_says(&slow.s, "golang-migrate has migrated this database");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(tables_of_one_who_was_faster_are_ours),
		CASE(two_adopt_at_once),
		CASE(any_reply_may_be_lost),
		CASE(the_caller_can_refuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
