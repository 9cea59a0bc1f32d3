/* SPDX-License-Identifier: MIT */
/* bench needs: nothing */
/* dblock itself: one client a process, as it is meant to be used. */
#include <string.h>

#include <dblock/dblock.h>

#include "bench.h"
#include "dblock_fill.h"

/* Settings of the client, and of the acquire. */
struct settings {
	unsigned durability; /* BENCH_DURABLE and so on; 0: the default */
	bool posted;
	unsigned wake_off;
	unsigned local_turns; /* 1: never */
	int64_t idle_ms;
	int64_t ttl_ms;
	const char *prefix;
};

/*
 * This tree may not have some options yet; bench/CMakeLists.txt reads the headers. A subject that
 * needs a missing one is left out.
 */
#ifdef BENCH_HAS_DURABILITY
#define BENCH_DURABLE DBLOCK_DURABLE
#define BENCH_RELAXED DBLOCK_RELAXED
#define BENCH_REMOTE  DBLOCK_REMOTE
#define NO_DURABILITY NULL
#else
#define BENCH_DURABLE 1
#define BENCH_RELAXED 2
#define BENCH_REMOTE  3
#define NO_DURABILITY "this dblock has no option `durability`"
#endif
#ifdef BENCH_HAS_POST_RELEASES
#define NO_POSTED NULL
#else
#define NO_POSTED "this dblock has no option `post_releases`"
#endif
#ifdef BENCH_HAS_LOCAL_TURNS
#define NO_LOCAL NULL
#else
#define NO_LOCAL "this dblock has no option `local_turns`"
#endif
#ifdef BENCH_HAS_IDLE_MS
#define NO_STICKY NULL
#else
#define NO_STICKY "this dblock has no option `idle_ms`"
#endif
#define EITHER(a, b) ((a) ? (a) : (b))

struct process {
	struct dblock_client *client;
	const struct settings *set;
};

#ifdef BENCH_HAS_POST_RELEASES
static void on_release_failed(void *arg, const char *name, int64_t token,
			      const struct dblock_error *err)
{
	(void)arg;
	bench_fail("a posted release of %s, token %lld: %s", name, (long long)token, err->message);
}
#endif

static void set_options(struct dblock_client_options *o, const struct settings *set)
{
	o->auto_migrate = 1;
	o->app = "bench";
	o->prefix = set->prefix;
	o->wake_off = set->wake_off;
	o->ttl_ms = set->ttl_ms;
#ifdef BENCH_HAS_DURABILITY
	o->durability = set->durability;
#endif
#ifdef BENCH_HAS_POST_RELEASES
	o->post_releases = set->posted;
	o->release_failed = on_release_failed;
#endif
#ifdef BENCH_HAS_LOCAL_TURNS
	o->local_turns = set->local_turns;
#endif
}

static void *open_client(const struct bench_place *place)
{
	struct dblock_client_options o = DBLOCK_CLIENT_OPTIONS_INIT;
	struct process *p = bench_alloc(sizeof(*p));
	struct dblock_error err;

	p->set = place->subject->settings;
	set_options(&o, p->set);
	if (dblock_open(place->url, &o, &p->client, &err))
		bench_fail("dblock_open: %s", err.message);
	return p;
}

static void close_client(void *process)
{
	struct process *p = process;

	dblock_close(p->client);
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

#ifdef BENCH_HAS_IDLE_MS
	o.idle_ms = p->set->idle_ms;
#endif
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

#define ALL   "uncontended hand-over takeover threads waiters"
#define PAIRS "uncontended"
#define SUBJECT(label, on, experiments, why, ...)                                                  \
	.name = label, .server = on, .in = experiments, .absent = why,                             \
	.settings = &(const struct settings){__VA_ARGS__}, .prepare = make_tables,                 \
	.open = open_client, .acquire = acquire, .release = release, .close = close_client

/* The subjects of every database. Many held grants, and a million rows, have tables of their own.
 */
#define DATABASE(on)                                                                               \
	{SUBJECT("dblock-" on, on, ALL, NULL, .durability = 0), .quick = true},                    \
		{SUBJECT("dblock-" on "-posted", on, PAIRS " hand-over", NO_POSTED,                \
			 .posted = true),                                                          \
		 .quick = true},                                                                   \
		{SUBJECT("dblock-" on "-no-datagram", on, "hand-over", NULL,                       \
			 .wake_off = DBLOCK_WAKE_SOCKET)},                                         \
		{SUBJECT("dblock-" on "-no-local", on, "threads waiters", NO_LOCAL,                \
			 .local_turns = 1),                                                        \
		 .most = 200},                                                                     \
		{SUBJECT("dblock-" on "-sticky", on, "sticky", NO_STICKY, .idle_ms = 1000),        \
		 .quick = true},                                                                   \
		{SUBJECT("dblock-" on "-held", on, "held heartbeat", NULL, .ttl_ms = 3000,         \
			 .prefix = "held_")},                                                      \
	{                                                                                          \
		SUBJECT("dblock-" on "-rows", on, "rows", NULL, .prefix = "rows_"), .fill = fill   \
	}

/* Subjects of a durability that differs from the default. */
#define DURABILITY(on, word, value)                                                                \
	{SUBJECT("dblock-" on "-" word, on, PAIRS " hand-over", NO_DURABILITY,                     \
		 .durability = value)},                                                            \
	{                                                                                          \
		SUBJECT("dblock-" on "-" word "-posted", on, PAIRS,                                \
			EITHER(NO_DURABILITY, NO_POSTED), .durability = value, .posted = true),    \
			.quick = true                                                              \
	}

static const struct bench_subject subjects[] = {
	DATABASE("sqlite"),
	DURABILITY("sqlite", "durable", BENCH_DURABLE),
	DATABASE("postgresql"),
	DURABILITY("postgresql", "relaxed", BENCH_RELAXED),
	{SUBJECT("dblock-postgresql-remote", "postgresql-remote", PAIRS, NO_DURABILITY,
		 .durability = BENCH_REMOTE),
	 .brief = true},
	{SUBJECT("dblock-postgresql-remote-posted", "postgresql-remote", PAIRS,
		 EITHER(NO_DURABILITY, NO_POSTED), .durability = BENCH_REMOTE, .posted = true),
	 .brief = true},
	DATABASE("mariadb"),
	DATABASE("mysql"),
	{SUBJECT("dblock-mysql-no-binlog", "mysql-no-binlog", PAIRS, NULL, .durability = 0)},
	{SUBJECT("dblock-mysql-no-binlog-posted", "mysql-no-binlog", PAIRS, NO_POSTED,
		 .posted = true)},
};

BENCH_SUBJECTS(subjects)
