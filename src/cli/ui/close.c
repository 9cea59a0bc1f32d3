/* SPDX-License-Identifier: MIT */
/* Closing the command's client. Of a cluster it may take as long as a request may, for a member that does not
 * answer; whoever waits for this program does not wait for that. */
#include <pthread.h>
#include <time.h>

#include "cli/ui/cli.h"

/* Static, as the thread may outlive our wait for it. */
static struct closing {
	struct dblock_client *client;
	pthread_mutex_t mutex;
	pthread_cond_t over;
	bool is_over;
} closing = {.mutex = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};

static void *close_it(void *unused)
{
	(void)unused;
	dblock_close(closing.client, NULL);
	pthread_mutex_lock(&closing.mutex);
	closing.is_over = true;
	pthread_cond_signal(&closing.over);
	pthread_mutex_unlock(&closing.mutex);
	return NULL;
}

/* Is it over in time? */
static bool await(void)
{
	struct timespec until;
	bool is_over;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += DBL_CLOSE_MS / 1000;
	pthread_mutex_lock(&closing.mutex);
	while (!closing.is_over && rc == 0)
		rc = pthread_cond_clockwait(&closing.over, &closing.mutex, CLOCK_MONOTONIC, &until);
	is_over = closing.is_over;
	pthread_mutex_unlock(&closing.mutex);
	return is_over;
}

void dbl_cli_close(struct dbl_cli *cli)
{
	pthread_t thread;

	/* It may be called again, while the thread of the first time is at it. */
	if (!cli->client)
		return;
	closing.client = cli->client;
	cli->client = NULL;
	if (!dbl_cli_is_cluster(cli) || pthread_create(&thread, NULL, close_it, NULL) != 0)
		dblock_close(closing.client, NULL);
	else if (await())
		pthread_join(thread, NULL);
	else
		cli->closing = true;
}
