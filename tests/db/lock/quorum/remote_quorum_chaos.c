/* SPDX-License-Identifier: MIT */
/* Clients that contend for one lock over three databases, while the ways to these are cut, silent, slow, or lose
 * answers, by chance: never two holders, and tokens that grow. */
#include <stdlib.h>
#include <time.h>

#include "db/lock/quorum/cluster.h"

enum { CONTENDERS = 5, ENOUGH = 12, TTL_MS = 1500 };

struct contender {
	struct dblock_client *client;
	struct dblock_lock *lock; /* while it believes to hold it; under mutex */
	int grants, losses;
	pthread_t thread;
};

static struct contender contenders[CONTENDERS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int64_t last_token;
static _Atomic bool stop;
static char finding[256]; /* under mutex */
static unsigned seed;

static void note(const char *what, int64_t one, int64_t other)
{
	if (!finding[0])
		snprintf(finding, sizeof(finding), "%s: %lld, %lld", what, (long long)one,
			 (long long)other);
}

static void enter(struct contender *c, struct dblock_lock *lock)
{
	int64_t token = dblock_token(lock);

	pthread_mutex_lock(&mutex);
	if (dblock_valid(lock, 0)) {
		if (token <= last_token)
			note("a token that does not grow", last_token, token);
		last_token = token > last_token ? token : last_token;
		for (int i = 0; i < CONTENDERS; i++) {
			struct dblock_lock *other = contenders[i].lock;

			if (other && dblock_valid(other, 0) && dblock_valid(lock, 0))
				note("two holders", dblock_token(other), token);
		}
		c->grants++;
	}
	c->lock = lock;
	pthread_mutex_unlock(&mutex);
}

static void leave(struct contender *c)
{
	pthread_mutex_lock(&mutex);
	c->lock = NULL;
	pthread_mutex_unlock(&mutex);
}

static void *contend(void *arg)
{
	struct contender *c = arg;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	unsigned mine = seed + (unsigned)(c - contenders);

	while (!stop) {
		struct dblock_error err = {0};
		struct dblock_lock *lock;

		options.wait_ms = rand_r(&mine) % 4 ? 2000 : DBLOCK_NO_WAIT;
		if (dblock_acquire(c->client, "x", &options, &lock, &err)) {
			sleep_ms(rand_r(&mine) % 20);
			continue;
		}
		enter(c, lock);
		sleep_ms(rand_r(&mine) % (rand_r(&mine) % 8 ? 10 : 2 * TTL_MS));
		leave(c);
		c->losses += dblock_release(lock, NULL) == DBLOCK_LOST;
	}
	return NULL;
}

static void trouble(unsigned *mine, struct proxy *proxy)
{
	static const enum proxy_mode modes[] = {PROXY_TEAR, PROXY_SILENT, PROXY_SWALLOW, PROXY_LOSE,
						PROXY_SLOW, PROXY_HOLD,   PROXY_SILENT};

	proxy_set(proxy, modes[rand_r(mine) % 7]);
}

/* One member, and now and then a second one. */
static void make_trouble(unsigned *mine)
{
	int first = rand_r(mine) % MEMBERS;

	trouble(mine, cluster.proxy[first]);
	if (rand_r(mine) % 4 == 0)
		trouble(mine, cluster.proxy[(first + 1) % MEMBERS]);
	sleep_ms(rand_r(mine) % 4 ? rand_r(mine) % 200 : rand_r(mine) % (2 * TTL_MS));
	for (int i = 0; i < MEMBERS; i++) {
		proxy_set(cluster.proxy[i], PROXY_PASS);
		proxy_deliver(cluster.proxy[i]);
	}
	sleep_ms(rand_r(mine) % 300);
}

static bool all_have_enough(void)
{
	bool enough = true;

	pthread_mutex_lock(&mutex);
	for (int i = 0; i < CONTENDERS; i++)
		enough = enough && contenders[i].grants >= ENOUGH;
	enough = enough || finding[0];
	pthread_mutex_unlock(&mutex);
	return enough;
}

static void one_holder_whatever_happens(void **state)
{
	int64_t until = clock_ms() + 3 * PLENTY_MS;
	int grants = 0, losses = 0;
	unsigned mine;

	(void)state;
	seed = getenv("DBLOCK_SEED") ? (unsigned)atoi(getenv("DBLOCK_SEED")) : (unsigned)time(NULL);
	mine = seed + 100;
	print_message("DBLOCK_SEED=%u\n", seed);
	for (int i = 0; i < CONTENDERS; i++) {
		struct dblock_client_options options = cluster_options(TTL_MS);
		struct dblock_error err = {0};

		options.timeout_ms = 4000;
		EXPECT_OPEN(dblock_quorum_open(cluster.urls, MEMBERS, &options,
					       &contenders[i].client, &err));
	}
	for (int i = 0; i < CONTENDERS; i++)
		pthread_create(&contenders[i].thread, NULL, contend, &contenders[i]);
	while (!all_have_enough() && clock_ms() < until)
		make_trouble(&mine);
	stop = true;
	for (int i = 0; i < CONTENDERS; i++) {
		pthread_join(contenders[i].thread, NULL);
		dblock_close(contenders[i].client, NULL);
		grants += contenders[i].grants;
		losses += contenders[i].losses;
	}
	print_message("%d grants, %d losses\n", grants, losses);
	if (finding[0])
		fail_msg("%s", finding);
	assert_true(all_have_enough());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(one_holder_whatever_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
