/* SPDX-License-Identifier: MIT */
/* A pass of the reaper where something goes wrong, and where rows are locked by others. */
#include "support/puppet.h"
#include "support/raw.h"
#include "support/spy.h"

enum { TTL_MS = 3600000, DAY_MS = 86400000 };

static struct dblock_reaped reap_to(struct dblock_client *client, bool works)
{
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};
	int rc;

	options.max_time_ms = -1;
	rc = dblock_reap(client, &options, &reaped, &err);
	assert_int_equal(rc == DBLOCK_OK, works);
	return reaped;
}

static enum spy_fate no_list_of_suspects(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_reap_sessions ? SPY_LOST_BEFORE : SPY_PASS;
}

/* Naive: a pass that could not read who looks dead has seen nobody, and so has its client. */
static void a_pass_that_fails_forgets_nobody(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client_with(spy, DAY_MS, SLOWLY_MS(1000));
	struct puppet *puppet = puppet_new(NULL, TTL_MS);
	struct raw *raw = raw_open(NULL);

	(void)state;
	raw_exec(raw, "UPDATE dblock_session SET expires = {boot} - 60000000 WHERE id = '%s'",
		 puppet->id);
	assert_int_equal(reap_to(client, true).sessions_watched, 1);
	raw_exec(raw, "DELETE FROM dblock_suspect");
	spy->fate = no_list_of_suspects;
	(void)reap_to(client, false);
	spy->fate = NULL;
	spy->skew += dbl_ms(TTL_MS);
	assert_int_equal(reap_to(client, true).sessions_buried, 1);
	raw_close(raw);
	puppet_free(puppet);
	dblock_close(client, NULL);
	spy_free(spy);
}

static void mark(struct raw *raw, const char *session, const char *name, int64_t token)
{
	raw_exec(raw,
		 "INSERT INTO dblock_revocation (session, name, token, nonce, cause, by_host, "
		 "by_pid, by_app, since) VALUES ('%s', '%s', %lld, 1, 3, '', 0, '', 0)",
		 session, name, (long long)token);
}

static void suspect(struct raw *raw, const char *session)
{
	raw_exec(raw,
		 "INSERT INTO dblock_suspect (session, watcher, beat, since, noted) "
		 "VALUES ('%s', 'w', -1, 0, 0)",
		 session);
}

/* A transaction has locked the row of a name, and that of a client's session, as its heartbeat
 * does. Naive, on MySQL: the DELETE locks what it reads, so that it waits for both, and they for
 * it; and in the end it has forgotten nothing. */
static void forget_beside_locked_rows(void)
{
	struct dblock_client *client = client_new(TTL_MS);
	struct puppet *holder = puppet_new(NULL, TTL_MS);
	struct raw *raw = raw_open(NULL), *other = raw_open(NULL);

	(void)is_free(client, "locked");
	assert_true(puppet_takes(holder, "held"));
	mark(raw, holder->id, "held", holder->token);
	mark(raw, "gone", "locked", 1);
	mark(raw, "gone", "other", 1);
	suspect(raw, holder->id);
	suspect(raw, "gone");
	raw_lock_row(other, "locked");
	raw_exec(other, "UPDATE dblock_session SET app = 'locked' WHERE id = '%s'", holder->id);
	raw_exec(other, "UPDATE dblock_lock SET value = 'locked' WHERE name = 'locked'");
	(void)reap_to(client, true);
	raw_exec(other, "COMMIT");
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_revocation"), 1);
	assert_int_equal(
		raw_int(raw, "SELECT count(*) FROM dblock_suspect WHERE watcher LIKE 'w%%'"), 0);
	assert_true(puppet_beats(holder));
	raw_close(other);
	raw_close(raw);
	puppet_free(holder);
	dblock_close(client, NULL);
}

static void what_is_forgotten_waits_for_no_row(void **state)
{
	(void)state;
	if (on_backend("sqlite"))
		skip(); /* a file has one lock */
	forget_beside_locked_rows();
}

enum { MANY = 450 };

/* Naive: one pass forgets a page of them, and leaves the rest to the next. */
static void all_of_it_is_forgotten(void **state)
{
	struct dblock_client *client = client_new(TTL_MS);
	struct raw *raw = raw_open(NULL);

	(void)state;
	raw_exec(raw, "DELETE FROM dblock_revocation");
	raw_exec(raw, "BEGIN");
	for (int i = 0; i < MANY; i++) {
		mark(raw, "gone", "x", i + 1);
		raw_exec(raw,
			 "INSERT INTO dblock_suspect (session, watcher, beat, since, noted) "
			 "VALUES ('gone', 'w%d', 1, 0, 0)",
			 i);
	}
	raw_exec(raw, "COMMIT");
	(void)reap_to(client, true);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_revocation"), 0);
	assert_int_equal(
		raw_int(raw, "SELECT count(*) FROM dblock_suspect WHERE watcher LIKE 'w%%'"), 0);
	raw_close(raw);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pass_that_fails_forgets_nobody),
		cmocka_unit_test(what_is_forgotten_waits_for_no_row),
		cmocka_unit_test(all_of_it_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
