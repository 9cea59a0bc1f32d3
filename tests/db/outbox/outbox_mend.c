/* SPDX-License-Identifier: MIT */
/* The messages of a key are listed; what failed is tried again, or given up. */
#include "db/outbox/ledger.h"

/* ---- messages -------------------------------------------------------------------------------- */

struct messages {
	int64_t last, tries;
	int n;
	size_t bytes;
};

static int take_message(void *arg, const struct dblock_message *m)
{
	struct messages *all = arg;

	assert_int_equal(m->size, sizeof(*m));
	assert_string_equal(m->topic, "t");
	assert_string_equal(m->key, "k");
	assert_int_equal(m->number, all->last + 1);
	assert_int_equal(m->token, 0);
	assert_true(m->id != 0 && m->put_us > 0);
	all->last = m->number;
	all->tries += m->tries;
	all->bytes += strlen(m->body);
	all->n++;
	return 0;
}

static void read_messages(const struct scene *s, struct messages *all)
{
	struct dblock_error err = {0};

	*all = (struct messages){.n = 0};
	expect(OK, dblock_outbox_messages(s->client, "t", "k", take_message, all, &err));
}

/* In the shard of `k`, and next to it. */
static void add_neighbour(const struct scene *s, const char *key)
{
	raw_exec(s->raw,
		 "INSERT INTO dblock_outbox (topic, shard, msg_key, number, id, put_at, headers, "
		 "body) SELECT 't', shard, '%s', number, 7, put_at, '', 'x' FROM dblock_outbox "
		 "WHERE msg_key = 'k'",
		 key);
}

static void messages_of_a_key_are_listed(void **state)
{
	const struct scene *s = *state;
	struct dblock_tx *tx = tx_begin(s->client);
	struct dblock_error err = {0};
	struct messages all;

	for (int i = 0; i < MANY; i++)
		expect(OK, dblock_outbox_put(tx, "t", "k", "x", NULL, NULL, &err));
	tx_commit(tx);
	add_neighbour(s, "j");
	add_neighbour(s, "k1");
	put(s, "u", "k", "of another topic");
	fails(s, "t", "k", 1, "NULL");
	read_messages(s, &all);
	assert_int_equal(all.n, MANY);
	assert_int_equal(all.tries, 3);
}

/* More than a page may have. */
static void large_messages_are_listed(void **state)
{
	const struct scene *s = *state;
	char *body = calloc(1, DBLOCK_BODY_MAX + 1);
	struct messages all;

	memset(body, 'x', DBLOCK_BODY_MAX);
	for (int i = 0; i < 6; i++)
		put(s, "t", "k", body);
	read_messages(s, &all);
	assert_int_equal(all.n, 6);
	assert_true(all.bytes == (size_t)6 * DBLOCK_BODY_MAX);
	free(body);
}

static int look_again(void *arg, const struct dblock_message *message)
{
	const struct scene *s = arg;
	struct dblock_error err = {0};
	int n = 0;

	assert_string_equal(message->body, "\xc3\xa9 \"'\\ \n\t$1 :x ?");
	assert_string_equal(message->headers, "h");
	expect(OK, dblock_outbox_drop(s->client, "t", "k", message->number, &err));
	expect(OK, dblock_outbox_messages(s->client, "t", "k", end_messages, &n, &err));
	assert_int_equal(n, 0);
	return 0;
}

/* Naive: the connection is locked while it runs. */
static void a_callback_may_use_the_client(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	put(s, "t", "k", "\xc3\xa9 \"'\\ \n\t$1 :x ?");
	expect(OK, dblock_outbox_messages(s->client, "t", "k", look_again, s, &err));
}

/* ---- mending --------------------------------------------------------------------------------- */

static void failed_keys_are_tried_again(void **state)
{
	const struct scene *s = *state;
	struct dblock_error err = {0};
	int64_t n = -1;

	for (const char *key = "i\0j\0k\0"; *key; key += 2) {
		put(s, "t", key, "1");
		fails(s, "t", key, 1, *key == 'k' ? "NULL" : "{now}");
	}
	put(s, "u", "k", "1");
	fails(s, "u", "k", 1, "NULL");
	expect(OK, dblock_outbox_retry(s->client, "t", "k", &n, &err));
	assert_int_equal(n, 1);
	assert_int_equal(failures(s), 3);
	expect(STALE, dblock_outbox_retry(s->client, "t", "k", &n, &err));
	assert_non_null(strstr(err.message, "topic 't': the key 'k' has not failed"));
	assert_int_equal(n, 0);
	expect(OK, dblock_outbox_retry(s->client, "t", NULL, &n, &err));
	assert_int_equal(n, 2);
	expect(STALE, dblock_outbox_retry(s->client, "t", NULL, NULL, &err));
	assert_non_null(strstr(err.message, "topic 't': no key has failed"));
	assert_int_equal(failures(s), 1);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_outbox"), 4);
}

static void a_message_is_given_up(void **state)
{
	const struct scene *s = *state;
	struct dblock_error err = {0};
	struct messages all;

	put(s, "t", "k", "1");
	put(s, "t", "k", "2");
	put(s, "t", "j", "1");
	put(s, "u", "k", "1");
	fails(s, "t", "k", 1, "NULL");
	fails(s, "u", "k", 1, "NULL");
	expect(STALE, dblock_outbox_drop(s->client, "t", "k", 3, &err));
	assert_non_null(strstr(err.message, "topic 't', key 'k': no message of number 3"));
	expect(STALE, dblock_outbox_drop(s->client, "t", "x", 1, &err));
	assert_int_equal(failures(s), 2);
	expect(OK, dblock_outbox_drop(s->client, "t", "k", 1, &err));
	assert_int_equal(failures(s), 1);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_outbox"), 3);
	expect(OK, dblock_outbox_drop(s->client, "t", "k", 2, &err));
	read_messages(s, &all);
	assert_int_equal(all.n, 0);
	assert_int_equal(put(s, "t", "k", "3"), 3);
}

/* Naive: with the message whatever has failed of its key is forgotten, and the parked one is tried again. */
static void one_behind_the_parked_one_is_given_up(void **state)
{
	const struct scene *s = *state;
	struct dblock_error err = {0};

	for (int i = 0; i < 3; i++)
		put(s, "t", "k", "x");
	fails(s, "t", "k", 1, "NULL");
	expect(OK, dblock_outbox_drop(s->client, "t", "k", 2, &err));
	assert_int_equal(failures(s), 1);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, ledger_set_up, scene_tear_down)
	const struct CMUnitTest tests[] = {
		CASE(messages_of_a_key_are_listed),  CASE(large_messages_are_listed),
		CASE(a_callback_may_use_the_client), CASE(failed_keys_are_tried_again),
		CASE(a_message_is_given_up),         CASE(one_behind_the_parked_one_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
