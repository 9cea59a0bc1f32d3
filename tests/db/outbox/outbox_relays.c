/* SPDX-License-Identifier: MIT */
/* Relays that share a topic: who has what, how they are woken, and how they end. */
#include "api/stats.h"
#include "db/outbox/relay.h"

enum { RELAYS = 3, KEYS = 12, EACH = 20 };

/* ---- sharing --------------------------------------------------------------------------------- */

static void put_many(const struct scene *s)
{
	char key[16];

	for (int k = 0; k < KEYS; k++) {
		snprintf(key, sizeof(key), "key %d", k);
		put_some(s, key, EACH);
	}
}

static void stay_a_little(struct post *post)
{
	(void)post;
	sleep_ms(1);
}

/* Naive: without a lock each delivers all, or one overtakes another within a key. */
static void many_relays_deliver_each_once(void **state)
{
	struct scene *s = *state;
	static struct post post[RELAYS], all;
	int n = 0;
	char key[16];

	put_many(s);
	for (int i = 0; i < RELAYS; i++) {
		post[i] = (struct post)POST(s);
		post[i].client = client_new(0);
		post[i].during = stay_a_little;
		post[i].options.batch = 7;
		relay_start(&post[i]);
	}
	wait_until(post[0].n + post[1].n + post[2].n >= KEYS * EACH);
	wait_until(waiting(s) == 0);
	for (int i = 0; i < RELAYS; i++) {
		assert_int_equal(relay_stop(&post[i]), DBLOCK_CANCELED);
		n += post[i].n;
		dblock_close(post[i].client, NULL);
	}
	assert_int_equal(n, KEYS * EACH);
	for (int k = 0; k < KEYS; k++) {
		snprintf(key, sizeof(key), "key %d", k);
		all = (struct post)POST(s);
		for (int64_t number = 1; number <= EACH; number++)
			for (int i = 0; i < RELAYS; i++)
				for (int j = 0; j < post[i].n; j++)
					if (post[i].list[j].number == number &&
					    strcmp(post[i].list[j].key, key) == 0)
						all.list[all.n++] = post[i].list[j];
		is_in_order(&all, key, EACH);
	}
}

static void take_its_lock(struct post *post)
{
	struct dblock_break_options options = DBLOCK_BREAK_OPTIONS_INIT;
	struct dblock_error err = {0};
	char name[64];

	post->during = NULL;
	snprintf(name, sizeof(name), "dblock/outbox/%d/t", (int)dbl_shard_of("a"));
	options.force = true;
	expect(OK, dblock_break(post->scene->client, name, &options, &err));
	wait_until(stats_of(post->client).losses[DBLOCK_LOSS_BROKEN] == 1);
}

/* Naive: it goes on beside the relay that has the shard's lock by then. */
static void who_loses_the_lock_delivers_no_more_by_it(void **state)
{
	struct scene *s = *state;
	static struct post post;

	post = (struct post)POST(s);
	post.client = client_new(0);
	post.during = take_its_lock;
	put_some(s, "a", 3);
	assert_int_equal(drain(&post), DBLOCK_OK);
	is_in_order(&post, "a", 3);
	assert_true(post.list[1].token > post.list[0].token);
	assert_int_equal(post.list[2].token, post.list[1].token);
	assert_int_equal(waiting(s), 0);
	dblock_close(post.client, NULL);
}

/* ---- waking ---------------------------------------------------------------------------------- */

/* It has nothing to do, and would look for something in ten minutes. */
static void let_sleep(struct post *post)
{
	if (!post->client)
		post->client = client_new(0);
	post->options.poll_ms = 600000;
	relay_start(post);
	wait_until(raw_int(post->scene->raw, "SELECT count(*) FROM dblock_queue WHERE name = "
					     "'dblock/outbox/relay/t' AND token IS NOT NULL") == 1);
}

static void end_sleep(struct post *post)
{
	assert_int_equal(relay_stop(post), DBLOCK_CANCELED);
	dblock_close(post->client, NULL);
	assert_int_equal(waiting(post->scene), 0);
	assert_int_equal(raw_int(post->scene->raw, "SELECT count(*) FROM dblock_queue"), 0);
}

static void a_commit_wakes_it(void **state)
{
	struct scene *s = *state;
	static struct post post;

	post = (struct post)POST(s);
	post.client = NULL;
	let_sleep(&post);
	for (int i = 1; i <= 5; i++) {
		put_some(s, "a", 2);
		wait_until(post.n == 2 * i);
	}
	end_sleep(&post);
}

static bool ring_until(struct post *post)
{
	struct dblock_error err = {0};

	expect(OK, dblock_outbox_ring(post->scene->client, "t", &err));
	sleep_ms(50);
	return post->n == 1;
}

/* As if it were on another machine: no datagram gets there. (MySQL's channel is deaf between two sleeps.) */
static void a_commit_elsewhere_wakes_it(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_tuning tuning = DBLOCK_TUNING_INIT;
	struct scene *s = *state;
	static struct post post;

	if (on_backend("sqlite")) /* there is no elsewhere */
		return;
	tuning.wake_off = DBLOCK_WAKE_SOCKET;
	options.tuning = &tuning;
	options.timeout_ms = PLENTY_MS;
	post = (struct post)POST(s);
	post.client = client_with(&options);
	let_sleep(&post);
	put_some(s, "a", 1);
	wait_until(ring_until(&post));
	end_sleep(&post);
}

static void break_its_bell(struct post *post)
{
	struct dblock_break_options options = DBLOCK_BREAK_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.force = true;
	expect(OK, dblock_break(post->scene->client, "dblock/outbox/relay/t", &options, &err));
	wait_until(stats_of(post->client).losses[DBLOCK_LOSS_BROKEN] == 1);
}

