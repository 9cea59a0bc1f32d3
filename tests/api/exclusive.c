/* SPDX-License-Identifier: MIT */
/* An exclusive lock has one holder at a time, whoever asks: threads, clients, names. */
#include "support/kit.h"

static void one_holder_and_then_the_next(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *mine = take(a, "x"), *theirs;
	struct dblock_error err = {0};
	char host[256], pid[32];
	int64_t before;

	(void)state;
	expect(BUSY, dblock_try(b, "x", NULL, &theirs, &err));
	assert_null(theirs);
	assert_int_equal(gethostname(host, sizeof(host)), 0);
	snprintf(pid, sizeof(pid), "pid %ld", (long)getpid());
	message_has("'x'");
	message_has(host);
	message_has(pid);

	before = dblock_token(mine);
	assert_string_equal(dblock_name(mine), "x");
	assert_true(before > 0);
	give(mine);
	theirs = take(b, "x");
	assert_true(dblock_token(theirs) > before);
	busy(a, "x");
	give(theirs);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* The same client is as much a stranger to another of its threads. */
static void *try_from_another_thread(void *arg)
{
	struct dblock_lock *lock;
	static int rc;

	rc = dblock_try(arg, "x", NULL, &lock, NULL);
	return &rc;
}

static void another_thread_is_another_holder(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	pthread_t thread;
	void *rc;

	(void)state;
	pthread_create(&thread, NULL, try_from_another_thread, client);
	pthread_join(thread, &rc);
	assert_int_equal(*(int *)rc, DBLOCK_BUSY);
	give(lock);
	dblock_close(client, NULL);
}

static void names_are_independent(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *x = take(a, "x"), *y = take(b, "y"), *z = take(a, "z");

	(void)state;
	busy(b, "x");
	busy(a, "y");
	give(x);
	busy(a, "y");
	busy(b, "z");
	give(take(b, "x"));
	give(y);
	give(z);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* A release of a grant that is over touches nobody else's. */
static void a_grant_is_released_once(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *first = take(a, "x"), *second;
	int64_t token = dblock_token(first);
	struct dblock_error err = {0};

	(void)state;
	give(first);
	second = take(b, "x");
	expect(STALE, dblock_release_token(a, "x", token, &err));
	assert_true(dblock_valid(second, 0));
	busy(a, "x");
	give(second);
	expect(STALE, dblock_release_token(a, "x", token, &err));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void closing_releases(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);

	(void)state;
	take(a, "x");
	take(a, "y");
	busy(b, "x");
	dblock_close(a, NULL);
	is_free(b, "x");
	is_free(b, "y");
	dblock_close(b, NULL);
}

/* ---- a crowd -------------------------------------------------------------------------------- */

/* What the lock guards: a plain variable. Two holders at a time would lose increments, and would
 * see each other in `inside`. */
struct guarded {
	volatile int count;
	volatile int inside;
	int64_t last_token;
	_Atomic int problems;
};

struct worker {
	struct dblock_client *client;
	struct guarded *guarded;
	int turns;
};

/* Read, dawdle, write: what an unguarded increment looks like to two who do it at once. */
static void increment(struct guarded *g, int64_t token)
{
	int count = g->count;

	if (++g->inside != 1 || token <= g->last_token)
		g->problems++;
	g->last_token = token;
	sched_yield();
	g->count = count + 1;
	g->inside--;
}

static void *work(void *arg)
{
	const struct worker *w = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	for (int i = 0; i < w->turns; i++) {
		if (dblock_acquire(w->client, "x", NULL, &lock, &err)) {
			note_problem(&w->guarded->problems, "acquire", &err);
			return NULL;
		}
		increment(w->guarded, dblock_token(lock));
		if (dblock_release(lock, &err))
			note_problem(&w->guarded->problems, "release", &err);
	}
	return NULL;
}

static void a_crowd_loses_no_increment(void **state)
{
	struct dblock_client *clients[3] = {client_new(0), client_new(0), client_new(0)};
	struct guarded guarded = {0};
	struct worker together = {clients[0], &guarded, 50};
	struct worker others[] = {{clients[1], &guarded, 200}, {clients[2], &guarded, 200}};
	struct crew crew = {.n = 0};

	(void)state;
	for (int i = 0; i < 8; i++)
		crew_add(&crew, work, &together);
	crew_add(&crew, work, &others[0]);
	crew_add(&crew, work, &others[1]);
	crew_join(&crew);
	assert_int_equal(guarded.problems, 0);
	assert_int_equal(guarded.count, 8 * 50 + 2 * 200);
	for (int i = 0; i < 3; i++)
		dblock_close(clients[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_holder_and_then_the_next),
		cmocka_unit_test(another_thread_is_another_holder),
		cmocka_unit_test(names_are_independent),
		cmocka_unit_test(a_grant_is_released_once),
		cmocka_unit_test(closing_releases),
		cmocka_unit_test(a_crowd_loses_no_increment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
