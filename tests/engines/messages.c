/* SPDX-License-Identifier: MIT */
/*
 * Are messages in order? messages URL...: through each URL somebody puts messages of one key, as fast as he can, and a
 * relay delivers. Right is that their numbers have no gap, are in the order of the commits (whoever began after another
 * one's commit had returned has the larger one), and that they are delivered in that order first, whichever relay does.
 * Said on stderr is what was seen; the exit code is 1 if it is wrong.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dblock/dblock.h>

#include "engines/record.h"

enum { PUTS = 100, NODES_MAX = 3, MINUTES = 3 };

struct put {
	int64_t began, ended, number;
};

struct node {
	int index;
	struct dblock_client *client;
	struct put puts[PUTS];
	int done, tries, delivered;
	pthread_t putter, relay;
};

static struct node nodes[NODES_MAX];
static int n_nodes;
static atomic_bool over;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int64_t last; /* the largest number that was delivered; under the mutex, as the next two */
static int again, wrong;

static void fail(const char *what, const struct dblock_error *err)
{
	fprintf(stderr, "messages: %s: %s\n", what, err->message);
	exit(1);
}

static int put(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	struct node *node = arg;
	char body[32];

	node->tries++;
	snprintf(body, sizeof(body), "%d %d", node->index, node->done);
	return dblock_outbox_put(tx, "messages", "one", body, NULL, &node->puts[node->done].number,
				 err);
}

static void *put_all(void *arg)
{
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct node *node = arg;

	options.retry_ms = MINUTES * 60000;
	for (; node->done < PUTS; node->done++) {
		node->puts[node->done].began = record_now();
		if (dblock_tx_run(node->client, &options, put, node, &err))
			fail("put", &err);
		node->puts[node->done].ended = record_now();
	}
	return NULL;
}

/* A message that nobody had comes behind the one that came last, and is the one that was put. */
static int deliver(void *arg, const struct dblock_message *m, struct dblock_error *err)
{
	struct node *node = arg;
	int from = 0, i = 0;

	(void)err;
	pthread_mutex_lock(&mutex);
	node->delivered++;
	again += m->number <= last;
	if (m->number > last + 1 || sscanf(m->body, "%d %d", &from, &i) != 2) {
		fprintf(stderr, "messages: number %lld came behind %lld\n", (long long)m->number,
			(long long)last);
		wrong++;
	}
	if (m->number > last)
		last = m->number;
	pthread_mutex_unlock(&mutex);
	return DBLOCK_OK;
}

static int is_over(void *arg)
{
	(void)arg;
	return over;
}

static void *relay(void *arg)
{
	struct dblock_relay_options options = DBLOCK_RELAY_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct node *node = arg;

	options.canceled = is_over;
	options.batch = 7;
	if (dblock_outbox_relay(node->client, "messages", deliver, node, &options, &err) !=
	    DBLOCK_CANCELED)
		fail("relay", &err);
	return NULL;
}

static bool all_came(void)
{
	bool all;

	pthread_mutex_lock(&mutex);
	all = last >= (int64_t)n_nodes * PUTS;
	pthread_mutex_unlock(&mutex);
	return all;
}

/* Any two of them: whoever began later than the other's commit had returned has the larger number. */
static void compare(const struct put *a, const struct put *b)
{
	if (a != b && (a->number == b->number || (a->ended < b->began && a->number > b->number))) {
		fprintf(stderr, "messages: number %lld was committed before %lld\n",
			(long long)a->number, (long long)b->number);
		wrong++;
	}
}

static void judge(void)
{
	int total = n_nodes * PUTS;

	for (int i = 0; i < total; i++) {
		const struct put *a = &nodes[i / PUTS].puts[i % PUTS];

		if (a->number < 1 || a->number > total)
			wrong++;
		for (int j = 0; j < total; j++)
			compare(a, &nodes[j / PUTS].puts[j % PUTS]);
	}
	if (last != total)
		wrong++;
	fprintf(stderr, "messages: %d put, the last number that came is %lld, %d came again\n",
		total, (long long)last, again);
	for (int i = 0; i < n_nodes; i++)
		fprintf(stderr, "messages: node %d: %d transactions begun, %d delivered\n", i + 1,
			nodes[i].tries, nodes[i].delivered);
}

int main(int argc, char **argv)
{
	struct timespec pause = {.tv_nsec = 100000000};
	struct dblock_error err = {0};

	for (n_nodes = 0; n_nodes < argc - 1 && n_nodes < NODES_MAX; n_nodes++) {
		nodes[n_nodes].index = n_nodes;
		if (dblock_open(argv[n_nodes + 1], NULL, &nodes[n_nodes].client, &err))
			fail("open", &err);
	}
	for (int i = 0; i < n_nodes; i++)
		if (pthread_create(&nodes[i].relay, NULL, relay, &nodes[i]) ||
		    pthread_create(&nodes[i].putter, NULL, put_all, &nodes[i]))
			fail("no thread", &err);
	for (int i = 0; i < n_nodes; i++)
		pthread_join(nodes[i].putter, NULL);
	for (int i = 0; i < MINUTES * 600 && !all_came(); i++)
		nanosleep(&pause, NULL);
	over = true;
	for (int i = 0; i < n_nodes; i++) {
		pthread_join(nodes[i].relay, NULL);
		dblock_close(nodes[i].client, NULL);
	}
	judge();
	return n_nodes == 0 || wrong > 0;
}
