/* SPDX-License-Identifier: MIT */
/* A grant goes from thread to thread of one client, in memory. */
#include "support/local.h"
#include "lock/cache/own.h"
#include "lock/handle/handle.h"
#include "support/steps.h"
#include "support/tx.h"

enum { THREADS = 8, TURNS = 100, LOCAL_TURNS = 64 };

static int64_t row_token(struct raw *raw, const char *name)
{
	return raw_int(raw, "SELECT token FROM dblock_lock WHERE name = '%s'", name);
}

/* ---- many turns ------------------------------------------------------------------------------ */

struct turns {
	struct dblock_client *client;
	int64_t last; /* the last token, guarded by the lock itself */
	int inside;
	_Atomic int problems;
};

static void *take_turns(void *arg)
{
	struct turns *t = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	for (int i = 0; i < TURNS; i++) {
		if (dblock_acquire(t->client, "x", NULL, &lock, &err)) {
			note_problem(&t->problems, "acquire", &err);
			break;
		}
		t->problems +=
			++t->inside != 1 || dblock_token(lock) <= t->last || !dblock_valid(lock, 0);
		t->last = dblock_token(lock);
		t->inside--;
		if (dblock_release(lock, &err))
			note_problem(&t->problems, "release", &err);
	}
	return NULL;
}

/* Naive: each turn asks the database, by three statements or more. */
static void eight_threads_cost_what_a_few_grants_cost(void **state)
{
	struct spy *spy = spy_new();
	struct turns t = {.client = spy_client(spy, 0)};
	struct raw *raw = raw_open(NULL);
	struct crew crew = {.n = 0};

	(void)state;
	t.client->locks->cache->local_turns = LOCAL_TURNS;
	spy_freeze(spy); /* nobody has waited too long */
	spy_reset(spy);
	for (int i = 0; i < THREADS; i++)
		crew_add(&crew, take_turns, &t);
	crew_join(&crew);
	assert_int_equal(t.problems, 0);
	/* The first thread, and the last, may each be alone for a while. */
	print_message("%d statements for %d turns: %d acquire, %d turn, %d release\n", spy->runs,
		      THREADS * TURNS, spy->runs_of[DBL_OP_acquire], spy->runs_of[DBL_OP_turn],
		      spy->runs_of[DBL_OP_release]);
	assert_int_equal(spy_joins(spy), 0);
	assert_true(spy->runs_of[DBL_OP_turn] >= 1);
	assert_true(row_token(raw, "x") >= t.last);
	is_free(t.client, "x");
	dblock_close(t.client, NULL);
	raw_close(raw);
	spy_free(spy);
}

/* All threads are there from the beginning, so that the count does not depend on luck. */
static void a_line_of_waiters_costs_one_statement_in_64_turns(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	enum { MANY = 2 * LOCAL_TURNS + 1 };
	struct waiting *w = calloc(MANY, sizeof(*w));
	struct dblock_lock *lock;
	int64_t last = 0;

	(void)state;
	client->locks->cache->local_turns = LOCAL_TURNS;
	spy_freeze(spy);
	waiting_start(&w[0], client, "x");
	lock = waiting_join(&w[0]);
	for (int i = 1; i < MANY; i++)
		waits_in_memory(&w[i], client, "x");
	spy_reset(spy);
	for (int i = 1; i < MANY; i++) {
		assert_true(dblock_token(lock) > last);
		last = dblock_token(lock);
		give(lock);
		lock = waiting_join(&w[i]); /* the threads get it in the order in which they came */
	}
	spy_assert_runs(spy, 2);
	assert_int_equal(spy->runs_of[DBL_OP_turn], 2);
	give(lock);
	spy_assert_runs(spy, 3);
	dblock_close(client, NULL);
	free(w);
	spy_free(spy);
}

