/* SPDX-License-Identifier: MIT */
/* Handles are adopted by the thousand, and leave nothing: on the server, in the client library, in
 * memory, of descriptors and threads. (`./dev test valgrind` and asan see the rest.) */
#include <dirent.h>
#include <malloc.h>

#include <sqlite3.h>

#include "db/lock/tx/in_tx_kit.h"

enum { TIMES = 1000, SOME = 50, WARM_UP = 30 };

/* The number of everything that can leak. */
struct count {
	int64_t statements, descriptors, threads, bytes, sqlite_bytes;
};

static int64_t entries(const char *path)
{
	DIR *dir = opendir(path);
	int64_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Returns 0 if it cannot be told. */
static int64_t bytes(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33) && !defined(__SANITIZE_ADDRESS__) &&               \
	!defined(__SANITIZE_THREAD__)
	return (int64_t)mallinfo2().uordblks;
#else
	return 0;
#endif
}

static int take_status(void *arg, const struct dblock_value *row, size_t n)
{
	char text[32];

	assert_int_equal(n, 2);
	snprintf(text, sizeof(text), "%.*s", (int)row[1].len, row[1].text);
	*(int64_t *)arg += row[1].type == DBLOCK_INT ? row[1].i : strtoll(text, NULL, 10);
	return 0;
}

static int64_t status(struct dblock_tx *owner, const char *name)
{
	struct dblock_error err = {0};
	int64_t value = 0;
	char sql[80];

	snprintf(sql, sizeof(sql), "SHOW SESSION STATUS LIKE '%s'", name);
	expect(OK, dblock_tx_query(owner, sql, NULL, 0, NULL, take_status, &value, &err));
	return value;
}

/* Returns how many statements the server keeps for this connection, but for this query itself. */
static int64_t statements(struct dblock_tx *owner)
{
	int64_t n = 0;

	if (on_backend("postgresql"))
		return tx_int(owner, "SELECT count(*) FROM pg_prepared_statements");
	/* MySQL counts statements that cannot be prepared (BEGIN), too. */
	if (on_database("mysql"))
		return tx_int(owner, "SELECT count(*) FROM "
				     "performance_schema.prepared_statements_instances "
				     "WHERE owner_thread_id = PS_CURRENT_THREAD_ID()");
	if (on_database("mariadb"))
		return status(owner, "Com_stmt_prepare") - status(owner, "Com_stmt_close");
	for (sqlite3_stmt *at = NULL;
	     (at = sqlite3_next_stmt(dblock_sqlite_handle(owner), at)) != NULL;)
		n++;
	return n;
}

static struct count count(struct dblock_tx *owner)
{
	return (struct count){
		.statements = statements(owner),
		.descriptors = entries("/proc/self/fd"),
		.threads = entries("/proc/self/task"),
		.bytes = bytes(),
		.sqlite_bytes = on_backend("sqlite") ? sqlite3_memory_used() : 0,
	};
}

/* The bound is far from what any handle would take each time. */
static bool is_more(const struct count *before, const struct count *now, int times)
{
	int64_t most = SLOWLY_MS(40) * times;

	assert_int_equal(now->statements, before->statements);
	assert_int_equal(now->descriptors, before->descriptors);
	assert_int_equal(now->threads, before->threads);
	return now->bytes - before->bytes > most || now->sqlite_bytes - before->sqlite_bytes > most;
}

/* Plays it so often that a leak shows. A little may come and go, and more on a slow machine, where a
 * session may be lost and another one opened: but not three times in a row. */
static void costs_nothing(struct dblock_tx *owner, int times,
			  void (*play)(struct dblock_tx *owner, void *arg, int i), void *arg)
{
	struct count before, now = count(owner);

	for (int tries = 0; tries < 3; tries++) {
		before = now;
		for (int i = 0; i < times; i++)
			play(owner, arg, i);
		now = count(owner);
		if (!is_more(&before, &now, times))
			return;
	}
	fail_msg("%d times cost %lld bytes, SQLite's %lld", times,
		 (long long)(now.bytes - before.bytes),
		 (long long)(now.sqlite_bytes - before.sqlite_bytes));
}

/* ---- adopted, used, closed ------------------------------------------------------------------ */

static void adopt_and_fence(struct dblock_tx *owner, struct dblock_lock *lock)
{
	struct dblock_tx *tx = tx_adopt(owner);
	struct dblock_error err = {0};

	expect(OK, dblock_tx_begin(tx, NULL, &err));
	fence(tx, lock);
	end(tx, false);
}

static void adopt_and_all(struct dblock_tx *owner)
{
	struct dblock_tx *tx = tx_adopt(owner);
	struct dblock_lock *lock = take(a, "all");
	struct dblock_error err = {0};
	int64_t token;

	expect(OK, dblock_tx_begin(tx, NULL, &err));
	fence(tx, lock);
	release_in(tx, lock);
	expect(OK, dblock_tx_try_lock(tx, a, "lock", &token, &err));
	expect(OK, dblock_tx_commit(tx, &err));
	give(lock);
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	lock = acquire_in(tx, "all");
	end(tx, true);
	give(lock);
}

static void adopt_and_use(struct dblock_tx *owner, void *lock, int i)
{
	adopt_and_fence(owner, lock);
	if (i < SOME)
		adopt_and_all(owner);
}

static void adopted_by_the_thousand(void **state)
{
	struct dblock_lock *lock = take(a, "leaks");
	struct dblock_tx *owner = tx_open(a);

	(void)state;
	for (int i = 0; i < WARM_UP; i++) {
		adopt_and_fence(owner, lock);
		adopt_and_all(owner);
	}
	costs_nothing(owner, TIMES, adopt_and_use, lock);
	give(lock);
	dblock_tx_close(owner);
}

/* ---- adopted once, and used for ever -------------------------------------------------------- */

/* The owner ends his transactions himself, and does not tell dblock. */
static void fence_another(struct dblock_tx *owner, void *tx, int i)
{
	struct dblock_lock *lock = take(a, "another");

	(void)i;
	tx_exec(owner, "BEGIN");
	fence(tx, lock);
	tx_exec(owner, "COMMIT");
	give(lock);
}

/* Naive: each attachment is kept until the handle is closed. */
static void one_that_stays(void **state)
{
	struct dblock_tx *owner = tx_open(a), *tx = tx_adopt(owner);

	(void)state;
	for (int i = 0; i < WARM_UP; i++)
		fence_another(owner, tx, i);
	costs_nothing(owner, TIMES / 2, fence_another, tx);
	dblock_tx_close(tx);
	dblock_tx_close(owner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adopted_by_the_thousand),
		cmocka_unit_test(one_that_stays),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
