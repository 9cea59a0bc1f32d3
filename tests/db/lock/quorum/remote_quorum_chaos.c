/* SPDX-License-Identifier: MIT */
/* Clients that contend for one lock over three databases, while the ways to these are cut, silent, slow, or lose
 * answers, by chance: never two holders, and tokens that grow. */
#include <stdlib.h>
#include <time.h>

#include "db/lock/quorum/cluster.h"
#include "db/lock/quorum/ledger.h"

enum { CONTENDERS = 5, ENOUGH = 12, TTL_MS = 1500 };

static _Atomic bool stop;
static unsigned seed;

static void *contend(void *arg)
{
	struct contender *c = arg;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	unsigned mine = seed + (unsigned)(c - ledger.contenders);

	while (!stop) {
		struct dblock_error err = {0};
		struct dblock_lock *lock;

		options.wait_ms = rand_r(&mine) % 4 ? 2000 : DBLOCK_NO_WAIT;
		if (dblock_acquire(c->client, "x", &options, &lock, &err)) {
			sleep_ms(rand_r(&mine) % 20);
			continue;
		}
		ledger_enter(c, lock);
		sleep_ms(rand_r(&mine) % (rand_r(&mine) % 8 ? 10 : 2 * TTL_MS));
		ledger_leave(c);
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

		options.timeout_ms = SLOWLY_MS(4000);
		EXPECT_OPEN(dblock_quorum_open(cluster.urls, MEMBERS, &options,
					       &ledger.contenders[i].client, &err));
	}
	for (int i = 0; i < CONTENDERS; i++)
		pthread_create(&ledger.contenders[i].thread, NULL, contend, &ledger.contenders[i]);
	while (!ledger_has(CONTENDERS, ENOUGH) && clock_ms() < until)
		make_trouble(&mine);
	stop = true;
	for (int i = 0; i < CONTENDERS; i++) {
		pthread_join(ledger.contenders[i].thread, NULL);
		dblock_close(ledger.contenders[i].client, NULL);
		grants += ledger.contenders[i].grants;
		losses += ledger.contenders[i].losses;
	}
	print_message("%d grants, %d losses\n", grants, losses);
	if (ledger.finding[0])
		fail_msg("%s", ledger.finding);
	assert_true(ledger_has(CONTENDERS, ENOUGH));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(one_holder_whatever_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
