/* SPDX-License-Identifier: MIT */
/* Processes that put, deliver and have messages are killed, again and again: each message that was committed has its
 * effect, once, and those of one key in order. */
#include "db/outbox/relay.h"

enum { ROUNDS = 15, CHILDREN = 2, KEYS = 5, MORE = 20, CHILD_TTL_MS = 2000 };

/* ---- what a process does --------------------------------------------------------------------- */

static struct dblock_client *client_of_child(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = CHILD_TTL_MS;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = true;
	return client_with(&options);
}

static int exec_in(struct dblock_tx *tx, const char *what, const char *key, int64_t number,
		   struct dblock_error *err)
{
	const struct dblock_value values[] = {dblock_text(key), dblock_int(number)};

	return dblock_tx_query(tx, what, values, 2, NULL, NULL, NULL, err);
}

/* The effect, and that the message was had, are written together. */
static int have(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	const struct dblock_message *m = arg;
	int rc = dblock_inbox_seen(tx, "s", m->key, m->number, m->id, err);

	if (rc == DBLOCK_DONE)
		return 0;
	return rc ? rc
		  : exec_in(tx, "INSERT INTO effect (msg_key, number) VALUES ($1, $2)", m->key,
			    m->number, err);
}

static int consume(void *client, const struct dblock_message *m, struct dblock_error *err)
{
	struct dblock_message copy = *m;

	return dblock_tx_run(client, NULL, have, &copy, err);
}

static int make(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	const char *key = arg;
	int rc = exec_in(tx, "INSERT INTO made (msg_key, number) VALUES ($1, $2)", key, 0, err);

	return rc ? rc : dblock_outbox_put(tx, "t", key, "b", NULL, NULL, err);
}

static void *make_for_ever(void *client)
{
	struct dblock_error err = {0};
	char key[16];

	for (unsigned i = 0;; i++) {
		snprintf(key, sizeof(key), "key %u", i % KEYS);
		if (dblock_tx_run(client, NULL, make, key, &err))
			fprintf(stderr, "put: %s\n", err.message);
		sleep_ms(1);
	}
	return NULL;
}

static void *relay_for_ever(void *client)
{
	struct dblock_relay_options options = DBLOCK_RELAY_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.pause_ms = 1;
	options.tries = 1000;
	options.batch = 3;
	for (;;)
		if (dblock_outbox_relay(client, "t", consume, client, &options, &err))
			fprintf(stderr, "relay: %s\n", err.message);
	return NULL;
}

static int64_t works(void *arg)
{
	struct dblock_client *client;
	pthread_t thread;

	(void)arg;
	child_has_threads();
	client = client_of_child();
	if (pthread_create(&thread, NULL, make_for_ever, client) ||
	    pthread_create(&thread, NULL, relay_for_ever, client))
		return -1;
	return 0;
}

/* ---- and is killed --------------------------------------------------------------------------- */

/* A process forks with no file of SQLite's open: so all is opened anew, each time. */
static void make_tables(void)
{
	const char *const id = on_backend("postgresql") ? "BIGSERIAL PRIMARY KEY"
			       : on_backend("mysql")    ? "BIGINT AUTO_INCREMENT PRIMARY KEY"
							: "INTEGER PRIMARY KEY AUTOINCREMENT";
	struct raw *raw = raw_open(NULL);

	dblock_close(client_of_child(), NULL); /* dblock's own tables */
	raw_exec(raw, "CREATE TABLE made (msg_key VARCHAR(40), number BIGINT)");
	raw_exec(raw, "CREATE TABLE effect (id %s, msg_key VARCHAR(40), number BIGINT)", id);
	raw_close(raw);
}

static int64_t count(struct raw *raw, const char *table)
{
	return raw_int(raw, "SELECT count(*) FROM %s", table);
}

static void play_round(void)
{
	struct child children[CHILDREN];
	struct raw *raw;
	int64_t before;

	for (int i = 0; i < CHILDREN; i++)
		children[i] = child_start(works, NULL);
	raw = raw_open(NULL);
	before = count(raw, "effect");
	wait_until(count(raw, "effect") >= before + MORE);
	for (int i = 0; i < CHILDREN; i++)
		child_kill(&children[i]);
	raw_close(raw);
}

static void deliver_the_rest(struct raw *raw)
{
	struct dblock_relay_options options = DBLOCK_RELAY_OPTIONS_INIT;
	struct dblock_client *client = client_of_child();
	struct dblock_error err = {0};

	options.drain = true;
	raw_exec(raw, "DELETE FROM dblock_outbox_failure");
	expect(OK, dblock_outbox_relay(client, "t", consume, client, &options, &err));
	assert_int_equal(count(raw, "dblock_outbox"), 0);
	dblock_close(client, NULL);
}

static int64_t numbers(struct raw *raw)
{
	int64_t n = 0;

	for (int i = 0; i < KEYS; i++)
		n += raw_int(raw, "SELECT number FROM dblock_outbox_key WHERE msg_key = 'key %d'",
			     i);
	return n;
}

static void each_has_its_effect_once(void **state)
{
	struct raw *raw;

	(void)state;
	make_tables();
	for (int i = 0; i < ROUNDS; i++)
		play_round();
	raw = raw_open(NULL);
	deliver_the_rest(raw);
	print_message("%lld messages\n", (long long)count(raw, "made"));
	assert_int_equal(count(raw, "effect"), count(raw, "made"));
	assert_int_equal(numbers(raw), count(raw, "made"));
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM effect a JOIN effect b ON "
				      "a.msg_key = b.msg_key AND a.id < b.id AND "
				      "a.number >= b.number"),
			 0);
	raw_close(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_has_its_effect_once)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
