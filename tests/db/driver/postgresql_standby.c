/* SPDX-License-Identifier: MIT */
/* PostgreSQL answers a commit whose wait for the synchronous standby was cut short with success,
 * and a warning: it stands here, and may be gone after a failover. That is unsure. */
#include "support/raw.h"
#include "support/server.h"

/* Sets the name of the standby that there should be, or ''. */
static void set_standby(struct raw *admin, struct raw *writer, const char *name)
{
	int64_t give_up = clock_ms() + PLENTY_MS;

	raw_exec(admin, "ALTER SYSTEM SET synchronous_standby_names = '%s'", name);
	raw_exec(admin, "SELECT pg_reload_conf()");
	while (strcmp(raw_text(writer, "SELECT current_setting('synchronous_standby_names')"),
		      name) != 0) {
		assert_true(clock_ms() < give_up);
		sleep_ms(10);
	}
}

struct write {
	struct raw *raw;
	int rc;
	_Atomic bool done;
};

static void *write_row(void *arg)
{
	struct write *write = arg;

	write->rc = raw_try_exec(write->raw, "INSERT INTO standby VALUES (1)");
	write->done = true;
	return NULL;
}

/* Cancels the write's wait for a standby once it waits. (An autovacuum may wait as well, and then
 * waits on.) Returns false if the write did not wait, as the checkpointer had not read yet that
 * there should be a standby. */
static bool cancel_wait(struct raw *admin, const struct write *write)
{
	int64_t give_up = clock_ms() + PLENTY_MS;

	while (raw_int(admin, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
			      " AND backend_type = 'client backend'") == 0) {
		if (write->done)
			return false;
		assert_true(clock_ms() < give_up);
		sleep_ms(10);
	}
	raw_exec(admin, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
			" WHERE wait_event = 'SyncRep' AND backend_type = 'client backend'");
	return true;
}

static void a_commit_that_is_only_here_is_unsure(void **state)
{
	struct raw *admin = raw_open_url(server_url(), NULL);
	struct write write = {.raw = raw_open_url(server_url(), NULL)};
	struct crew crew = {.n = 0};
	bool waited;
	int times = 0;

	(void)state;
	raw_exec(admin, "CREATE TABLE standby (k integer)");
	set_standby(admin, write.raw, "nobody");
	do {
		write.done = false;
		crew_add(&crew, write_row, &write);
		waited = cancel_wait(admin, &write);
		crew_join(&crew);
		assert_true(++times < 1000);
	} while (!waited);
	assert_int_equal(write.rc, DBLOCK_E_UNSURE);
	assert_int_equal(raw_int(admin, "SELECT count(*) FROM standby"), times);
	/* The next write is judged by itself. */
	set_standby(admin, write.raw, "");
	write_row(&write);
	assert_int_equal(write.rc, 0);
	raw_close(write.raw);
	raw_close(admin);
}

static int set_up(void **state)
{
	(void)state;
	server_start();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	server_stop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_commit_that_is_only_here_is_unsure),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
