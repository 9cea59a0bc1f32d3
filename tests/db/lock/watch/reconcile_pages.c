/* SPDX-License-Identifier: MIT */
/* After a lost connection a client reads which rows are its own, among all names, which may be many. */
#include "api/client.h"
#include "lock/watch/own.h"
#include "lock/watch/reconcile.h"
#include "support/raw.h"
#include "support/spy.h"

enum { NAMES = 25000, AT_ONCE = 100 };

static void fill(struct raw *raw)
{
	char rows[AT_ONCE * 32];

	raw_exec(raw, "BEGIN");
	for (int i = 0; i < NAMES;) {
		size_t len = 0;

		for (int n = 0; n < AT_ONCE; n++, i++)
			len += (size_t)snprintf(rows + len, sizeof(rows) - len,
						"%s('n%05d',1,0,'',0,0,0,1,false)", n ? "," : "",
						i);
		raw_exec(raw,
			 "INSERT INTO dblock_lock"
			 " (name, token, nonce, host, pid, thread, reentry, acquired, queued) "
			 "VALUES %s",
			 rows);
	}
	raw_exec(raw, "COMMIT");
}

/* A page takes so long that there is no time for another one. */
static enum spy_fate slow_pages(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_own_grants)
		spy->skew += dbl_ms(PLENTY_MS) / 2;
	return SPY_PASS;
}

/* Naive: all is read after one heartbeat, runs into the deadline, loses the connection for that, and
 * begins anew, for ever. */
static void a_large_table_is_read_in_parts(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dbl_locks *locks = client->locks;
	struct dblock_lock *first = take(client, "a"), *last = take(client, "z");
	struct raw *raw = raw_open(NULL);

	(void)state;
	fill(raw);
	raw_exec(raw, "DELETE FROM dblock_lock WHERE name = 'z'");
	spy_reset(spy);
	spy->fate = slow_pages;
	dbl_reconcile_soon(locks);
	while (atomic_load(&locks->watchdog->passes) == 0) {
		sleep_ms(2);
		dbl_session_hurry(locks->session);
	}
	spy->fate = NULL;
	assert_true(spy->runs_of[DBL_OP_own_grants] >= 3);
	assert_true(spy->runs_of[DBL_OP_heartbeat] >= spy->runs_of[DBL_OP_own_grants]);
	assert_true(dblock_valid(first, 0));
	assert_false(dblock_valid(last, 0));
	assert_int_equal(dblock_release(last, NULL), DBLOCK_LOST);
	give(first);
	dblock_close(client, NULL);
	spy_free(spy);
	raw_exec(raw, "DELETE FROM dblock_lock");
	raw_close(raw);
}

/* The connection is lost with the first page, and another one, to an older copy, answers: there the row of
 * the lock is another's. */
static struct raw *copy;
static int pages;

static enum spy_fate answered_by_a_copy(struct spy *spy, enum dbl_op op)
{
	if (op != DBL_OP_own_grants)
		return SPY_PASS;
	if (++pages == 1)
		return SPY_LOST_BEFORE;
	/* It is the heartbeat's connection again. */
	if (pages == 3)
		raw_exec(copy, "UPDATE dblock_lock SET nonce = nonce - 1 WHERE name = 'a'");
	return slow_pages(spy, op);
}

/* Naive: what the copy does not have is forgotten. */
static void a_page_of_another_connection_does_not_count(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dbl_locks *locks = client->locks;
	struct dblock_lock *lock = take(client, "a");

	(void)state;
	copy = raw_open(NULL);
	fill(copy);
	raw_exec(copy, "UPDATE dblock_lock SET nonce = nonce + 1 WHERE name = 'a'");
	spy->fate = answered_by_a_copy;
	dbl_reconcile_soon(locks);
	while (atomic_load(&locks->watchdog->passes) == 0) {
		sleep_ms(2);
		dbl_session_hurry(locks->session);
	}
	spy->fate = NULL;
	assert_true(dblock_valid(lock, 0));
	give(lock);
	dblock_close(client, NULL);
	spy_free(spy);
	raw_exec(copy, "DELETE FROM dblock_lock");
	raw_close(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_large_table_is_read_in_parts),
		cmocka_unit_test(a_page_of_another_connection_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
