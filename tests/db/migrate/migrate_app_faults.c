/* SPDX-License-Identifier: MIT */
/* An application's migrations are cut short at every round trip: cases 3 and 5 of
 * tests/migrate-cases.md. However it goes on, no statement is ever run twice, and the end is always
 * the same. */
#include "db/migrate/migrate_app.h"
#include "db/migrate/migrate_cut.h"
#include "support/thin.h"

/* One file makes a table, one is a transaction everywhere, one is none anywhere. */
struct set {
	struct dblock_migration_file files[3];
	char text[3][512];
	char table[64];
	int rows; /* rows in the table at the end */
};

static void make_set(struct set *set, const char *prefix)
{
	bool is_file = backend_is("sqlite");

	snprintf(set->table, sizeof(set->table), "%slog", prefix);
	snprintf(set->text[0], sizeof(set->text[0]),
		 "CREATE TABLE %s (k INTEGER);\nINSERT INTO %s VALUES (1);\n"
		 "INSERT INTO %s VALUES (2);\n",
		 set->table, set->table, set->table);
	snprintf(set->text[1], sizeof(set->text[1]),
		 "INSERT INTO %s VALUES (3);\nINSERT INTO %s VALUES (4);\n", set->table,
		 set->table);
	if (is_file)
		snprintf(set->text[2], sizeof(set->text[2]), STEPWISE "VACUUM;\nANALYZE;\n");
	else
		snprintf(set->text[2], sizeof(set->text[2]),
			 backend_is("mysql") ? STEPWISE "ALTER TABLE %s ADD COLUMN more INTEGER;\n"
							"INSERT INTO %s (k) VALUES (5);\n"
					     : STEPWISE "CREATE INDEX CONCURRENTLY ON %s (k);\n"
							"INSERT INTO %s (k) VALUES (5);\n",
			 set->table, set->table);
	for (int i = 0; i < 3; i++)
		set->files[i] = (struct dblock_migration_file)UP(i + 1, "f", set->text[i]);
	set->rows = is_file ? 4 : 5;
}

/* A person checks whether the statement in doubt took effect. */
static bool took_effect(struct app *app, const struct set *set, int64_t version)
{
	char sql[512];

	if (version == 1)
		return app_has(app, set->table);
	snprintf(sql, sizeof(sql),
		 backend_is("mysql")
			 ? "SELECT count(*) FROM information_schema.columns WHERE table_schema = "
			   "DATABASE() AND table_name = '%s' AND column_name = 'more'"
			 : "SELECT count(*) FROM pg_indexes WHERE tablename = '%s'",
		 set->table);
	return number(app, sql) > 0;
}

/* Goes on as a person would: again, or first a verdict. Returns how many migrations were told. */
static unsigned bring_to_its_end(struct app *app, const struct set *set)
{
	unsigned told = 0;
	int rc;

	for (int i = 0; i < 5; i++) {
		const char *status = app_status(app);
		int64_t version = strchr(status, 'D') ? strchr(status, 'D')[-1] - '0' : 0;

		rc = version ? 0 : app_up(app);
		told += version ? 0 : app->told.n;
		if (!version && rc == 0)
			return told;
		/* The dead process's session may still have been at work when the status was read.
		 */
		if (!version && rc == DBLOCK_E_REPAIR)
			continue;
		if (!version)
			fail_msg("%s", app->s.err.message);
		/* The migration is refused as long as nobody has checked. */
		EXPECT(E_REPAIR, app, app_up(app));
		rc = app_repair(app, version,
				took_effect(app, set, version) ? DBLOCK_MIGRATE_DONE
							       : DBLOCK_MIGRATE_NOT_DONE);
		if (rc)
			fail_msg("%s", app->s.err.message);
	}
	fail_msg("it does not come to an end");
	return 0;
}

