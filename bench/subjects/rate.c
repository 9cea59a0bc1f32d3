/* SPDX-License-Identifier: MIT */
/* bench needs: nothing */
/* Rates: one client a process. To acquire is to take one; there is nothing to release. */
#include <dblock/dblock.h>

#include "bench.h"

struct settings {
	enum dblock_durability durability;
	bool refused;
};

struct process {
	struct dblock_client *client;
	const struct settings *set;
};

static void *open_client(const struct bench_place *place)
{
	struct dblock_client_options o = DBLOCK_CLIENT_OPTIONS_INIT;
	struct process *p = bench_alloc(sizeof(*p));
	struct dblock_error err;

	p->set = place->subject->settings;
	o.auto_migrate = true;
	o.app = "bench";
	o.durability = p->set->durability;
	if (dblock_open(place->url, &o, &p->client, &err))
		bench_fail("dblock_open: %s", err.message);
	return p;
}

static void close_client(void *process)
{
	dblock_close(((struct process *)process)->client, NULL);
}

static void make_tables(const struct bench_place *place)
{
	close_client(open_client(place));
}

/* The first one of a rate that is used up is allowed. */
static void take(void *process, const char *name, struct bench_grant *g)
{
	struct dblock_rate_options o = DBLOCK_RATE_OPTIONS_INIT;
	struct process *p = process;
	struct dblock_error err;
	int rc;

	g->token = 0;
	o.period_ms = p->set->refused ? DBLOCK_RATE_PERIOD_MAX_MS : 1000;
	rc = dblock_rate_take(p->client, name, p->set->refused ? 1 : DBLOCK_RATE_MAX,
			      p->set->refused ? 1 : DBLOCK_RATE_MAX, 1, &o, NULL, &err);
	if (rc && !(p->set->refused && rc == DBLOCK_BUSY))
		bench_fail("dblock_rate_take: %s", err.message);
}

static void release(void *process, const char *name, struct bench_grant *g)
{
	(void)process;
	(void)name;
	(void)g;
}

#define SUBJECT(label, on, experiment, ...)                                                        \
	.name = label, .server = on, .in = experiment, .quick = true,                              \
	.settings = &(const struct settings){__VA_ARGS__}, .prepare = make_tables,                 \
	.open = open_client, .acquire = take, .release = release, .close = close_client

#define DATABASE(on)                                                                               \
	{SUBJECT("dblock-" on "-rate", on, "rate", .durability = DBLOCK_DURABLE)},                 \
		{SUBJECT("dblock-" on "-rate-relaxed", on, "rate", .durability = DBLOCK_RELAXED)}, \
	{                                                                                          \
		SUBJECT("dblock-" on "-rate", on, "rate-refused", .refused = true)                 \
	}

static const struct bench_subject subjects[] = {
	DATABASE("sqlite"),
	DATABASE("postgresql"),
	DATABASE("mariadb"),
	DATABASE("mysql"),
};

BENCH_SUBJECTS(subjects)
