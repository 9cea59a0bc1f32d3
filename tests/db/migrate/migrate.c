/* SPDX-License-Identifier: MIT */
/* Migrations of the library's own schema: up, status, the check at open. */
#include "db/migrate/migrate_kit.h"

static void up_applies_each_file_once(void **unused)
{
	static const char *const names[] = {"dblock", "protocol", "event", "quorum",
					    "outbox", "global",   "pools"};
	struct schema s;
	struct told told;

	(void)unused;
	assert_int_equal(sizeof(names) / sizeof(names[0]), FILES);
	schema_open(&s, "once_");
	assert_int_equal(up_in(&s, &told, PLENTY_MS), 0);
	assert_int_equal(told.n, FILES);
	for (unsigned i = 0; i < FILES; i++) {
		assert_int_equal(told.version[i], FIRST + i);
		assert_string_equal(told.name[i], names[i]);
		assert_true(told.now[i]);
		assert_true(told.applied_us[i] > INT64_C(1600000000000000));
	}
	assert_whole(&s);
	assert_int_equal(up(&s), 0);
	schema_close(&s);
}

static void status_tells_and_writes_nothing(void **unused)
{
	struct schema s;
	struct told told;

	(void)unused;
	schema_open(&s, "stat_");
	status(&s, &told);
	assert_int_equal(told.n, FILES);
	for (unsigned i = 0; i < FILES; i++) {
		assert_int_equal(told.state[i], DBLOCK_MIGRATION_PENDING);
		assert_int_equal(told.applied_us[i], 0);
		assert_string_equal(told.by[i], "");
	}
	assert_false(there(&s, "migration"));
	assert_int_equal(up(&s), FILES);
	status(&s, &told);
	for (unsigned i = 0; i < FILES; i++) {
		assert_int_equal(told.state[i], DBLOCK_MIGRATION_APPLIED);
		assert_non_null(strchr(told.by[i], '@'));
		assert_false(told.now[i]);
		assert_false(told.changed[i]);
	}
	schema_close(&s);
}

static int stop_at_the_first(void *arg, const struct dblock_migration *m)
{
	(void)arg;
	return m->version == FIRST ? 42 : 0;
}

static void a_callback_may_stop_the_telling(void **unused)
{
	struct schema s;

	(void)unused;
	schema_open(&s, "stop_");
	assert_int_equal(status_with(&s, stop_at_the_first, NULL), 42);
	assert_int_equal(up_within(&s, stop_at_the_first, NULL, PLENTY_MS), 42);
	assert_whole(&s); /* the callback stopped, the work did not */
	schema_close(&s);
}

static void an_edited_file_is_told(void **unused)
{
	struct schema s;
	struct told told;

	(void)unused;
	schema_open(&s, "edit_");
	(void)up(&s);
	by_hand(&s, "UPDATE dblock_migration SET checksum = 'other', token_checksum = 'other' "
		    "WHERE version = 20");
	status(&s, &told);
	assert_true(told.changed[1]);
	assert_false(told.changed[0]);
	assert_int_equal(up(&s), 0);
	assert_int_equal(check(&s, false), 0);
	schema_close(&s);
}

static void a_server_is_filled_only_when_asked(void **unused)
{
	struct schema s;

	(void)unused;
	schema_open(&s, "ask_");
	by_hand(&s, "CREATE TABLE dblock_of_somebody_else (k INTEGER)");
	assert_int_equal(check(&s, false), DBLOCK_E_SCHEMA);
	assert_int_equal(s.err.code, DBLOCK_E_SCHEMA);
	assert_says(&s, "missing");
	assert_says(&s, "run 'dblock schema up");
	assert_false(there(&s, "migration"));
	assert_int_equal(check(&s, true), 0);
	assert_whole(&s);
	assert_int_equal(check(&s, false), 0);
	schema_close(&s);
}

static void a_new_file_is_filled_unasked(void **unused)
{
	char url[4096];
	struct schema s;

	(void)unused;
	if (!backend_is("sqlite"))
		return; /* the case above is for servers */
	snprintf(url, sizeof(url), "sqlite://%s/new.db", env_text("DBLOCK_TEST_TMP"));
	schema_open_url(&s, url, NULL, dbl_env_system());
	assert_int_equal(check(&s, false), 0);
	assert_whole(&s);
	schema_close(&s);
}

