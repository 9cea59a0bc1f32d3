/* SPDX-License-Identifier: MIT */
/* What cannot be a part of a transaction over several databases is refused by name; what cannot be undone is given up. */
#include "db/global/left.h"

static void join_is_refused(struct two *t, struct dblock_tx *tx, const char *why)
{
	struct dblock_error err = {0};

	expect(E_INVALID, dblock_global_join(t->global, tx, &err));
	message_has(why);
	((struct dbl_db_head *)tx->db)->conn->frame = NULL;
	/* And the rest goes on. */
	dblock_tx_close(tx);
	expect(OK, dblock_global_commit(t->global, &err));
	two_is_over(t, true);
}

static void a_file_is_no_branch(void **state)
{
	struct two *t = *state;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *file;
	char url[300];

	snprintf(url, sizeof(url), "sqlite:%s/branch.db", getenv("DBLOCK_TEST_TMP"));
	options.auto_migrate = true;
	expect(OK, dblock_open(url, &options, &file, &err));
	begin(t);
	join_is_refused(t, tx_open(file), "SQLite cannot prepare a transaction");
	dblock_close(file, NULL);
}

static void nothing_behind_a_pooler(void **state)
{
	struct two *t = *state;
	const struct dbl_frame frame = {0};
	struct dblock_tx *more;

	begin(t);
	more = tx_open(t->others);
	((struct dbl_db_head *)more->db)->conn->frame =
		&frame; /* as a connection has that finds one */
	join_is_refused(t, more, "pooler");
}

/* A function of ours stands before the server's own: it says what a server says that keeps none. */
static void a_server_that_keeps_none(void **state)
{
	struct two *t = *state;
	struct dblock_error err = {0};
	struct dblock_tx *more;

	if (!on_backend("postgresql"))
		skip(); /* the others always can */
	raw_exec(t->raw, "CREATE SCHEMA before");
	raw_exec(t->raw,
		 "CREATE FUNCTION before.current_setting(text) RETURNS text LANGUAGE sql AS "
		 "'SELECT ''0''::text'");
	begin(t);
	more = tx_open(t->others);
	expect(OK, dblock_tx_query(more,
				   "SELECT set_config('search_path', 'before, pg_catalog, ' "
				   "|| pg_catalog.current_setting('search_path'), false)",
				   NULL, 0, NULL, NULL, NULL, &err));
	join_is_refused(t, more, "max_prepared_transactions is 0");
	raw_exec(t->raw, "DROP SCHEMA before CASCADE");
}

static void commit_is_refused(struct two *t, int outcome, const char *why)
{
	struct dblock_error err = {0};

	assert_int_equal(dblock_global_commit(t->global, &err), outcome);
	message_has("branch 1: ");
	message_has(why);
	two_is_over(t, false);
}

static void write_there(struct two *t, const char *what)
{
	struct dblock_error err = {0};

	expect(OK, dblock_tx_query(t->there, what, NULL, 0, NULL, NULL, NULL, &err));
}

static void a_table_without_transactions(void **state)
{
	struct two *t = *state;

	if (!on_backend("mysql"))
		skip(); /* the others have none */
	raw_exec(t->raw, "CREATE TABLE plain (id BIGINT) ENGINE = MyISAM");
	begin(t);
	write_there(t, "INSERT INTO plain VALUES (1)");
	commit_is_refused(t, DBLOCK_E_INVALID, "keeps no transactions");
	two_end(t);
	/* To read one is no harm. */
	begin(t);
	write_there(t, "DELETE FROM stock WHERE id IN (SELECT id + 1 FROM plain)");
	assert_int_equal(dblock_global_commit(t->global, NULL), DBLOCK_OK);
	two_is_over(t, true);
	raw_exec(t->raw, "DROP TABLE plain");
}

static void what_postgresql_does_not_prepare(void **state)
{
	static const struct {
		const char *what, *why;
	} cases[] = {
		{"NOTIFY somebody", "NOTIFY"},
		{"CREATE TEMPORARY TABLE brief (id int)", "temporary"},
	};
	struct two *t = *state;

	if (!on_backend("postgresql"))
		skip(); /* MySQL knows nothing of the one, and may have the other */
	for (int i = 0; i < 2; i++) {
		begin(t);
		write_there(t, cases[i].what);
		commit_is_refused(t, DBLOCK_E_INVALID, cases[i].why);
		two_end(t);
	}
}

/* Somebody else has rolled it back: that is no harm. */
static void it_is_gone_already(void **state)
{
	struct two *t = *state;
	struct dblock_error err = {0};

	if (!on_backend("postgresql"))
		skip(); /* there nobody else can, as long as its connection is there */
	begin(t);
	prepare(t);
	raw_exec(t->raw, "ROLLBACK PREPARED '%s'", t->global->branches[0].xid.all);
	expect(OK, dblock_global_rollback(t->global, &err));
	assert_int_equal(dblock_tx_state_of(t->there), DBLOCK_TX_NONE);
	two_is_over(t, false);
}

/* Naive: a ROLLBACK that does nothing is taken for the branch's, and what is still locked for free. */
static void what_cannot_be_rolled_back(void **state)
{
	struct two *t = *state;
	struct dblock_error err = {0};

	if (!on_backend("postgresql"))
		skip(); /* there is no such way to be refused it */
	raw_exec(t->raw, "CREATE ROLE other_%d", (int)getpid());
	begin(t);
	prepare(t);
	expect(OK, dblock_tx_query(t->there, "SELECT set_config('role', 'other_' || $1, false)",
				   (struct dblock_value[]){dblock_int(getpid())}, 1, NULL, NULL,
				   NULL, &err));
	expect(OK, dblock_global_rollback(t->global, &err));
	assert_int_equal(dblock_tx_state_of(t->there), DBLOCK_TX_LOST);
	assert_int_equal(two_prepared(t), 1);
	two_end(t);
	wait_until(is_recovered(t) && two_prepared(t) == 0);
	raw_exec(t->raw, "DROP ROLE other_%d", (int)getpid());
	two_is_over(t, false);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(a_file_is_no_branch),
		CASE(nothing_behind_a_pooler),
		CASE(a_server_that_keeps_none),
		CASE(a_table_without_transactions),
		CASE(what_postgresql_does_not_prepare),
		CASE(it_is_gone_already),
		CASE(what_cannot_be_rolled_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
