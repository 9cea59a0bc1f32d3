/* SPDX-License-Identifier: MIT */
/*
 * Measures the time from a release to the return of the acquire that waited for it in another
 * process, by each way of waking, beside the database's own times in the same run:
 *   hand_over URL [ROUNDS [HOLD_US]]
 * Two processes take one lock in turns; each keeps it for HOLD_US (default 2000), in which the
 * other one joins the queue. A bare round trip is a statement that does nothing; a commit is the
 * time that a bare release takes longer than that. Both come after a pause of HOLD_US, since a
 * machine that has slept for a moment is slower.
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

#include "api/client.h"
#include "bare.h"

enum { ROUNDS_MAX = 100000, WARM_UP = 50 };

/* Memory that the processes share. */
static struct shared {
	_Atomic int64_t released_at;
	atomic_int rounds; /* the number of rounds that both have done */
	int64_t us[ROUNDS_MAX];
	int64_t round_trip, commit;
} * shared;

static int64_t hold_us = 2000;

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void pause_us(int64_t us)
{
	struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};

	nanosleep(&t, NULL);
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t median(int64_t *us, int n)
{
	qsort(us, (size_t)n, sizeof(*us), by_size);
	return us[n / 2];
}

static struct dblock_client *open_client(const char *url, unsigned wake_off)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_tuning tuning = DBLOCK_TUNING_INIT;
	struct dblock_client *client;
	struct dblock_error err;

	options.auto_migrate = 1;
	tuning.wake_off = wake_off;
	options.tuning = &tuning;
	if (dblock_open(url, &options, &client, &err))
		bare_die(url, err.message);
	return client;
}

/* Each process opens its own connections, as these do not survive a fork. */
static pid_t begin(void (*body)(const char *, unsigned, int), const char *url, unsigned wake_off,
		   int rounds)
{
	pid_t child = fork();

	if (child == 0) {
		body(url, wake_off, rounds);
		_exit(0);
	}
	return child;
}

static void end(pid_t child)
{
	int status;

	waitpid(child, &status, 0);
	if (status)
		exit(1);
}

/* ---- the database by itself ------------------------------------------------------------------ */

static int64_t bare_pair(struct bare *bare, const char *session, int64_t nonce)
{
	int64_t token = bare_acquire(bare, "bare", session, nonce), begun;

	pause_us(hold_us);
	begun = now_us();
	bare_release(bare, "bare", token, nonce);
	return now_us() - begun;
}

static void measure_bare(const char *url, unsigned wake_off, int rounds)
{
	struct dblock_client *client = open_client(url, wake_off);
	struct bare *bare = bare_open(&client->target);
	int64_t *trips = calloc((size_t)rounds, sizeof(*trips));
	int64_t *commits = calloc((size_t)rounds, sizeof(*commits));
	struct dbl_epoch *epoch;

	if (dbl_session_epoch(client->locks->session, INT64_MAX, &epoch, NULL))
		bare_die(url, "no session");
	for (int i = -WARM_UP; i < rounds; i++) {
		int64_t commit = bare_pair(bare, epoch->id, i + WARM_UP + 1), begun;

		pause_us(hold_us);
		begun = now_us();
		bare_nothing(bare);
		if (i >= 0) {
			trips[i] = now_us() - begun;
			commits[i] = commit;
		}
	}
	shared->round_trip = median(trips, rounds);
	shared->commit = median(commits, rounds) - shared->round_trip;
	dbl_epoch_drop(epoch);
	dblock_close(client, NULL);
}

/* ---- hand-over ------------------------------------------------------------------------------- */

static void take_turns(const char *url, unsigned wake_off, int rounds)
{
	struct dblock_client *client = open_client(url, wake_off);
	struct dblock_error err;
	struct dblock_lock *lock;

	while (shared->rounds < rounds + WARM_UP) {
		int64_t released_at;
		int round;

		if (dblock_acquire(client, "bench", NULL, &lock, &err))
			bare_die("acquire", err.message);
		released_at = shared->released_at;
		round = shared->rounds++;
		if (released_at && round >= WARM_UP && round < rounds + WARM_UP)
			shared->us[round - WARM_UP] = now_us() - released_at;
		pause_us(hold_us);
		shared->released_at = now_us();
		if (dblock_release(lock, &err))
			bare_die("release", err.message);
		/* This process waits a little, as the other one must have the lock now. */
		pause_us(hold_us / 2);
	}
	dblock_close(client, NULL);
}

static void measure(const char *url, const char *way, unsigned wake_off, int rounds)
{
	pid_t one, other;
	int64_t p50;

	end(begin(measure_bare, url, wake_off, rounds));
	shared->rounds = 0;
	shared->released_at = 0;
	one = begin(take_turns, url, wake_off, rounds);
	other = begin(take_turns, url, wake_off, rounds);
	end(one);
	end(other);
	p50 = median(shared->us, rounds);
	printf("%-10s p50 %6" PRId64 "  p90 %6" PRId64 "  p99 %6" PRId64
	       " us;  round trip %4" PRId64 ", commit %4" PRId64
	       " us;  p50 less a commit: %.1f round trips\n",
	       way, p50, shared->us[rounds * 9 / 10], shared->us[rounds * 99 / 100],
	       shared->round_trip, shared->commit,
	       (double)(p50 - shared->commit) / (double)shared->round_trip);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const unsigned doorbell = DBLOCK_WAKE_NOTIFY | DBLOCK_WAKE_DOORBELL;
	int rounds = argc > 2 ? atoi(argv[2]) : 500;

	if (argc > 3)
		hold_us = atoi(argv[3]);
	if (argc < 2 || rounds < 1 || rounds > ROUNDS_MAX || hold_us < 0) {
		fprintf(stderr, "hand_over URL [ROUNDS [HOLD_US]]\n");
		return 2;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		bare_die("memory", "there is none");
	measure(argv[1], "datagram", 0, rounds);
	if (strncmp(argv[1], "sqlite", 6) != 0)
		measure(argv[1], "doorbell", DBLOCK_WAKE_SOCKET, rounds);
	measure(argv[1], "polling", DBLOCK_WAKE_SOCKET | doorbell, rounds);
	return 0;
}
