/* SPDX-License-Identifier: MIT */
/*
 * How long from a release to the return of the acquire that waited for it, by each way of being
 * woken. Two clients, one lock, by turns:
 *   hand_over URL [ROUNDS]
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dblock/dblock.h>

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void sleep_us(int64_t us)
{
	struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};

	nanosleep(&t, NULL);
}

static void check(int rc, const struct dblock_error *err)
{
	if (rc) {
		fprintf(stderr, "%s\n", err->message);
		exit(1);
	}
}

static struct dblock_client *open_client(const char *url, unsigned wake_off)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;

	options.auto_migrate = 1;
	options.wake_off = wake_off;
	check(dblock_open(url, &options, &client, &err), &err);
	return client;
}

/* One that waits. */
struct side {
	struct dblock_client *client;
	struct dblock_lock *lock;
	int64_t granted_at;
};

static void *wait_for_it(void *arg)
{
	struct side *side = arg;
	struct dblock_error err;

	check(dblock_acquire(side->client, "bench", NULL, &side->lock, &err), &err);
	side->granted_at = now_us();
	return NULL;
}

/* The holder gives, the other one, who has stood in line for a while, gets. */
static int64_t hand_over(struct side *holder, struct side *waiter, int64_t pause)
{
	struct dblock_error err;
	pthread_t thread;
	int64_t begun;

	pthread_create(&thread, NULL, wait_for_it, waiter);
	sleep_us(pause);
	begun = now_us();
	check(dblock_release(holder->lock, &err), &err);
	pthread_join(thread, NULL);
	return waiter->granted_at - begun;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void measure(const char *url, const char *way, unsigned wake_off, int rounds)
{
	struct side sides[2] = {{.client = open_client(url, wake_off)},
				{.client = open_client(url, wake_off)}};
	int64_t *us = calloc((size_t)rounds, sizeof(*us));

	wait_for_it(&sides[0]);
	/* The first waits of each open its doorbell. */
	for (int i = -2; i < rounds; i++) {
		int64_t took = hand_over(&sides[i & 1], &sides[!(i & 1)],
					 i < 0 ? 500000 : 30000 + rand() % 30000);

		if (i >= 0)
			us[i] = took;
	}
	qsort(us, (size_t)rounds, sizeof(*us), by_size);
	printf("%-10s p50 %7" PRId64 " us   p90 %7" PRId64 " us   p99 %7" PRId64 " us\n", way,
	       us[rounds / 2], us[rounds * 9 / 10], us[rounds * 99 / 100]);
	free(us);
	dblock_close(sides[0].client);
	dblock_close(sides[1].client);
}

int main(int argc, char **argv)
{
	const unsigned doorbell = DBLOCK_WAKE_NOTIFY | DBLOCK_WAKE_DOORBELL;
	int rounds = argc > 2 ? atoi(argv[2]) : 200;

	if (argc < 2 || rounds < 1) {
		fprintf(stderr, "hand_over URL [ROUNDS]\n");
		return 2;
	}
	measure(argv[1], "datagram", 0, rounds);
	if (strncmp(argv[1], "sqlite", 6) != 0)
		measure(argv[1], "doorbell", DBLOCK_WAKE_SOCKET, rounds);
	measure(argv[1], "polling", DBLOCK_WAKE_SOCKET | doorbell, rounds);
	return 0;
}
