/* SPDX-License-Identifier: MIT */
/*
 * A web site's cache, and what comes over its database when an article falls out of it:
 * article_cache [URL]
 *
 * Several servers (processes) with several threads each show one article. Each server has a cache
 * of its own; an entry is good for EXPIRE_MS, and reading the article from the database takes
 * QUERY_MS. Played twice: whoever finds no entry queries the database himself; or by
 * dblock_single_flight(), which is asked for a result that is fresh enough for the cache.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dblock/dblock.h>
#include <dblock/single_flight.h>

enum { SERVERS = 4, THREADS = 8, SHOWN = 60, EVERY_MS = 10, QUERY_MS = 50, EXPIRE_MS = 200 };

/* Counted over all servers. */
static struct counts {
	_Atomic int asked, cached, queries, most_at_once, at_once, failed;
} * counts;

/* One server's cache: it has one article. */
static struct cache {
	pthread_mutex_t mutex;
	char text[64];
	int64_t until;
} cache = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void pause_ms(int64_t ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static bool cache_get(char text[64])
{
	bool hit;

	pthread_mutex_lock(&cache.mutex);
	hit = now_ms() < cache.until;
	memcpy(text, cache.text, sizeof(cache.text));
	pthread_mutex_unlock(&cache.mutex);
	return hit;
}

static void cache_put(const char *text)
{
	pthread_mutex_lock(&cache.mutex);
	snprintf(cache.text, sizeof(cache.text), "%s", text);
	cache.until = now_ms() + EXPIRE_MS;
	pthread_mutex_unlock(&cache.mutex);
}

/* The expensive one. */
static void query(char text[64])
{
	int at_once = ++counts->at_once;

	if (at_once > counts->most_at_once)
		counts->most_at_once = at_once;
	pause_ms(QUERY_MS);
	snprintf(text, 64, "article 17, as of query %d", ++counts->queries);
	counts->at_once--;
}

static int make(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	char text[64];

	(void)arg;
	query(text);
	return dblock_result_set(result, text, strlen(text), err);
}

/* Not in the cache. */
static void fetch(struct dblock_client *client, char text[64])
{
	struct dblock_flight_options options = DBLOCK_FLIGHT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_result *result;

	if (!client) {
		query(text);
		return;
	}
	options.fresh_ms = EXPIRE_MS;
	if (dblock_single_flight(client, "article/17", &options, make, NULL, &result, &err)) {
		fprintf(stderr, "article_cache: %s\n", err.message);
		counts->failed++;
		query(text); /* the guard has failed, not the database */
		return;
	}
	snprintf(text, 64, "%s", dblock_result_bytes(result));
	dblock_result_free(result);
}

static void *readers_thread(void *client)
{
	char text[64];

	for (int i = 0; i < SHOWN; i++) {
		counts->asked++;
		if (cache_get(text)) {
			counts->cached++;
		} else {
			fetch(client, text);
			cache_put(text);
		}
		pause_ms(EVERY_MS);
	}
	return NULL;
}

static struct dblock_client *open_client(const char *url)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;

	options.auto_migrate = 1;
	if (dblock_open(url, &options, &client, &err) == DBLOCK_OK)
		return client;
	fprintf(stderr, "article_cache: %s\n", err.message);
	exit(EXIT_FAILURE);
}

/* url NULL: without the guard. */
static void serve(const char *url)
{
	struct dblock_client *client = url ? open_client(url) : NULL;
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, readers_thread, client))
			exit(EXIT_FAILURE);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	dblock_close(client, NULL);
}

static bool play(const char *what, const char *url)
{
	bool good = true;

	memset(counts, 0, sizeof(*counts));
	fflush(NULL);
	for (int i = 0; i < SERVERS; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			serve(url);
			exit(EXIT_SUCCESS);
		}
		good = good && pid > 0;
	}
	for (int status; wait(&status) > 0;)
		good = good && status == 0;
	printf("%-8s asked %d, from the cache %d, to the database %d, at once %d\n", what,
	       counts->asked, counts->cached, counts->queries, counts->most_at_once);
	return good && counts->failed == 0;
}

int main(int argc, char **argv)
{
	const char *url = argc > 1 ? argv[1] : "sqlite:article_cache.db";
	bool good;

	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (counts == MAP_FAILED)
		return EXIT_FAILURE;
	dblock_close(open_client(url), NULL); /* the tables are there */
	good = play("without", NULL);
	good = play("with", url) && good;
	return good && counts->most_at_once == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
