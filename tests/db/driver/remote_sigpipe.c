/* SPDX-License-Identifier: MIT */
/* A connection that was cut never raises SIGPIPE, and the action for it is not touched. */
#include "support/raw.h"

static void cut_postgresql(struct raw *raw)
{
	(void)raw_int(raw, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
			   "WHERE datname = current_database() AND pid <> pg_backend_pid()");
}

static void cut_mysql(struct raw *raw)
{
	const char *next = "SELECT id FROM information_schema.processlist WHERE db = DATABASE() "
			   "AND id <> CONNECTION_ID() AND command <> 'Killed' LIMIT 1";
	int64_t id;

	while ((id = raw_int(raw, "%s", next)) != -1)
		raw_exec(raw, "KILL %lld", (long long)id);
}

static void cut_all(struct raw *raw)
{
	if (on_backend("postgresql"))
		cut_postgresql(raw);
	else
		cut_mysql(raw);
}

/* SIGPIPE with its default action would end this process. Requests meet a connection that was cut,
 * and so do the heartbeat and the last message of a close. */
static void a_cut_connection_is_no_sigpipe(void **state)
{
	enum { TIMES = 10 };
	struct dblock_client *client = client_new(SLOWLY_MS(3000));
	struct raw *raw = raw_open(NULL);
	struct sigaction action;
	struct shown before, now;
	struct dblock_lock *lock;

	(void)state;
	signal(SIGPIPE, SIG_DFL);
	for (int i = 0; i < TIMES; i++) {
		lock = take(client, "x");
		cut_all(raw);
		give(lock);
		cut_all(raw);
		is_free(client, "y");
	}
	lock = take(client, "z");
	cut_all(raw);
	before = now = show(client, "z");
	while (now.h.expires_us == before.h.expires_us) {
		sleep_ms(10);
		now = show(client, "z");
	}
	cut_all(raw);
	dblock_close(client, NULL);
	sigaction(SIGPIPE, NULL, &action);
	assert_ptr_equal(action.sa_handler, SIG_DFL);
	raw_close(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cut_connection_is_no_sigpipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