static void it_can_be_switched_off(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct raw *raw = raw_open(NULL);
	struct waiting w;
	struct dblock_lock *lock;

	(void)state;
	TUNE(options, .local_turns = 1);
	options.timeout_ms = PLENTY_MS;
	client = client_with(&options);
	lock = take(client, "off");
	waiting_start(&w, client, "off");
	wait_until(in_queue(raw) == 1);
	assert_int_equal(in_memory(client, "off"), 0);
	give(lock);
	lock = waiting_join(&w);
	assert_int_equal(row_token(raw, "off"), dblock_token(lock));
	give(lock);
	dblock_close(client, NULL);
	raw_close(raw);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* Whatever ends the grant, the next token is larger than all that were used. */
static void what_comes_after_is_larger(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	struct dblock_lock *lock = in_turns(a, "x");
	int64_t token = dblock_token(lock);
	struct waiting w;

	(void)state;
	assert_true(row_token(raw, "x") > token);
	give(lock);
	assert_true(is_free(b, "x") > token);
	lock = in_turns(a, "x");
	token = dblock_token(lock);
	waits_in_memory(&w, a, "x");
	expect(OK, break_by_force(b, "x", 0, 0, &err));
	wait_until(in_memory(a, "x") == 0); /* otherwise it would be passed on */
	expect(LOST, dblock_release(lock, &err));
	/* A thread that waited in memory for a lost lock goes on waiting. */
	lock = waiting_join(&w);
	assert_true(dblock_token(lock) > token);
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	raw_close(raw);
}

/* The token of another turn cannot end this one. */
static void an_older_token_releases_nothing(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = in_turns(a, "x");
	struct dblock_error err = {0};

	(void)state;
	expect(STALE, dblock_release_token(b, "x", dblock_token(lock) - 1, &err));
	assert_true(dblock_valid(lock, 0));
	give(lock);
	is_free(b, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* ---- others ---------------------------------------------------------------------------------- */

/* One thread of a client holds the lock in turns, another thread waits in memory, and another
 * client comes. `hears` makes the holder know. */
static void others_are_let_in(struct dblock_client *a, struct dblock_client *b,
			      void (*hears)(struct dblock_client *))
{
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock = in_turns(a, "x");
	struct waiting ours, theirs;

	waits_in_memory(&ours, a, "x");
	waiting_start(&theirs, b, "x");
	wait_until(raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE name = 'x' AND queued") ==
		   1);
	if (hears)
		hears(a);
	wait_until(is_wanted(a, "x"));
	/* Our thread has joined the queue behind the other client. */
	wait_until(in_memory(a, "x") == 0 && in_queue(raw) == 2);
	assert_false(theirs.done);
	give(lock);
	lock = waiting_join(&theirs);
	assert_false(ours.done);
	give(lock);
	give(waiting_join(&ours));
	raw_close(raw);
}

/* Naive: the other client waits until all turns are over. */
static void who_joins_the_queue_says_so(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);

	(void)state;
	others_are_let_in(a, b, NULL);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void look(struct dblock_client *client)
{
	dbl_local_look(client->locks, client->locks->link, dbl_locks_deadline(client->locks));
}

static void a_heartbeat_tells_where_nobody_can(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *a, *b;

	(void)state;
	options.timeout_ms = PLENTY_MS;
	TUNE(options, .wake_off = DBLOCK_WAKE_SOCKET);
	a = client_with(&options);
	b = client_with(&options);
	others_are_let_in(a, b, look);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* The queue was empty when it was read, and nobody has said anything since: but the time for turns
 * is over. */
static void after_so_many_turns_the_queue_is_asked(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *a, *b;
	struct waiting theirs, ours[3];
	struct dblock_lock *lock;
	struct raw *raw = raw_open(NULL);

	(void)state;
	options.timeout_ms = PLENTY_MS;
	TUNE(options, .wake_off = DBLOCK_WAKE_SOCKET, .local_turns = 2);
	a = client_with(&options);
	b = client_with(&options);
	lock = in_turns(a, "x"); /* this is the second turn */
	for (int i = 0; i < 3; i++)
		waits_in_memory(&ours[i], a, "x");
	waiting_start(&theirs, b, "x");
	wait_until(raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE name = 'x' AND queued") ==
		   1);
	give(lock);
	lock = waiting_join(&theirs);
	give(lock);
	for (int i = 0; i < 3; i++)
		give(waiting_join(&ours[i]));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	raw_close(raw);
}

static void several_clients_and_all_their_threads(void **state)
{
	struct turns t[3];
	struct crew crew = {.n = 0};
	struct dblock_client *clients[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		clients[i] = client_new(0);
		t[i] = (struct turns){.client = clients[i]};
	}
	for (int i = 0; i < 3 * 3; i++)
		crew_add(&crew, take_turns, &t[i % 3]);
	crew_join(&crew);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(t[i].problems, 0);
		dblock_close(clients[i], NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eight_threads_cost_what_a_few_grants_cost),
		cmocka_unit_test(a_line_of_waiters_costs_one_statement_in_64_turns),
		cmocka_unit_test(it_can_be_switched_off),
		cmocka_unit_test(what_comes_after_is_larger),
		cmocka_unit_test(an_older_token_releases_nothing),
		cmocka_unit_test(who_joins_the_queue_says_so),
		cmocka_unit_test(a_heartbeat_tells_where_nobody_can),
		cmocka_unit_test(after_so_many_turns_the_queue_is_asked),
		cmocka_unit_test(several_clients_and_all_their_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
