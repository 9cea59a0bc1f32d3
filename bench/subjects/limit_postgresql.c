/* SPDX-License-Identifier: MIT */
/* bench needs: postgresql */
/* The least that a hand-over costs on PostgreSQL (ring.h). Nobody waits for the disk to join. */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"
#include "ring.h"
#include "sql.h"

struct thread {
	struct bench_ring ring;
	PGconn *c;
};

#define NOT_WAITED_FOR "(SELECT set_config('synchronous_commit', 'off', true))"

static void *enter(void *given)
{
	const struct bench_place *place = given;
	struct thread *t = bench_alloc(sizeof(*t));

	t->c = bench_pg_open(place);
	bench_pg_run(t->c, place->subject->settings);
	bench_pg_prepare(t->c, "pass",
			 "UPDATE bench_ring SET token = token + 1 WHERE name = $1 RETURNING token");
	bench_pg_prepare(t->c, "join",
			 "INSERT INTO bench_line (name) SELECT $1 FROM " NOT_WAITED_FOR
			 " unwaited RETURNING ticket");
	bench_pg_prepare(t->c, "sweep",
			 "DELETE FROM bench_line USING " NOT_WAITED_FOR
			 " unwaited WHERE name = $1 AND ticket < $2::bigint");
	bench_ring_enter(&t->ring);
	return t;
}

static void leave(void *thread)
{
	struct thread *t = thread;

	bench_ring_leave(&t->ring);
	PQfinish(t->c);
}

static void *open_place(const struct bench_place *place)
{
	return (void *)(uintptr_t)place;
}

static void prepare(const struct bench_place *place)
{
	PGconn *c = bench_pg_open(place);

	bench_pg_run(c, "SET client_min_messages = warning");
	bench_pg_run(c,
		     "CREATE TABLE IF NOT EXISTS bench_ring (name text COLLATE \"C\" PRIMARY KEY,"
		     " token bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50)");
	bench_pg_run(c, "CREATE TABLE IF NOT EXISTS bench_line (name text COLLATE \"C\","
			" ticket bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (name, ticket))");
	bench_pg_run(c, "INSERT INTO bench_ring (name) VALUES ('one') ON CONFLICT DO NOTHING");
	bench_pg_run(c, "TRUNCATE bench_line");
	PQfinish(c);
}

static void acquire(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char text[24];
	const char *texts[] = {name, text};
	int64_t ticket = 0;

	bench_pg_exec(t->c, "join", 1, texts, &ticket);
	if (++t->ring.turns % BENCH_RING_SWEEP == 0) {
		snprintf(text, sizeof(text), "%" PRId64, ticket);
		bench_pg_exec(t->c, "sweep", 2, texts, NULL);
	}
	g->token = bench_ring_wait(&t->ring);
}

static void release(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	int64_t token = 0;

	(void)g;
	if (bench_pg_exec(t->c, "pass", 1, &name, &token) != 1)
		bench_fail("limit: there is no row of the name");
	bench_ring_pass(&t->ring, token);
}

#define LIMIT                                                                                      \
	.server = "postgresql", .in = "hand-over", .prepare = prepare, .open = open_place,         \
	.enter = enter, .acquire = acquire, .release = release, .leave = leave

static const struct bench_subject subjects[] = {
	{LIMIT, .name = "limit-postgresql", .settings = "SET synchronous_commit = on",
	 .quick = true},
	{LIMIT, .name = "limit-postgresql-relaxed", .settings = "SET synchronous_commit = off"},
};

BENCH_SUBJECTS(subjects)
