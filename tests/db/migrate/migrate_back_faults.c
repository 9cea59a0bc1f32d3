/* SPDX-License-Identifier: MIT */
/* down, repair and baseline are cut short at every round trip (case 5 of tests/migrate-cases.md for
 * other calls than `up`): the history tells what has happened, nothing is undone twice, and a
 * verdict is no error because its reply was lost. */
#include "db/migrate/migrate_app.h"
#include "db/migrate/migrate_cut.h"
#include "support/thin.h"

struct scene {
	const char *name;
	enum dblock_migrate_verdict verdict;
	const char *before; /* SQL that is run on the row first */
	const char *status; /* the status afterwards */
};

/* ---- down ----------------------------------------------------------------------------------- */

struct set {
	struct dblock_migration_file files[3];
	char up[3][512], down[3][512];
	char table[64], undone[64];
};

/* Each file that is undone leaves a row in `undone`. */
static void make_set(struct set *set, const char *prefix)
{
	bool is_file = backend_is("sqlite"), is_mysql = backend_is("mysql");
	size_t room = sizeof(set->up[0]);

	snprintf(set->table, sizeof(set->table), "%st", prefix);
	snprintf(set->undone, sizeof(set->undone), "%sundone", prefix);
	snprintf(set->up[0], room, "CREATE TABLE %s (k INTEGER)", set->table);
	snprintf(set->down[0], room, "INSERT INTO %s VALUES (1);\nDROP TABLE %s", set->undone,
		 set->table);
	snprintf(set->up[1], room, "INSERT INTO %s VALUES (2)", set->table);
	snprintf(set->down[1], room, "DELETE FROM %s;\nINSERT INTO %s VALUES (2)", set->table,
		 set->undone);
	snprintf(set->up[2], room,
		 is_mysql ? "ALTER TABLE %s ADD COLUMN more INTEGER" : "CREATE INDEX %si ON %s (k)",
		 is_mysql ? set->table : prefix, set->table);
	snprintf(set->down[2], room,
		 is_file    ? "DROP INDEX %si;\nINSERT INTO %s VALUES (3)"
		 : is_mysql ? "ALTER TABLE %st DROP COLUMN more;\nINSERT INTO %s VALUES (3)"
			    : STEPWISE "DROP INDEX CONCURRENTLY %si;\nINSERT INTO %s VALUES (3)",
		 prefix, set->undone);
	for (int i = 0; i < 3; i++)
		set->files[i] =
			(struct dblock_migration_file)BOTH(i + 1, "f", set->up[i], set->down[i]);
}

static bool is_column_gone(struct app *app, const struct set *set, int64_t version)
{
	char sql[512];

	if (version == 1)
		return !app_has(app, set->table);
	snprintf(sql, sizeof(sql),
		 backend_is("mysql")
			 ? "SELECT count(*) FROM information_schema.columns WHERE table_schema = "
			   "DATABASE() AND table_name = '%s' AND column_name = 'more'"
			 : "SELECT count(*) FROM pg_indexes WHERE tablename = '%s'",
		 set->table);
	return number(app, sql) == 0;
}

/* Calls again, or first gives a verdict. Returns how many migrations were told. */
static unsigned bring_down(struct app *app, const struct set *set)
{
	unsigned told = 0;

	for (int i = 0; i < 8; i++) {
		const char *status = app_status(app), *doubt = strchr(status, 'D');
		int rc;

		if (doubt) {
			int64_t version = doubt[-1] - '0';

			EXPECT(E_REPAIR, app, app_down(app));
			EXPECT(OK, app,
			       app_repair(app, version,
					  is_column_gone(app, set, version)
						  ? DBLOCK_MIGRATE_DONE
						  : DBLOCK_MIGRATE_NOT_DONE));
			continue;
		}
		rc = app_down(app);
		told += app->told.n;
		if (rc == 0)
			return told;
		/* The server was still at work for the process that began it when the status was
		 * read. */
		if (rc == DBLOCK_E_REPAIR && strchr(status, 'V'))
			continue;
		fail_msg("%s: %s", status, app->s.err.message);
	}
	fail_msg("it does not come to an end");
	return 0;
}

static bool cut_down(enum fault fault, unsigned at)
{
	struct dbl_env env = *dbl_env_system();
	char prefix[32], sql[128];
	struct set set;
	struct app app;
	unsigned told;
	int rc;

	snprintf(prefix, sizeof(prefix), "d%d_%u_", (int)fault, at);
	make_set(&set, prefix);
	app_open(&app, prefix);
	snprintf(sql, sizeof(sql), "CREATE TABLE %s (k INTEGER)", set.undone);
	plain(&app, sql);
	SET(&app, set.files);
	EXPECT(OK, &app, app_up(&app));
	app_close(&app);
	env.intercept = put_between;
	app_open_env(&app, prefix, &env);
	SET(&app, set.files);
	app.which.all = true;
	cut_at(fault, at);
	rc = app_down(&app);
	told = app.told.n;
	app_close(&app);
	app_open(&app, prefix);
	SET(&app, set.files);
	app.which.all = true;
	if (rc == 0 && fault != DEATH)
		assert_string_equal(app_status(&app), "1p2p3p");
	told += bring_down(&app, &set);
	assert_string_equal(app_status(&app), "1p2p3p");
	assert_false(app_has(&app, set.table));
	snprintf(sql, sizeof(sql), "SELECT count(*) * 100 + count(DISTINCT k) FROM %s", set.undone);
	if (number(&app, sql) != 303)
		fail_msg("cut at %u: undone: %lld", at, (long long)number(&app, sql));
	if (fault != DEATH && told != 3)
		fail_msg("cut at %u: told of %u", at, told);
	app_close(&app);
	return cut.struck;
}