/* Its lock was taken away, as by a restart of the database, while it slept. Naive: nobody rings any more, and it sleeps on. */
static void who_cannot_be_woken_does_not_sleep(void **state)
{
	struct scene *s = *state;
	static struct post post;

	post = (struct post)POST(s);
	post.client = NULL;
	let_sleep(&post);
	sleep_ms(300);
	break_its_bell(&post);
	put_some(s, "a", 1);
	wait_until(post.n == 1);
	end_sleep(&post);
}

static void keep_a_shard_busy(struct post *post)
{
	put_some(post->scene, "never idle", 1);
}

static bool has_delivered(struct post *post, const char *key)
{
	bool has = false;

	pthread_mutex_lock(&post->mutex);
	for (int i = 0; i < post->n && !has; i++)
		has = strcmp(post->list[i].key, key) == 0;
	pthread_mutex_unlock(&post->mutex);
	return has;
}

/* A shard always has something, and another one nothing but a key that is parked. Naive: what is rung while the relay does
 * not sleep is forgotten, and the other shard is looked at in ten minutes. */
static void a_commit_is_heard_while_there_is_much_to_do(void **state)
{
	struct scene *s = *state;
	static struct post post;
	char good[16];
	int delivered;

	assert_true(dbl_shard_of("never idle") != dbl_shard_of("bad"));
	key_beside("bad", good, sizeof(good));
	post = (struct post)POST(s);
	post.client = client_new(0);
	post.fails = "bad";
	post.fails_with = DBLOCK_E_REFUSED;
	post.during = keep_a_shard_busy;
	post.options.poll_ms = 600000;
	put_some(s, "bad", 1);
	put_some(s, "never idle", 1);
	relay_start(&post);
	wait_until(post.parked);
	delivered = post.n;
	wait_until(post.n > delivered + 20);
	put_some(s, good, 1);
	wait_until(has_delivered(&post, good));
	assert_int_equal(relay_stop(&post), DBLOCK_CANCELED);
	dblock_close(post.client, NULL);
}

static int64_t statements_of(struct dblock_client *client, int n, bool commits)
{
	int64_t before = stats_of(client).statements;
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};

	for (int i = 0; i < n; i++)
		expect(OK, dblock_outbox_put(tx, "t", "a", "b", NULL, NULL, &err));
	if (commits)
		tx_commit(tx);
	else
		tx_rollback(tx);
	return stats_of(client).statements - before;
}

/* One statement after all of a topic. What is rolled back wakes nobody, nor does a transaction without a message. */
static void only_what_commits_rings(void **state)
{
	struct dblock_client *client = client_new(600000); /* no heartbeat meanwhile */
	int64_t one, two;

	(void)state;
	(void)statements_of(client, 1, true);
	one = statements_of(client, 1, true);
	two = statements_of(client, 2, true);
	assert_int_equal(statements_of(client, 3, true) - two, two - one);
	assert_int_equal(statements_of(client, 1, false), one - 1);
	assert_int_equal(statements_of(client, 0, true), statements_of(client, 0, false));
	dblock_close(client, NULL);
}

/* On the caller's own connection he says so himself. */
static void a_commit_of_ones_own_is_told(void **state)
{
	struct scene *s = *state;
	static struct post post;
	struct dblock_error err = {0};
	struct dblock_tx *lender, *tx;

	post = (struct post)POST(s);
	post.client = NULL;
	let_sleep(&post);
	lender = tx_open(s->client);
	tx = tx_adopt(lender);
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(OK, dblock_outbox_put(tx, "t", "a", "b", NULL, NULL, &err));
	tx_commit(tx);
	dblock_tx_close(lender);
	expect(OK, dblock_outbox_ring(s->client, "t", &err));
	wait_until(post.n == 1);
	end_sleep(&post);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void stop_it(struct post *post)
{
	post->stop = post->n == 2;
}

/* What it has delivered is deleted, and is not delivered by the next one. */
static void it_is_canceled_between_two_messages(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "a", 5);
	post.during = stop_it;
	assert_int_equal(drain(&post), DBLOCK_CANCELED);
	assert_int_equal(post.n, 3);
	assert_int_equal(waiting(s), 2);
	post.during = NULL;
	assert_int_equal(drain(&post), DBLOCK_OK);
	is_in_order(&post, "a", 5);
}

static void a_shutdown_ends_it(void **state)
{
	struct scene *s = *state;
	static struct post post;

	post = (struct post)POST(s);
	post.client = NULL;
	let_sleep(&post);
	dblock_shutdown(post.client);
	assert_int_equal(call_end(&post.call), DBLOCK_CANCELED);
	dblock_close(post.client, NULL);
}

static void so_many_a_second(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);
	int64_t began = clock_ms();

	put_some(s, "a", 5);
	post.options.rate = 20;
	assert_int_equal(drain(&post), DBLOCK_OK);
	assert_int_equal(post.n, 5);
	assert_true(clock_ms() - began >= 4 * 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RELAY_CASE(many_relays_deliver_each_once),
		RELAY_CASE(who_loses_the_lock_delivers_no_more_by_it),
		RELAY_CASE(a_commit_wakes_it),
		RELAY_CASE(a_commit_elsewhere_wakes_it),
		RELAY_CASE(who_cannot_be_woken_does_not_sleep),
		RELAY_CASE(a_commit_is_heard_while_there_is_much_to_do),
		RELAY_CASE(only_what_commits_rings),
		RELAY_CASE(a_commit_of_ones_own_is_told),
		RELAY_CASE(it_is_canceled_between_two_messages),
		RELAY_CASE(a_shutdown_ends_it),
		RELAY_CASE(so_many_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
