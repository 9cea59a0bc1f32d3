/* SPDX-License-Identifier: MIT */
/* bench needs: mysql */
/* The least that a hand-over costs on MariaDB and MySQL (ring.h). There a connection cannot say that
 * it does not wait for the disk: to join is a commit, too. */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"
#include "ring.h"
#include "sql.h"

struct thread {
	struct bench_ring ring;
	MYSQL *c;
	MYSQL_STMT *pass, *join, *sweep;
};

static void *enter(void *place)
{
	struct thread *t = bench_alloc(sizeof(*t));

	t->c = bench_my_open(place);
	t->pass = bench_my_prepare(
		t->c, "UPDATE bench_ring SET token = LAST_INSERT_ID(token + 1) WHERE name = ?");
	t->join = bench_my_prepare(t->c, "INSERT INTO bench_line (name) VALUES (?)");
	t->sweep =
		bench_my_prepare(t->c, "DELETE FROM bench_line WHERE ticket < CAST(? AS UNSIGNED)");
	bench_ring_enter(&t->ring);
	return t;
}

static void leave(void *thread)
{
	struct thread *t = thread;

	bench_ring_leave(&t->ring);
	mysql_stmt_close(t->pass);
	mysql_stmt_close(t->join);
	mysql_stmt_close(t->sweep);
	mysql_close(t->c);
}

static void *open_place(const struct bench_place *place)
{
	return (void *)(uintptr_t)place;
}

static void prepare(const struct bench_place *place)
{
	MYSQL *c = bench_my_open(place);

	bench_my_run(c, "CREATE TABLE IF NOT EXISTS bench_ring (name VARBINARY(255) PRIMARY KEY,"
			" token BIGINT NOT NULL) ENGINE = InnoDB");
	bench_my_run(c,
		     "CREATE TABLE IF NOT EXISTS bench_line (ticket BIGINT UNSIGNED NOT NULL"
		     " AUTO_INCREMENT PRIMARY KEY, name VARBINARY(255) NOT NULL) ENGINE = InnoDB");
	bench_my_run(c, "INSERT IGNORE INTO bench_ring (name, token) VALUES ('one', 0)");
	bench_my_run(c, "DELETE FROM bench_line");
	mysql_close(c);
}

static void acquire(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char text[24];
	const char *texts[] = {text};
	int64_t ticket = 0;

	bench_my_exec(t->join, 1, &name, &ticket);
	if (++t->ring.turns % BENCH_RING_SWEEP == 0) {
		snprintf(text, sizeof(text), "%" PRId64, ticket);
		bench_my_exec(t->sweep, 1, texts, NULL);
	}
	g->token = bench_ring_wait(&t->ring);
}

static void release(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	int64_t token = 0;

	(void)g;
	if (bench_my_exec(t->pass, 1, &name, &token) != 1)
		bench_fail("limit: there is no row of the name");
	bench_ring_pass(&t->ring, token);
}

#define LIMIT(on)                                                                                  \
	{                                                                                          \
		.name = "limit-" on, .server = on, .in = "hand-over", .prepare = prepare,          \
		.open = open_place, .enter = enter, .acquire = acquire, .release = release,        \
		.leave = leave                                                                     \
	}

static const struct bench_subject subjects[] = {
	LIMIT("mariadb"),
	LIMIT("mysql"),
};

BENCH_SUBJECTS(subjects)
