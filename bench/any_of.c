/* SPDX-License-Identifier: MIT */
/*
 * Measures how often any one of 8 names is had by 32 processes that all want one, beside one name for all of
 * them, and beside 8 names of which each process wants always the same: what 8 names can give at best.
 *   any_of URL [SECONDS [HOLD_US]]
 * Each grant is held for HOLD_US (default 2000). Fairness is Jain's index of the processes' grants: 1 if each
 * had as many. No grant may be had while another process has that name: that is checked.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dblock/dblock.h>

enum { PROCESSES = 32, NAMES = 8 };

/* Memory that the processes share. */
static struct shared {
	atomic_int ready, go, stop, overlaps;
	atomic_int inside[NAMES];
	_Atomic int64_t grants[PROCESSES];
} * shared;

static const char *const names[NAMES] = {"gpu0", "gpu1", "gpu2", "gpu3",
					 "gpu4", "gpu5", "gpu6", "gpu7"};

static const struct load {
	const char *what;
	int of;   /* so many names */
	bool any; /* any of them; else each process wants always the same */
} loads[] = {{"one name", 1, false}, {"one each of 8", NAMES, false}, {"any of 8", NAMES, true}};

static void die(const char *what, const struct dblock_error *err)
{
	fprintf(stderr, "any_of: %s: %s\n", what, err->message);
	exit(1);
}

static void pause_us(int64_t us)
{
	struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};

	nanosleep(&t, NULL);
}

static struct dblock_lock *get(struct dblock_client *client, const struct load *load, int process)
{
	struct dblock_lock_spec wants[NAMES];
	struct dblock_error err;
	struct dblock_lock *lock;
	int n = load->any ? load->of : 1;

	for (int i = 0; i < n; i++)
		wants[i] = (struct dblock_lock_spec){.name = names[(process + i) % load->of]};
	if (dblock_acquire_any(client, wants, (size_t)n, NULL, &lock, &err))
		die("acquire", &err);
	return lock;
}

static void work(const char *url, const struct load *load, int process, int64_t hold_us)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;

	options.auto_migrate = 1;
	options.timeout_ms = 60000;
	if (dblock_open(url, &options, &client, &err))
		die(url, &err);
	atomic_fetch_add(&shared->ready, 1);
	while (!shared->go)
		pause_us(1000);
	while (!shared->stop) {
		struct dblock_lock *lock = get(client, load, process);
		int at = dblock_name(lock)[3] - '0';

		if (atomic_exchange(&shared->inside[at], 1))
			atomic_fetch_add(&shared->overlaps, 1);
		pause_us(hold_us);
		atomic_fetch_add(&shared->grants[process], 1);
		atomic_store(&shared->inside[at], 0);
		if (dblock_release(lock, &err))
			die("release", &err);
	}
	dblock_close(client, NULL);
	_exit(0);
}

/* Returns the number of grants in all. */
static int64_t count(double *fairness)
{
	double sum = 0, squares = 0;

	for (int i = 0; i < PROCESSES; i++) {
		double n = (double)shared->grants[i];

		sum += n;
		squares += n * n;
	}
	*fairness = squares > 0 ? sum * sum / (PROCESSES * squares) : 0;
	return (int64_t)sum;
}

static double run(const char *url, const struct load *load, int seconds, int64_t hold_us)
{
	int64_t grants;
	double fairness;

	memset(shared, 0, sizeof(*shared));
	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0)
			work(url, load, i, hold_us);
	while (shared->ready < PROCESSES)
		pause_us(10000);
	shared->go = 1;
	pause_us(seconds * INT64_C(1000000));
	grants = count(&fairness);
	shared->stop = 1;
	while (wait(NULL) > 0)
		continue;
	printf("%-14s %8.0f grants/s, fairness %.2f%s\n", load->what, (double)grants / seconds,
	       fairness, shared->overlaps ? ", NOT EXCLUSIVE" : "");
	return (double)grants / seconds;
}

int main(int argc, char **argv)
{
	int seconds = argc > 2 ? atoi(argv[2]) : 5;
	int64_t hold_us = argc > 3 ? atoi(argv[3]) : 2000;
	double rate[3];

	if (argc < 2) {
		fprintf(stderr, "usage: any_of URL [SECONDS [HOLD_US]]\n");
		return 2;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return 1;
	for (int i = 0; i < 3; i++)
		rate[i] = run(argv[1], &loads[i], seconds, hold_us);
	printf("any of 8: %.2f times one name, %.2f of one each of 8\n", rate[2] / rate[0],
	       rate[2] / rate[1]);
	return 0;
}
