/* SPDX-License-Identifier: MIT */
/* `trace` of a client of a cluster: a span for each call of its caller's, and each hold; none of what members do. */
#include "api/stats.h"
#include "db/lock/quorum/cluster.h"
#include "support/call.h"

enum { ROOM = 100, TTL_MS = 3000, LEASE_MS = 200000 };

/* What was told, in order; any thread might. */
struct told {
	pthread_mutex_t mutex;
	int n;
	struct {
		struct dblock_span span;
		char name[64];
		pthread_t by;
	} list[ROOM];
	struct dblock_client *client; /* to be closed in the callback, which is refused */
	int rc;
	int64_t acquired; /* as counted by then */
};

static void note(void *arg, const struct dblock_span *span)
{
	struct told *told = arg;

	pthread_mutex_lock(&told->mutex);
	if (told->n < ROOM) {
		told->list[told->n].span = *span;
		snprintf(told->list[told->n].name, sizeof(told->list[0].name), "%s", span->name);
		told->list[told->n].by = pthread_self();
		told->n++;
	}
	if (told->client) {
		told->rc = (dblock_close)(told->client, NULL);
		told->acquired = stats_of(told->client).acquired;
	}
	pthread_mutex_unlock(&told->mutex);
}

static struct dblock_client_options traced_options(struct told *told)
{
	struct dblock_client_options options = cluster_options(TTL_MS);

	*told = (struct told){.mutex = PTHREAD_MUTEX_INITIALIZER};
	options.trace = note;
	options.trace_arg = told;
	return options;
}

static struct dblock_client *traced(struct told *told, int64_t slow_wait_ms)
{
	struct dblock_client_options options = traced_options(told);
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.slow_wait_ms = slow_wait_ms;
	options.long_hold_ms = slow_wait_ms;
	expect(OK, dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, &err));
	return client;
}

/* The only spans since then are of these phases, in this order, by this thread, of that name. */
static void are(struct told *told, int n, const enum dblock_phase phases[], int64_t token)
{
	pthread_mutex_lock(&told->mutex);
	assert_int_equal(told->n, n);
	for (int i = 0; i < n; i++) {
		const struct dblock_span *span = &told->list[i].span;

		assert_int_equal(span->phase, phases[i]);
		assert_string_equal(told->list[i].name, "x");
		assert_true(pthread_equal(told->list[i].by, pthread_self()));
		assert_int_equal(span->token, token);
		assert_true(span->start_us <= span->end_us);
		assert_true(span->start_us > 1500000000000000LL);
	}
	told->n = 0;
	pthread_mutex_unlock(&told->mutex);
}

static void a_lock_from_its_try_to_its_release(void **state)
{
	static const enum dblock_phase got[] = {DBLOCK_PHASE_TRY, DBLOCK_PHASE_EXTEND},
				       over[] = {DBLOCK_PHASE_HOLD, DBLOCK_PHASE_RELEASE};
	struct dblock_acquire_options leased = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;
	static struct told told;
	int64_t token;

	(void)state;
	client = traced(&told, 0);
	leased.lease_ms = LEASE_MS;
	expect(OK, dblock_try(client, "x", &leased, &lock, &err));
	token = dblock_token(lock);
	sleep_ms(20);
	expect(OK, dblock_extend(lock, LEASE_MS, &err));
	are(&told, 2, got, token);
	give(lock);
	assert_int_equal(told.list[0].span.outcome, DBLOCK_OK);
	assert_true(told.list[0].span.end_us - told.list[0].span.start_us >= 20000);
	are(&told, 2, over, token);
	dblock_close(client, NULL);
}

/* By the client's end, too; and heartbeats of its members are not its caller's. */
static void entering_again_is_one_hold(void **state)
{
	static const enum dblock_phase entered[] = {DBLOCK_PHASE_TRY, DBLOCK_PHASE_TRY,
						    DBLOCK_PHASE_RELEASE},
				       over[] = {DBLOCK_PHASE_HOLD, DBLOCK_PHASE_RELEASE};
	struct dblock_client *client;
	struct dblock_lock *lock;
	static struct told told;
	int64_t token;

	(void)state;
	client = traced(&told, 0);
	lock = take(client, "x");
	token = dblock_token(lock);
	give(take(client, "x"));
	are(&told, 3, entered, token);
	wait_until(stats_of(client).heartbeats >= 2 * MEMBERS);
	dblock_close(client, NULL);
	are(&told, 2, over, token);
}

static void what_is_refused_and_what_is_lost(void **state)
{
	static const enum dblock_phase refused[] = {DBLOCK_PHASE_ACQUIRE},
				       lost[] = {DBLOCK_PHASE_TRY, DBLOCK_PHASE_HOLD,
						 DBLOCK_PHASE_RELEASE};
	struct dblock_acquire_options soon = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *other = cluster_client(0), *client;
	struct dblock_lock *lock = take(other, "x"), *not ;
	struct dblock_error err = {0};
	static struct told told;
	int64_t token;

	(void)state;
	client = traced(&told, 0);
	soon.wait_ms = 30;
	expect(TIMEOUT, dblock_acquire(client, "x", &soon, &not, &err));
	assert_int_equal(told.list[0].span.outcome, DBLOCK_TIMEOUT);
	assert_true(told.list[0].span.end_us - told.list[0].span.start_us >= 30000);
	are(&told, 1, refused, 0);
	give(lock);
	soon.lease_ms = LEASE_MS;
	expect(OK, dblock_try(client, "x", &soon, &lock, &err));
	token = dblock_token(lock);
	expect(OK, dblock_release_token(other, "x", token, &err));
	wait_until(!dblock_valid(lock, 0));
	expect(LOST, dblock_release(lock, &err));
	assert_int_equal(told.list[1].span.outcome, DBLOCK_LOST);
	assert_int_equal(told.list[2].span.outcome, DBLOCK_LOST);
	are(&told, 3, lost, token);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

static void only_what_took_long(void **state)
{
	struct dblock_client *client;
	static struct told told;

	(void)state;
	client = traced(&told, LEASE_MS);
	give(take(client, "x"));
	assert_int_equal(told.n, 0);
	dblock_close(client, NULL);
}

/* No mutex is held. */
static void the_callback_may_look(void **state)
{
	struct dblock_client *client;
	static struct told told;

	(void)state;
	client = traced(&told, 0);
	told.client = client;
	give(take(client, "x"));
	told.client = NULL;
	assert_int_equal(told.rc, DBLOCK_E_INVALID);
	assert_int_equal(told.acquired, 1);
	dblock_close(client, NULL);
}

/* A cluster is made, and looked at, with the same options: that is no acquire. */
static void options_of_the_same_kind(void **state)
{
	struct dblock_quorum_options how = cluster_of(0);
	struct dblock_client_options options;
	struct dblock_error err = {0};
	struct dblock_client *client;
	static struct told told;

	(void)state;
	options = traced_options(&told);
	expect(OK, dblock_quorum_init(cluster.urls, MEMBERS, "three", &how, &options, &err));
	expect(OK,
	       dblock_quorum_status(cluster.urls, MEMBERS, "x", &options, NULL, NULL, NULL, &err));
	assert_int_equal(told.n, 0);
	options.slow_wait_ms = -1;
	expect(E_INVALID, dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, &err));
	message_has("slow_wait_ms");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(a_lock_from_its_try_to_its_release),
		CLUSTER_CASE(entering_again_is_one_hold),
		CLUSTER_CASE(what_is_refused_and_what_is_lost),
		CLUSTER_CASE(only_what_took_long),
		CLUSTER_CASE(the_callback_may_look),
		CLUSTER_CASE(options_of_the_same_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