static void assert_right(struct app *app, const struct set *set, unsigned at)
{
	char sql[128];

	assert_string_equal(app_status(app), "1A2A3A");
	snprintf(sql, sizeof(sql), "SELECT count(*) * 100 + count(DISTINCT k) FROM %s", set->table);
	if (number(app, sql) != set->rows * 101)
		fail_msg("cut at %u: %lld", at, (long long)number(app, sql));
}

/* Applies one set, cut at round trip `at`. Returns false if there are not so many. */
static bool cut_one(enum fault fault, unsigned at)
{
	struct dbl_env env = *dbl_env_system();
	struct set set;
	struct app app;
	char prefix[32];
	unsigned told;
	bool struck;
	int rc;

	env.intercept = put_between;
	snprintf(prefix, sizeof(prefix), "g%d_%u_", (int)fault, at);
	make_set(&set, prefix);
	app_open_env(&app, prefix, &env);
	SET(&app, set.files);
	cut_at(fault, at);
	rc = app_up(&app);
	told = app.told.n;
	struck = cut.struck;
	app_close(&app);
	app_open(&app, prefix);
	SET(&app, set.files);
	if (rc == 0 && fault != DEATH)
		assert_right(&app, &set, at);
	told += bring_to_its_end(&app, &set);
	assert_right(&app, &set, at);
	/* Each migration is told once, unless the process that did it is dead. */
	if (fault != DEATH && told != 3)
		fail_msg("cut at %u: told of %u", at, told);
	app_close(&app);
	return struck;
}

static void cut_everywhere(enum fault fault)
{
	unsigned at = 1;

	while (!tries_here(at + (unsigned)fault, 3) || cut_one(fault, at))
		at++;
	assert_true(at > 20); /* there was something to cut */
}

static void a_lost_request(void **unused)
{
	(void)unused;
	cut_everywhere(LOST_REQUEST);
}

static void a_lost_reply(void **unused)
{
	(void)unused;
	cut_everywhere(LOST_REPLY);
}

static void a_death(void **unused)
{
	(void)unused;
	cut_everywhere(DEATH);
}

/* Applies one file of one statement that stands alone, cut at round trip `at`. */
static bool cut_alone(enum fault fault, unsigned at, unsigned *doubts)
{
	struct dbl_env env = *dbl_env_system();
	char prefix[32], sql[128], text[128];
	struct dblock_migration_file files[1];
	struct app app;

	env.intercept = put_between;
	snprintf(prefix, sizeof(prefix), "h%d_%u_", (int)fault, at);
	snprintf(sql, sizeof(sql), "CREATE TABLE %st (k INTEGER)", prefix);
	snprintf(text, sizeof(text),
		 backend_is("sqlite")  ? STEPWISE "VACUUM"
		 : backend_is("mysql") ? STEPWISE "ALTER TABLE %st ADD COLUMN more INTEGER"
				       : STEPWISE "CREATE INDEX CONCURRENTLY ON %st (k)",
		 prefix);
	app_open_env(&app, prefix, &env);
	cut_at(fault, 0);
	plain(&app, sql);
	cut_at(fault, at);
	files[0] = (struct dblock_migration_file)UP(1, "f", text);
	SET(&app, files);
	*doubts += app_up(&app) == DBLOCK_E_REPAIR;
	app_close(&app);
	return cut.struck;
}

/* Only the statement can be in doubt, and the check whether it left an INVALID index. If the note
 * of it is lost, nobody has to ask a person: the process that runs the file knows. */
static void only_the_statement_itself_is_in_doubt(void **unused)
{
	static const enum fault faults[] = {LOST_REQUEST, LOST_ON_WAY};

	(void)unused;
	for (int i = 0; i < 2; i++) {
		unsigned at = 1, doubts = 0;

		while (cut_alone(faults[i], at, &doubts))
			at++;
		assert_true(at > 10);
		assert_int_equal(doubts, backend_is("sqlite") ? 0 : 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lost_request),
		cmocka_unit_test(a_lost_reply),
		cmocka_unit_test(a_death),
		cmocka_unit_test(only_the_statement_itself_is_in_doubt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
