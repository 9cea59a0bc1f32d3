/* SPDX-License-Identifier: MIT */
/* The cost of many held grants: memory, the heartbeat, and the price of the next one. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "contend.h"

#define LOAD(label, n)                                                                             \
	{                                                                                          \
		.name = label, .processes = 1, .threads = 32, .held = (n), .rounds = 1,            \
		.seconds = 1                                                                       \
	}

static const struct bench_load loads[] = {LOAD("10", 10), LOAD("1000", 1000),
					  LOAD("100000", 100000)};

/* After this time no more grants are taken. */
#define PATIENCE_NS (8LL * 1000000000)

static int64_t resident_bytes(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f)
		return 0;
	if (fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	fclose(f);
	return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

static void take(struct bench_worker *w, int64_t i, struct bench_grant *g)
{
	char name[64];

	snprintf(name, sizeof(name), "held-%d-%d-%lld", w->run->serial, w->index, (long long)i);
	w->run->subject->acquire(w->own, name, g);
}

/* All workers come to this point; meanwhile the first one notes how large the process is. */
static void meet(struct bench_worker *w, int n, int64_t sign)
{
	struct bench_shared *s = w->shared;

	if (w->index == 0) {
		while (atomic_load(&s->begun) < n - 1)
			bench_sleep_us(1000);
		s->processes[w->process].bytes += sign * resident_bytes();
	}
	atomic_fetch_add(&s->begun, 1);
	while (atomic_load(&s->begun) < n)
		bench_sleep_us(1000);
}

/* Each worker takes its share; the growth of the process meanwhile is their cost. The first grant
 * of each comes before: it makes the connection's buffers and statements. */
static void take_many(struct bench_worker *w)
{
	int64_t held = w->run->load->held;
	int workers = w->run->load->threads;
	int64_t share = held / workers + (w->index < held % workers);
	int64_t until;
	size_t size = (size_t)(share + 1) * sizeof(struct bench_grant);
	struct bench_grant *grants = bench_alloc(size);

	memset(grants, 1, size); /* so that its pages do not count */
	take(w, -1, &grants[share]);
	meet(w, workers, -1);
	until = bench_now_ns() + PATIENCE_NS;
	for (int64_t i = 0; i < share && bench_now_ns() < until; i++) {
		take(w, i, &grants[i]);
		atomic_fetch_add(&w->shared->held, 1);
	}
	meet(w, 2 * workers, 1);
}

/* The first worker takes one more, again and again; the others only hold. */
static void work(struct bench_worker *w)
{
	if (w->index == 0)
		bench_pairs(w);
}

static void rest(struct bench_worker *w)
{
	(void)w;
}

static const struct bench_experiment held = {
	.order = 60,
	.name = "held",
	.what = "one client holds so many grants: memory, and the price of one more pair",
	.loads = loads,
	.n_loads = sizeof(loads) / sizeof(loads[0]),
	.left_behind = true,
	.begin = take_many,
	.work = work,
};

BENCH_EXPERIMENT(held)

static const struct bench_load beats[] = {
	{.name = "10", .processes = 1, .threads = 32, .held = 10, .rounds = 1, .seconds = 3},
	{.name = "100000",
	 .processes = 1,
	 .threads = 32,
	 .held = 100000,
	 .rounds = 1,
	 .seconds = 3},
};

static const struct bench_experiment heartbeat = {
	.order = 65,
	.name = "heartbeat",
	.what = "one client holds so many grants, and does nothing: what its heartbeat costs it",
	.loads = beats,
	.n_loads = sizeof(beats) / sizeof(beats[0]),
	.left_behind = true,
	.begin = take_many,
	.work = rest,
};

__attribute__((constructor)) static void enter_heartbeat(void)
{
	bench_enter_experiment(&heartbeat);
}
