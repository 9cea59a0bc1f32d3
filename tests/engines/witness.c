/* SPDX-License-Identifier: MIT */
/*
 * Clients of the public API, a thread each, that acquire, hold and release until SIGTERM, and write
 * down what they see (record.h):
 *     asked    for a name
 *     granted  dblock_acquire() has returned with it
 *     until    the last time at which dblock_valid() was true
 *     released, failed, opened   with what the call returned
 *     over     from now on nobody asks any more
 * URLs are given out by turns. As `witness mark LOG`, it notes that a fault happens now.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <dblock/dblock.h>

#include "engines/record.h"

struct settings {
	const char *log;
	int clients, names, first, turns;
	int64_t ttl_ms, wait_ms, hold_ms;
	unsigned wake_off;
};

struct hand {
	const struct settings *settings;
	const char *url;
	int client;
	unsigned chance;
	pthread_t thread;
};

static atomic_bool over;

static int is_over(void *arg)
{
	(void)arg;
	return over;
}

static void nap(int64_t ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

/* An application would do the same: try again after a while. */
static struct dblock_client *open_client(const struct hand *h)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_tuning tuning = DBLOCK_TUNING_INIT;
	struct dblock_client *client = NULL;
	struct dblock_error err = {0};

	options.ttl_ms = h->settings->ttl_ms;
	tuning.wake_off = h->settings->wake_off;
	options.tuning = &tuning;
	while (!over) {
		int rc = dblock_open(h->url, &options, &client, &err);

		record(record_now(), h->client, "opened", "-", 0, rc);
		if (rc == DBLOCK_OK)
			break;
		fprintf(stderr, "client %d: open: %s\n", h->client, err.message);
		nap(100);
	}
	return client;
}

/* Returns when it was still believed in: when it was asked is before when it was answered. */
static int64_t hold(const struct dblock_lock *lock, int64_t granted, int64_t ms)
{
	int64_t last = granted, now = granted;

	while (now < granted + ms * 1000 && !over) {
		now = record_now();
		if (!dblock_valid(lock, 0))
			break;
		last = now;
		nap(1);
	}
	return last;
}

static void hold_and_release(struct hand *h, struct dblock_lock *lock, const char *name)
{
	struct dblock_error err = {0};
	int64_t most = h->settings->hold_ms;
	int64_t granted = record_now(), token = dblock_token(lock), last;
	int rc;

	record(granted, h->client, "granted", name, token, DBLOCK_OK);
	last = hold(lock, granted, most - rand_r(&h->chance) % ((most + 1) / 2));
	record(last, h->client, "until", name, token, DBLOCK_OK);
	rc = dblock_release(lock, &err);
	record(record_now(), h->client, "released", name, token, rc);
	if (rc)
		fprintf(stderr, "client %d: release: %s\n", h->client, err.message);
}

static void take_turn(struct hand *h, struct dblock_client *client)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	char name[16];
	int rc;

	snprintf(name, sizeof(name), "n%d", rand_r(&h->chance) % h->settings->names);
	options.wait_ms = h->settings->wait_ms;
	options.canceled = is_over;
	record(record_now(), h->client, "asked", name, 0, DBLOCK_OK);
	rc = dblock_acquire(client, name, &options, &lock, &err);
	if (rc == DBLOCK_OK) {
		hold_and_release(h, lock, name);
		return;
	}
	record(record_now(), h->client, "failed", name, 0, rc);
	if (over)
		return;
	fprintf(stderr, "client %d: acquire: %s\n", h->client, err.message);
	nap(20);
}

static void *live(void *arg)
{
	struct hand *h = arg;
	struct dblock_client *client;

	record(record_now(), h->client, "asked", "-", 0, DBLOCK_OK);
	client = open_client(h);
	for (int turn = 0; client && !over && turn != h->settings->turns; turn++)
		take_turn(h, client);
	(void)dblock_close(client, NULL);
	return NULL;
}

static void until_told(const struct settings *s, char **urls, int n_urls)
{
	struct hand *hands = calloc((size_t)s->clients, sizeof(*hands));
	sigset_t term;
	int got;

	if (!hands)
		abort();
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, NULL);
	for (int i = 0; i < s->clients; i++) {
		hands[i] = (struct hand){s, urls[i % n_urls], s->first + i, 0, 0};
		hands[i].chance = (unsigned)hands[i].client * 7919;
		if (pthread_create(&hands[i].thread, NULL, live, &hands[i]))
			abort();
	}
	sigwait(&term, &got);
	record(record_now(), 0, "over", "-", 0, DBLOCK_OK);
	over = true;
	for (int i = 0; i < s->clients; i++)
		pthread_join(hands[i].thread, NULL);
	free(hands);
}

/* Returns where the URLs begin; 0: they do not. */
static int parse(struct settings *s, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "l:c:n:f:o:t:w:h:a")) != -1) {
		int64_t number = optarg ? strtoll(optarg, NULL, 10) : 0;

		switch (c) {
		case 'l':
			s->log = optarg;
			break;
		case 'c':
			s->clients = (int)number;
			break;
		case 'n':
			s->names = (int)number;
			break;
		case 'f':
			s->first = (int)number;
			break;
		case 'o':
			s->turns = (int)number;
			break;
		case 't':
			s->ttl_ms = number;
			break;
		case 'w':
			s->wait_ms = number;
			break;
		case 'h':
			s->hold_ms = number;
			break;
		case 'a': /* as if each were on a machine of its own */
			s->wake_off = DBLOCK_WAKE_SOCKET;
			break;
		default:
			return 0;
		}
	}
	return s->log && optind < argc ? optind : 0;
}

int main(int argc, char **argv)
{
	struct settings settings = {NULL, 12, 4, 1, -1, 5000, 60000, 20, 0};
	int urls;

	if (argc == 3 && strcmp(argv[1], "mark") == 0) {
		record_open(argv[2]);
		record(record_now(), 0, "mark", "-", 0, DBLOCK_OK);
		return 0;
	}
	urls = parse(&settings, argc, argv);
	if (!urls) {
		fprintf(stderr, "usage: witness mark LOG\n"
				"       witness -l LOG [-c CLIENTS] [-n NAMES] [-f FIRST_CLIENT] "
				"[-o TURNS] [-t TTL_MS] [-w WAIT_MS] [-h HOLD_MS] [-a] URL...\n");
		return 64;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing stays behind */
	record_open(settings.log);
	until_told(&settings, argv + urls, argc - urls);
	return 0;
}
