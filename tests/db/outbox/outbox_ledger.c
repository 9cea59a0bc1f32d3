/* SPDX-License-Identifier: MIT */
/* What waits to be delivered, and what could not be, is listed. */
#include "db/outbox/ledger.h"

/* ---- topics ---------------------------------------------------------------------------------- */

struct topics {
	struct dblock_outbox_topic list[8];
	char names[8][DBLOCK_TOPIC_MAX + 1];
	int n;
};

static int take_topic(void *arg, const struct dblock_outbox_topic *topic)
{
	struct topics *topics = arg;

	assert_int_equal(topic->size, sizeof(*topic));
	snprintf(topics->names[topics->n], sizeof(topics->names[0]), "%s", topic->topic);
	topics->list[topics->n++] = *topic;
	return 0;
}

static int end_topics(void *arg, const struct dblock_outbox_topic *topic)
{
	(void)topic;
	return ends(arg);
}

static void read_topics(const struct scene *s, struct topics *topics)
{
	struct dblock_error err = {0};

	*topics = (struct topics){.n = 0};
	expect(OK, dblock_outbox_topics(s->client, take_topic, topics, &err));
}

static void topics_are_counted(void **state)
{
	const struct scene *s = *state;
	struct topics topics;

	read_topics(s, &topics);
	assert_int_equal(topics.n, 0);
	put(s, "b", "k", "1");
	put(s, "\xc3\xa9", "k", "1");
	put(s, "A", "k", "1");
	put(s, "A", "k", "2");
	for (const char *key = "m\0n\0o\0p\0"; *key; key += 2)
		put(s, "A", key, "1");
	fails(s, "A", "m", 1, "{now} + 1000000");
	fails(s, "A", "n", 1, "NULL");
	fails(s, "A", "o", 1, "NULL");
	read_topics(s, &topics);
	assert_int_equal(topics.n, 3);
	assert_string_equal(topics.names[0], "A");
	assert_string_equal(topics.names[1], "b");
	assert_string_equal(topics.names[2], "\xc3\xa9");
	assert_int_equal(topics.list[0].messages, 6);
	assert_int_equal(topics.list[0].failing, 1);
	assert_int_equal(topics.list[0].parked, 2);
	assert_int_equal(topics.list[1].messages, 1);
	assert_int_equal(topics.list[1].failing, 0);
	assert_int_equal(topics.list[1].parked, 0);
}

static void the_oldest_is_told(void **state)
{
	const struct scene *s = *state;
	struct topics topics;
	int64_t first;

	put(s, "t", "k", "1");
	put(s, "t", "j", "1");
	raw_exec(s->raw, "UPDATE dblock_outbox SET put_at = put_at - 5000000 WHERE msg_key = 'k'");
	first = raw_int(s->raw, "SELECT put_at FROM dblock_outbox WHERE msg_key = 'k'");
	read_topics(s, &topics);
	assert_int_equal(topics.list[0].oldest_us, first);
	assert_true(topics.list[0].oldest_ms >= 5000 && topics.list[0].oldest_ms < PLENTY_MS);
	/* A clock was set back. */
	raw_exec(s->raw, "UPDATE dblock_outbox SET put_at = {now} + 3600000000");
	read_topics(s, &topics);
	assert_int_equal(topics.list[0].oldest_ms, 0);
}

/* A relay died between its last two statements: the message was delivered. Naive: it still fails. */
static void what_was_delivered_does_not_fail(void **state)
{
	const struct scene *s = *state;
	struct topics topics;
	struct dblock_error err = {0};
	int n = 0;

	put(s, "t", "k", "1");
	put(s, "t", "k", "2");
	fails(s, "t", "k", 1, "NULL");
	raw_exec(s->raw, "DELETE FROM dblock_outbox WHERE number = 1");
	read_topics(s, &topics);
	assert_int_equal(topics.list[0].messages, 1);
	assert_int_equal(topics.list[0].parked, 0);
	expect(OK, dblock_outbox_failures(s->client, NULL, end_failures, &n, &err));
	assert_int_equal(n, 0);
}

/* ---- failures -------------------------------------------------------------------------------- */

struct failures {
	struct dblock_client *client;
	char keys[3 * MANY][16];
	int n, parked;
	int64_t due_ms;
};

static int take_failure(void *arg, const struct dblock_outbox_failure *failure)
{
	struct failures *all = arg;

	assert_int_equal(failure->size, sizeof(*failure));
	assert_int_equal(failure->number, 1);
	assert_int_equal(failure->tries, 3);
	assert_true(failure->since_us > 0);
	assert_string_equal(failure->error, "no \"such\" host");
	assert_int_equal(failure->parked, failure->due_us == 0);
	snprintf(all->keys[all->n++], sizeof(all->keys[0]), "%s/%s", failure->topic, failure->key);
	all->parked += failure->parked;
	all->due_ms = failure->due_ms;
	return 0;
}

static void read_failures(const struct scene *s, const char *topic, struct failures *all)
{
	struct dblock_error err = {0};

	*all = (struct failures){.n = 0};
	expect(OK, dblock_outbox_failures(s->client, topic, take_failure, all, &err));
}

static void fail_many(const struct scene *s, const char *topic)
{
	for (int i = 0; i < MANY; i++) {
		raw_exec(s->raw,
			 "INSERT INTO dblock_outbox (topic, shard, msg_key, number, id, put_at, "
			 "headers, body) VALUES ('%s', %d, 'k%03d', 1, 7, {now}, '', '')",
			 topic, i % 8, i);
		raw_exec(s->raw,
			 "INSERT INTO dblock_outbox_failure (topic, msg_key, shard, number, tries, "
			 "since, due, error) VALUES ('%s', 'k%03d', %d, 1, 3, {now}, NULL, "
			 "'no \"such\" host')",
			 topic, i, i % 8);
	}
}

