/* SPDX-License-Identifier: MIT */
/* bench needs: nothing */
/* dblock on a majority of several databases: one client a process. */
#include <dblock/dblock.h>

#include "several.h"

struct process {
	struct dblock_client *client;
	const struct bench_place *place;
};

static struct dblock_client_options options_of(const struct bench_place *place)
{
	struct dblock_client_options o = DBLOCK_CLIENT_OPTIONS_INIT;

	o.auto_migrate = true;
	o.app = "bench";
	o.prefix = bench_several_of(place)->prefix;
	return o;
}

static void make_cluster(const struct bench_place *place)
{
	struct dblock_client_options o = options_of(place);
	char *urls[BENCH_SEVERAL_MAX];
	struct dblock_error err;

	bench_several_wake(place);
	bench_several_urls(place, urls);
	if (dblock_quorum_init((const char *const *)urls, bench_several_of(place)->n, "bench", NULL,
			       &o, &err))
		bench_fail("dblock_quorum_init: %s", err.message);
}

static void acquire(void *process, const char *name, struct bench_grant *g)
{
	struct process *p = process;
	struct dblock_lock *lock;
	struct dblock_error err;

	if (dblock_acquire(p->client, name, NULL, &lock, &err))
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

/* Until all members are open: it goes silent as one that has voted before. */
static void have_all_vote(struct process *p)
{
	for (int i = 0; i < 20; i++) {
		struct bench_grant g = {0};

		acquire(p, "all", &g);
		bench_sleep_us(20000);
		release(p, "all", &g);
	}
}

static void *open_client(const struct bench_place *place)
{
	struct dblock_client_options o = options_of(place);
	struct process *p = bench_alloc(sizeof(*p));
	char *urls[BENCH_SEVERAL_MAX];
	struct dblock_error err;

	p->place = place;
	bench_several_wake(place);
	bench_several_urls(place, urls);
	if (dblock_quorum_open((const char *const *)urls, bench_several_of(place)->n, &o,
			       &p->client, &err))
		bench_fail("dblock_quorum_open: %s", err.message);
	if (bench_several_of(place)->silent)
		have_all_vote(p);
	bench_several_silence(place);
	return p;
}

static void close_client(void *process)
{
	struct process *p = process;

	bench_several_wake(p->place);
	dblock_close(p->client, NULL);
}

#define SUBJECT(label, experiments, ...)                                                           \
	.name = label, .server = "quorum", .in = experiments, .quick = true,                       \
	.settings = &(const struct bench_several){__VA_ARGS__}, .prepare = make_cluster,           \
	.open = open_client, .acquire = acquire, .release = release, .close = close_client

static const struct bench_subject subjects[] = {
	{SUBJECT("dblock-quorum", "quorum quorum-hand-over", .n = 3, .prefix = "q3_")},
	{SUBJECT("dblock-quorum-of-5", "quorum quorum-hand-over", .n = 5, .prefix = "q5_")},
	{SUBJECT("dblock-quorum-of-5-silent", "quorum", .n = 5, .silent = true, .prefix = "q5s_"),
	 .lone = true},
};

BENCH_SUBJECTS(subjects)
