/* SPDX-License-Identifier: MIT */
/* bench needs: nothing */
/* dblock itself: one client a process, as it is meant to be used. */
#include <string.h>

#include <dblock/dblock.h>

#include "bench.h"
#include "dblock_fill.h"

/* Settings of the client, and of the acquire. */
struct settings {
	unsigned durability; /* of enum dblock_durability; 0: the default */
	bool posted;
	unsigned wake_off;
	unsigned local_turns; /* 1: never */
	int64_t idle_ms;
	int64_t ttl_ms;
	const char *prefix;
};

struct process {
	struct dblock_client *client;
	const struct settings *set;
};

static void on_release_failed(void *arg, const char *name, int64_t token,
			      const struct dblock_error *err)
{
	(void)arg;
	bench_fail("a posted release of %s, token %lld: %s", name, (long long)token, err->message);
}

static void *open_client(const struct bench_place *place)
{
	const struct settings *set = place->subject->settings;
	const struct dblock_tuning tuning = {.size = sizeof(tuning),
					     .local_turns = set->local_turns,
					     .wake_off = set->wake_off,
					     .post_releases = set->posted,
					     .release_failed = on_release_failed};
	struct dblock_client_options o = DBLOCK_CLIENT_OPTIONS_INIT;
	struct process *p = bench_alloc(sizeof(*p));
	struct dblock_error err;

	p->set = set;
	o.auto_migrate = true;
	o.app = "bench";
	o.prefix = set->prefix;
	o.ttl_ms = set->ttl_ms;
	o.durability = (enum dblock_durability)set->durability;
	o.tuning = &tuning;
	if (dblock_open(place->url, &o, &p->client, &err))
		bench_fail("dblock_open: %s", err.message);
	return p;
}

static void close_client(void *process)
{
	struct process *p = process;

	dblock_close(p->client, NULL);
}

static void make_tables(const struct bench_place *place)
{
	close_client(open_client(place));
}

static void acquire(void *process, const char *name, struct bench_grant *g)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct process *p = process;
	struct dblock_lock *lock;
	struct dblock_error err;

	o.idle_ms = p->set->idle_ms;
	if (dblock_acquire(p->client, name, &o, &lock, &err))
		bench_fail("dblock_acquire: %s", err.message);
	g->handle = lock;
	g->token = dblock_token(lock);
}

static void release(void *process, const char *name, struct bench_grant *g)
{
	struct dblock_error err;

	(void)process;
	(void)name;
	if (dblock_release(g->handle, &err))
		bench_fail("dblock_release: %s", err.message);
}

static void fill(const struct bench_place *place, int64_t rows)
{
	const struct settings *set = place->subject->settings;

	bench_fill_dblock(place, set->prefix, rows);
}

#define ALL   "uncontended hand-over quorum quorum-hand-over takeover threads waiters"
#define PAIRS "uncontended"
#define SUBJECT(label, on, experiments, why, ...)                                                  \
	.name = label, .server = on, .in = experiments, .absent = why,                             \
	.settings = &(const struct settings){__VA_ARGS__}, .prepare = make_tables,                 \
	.open = open_client, .acquire = acquire, .release = release, .close = close_client

/* The subjects of every database. Many held grants, and a million rows, have tables of their own.
 */
#define DATABASE(on)                                                                               \
	{SUBJECT("dblock-" on, on, ALL, NULL, .durability = 0), .quick = true},                    \
		{SUBJECT("dblock-" on "-posted", on, PAIRS " hand-over", NULL, .posted = true),    \
		 .quick = true},                                                                   \
		{SUBJECT("dblock-" on "-no-datagram", on, "hand-over", NULL,                       \
			 .wake_off = DBLOCK_WAKE_SOCKET)},                                         \
		{SUBJECT("dblock-" on "-no-local", on, "threads waiters", NULL, .local_turns = 1), \
		 .most = 200},                                                                     \
		{SUBJECT("dblock-" on "-sticky", on, "sticky", NULL, .idle_ms = 1000),             \
		 .quick = true},                                                                   \
		{SUBJECT("dblock-" on "-held", on, "held heartbeat", NULL, .ttl_ms = 3000,         \
			 .prefix = "held_")},                                                      \
	{                                                                                          \
		SUBJECT("dblock-" on "-rows", on, "rows", NULL, .prefix = "rows_"), .fill = fill   \
	}

/* Subjects of a durability that differs from the default. */
#define DURABILITY(on, word, value)                                                                \
	{SUBJECT("dblock-" on "-" word, on, PAIRS " hand-over", NULL, .durability = value)},       \
	{                                                                                          \
		SUBJECT("dblock-" on "-" word "-posted", on, PAIRS, NULL, .durability = value,     \
			.posted = true),                                                           \
			.quick = true                                                              \
	}

static const struct bench_subject subjects[] = {
	DATABASE("sqlite"),
	DURABILITY("sqlite", "durable", DBLOCK_DURABLE),
	DATABASE("postgresql"),
	DURABILITY("postgresql", "relaxed", DBLOCK_RELAXED),
	{SUBJECT("dblock-postgresql-remote", "postgresql-remote", PAIRS, NULL,
		 .durability = DBLOCK_REMOTE),
	 .brief = true},
	{SUBJECT("dblock-postgresql-remote-posted", "postgresql-remote", PAIRS, NULL,
		 .durability = DBLOCK_REMOTE, .posted = true),
	 .brief = true},
	DATABASE("mariadb"),
	DATABASE("mysql"),
	{SUBJECT("dblock-mysql-no-binlog", "mysql-no-binlog", PAIRS, NULL, .durability = 0)},
	{SUBJECT("dblock-mysql-no-binlog-posted", "mysql-no-binlog", PAIRS, NULL, .posted = true)},
};

BENCH_SUBJECTS(subjects)
