/* SPDX-License-Identifier: MIT */
/* One process of the crowd: some threads that serve customers, each by a connection of its own. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "shop.h"

enum {
	TIMEOUT_MS = 60000, /* where all want one file, somebody may wait for long */
	PAUSE_MS = 4,
	PAUSES_MAX = 16
};

static void say_ready(const struct seat *seat)
{
	atomic_fetch_add(&seat->board->ready, 1);
	if (write(seat->ready[1], "", 1) != 1)
		exit(EXIT_FAILURE);
	close(seat->ready[1]);
}

/* Who is stopped with the file in his hands keeps others from so much as opening it. */
static void wait_for_others(const struct seat *seat)
{
	const double begun = now();

	while (seat->board->ready < seat->plan->processes - 1) {
		if (now() > begun + PATIENCE_S)
			fail("crowd", "the others did not come");
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
}

static void wait_for_start(const struct seat *seat)
{
	char none;

	if (read(seat->start[0], &none, 1) != 0)
		exit(EXIT_FAILURE);
}

void stumble(struct clerk *clerk)
{
	if (clerk->steps == 0 || --clerk->steps > 0)
		return;
	say_ready(clerk->seat);
	raise(SIGSTOP); /* to be killed, or to go on, when the others are further */
}

/* Nothing was given away, and it is no failure of anything: somebody else was faster. */
static bool is_to_be_drawn_again(int rc)
{
	return rc == DBLOCK_STALE || rc == DBLOCK_LOST || rc == DBLOCK_BUSY ||
	       rc == DBLOCK_DEADLOCK || rc == DBLOCK_E_CONFLICT || rc == DBLOCK_E_BLOCKED;
}

/* Or all who failed together would fail together again. */
static void pause_by_chance(int attempts)
{
	const long most_ms = PAUSE_MS * (attempts < PAUSES_MAX ? attempts : PAUSES_MAX);

	nanosleep(&(struct timespec){.tv_nsec = random() % (most_ms * 1000000)}, NULL);
}

static void *serve(void *arg)
{
	struct clerk *clerk = arg;
	struct board *board = clerk->seat->board;
	const struct way *way = clerk->seat->scene->way;
	struct dblock_error err;
	int rc, attempts;

	while (atomic_fetch_sub(&board->customers, 1) > 0) {
		attempts = 0;
		while ((rc = way->draw(clerk, &err)) != DBLOCK_OK) {
			if (!is_to_be_drawn_again(rc))
				fail(way->title, err.message);
			atomic_fetch_add(&board->retries, 1);
			pause_by_chance(++attempts);
		}
		atomic_fetch_add(&board->draws, 1);
	}
	return NULL;
}

static struct dblock_client *open_client(const struct seat *seat)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;

	options.timeout_ms = TIMEOUT_MS;
	if (seat->scene->mishap)
		options.ttl_ms = TTL_MS;
	if (dblock_open(seat->plan->url, &options, &client, &err))
		fail("open", err.message);
	return client;
}

static void hire(struct clerk *clerk, struct dblock_client *client, const struct seat *seat)
{
	struct dblock_error err;

	*clerk = (struct clerk){client, NULL, seat->bonus, seat->number, seat, 0};
	if (dblock_tx_open(client, &clerk->tx, &err))
		fail("connect", err.message);
}

static void serve_together(struct clerk *clerks, int n)
{
	pthread_t threads[THREADS_MAX];

	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, serve, &clerks[i]))
			fail("thread", "cannot be started");
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

int serve_customers(const struct seat *seat)
{
	const bool is_victim = seat->scene->mishap && seat->number == 1;
	const int n = is_victim ? 1 : seat->plan->threads;
	struct dblock_client *client = open_client(seat);
	struct clerk clerks[THREADS_MAX];

	srandom((unsigned)seat->number);
	for (int i = 0; i < n; i++)
		hire(&clerks[i], client, seat);
	if (is_victim)
		clerks[0].steps = seat->scene->mishap == STOPPED_BEHIND_FENCE ? 2 : 1;
	if (is_victim) {
		wait_for_others(seat);
	} else {
		say_ready(seat);
		wait_for_start(seat);
	}
	serve_together(clerks, n);
	for (int i = 0; i < n; i++)
		dblock_tx_close(clerks[i].tx);
	dblock_close(client, NULL);
	return EXIT_SUCCESS;
}
