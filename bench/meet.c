/* SPDX-License-Identifier: MIT */
/*
 * Measures latches and barriers of many processes, in one run, by turns:
 *   meet URL [PROCESSES [ROUNDS]]
 * Each of PROCESSES (100) waits for a latch that another one counts down from PROCESSES to 0; then likewise by asking
 * for it each 100 ms, as whoever has but a table would; then all of them meet at a barrier. How long a count down takes;
 * and from the last one's call how long until half of them, and until all, are through. Medians of ROUNDS (5). The
 * server has to take twice as many connections.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dblock/barrier.h>
#include <dblock/latch.h>
#include <signal.h>

enum { PROCESSES_MAX = 1000, ROUNDS_MAX = 101, POLL_US = 100000 };
enum way { BY_LATCH, BY_POLLING, BY_BARRIER, WAYS };

static const char *const way_names[WAYS] = {"latch", "polled each 100 ms", "barrier"};

/* Memory of all processes. */
static struct shared {
	atomic_int round; /* of all ways; that many have begun */
	atomic_int ready, through;
	atomic_bool last_goes;
	_Atomic int64_t since;             /* when the last one's call began, us */
	_Atomic int64_t at[PROCESSES_MAX]; /* when each was through */
} * shared;

static const char *url;
static char name[32];
static int processes = 100;

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static _Noreturn void fail(const char *what, const struct dblock_error *err)
{
	fprintf(stderr, "meet: %s: %s\n", what, err->message);
	exit(1);
}

static void must(const char *what, int rc, const struct dblock_error *err)
{
	if (rc)
		fail(what, err);
}

static struct dblock_client *open_client(void)
{
	struct dblock_tuning tuning = DBLOCK_TUNING_INIT;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err;
	struct dblock_client *client;

	tuning.connections = 2;
	options.tuning = &tuning;
	options.timeout_ms = 120000;
	options.auto_migrate = 1;
	must("open", dblock_open(url, &options, &client, &err), &err);
	return client;
}

static void wait_for(const atomic_int *count, int n)
{
	while (atomic_load(count) < n)
		usleep(1000);
}

/* ---- one of them -------------------------------------------------------------------------------- */

static void poll_latch(struct dblock_client *client)
{
	struct dblock_latch latch = DBLOCK_LATCH_INIT;
	struct dblock_error err;

	do {
		usleep(POLL_US);
		must("show", dblock_latch_show(client, name, &latch, &err), &err);
	} while (latch.count > 0);
}

static void meet(struct dblock_client *client, int me)
{
	struct dblock_barrier *barrier;
	struct dblock_error err;

	if (me == 0) { /* the last one */
		while (!shared->last_goes)
			usleep(1000);
		shared->since = now_us();
	}
	must("enter", dblock_barrier_enter(client, name, processes, NULL, &barrier, &err), &err);
	shared->at[me] = now_us();
	must("leave", dblock_barrier_leave(barrier, NULL, &err), &err);
}

static void play(struct dblock_client *client, int me, enum way way)
{
	struct dblock_error err;

	shared->ready++;
	if (way == BY_BARRIER)
		meet(client, me);
	else if (way == BY_POLLING)
		poll_latch(client);
	else
		must("wait", dblock_latch_wait(client, name, NULL, &err), &err);
	if (way != BY_BARRIER)
		shared->at[me] = now_us();
	shared->through++;
}

static _Noreturn void be_one(int me)
{
	struct dblock_client *client;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	client = open_client();
	for (int round = 1;; round++) {
		wait_for(&shared->round, round);
		play(client, me, (enum way)((round - 1) % WAYS));
	}
}

/* ---- the measurement ---------------------------------------------------------------------------- */

struct figures {
	double down, half, all; /* us, for each count down; ms */
};

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void count_down(struct dblock_client *client, struct figures *f)
{
	struct dblock_error err;
	int64_t begun = now_us();

	for (int i = 1; i <= processes; i++) {
		if (i == processes)
			shared->since = now_us();
		must("count down", dblock_latch_count_down(client, name, 1, NULL, NULL, &err),
		     &err);
	}
	f->down = (double)(now_us() - begun) / processes;
}

static struct figures measure(struct dblock_client *client, enum way way)
{
	struct figures f = {0};
	struct dblock_error err;
	int64_t at[PROCESSES_MAX];

	must("create", dblock_latch_create(client, name, processes, NULL, &err), &err);
	must("reset", dblock_latch_reset(client, name, 0, NULL, &err), &err);
	shared->ready = shared->through = 0;
	shared->last_goes = false;
	shared->round++;
	wait_for(&shared->ready, processes);
	sleep(2 + (unsigned)processes / 20); /* they wait */
	if (way == BY_BARRIER)
		shared->last_goes = true;
	else
		count_down(client, &f);
	wait_for(&shared->through, processes);
	for (int i = 0; i < processes; i++)
		at[i] = shared->at[i] - shared->since;
	qsort(at, (size_t)processes, sizeof(*at), by_size);
	f.half = (double)at[processes / 2] / 1000;
	f.all = (double)at[processes - 1] / 1000;
	return f;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const struct figures *of, int rounds, size_t at)
{
	double sorted[ROUNDS_MAX];

	for (int i = 0; i < rounds; i++)
		memcpy(&sorted[i], (const char *)&of[i] + at, sizeof(double));
	qsort(sorted, (size_t)rounds, sizeof(*sorted), by_value);
	return sorted[rounds / 2];
}

#define MEDIAN(way, member) median(figures[way], rounds, offsetof(struct figures, member))

static void run(struct dblock_client *client, int rounds)
{
	static struct figures figures[WAYS][ROUNDS_MAX];

	for (int round = 0; round < rounds; round++)
		for (enum way way = 0; way < WAYS; way++)
			figures[way][round] = measure(client, way);
	for (enum way way = 0; way < WAYS; way++)
		printf("%-18s  half of %d through after %.1f ms, all after %.1f ms\n",
		       way_names[way], processes, MEDIAN(way, half), MEDIAN(way, all));
	printf("a count down takes %.0f us; with those who poll %.0f us\n", MEDIAN(BY_LATCH, down),
	       MEDIAN(BY_POLLING, down));
	printf("latch / polled: half %.2f, all %.2f\n",
	       MEDIAN(BY_LATCH, half) / MEDIAN(BY_POLLING, half),
	       MEDIAN(BY_LATCH, all) / MEDIAN(BY_POLLING, all));
}

int main(int argc, char **argv)
{
	int rounds = argc > 3 ? atoi(argv[3]) : 5;

	url = argc > 1 ? argv[1] : NULL;
	if (argc > 2)
		processes = atoi(argv[2]);
	if (!url || processes < 1 || processes > PROCESSES_MAX || rounds < 1 ||
	    rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: meet URL [PROCESSES [ROUNDS]]\n");
		return 64;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return 70;
	(void)snprintf(name, sizeof(name), "meet %d", (int)getpid());
	dblock_close(open_client(), NULL); /* the tables */
	for (int i = 0; i < processes; i++)
		if (fork() == 0)
			be_one(i);
	run(open_client(), rounds);
	fflush(stdout);
	_exit(0); /* and so do the others */
}