/* Naive: the second page begins behind the last key, in whatever topic. */
static void failures_are_listed_page_by_page(void **state)
{
	const struct scene *s = *state;
	static struct failures all;
	char key[16];

	raw_exec(s->raw, "BEGIN");
	fail_many(s, "b");
	fail_many(s, "a");
	raw_exec(s->raw, "COMMIT");
	read_failures(s, NULL, &all);
	assert_int_equal(all.n, 2 * MANY);
	assert_int_equal(all.parked, 2 * MANY);
	for (int i = 0; i < all.n; i++) {
		snprintf(key, sizeof(key), "%c/k%03d", i < MANY ? 'a' : 'b', i % MANY);
		assert_string_equal(all.keys[i], key);
	}
	read_failures(s, "b", &all);
	assert_int_equal(all.n, MANY);
	assert_string_equal(all.keys[0], "b/k000");
	read_failures(s, "c", &all);
	assert_int_equal(all.n, 0);
}

static void a_failure_tells_when_it_is_tried_again(void **state)
{
	const struct scene *s = *state;
	static struct failures all;

	put(s, "t", "k", "1");
	fails(s, "t", "k", 1, "{now} + 3600000000");
	read_failures(s, "t", &all);
	assert_int_equal(all.n, 1);
	assert_int_equal(all.parked, 0);
	assert_true(all.due_ms > 0 && all.due_ms <= 3600000);
	raw_exec(s->raw, "UPDATE dblock_outbox_failure SET due = {now} - 1");
	read_failures(s, "t", &all);
	assert_true(all.due_ms < 0);
}

/* ---- all lists ----------------------------------------------------------------------------- */

static void a_callback_ends_the_list(void **state)
{
	const struct scene *s = *state;
	struct dblock_error err = {0};
	int n = 0;

	put(s, "t", "k", "1");
	put(s, "t", "k", "2");
	put(s, "t", "j", "1");
	put(s, "u", "k", "1");
	fails(s, "t", "k", 1, "NULL");
	fails(s, "t", "j", 1, "NULL");
	assert_int_equal(dblock_outbox_topics(s->client, end_topics, &n, &err), ENOUGH);
	assert_int_equal(dblock_outbox_failures(s->client, NULL, end_failures, &n, &err), ENOUGH);
	assert_int_equal(dblock_outbox_messages(s->client, "t", "k", end_messages, &n, &err),
			 ENOUGH);
	assert_int_equal(n, 3);
}

/* ---- what is wrong --------------------------------------------------------------------------- */

static void what_is_wrong_is_refused(void **state)
{
	const struct scene *s = *state;
	struct dblock_error err = {0};
	int n = 0;

	expect(E_INVALID, dblock_outbox_topics(NULL, end_topics, &n, &err));
	expect(E_INVALID, dblock_outbox_topics(s->client, NULL, NULL, &err));
	assert_non_null(strstr(err.message, "the callback is NULL"));
	expect(E_INVALID, dblock_outbox_failures(s->client, "", end_failures, &n, &err));
	assert_non_null(strstr(err.message, "the topic is empty"));
	expect(E_INVALID, dblock_outbox_messages(s->client, NULL, "k", end_messages, &n, &err));
	expect(E_INVALID, dblock_outbox_messages(s->client, "t", NULL, end_messages, &n, &err));
	assert_non_null(strstr(err.message, "the key is NULL"));
	/* Naive: an empty variable means all of them. */
	expect(E_INVALID, dblock_outbox_retry(s->client, "t", "", NULL, &err));
	assert_non_null(strstr(err.message, "the key is empty"));
	expect(E_INVALID, dblock_outbox_retry(s->client, NULL, NULL, NULL, &err));
	expect(E_INVALID, dblock_outbox_drop(s->client, "t", NULL, 1, &err));
	expect(E_INVALID, dblock_outbox_drop(s->client, "t", "k", 0, &err));
	assert_non_null(strstr(err.message, "the number is 0"));
}

static void who_only_looks_changes_nothing(void **state)
{
	const struct scene *s = *state;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	int n = 0;

	put(s, "t", "k", "1");
	fails(s, "t", "k", 1, "NULL");
	options.observe = true;
	options.timeout_ms = PLENTY_MS;
	client = client_with(&options);
	expect(E_INVALID, dblock_outbox_retry(client, "t", NULL, NULL, &err));
	assert_non_null(strstr(err.message, "only to look"));
	expect(E_INVALID, dblock_outbox_drop(client, "t", "k", 1, &err));
	assert_int_equal(dblock_outbox_topics(client, end_topics, &n, &err), ENOUGH);
	assert_int_equal(dblock_outbox_failures(client, "t", end_failures, &n, &err), ENOUGH);
	assert_int_equal(dblock_outbox_messages(client, "t", "k", end_messages, &n, &err), ENOUGH);
	dblock_close(client, NULL);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, ledger_set_up, scene_tear_down)
	const struct CMUnitTest tests[] = {
		CASE(topics_are_counted),
		CASE(the_oldest_is_told),
		CASE(what_was_delivered_does_not_fail),
		CASE(failures_are_listed_page_by_page),
		CASE(a_failure_tells_when_it_is_tried_again),
		CASE(a_callback_ends_the_list),
		CASE(what_is_wrong_is_refused),
		CASE(who_only_looks_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