/* ---- baseline, repair ----------------------------------------------------------------------- */

static const struct dblock_migration_file plain_files[] = {
	UP(1, "a", "SELECT 1"), UP(2, "b", "SELECT 2"), UP(3, "c", "SELECT 3")};

/* Only a process that dies, or never got a connection, does not know the outcome. */
static void knows(const struct app *app, enum fault fault, int rc)
{
	if (fault != DEATH && rc && !strstr(app->s.err.message, "setup: cut"))
		fail_msg("%s: %s", dblock_outcome_name(rc), app->s.err.message);
}

static bool cut_baseline(enum fault fault, unsigned at)
{
	struct dbl_env env = *dbl_env_system();
	char prefix[32];
	struct app app;
	int rc;

	snprintf(prefix, sizeof(prefix), "b%d_%u_", (int)fault, at);
	env.intercept = put_between;
	app_open_env(&app, prefix, &env);
	SET(&app, plain_files);
	cut_at(fault, at);
	rc = app_baseline(&app, 2);
	knows(&app, fault, rc);
	app_close(&app);
	app_open(&app, prefix);
	SET(&app, plain_files);
	/* The baseline was written whole, or not at all. */
	if (rc && strcmp(app_status(&app), "1p2p3p") == 0)
		EXPECT(OK, &app, app_baseline(&app, 2));
	assert_string_equal(app_status(&app), "1A2A3p");
	app_close(&app);
	return cut.struck;
}

static const struct scene scenes[] = {
	{"forget", DBLOCK_MIGRATE_FORGET, NULL, "1A2p3A"},
	{"rechecksum", DBLOCK_MIGRATE_RECHECKSUM, "checksum = 'other'", "1A2A3A"},
	{"applied", DBLOCK_MIGRATE_APPLIED, "state = 'failed', step_begun = 1, step_done = 0",
	 "1A2A3A"},
	{"done", DBLOCK_MIGRATE_DONE, "state = 'running', step_begun = 1, step_done = 0", "1A2R3A"},
	{"notdone", DBLOCK_MIGRATE_NOT_DONE, "state = 'running', step_begun = 1, step_done = 0",
	 "1A2R3A"},
};

static const struct scene *scene;

static void prepare(struct app *app)
{
	char sql[256];

	SET(app, plain_files);
	EXPECT(OK, app, app_baseline(app, 3));
	if (!scene->before)
		return;
	snprintf(sql, sizeof(sql), "UPDATE dblock_migration SET %s WHERE version = 2",
		 scene->before);
	by_hand(&app->s, sql);
}

static bool cut_repair(enum fault fault, unsigned at)
{
	struct dbl_env env = *dbl_env_system();
	char prefix[32], status[32];
	struct app app;
	int rc;

	snprintf(prefix, sizeof(prefix), "r%.4s%d_%u_", scene->name, (int)fault, at);
	app_open(&app, prefix);
	prepare(&app);
	app_close(&app);
	env.intercept = put_between;
	app_open_env(&app, prefix, &env);
	SET(&app, plain_files);
	cut_at(fault, at);
	rc = app_repair(&app, 2, scene->verdict);
	knows(&app, fault, rc);
	app_close(&app);
	app_open(&app, prefix);
	SET(&app, plain_files);
	/* The call is made again: either it was not done, or it is refused now. */
	if (rc)
		(void)app_repair(&app, 2, scene->verdict);
	snprintf(status, sizeof(status), "%s", scene->status);
	if (!backend_is("sqlite") && strchr(status, 'R')) /* the gate tells that nobody is at it */
		*strchr(status, 'R') = 'S';
	assert_string_equal(app_status(&app), status);
	app_close(&app);
	return cut.struck;
}

/* ---- everywhere ----------------------------------------------------------------------------- */

static void cut_each(bool (*one)(enum fault, unsigned), enum fault fault, unsigned least)
{
	unsigned at = 1;

	while (!tries_here(at + (unsigned)fault, 3) || one(fault, at))
		at++;
	assert_true(at > least); /* there was something to cut */
}

static void cut_everywhere(bool (*one)(enum fault, unsigned), unsigned least)
{
	cut_each(one, LOST_REQUEST, least);
	cut_each(one, LOST_REPLY, least);
	cut_each(one, DEATH, least);
}

static void down_is_done_once(void **unused)
{
	(void)unused;
	cut_everywhere(cut_down, 20);
}

static void a_baseline_is_whole(void **unused)
{
	(void)unused;
	cut_everywhere(cut_baseline, 5);
}

static void a_verdict_is_carried_out(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		scene = &scenes[i];
		if (i == 0)
			cut_everywhere(cut_repair, 3);
		else
			cut_each(cut_repair, LOST_REPLY, 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(down_is_done_once),
		cmocka_unit_test(a_baseline_is_whole),
		cmocka_unit_test(a_verdict_is_carried_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
