/* SPDX-License-Identifier: MIT */
/* bench needs: sqlite */
/* SQLite by hand, one connection a thread: one statement a lock, on a row of the name. */
#include <stdio.h>

#include "bench.h"
#include "sql.h"

struct thread {
	sqlite3 *db;
	sqlite3_stmt *row, *take, *give;
};

static void *enter(void *given)
{
	const struct bench_place *place = given;
	struct thread *t = bench_alloc(sizeof(*t));

	t->db = bench_lite_open(place);
	bench_lite_run(t->db, place->subject->settings);
	t->row = bench_lite_prepare(t->db, "INSERT OR IGNORE INTO bench_row (name) VALUES (?1)");
	t->take = bench_lite_prepare(t->db, "UPDATE bench_row SET holder = ?2, token = token + 1"
					    " WHERE name = ?1 AND holder IS NULL RETURNING token");
	t->give = bench_lite_prepare(t->db, "UPDATE bench_row SET holder = NULL"
					    " WHERE name = ?1 AND holder = ?2 RETURNING 1");
	return t;
}

static void leave(void *thread)
{
	struct thread *t = thread;

	sqlite3_finalize(t->row);
	sqlite3_finalize(t->take);
	sqlite3_finalize(t->give);
	sqlite3_close(t->db);
}

static void *open_place(const struct bench_place *place)
{
	return (void *)(uintptr_t)place;
}

static void prepare(const struct bench_place *place)
{
	sqlite3 *db = bench_lite_open(place);

	bench_lite_run(db, "PRAGMA journal_mode = WAL");
	bench_lite_run(db, "CREATE TABLE IF NOT EXISTS bench_row (name TEXT NOT NULL PRIMARY KEY,"
			   " holder TEXT, token INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID");
	bench_lite_run(db, "UPDATE bench_row SET holder = NULL WHERE holder IS NOT NULL");
	sqlite3_close(db);
}

static void take(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char nonce[24];
	const char *texts[] = {name, nonce};

	g->nonce = bench_nonce();
	snprintf(nonce, sizeof(nonce), "%016llx", (unsigned long long)g->nonce);
	while (bench_lite_exec(t->db, t->take, 2, texts, &g->token) == 0)
		bench_lite_exec(t->db, t->row, 1, texts, NULL);
}

static void give(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char nonce[24];
	const char *texts[] = {name, nonce};

	snprintf(nonce, sizeof(nonce), "%016llx", (unsigned long long)g->nonce);
	if (bench_lite_exec(t->db, t->give, 2, texts, NULL) != 1)
		bench_fail("sqlite: the row was not held");
}

#define PEER                                                                                       \
	.server = "sqlite", .prepare = prepare, .open = open_place, .enter = enter,                \
	.leave = leave, .acquire = take, .release = give, .rows_only = true

static const struct bench_subject subjects[] = {
	{PEER, .name = "sqlite-bare-statement-normal", .in = "uncontended rows", .quick = true,
	 .settings = "PRAGMA synchronous = NORMAL"},
	{PEER, .name = "sqlite-bare-statement-full", .brief = true, .in = "uncontended",
	 .settings = "PRAGMA synchronous = FULL"},
};

BENCH_SUBJECTS(subjects)
