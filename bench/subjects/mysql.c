/* SPDX-License-Identifier: MIT */
/* bench needs: mysql */
/* MariaDB and MySQL by hand, one connection a thread: their own locks, and the bare statements. */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "sql.h"

struct thread {
	MYSQL *c;
	MYSQL_STMT *one, *lock, *unlock, *row, *pick, *take, *give;
};

static void *enter(void *place)
{
	struct thread *t = bench_alloc(sizeof(*t));
	MYSQL *c = t->c = bench_my_open(place);

	t->one = bench_my_prepare(c, "SELECT 1");
	t->lock = bench_my_prepare(c, "SELECT GET_LOCK(?, 100)");
	t->unlock = bench_my_prepare(c, "SELECT RELEASE_LOCK(?)");
	t->row = bench_my_prepare(c, "INSERT IGNORE INTO bench_row (name, token) VALUES (?, 0)");
	t->pick = bench_my_prepare(c, "SELECT 1 FROM bench_row WHERE name = ? FOR UPDATE");
	t->take =
		bench_my_prepare(c, "UPDATE bench_row SET holder = ?, token ="
				    " LAST_INSERT_ID(token + 1) WHERE name = ? AND holder IS NULL");
	t->give = bench_my_prepare(
		c, "UPDATE bench_row SET holder = NULL WHERE name = ? AND holder = ?");
	return t;
}

static void leave(void *thread)
{
	struct thread *t = thread;
	MYSQL_STMT *all[] = {t->one, t->lock, t->unlock, t->row, t->pick, t->take, t->give};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		mysql_stmt_close(all[i]);
	mysql_close(t->c);
}

static void *open_place(const struct bench_place *place)
{
	return (void *)(uintptr_t)place;
}

static void prepare(const struct bench_place *place)
{
	MYSQL *c = bench_my_open(place);

	bench_my_run(c, "CREATE TABLE IF NOT EXISTS bench_row (name VARBINARY(255) PRIMARY KEY,"
			" holder CHAR(16), token BIGINT NOT NULL) ENGINE = InnoDB");
	bench_my_run(c, "UPDATE bench_row SET holder = NULL WHERE holder IS NOT NULL");
	mysql_close(c);
}

/* --- SELECT 1, twice --- */

static void ask(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;

	(void)name;
	(void)g;
	bench_my_exec(t->one, 0, NULL, NULL);
}

/* --- GET_LOCK() --- */

static void lock(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	int64_t done = 0;

	(void)g;
	bench_my_exec(t->lock, 1, &name, &done);
	if (done != 1)
		bench_fail("GET_LOCK: not granted");
}

static void unlock(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	int64_t done = 0;

	(void)g;
	bench_my_exec(t->unlock, 1, &name, &done);
	if (done != 1)
		bench_fail("RELEASE_LOCK: not held");
}

/* --- SELECT FOR UPDATE --- */

static void pick(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;

	(void)g;
	for (;;) {
		bench_my_run(t->c, "BEGIN");
		if (bench_my_exec(t->pick, 1, &name, NULL) > 0)
			return;
		bench_my_run(t->c, "ROLLBACK");
		bench_my_exec(t->row, 1, &name, NULL);
	}
}

static void commit(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;

	(void)name;
	(void)g;
	bench_my_run(t->c, "COMMIT");
}

/* --- one statement a lock, on a row of the name --- */

static void take(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char nonce[24];
	const char *texts[] = {nonce, name};

	g->nonce = bench_nonce();
	snprintf(nonce, sizeof(nonce), "%016llx", (unsigned long long)g->nonce);
	while (bench_my_exec(t->take, 2, texts, &g->token) == 0)
		bench_my_exec(t->row, 1, &name, NULL);
}

static void give(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char nonce[24];
	const char *texts[] = {name, nonce};

	snprintf(nonce, sizeof(nonce), "%016llx", (unsigned long long)g->nonce);
	if (bench_my_exec(t->give, 2, texts, NULL) != 1)
		bench_fail("mysql: the row was not held");
}

#define PEER(on)                                                                                   \
	.server = on, .prepare = prepare, .open = open_place, .enter = enter, .leave = leave,      \
	.most = 250

#define ROUND_TRIP(on)                                                                             \
	{                                                                                          \
		PEER(on), .name = on "-round-trip", .brief = true, .in = "uncontended",            \
			  .acquire = ask, .release = ask, .quick = true                            \
	}
#define BARE_STATEMENT(on, experiments)                                                            \
	{                                                                                          \
		PEER(on), .name = on "-bare-statement", .in = experiments, .acquire = take,        \
			  .release = give, .rows_only = true                                       \
	}
#define GET_LOCK(on, called)                                                                       \
	{                                                                                          \
		PEER(on), .name = called,                                                          \
			  .in = "uncontended hand-over takeover threads waiters held",             \
			  .acquire = lock, .release = unlock, .quick = true                        \
	}
#define FOR_UPDATE(on)                                                                             \
	{                                                                                          \
		PEER(on), .name = on "-for-update", .brief = true,                                 \
			  .in = "uncontended hand-over threads", .acquire = pick,                  \
			  .release = commit, .rows_only = true                                     \
	}

static const struct bench_subject subjects[] = {
	ROUND_TRIP("mariadb"),
	BARE_STATEMENT("mariadb", "uncontended rows"),
	GET_LOCK("mariadb", "GET_LOCK"),
	FOR_UPDATE("mariadb"),
	ROUND_TRIP("mysql"),
	BARE_STATEMENT("mysql", "uncontended rows"),
	GET_LOCK("mysql", "mysql-GET_LOCK"),
	FOR_UPDATE("mysql"),
	BARE_STATEMENT("mysql-no-binlog", "uncontended"),
};

BENCH_SUBJECTS(subjects)
