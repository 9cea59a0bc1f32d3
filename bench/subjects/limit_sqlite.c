/* SPDX-License-Identifier: MIT */
/* bench needs: sqlite */
/* The least that a hand-over costs on SQLite (ring.h). */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"
#include "ring.h"
#include "sql.h"

struct thread {
	struct bench_ring ring;
	sqlite3 *db;
	sqlite3_stmt *pass, *join, *sweep;
};

static void *enter(void *given)
{
	const struct bench_place *place = given;
	struct thread *t = bench_alloc(sizeof(*t));

	t->db = bench_lite_open(place);
	bench_lite_run(t->db, place->subject->settings);
	t->pass = bench_lite_prepare(
		t->db, "UPDATE bench_ring SET token = token + 1 WHERE name = ?1 RETURNING token");
	t->join = bench_lite_prepare(t->db,
				     "INSERT INTO bench_line (name) VALUES (?1) RETURNING ticket");
	t->sweep = bench_lite_prepare(t->db, "DELETE FROM bench_line WHERE ticket < ?1 + 0");
	bench_ring_enter(&t->ring);
	return t;
}

static void leave(void *thread)
{
	struct thread *t = thread;

	bench_ring_leave(&t->ring);
	sqlite3_finalize(t->pass);
	sqlite3_finalize(t->join);
	sqlite3_finalize(t->sweep);
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
	bench_lite_run(db, "CREATE TABLE IF NOT EXISTS bench_ring (name TEXT NOT NULL PRIMARY KEY,"
			   " token INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID");
	bench_lite_run(db, "CREATE TABLE IF NOT EXISTS bench_line (ticket INTEGER PRIMARY KEY,"
			   " name TEXT NOT NULL)");
	bench_lite_run(db, "INSERT OR IGNORE INTO bench_ring (name) VALUES ('one')");
	bench_lite_run(db, "DELETE FROM bench_line");
	sqlite3_close(db);
}

static void acquire(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char text[24];
	const char *texts[] = {text};
	int64_t ticket = 0;

	bench_lite_exec(t->db, t->join, 1, &name, &ticket);
	if (++t->ring.turns % BENCH_RING_SWEEP == 0) {
		snprintf(text, sizeof(text), "%" PRId64, ticket);
		bench_lite_exec(t->db, t->sweep, 1, texts, NULL);
	}
	g->token = bench_ring_wait(&t->ring);
}

static void release(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	int64_t token = 0;

	(void)g;
	if (bench_lite_exec(t->db, t->pass, 1, &name, &token) != 1)
		bench_fail("limit: there is no row of the name");
	bench_ring_pass(&t->ring, token);
}

#define LIMIT                                                                                      \
	.server = "sqlite", .in = "hand-over", .prepare = prepare, .open = open_place,             \
	.enter = enter, .acquire = acquire, .release = release, .leave = leave

static const struct bench_subject subjects[] = {
	{LIMIT, .name = "limit-sqlite", .settings = "PRAGMA synchronous = NORMAL", .quick = true},
	{LIMIT, .name = "limit-sqlite-durable", .settings = "PRAGMA synchronous = FULL"},
};

BENCH_SUBJECTS(subjects)