static void a_schema_may_be_newer_but_not_older(void **unused)
{
	struct schema s;
	struct told told;

	(void)unused;
	schema_open(&s, "age_");
	(void)up(&s);
	by_hand(&s,
		"INSERT INTO dblock_migration (scope, version, name, kind, state, seq, "
		"checksum, token_checksum, steps, step_begun, step_done, started, finished, "
		"applied_by, tool) "
		"VALUES ('dblock', 9999, 'queue', 'sql', 'applied', 99, 'x', 'x', 1, 1, 1, 5, 6, "
		"'me@there', 'dblock')");
	assert_int_equal(check(&s, false), 0);
	assert_int_equal(up(&s), 0);
	status(&s, &told);
	assert_int_equal(told.n, FILES + 1);
	assert_int_equal(told.state[FILES], DBLOCK_MIGRATION_MISSING);
	assert_string_equal(told.name[FILES], "queue");
	assert_int_equal(told.applied_us[FILES], 6);
	by_hand(&s, "DELETE FROM dblock_migration WHERE version = 19");
	assert_int_equal(check(&s, false), DBLOCK_E_SCHEMA);
	assert_says(&s, "too old");
	assert_says(&s, "0019_dblock");
	assert_int_equal(up(&s), 1);
	assert_int_equal(check(&s, false), 0);
	schema_close(&s);
}

/* Other scopes have their migrations in the same table. */
static void other_scopes_do_not_matter(void **unused)
{
	struct schema s;
	struct told told;

	(void)unused;
	schema_open(&s, "scope_");
	(void)up(&s);
	by_hand(&s, "INSERT INTO dblock_migration (scope, version, name, kind, state, seq, "
		    "checksum, token_checksum, steps, step_begun, step_done, started, applied_by, "
		    "tool) "
		    "VALUES ('shop', 2, 'orders', 'sql', 'running', 1, 'x', 'x', 1, 0, 0, 5, "
		    "'me@there', 'dblock')");
	status(&s, &told);
	assert_int_equal(told.n, FILES);
	assert_int_equal(check(&s, false), 0);
	schema_close(&s);
}

static int down_all(struct schema *s, struct told *told)
{
	struct dblock_migrate_options which = {.size = sizeof(which), .all = true};
	struct dbl_migrate ask = {.target = &s->target,
				  .which = &which,
				  .timeout = dbl_ms(PLENTY_MS),
				  .cb = take_told,
				  .arg = told};

	*told = (struct told){0};
	return dbl_migrate_down(&ask, &s->err);
}

/* Tables stay while somebody holds a lock in them. */
static void all_is_undone_unless_a_lock_is_held(void **unused)
{
	struct schema s;
	struct told told;

	(void)unused;
	schema_open(&s, "down_");
	(void)up(&s);
	by_hand(&s, "INSERT INTO dblock_lock (name, token, nonce, session, host, pid, thread, "
		    "reentry, acquired) VALUES ('x', 1, 1, 'somebody', 'h', 1, 1, 1, 1)");
	assert_int_equal(down_all(&s, &told), DBLOCK_BUSY);
	assert_says(&s, "somebody holds a lock");
	assert_int_equal(told.n, 0);
	assert_whole(&s);
	by_hand(&s, "DELETE FROM dblock_lock");
	assert_int_equal(down_all(&s, &told), 0);
	assert_int_equal(told.n, FILES);
	assert_int_equal(told.version[0], FIRST + FILES - 1);
	assert_false(there(&s, "session") || there(&s, "held"));
	assert_int_equal(up(&s), FILES);
	assert_whole(&s);
	schema_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(up_applies_each_file_once),
		cmocka_unit_test(status_tells_and_writes_nothing),
		cmocka_unit_test(a_callback_may_stop_the_telling),
		cmocka_unit_test(an_edited_file_is_told),
		cmocka_unit_test(a_server_is_filled_only_when_asked),
		cmocka_unit_test(a_new_file_is_filled_unasked),
		cmocka_unit_test(a_schema_may_be_newer_but_not_older),
		cmocka_unit_test(other_scopes_do_not_matter),
		cmocka_unit_test(all_is_undone_unless_a_lock_is_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
