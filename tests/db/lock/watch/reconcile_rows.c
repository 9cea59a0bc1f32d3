/* SPDX-License-Identifier: MIT */
/* The database has forgotten a grant in a crash, but not the row in its queue that was to carry it, or had
 * waited for it. The grant is lost, and the row must not stay: nobody waits there, and it would be granted
 * the lock once more. */
#include "db/lock/watch/reconcile_kit.h"

/* The hand-over is forgotten, the place in the queue is not. */
static void a_forgotten_hand_over(void **state)
{
	struct dblock_lock *first, *lock;
	struct waiting w;
	struct scene s;

	(void)state;
	begin(&s);
	first = take(s.other, "x");
	waiting_start(&w, s.client, "x");
	wait_until(raw_int(s.raw, "SELECT count(*) FROM dblock_lock WHERE name = 'x' AND queued") ==
		   1);
	give(first);
	lock = waiting_join(&w);
	wait_until(in_queue(s.raw) == 0);
	raw_exec(s.raw,
		 "INSERT INTO dblock_queue (name, ticket, nonce, session, thread, bell, since) "
		 "SELECT "
		 "name, served, nonce, session, thread, '', 0 FROM dblock_lock WHERE name = 'x'");
	raw_exec(s.raw,
		 "UPDATE dblock_lock SET session = NULL, nonce = 0, served = served - 1, "
		 "queued = %s WHERE name = 'x'",
		 on_backend("sqlite") ? "1" : "true");
	reconcile(&s);
	assert_false(dblock_valid(lock, 0));
	wait_until(in_queue(s.raw) == 0);
	is_free_soon(s.other, "x");
	assert_int_equal(dblock_release(lock, NULL), DBLOCK_LOST);
	end(&s);
}

/* ---- a grant that has changed its mode ------------------------------------------------------- */

/* The grant is lost, and nothing of it is left, while the client lives on. */
static void nothing_is_left(struct scene *s, struct dblock_lock *lock)
{
	reconcile(s);
	wait_until(s->lost == 1);
	wait_until(in_queue(s->raw) == 0);
	assert_false(dblock_valid(lock, 0));
	is_free_soon(s->other, "x");
	assert_int_equal(dblock_release(lock, NULL), DBLOCK_LOST);
	end(s);
}

/* What moves the grant to a row of the queue is forgotten, but not that the row was added. Naive: the row
 * waits for a grant. */
static void a_forgotten_downgrade(void **state)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct scene s;
	int64_t nonce;

	(void)state;
	begin(&s);
	lock = hold(&s, "x", NULL);
	nonce = raw_int(s.raw, "SELECT nonce FROM dblock_lock WHERE name = 'x'");
	expect(OK, dblock_downgrade(lock, DBLOCK_SHARED, &err));
	raw_exec(s.raw,
		 "UPDATE dblock_lock SET mode = 0, nonce = %lld, session ="
		 " (SELECT session FROM dblock_queue WHERE name = 'x') WHERE name = 'x'",
		 (long long)nonce);
	raw_exec(s.raw, "UPDATE dblock_queue SET token = NULL WHERE name = 'x'");
	nothing_is_left(&s, lock);
}

/* The first grant, which came by enter (where one statement can do that), stands again, and the row of the
 * upgrade waits. Naive: it stays, as the first grant had not waited. */
static void a_forgotten_upgrade(void **state)
{
	struct dblock_upgrade_options upgrade = DBLOCK_UPGRADE_OPTIONS_INIT;
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct scene s;

	(void)state;
	begin(&s);
	how.mode = DBLOCK_SHARED;
	lock = hold(&s, "x", &how);
	upgrade.wait_ms = PLENTY_MS;
	expect(OK, dblock_upgrade(lock, &upgrade, &err));
	wait_until(in_queue(s.raw) == 1);
	raw_exec(s.raw,
		 "INSERT INTO dblock_queue (name, ticket, nonce, session, thread, bell, since,"
		 " mode, weight, token, acquired, host, pid) SELECT name, ticket - 1,"
		 " upgrades, session, thread, bell, since, 1, weight, token - 1, acquired,"
		 " host, pid FROM dblock_queue WHERE name = 'x'");
	raw_exec(s.raw, "UPDATE dblock_queue SET token = NULL WHERE name = 'x' AND mode = 0");
	nothing_is_left(&s, lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_forgotten_hand_over),
		cmocka_unit_test(a_forgotten_downgrade),
		cmocka_unit_test(a_forgotten_upgrade),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
