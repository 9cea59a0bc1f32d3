/* SPDX-License-Identifier: MIT */
/* Deadlocks among threads whose grants have gone from thread to thread, and that wait in memory. */
#include "support/local.h"

enum { SUSPECT_MS = 300 };

/* A thread that takes one lock, then another one, and gives back both. */
struct pair {
	struct dblock_client *client;
	const char *first, *second;
	_Atomic bool go, has_first, has_second, done;
	_Atomic int rc;
	_Atomic int problems;
	pthread_t thread;
};

static void wants_second(struct pair *p)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.deadlock_ms = SUSPECT_MS;
	options.wait_ms = PLENTY_MS;
	p->rc = dblock_acquire(p->client, p->second, &options, &lock, &err);
	p->has_second = p->rc == DBLOCK_OK;
	if (p->rc == DBLOCK_OK && dblock_release(lock, &err))
		note_problem(&p->problems, "release", &err);
	else if (p->rc != DBLOCK_OK && p->rc != DBLOCK_DEADLOCK)
		note_problem(&p->problems, "acquire", &err);
}

static void *pair_body(void *arg)
{
	struct pair *p = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	if (dblock_acquire(p->client, p->first, NULL, &lock, &err)) {
		note_problem(&p->problems, "acquire", &err);
		return NULL;
	}
	p->has_first = true;
	while (!p->go)
		sleep_ms(1);
	wants_second(p);
	if (dblock_release(lock, &err))
		note_problem(&p->problems, "release", &err);
	p->done = true;
	return NULL;
}

static void pair_start(struct pair *p, struct dblock_client *client, const char *first,
		       const char *second)
{
	*p = (struct pair){.client = client, .first = first, .second = second};
	assert_int_equal(pthread_create(&p->thread, NULL, pair_body, p), 0);
}

static void pair_join(struct pair *p)
{
	wait_until(p->done);
	pthread_join(p->thread, NULL);
	assert_int_equal(p->problems, 0);
}

/* The party has its first lock as a turn, by a grant of another thread. */
static void pair_start_in_turn(struct pair *p, struct dblock_client *client, const char *first,
			       const char *second)
{
	struct waiting before;
	struct dblock_lock *lock;

	waiting_start(&before, client, first);
	lock = waiting_join(&before);
	pair_start(p, client, first, second);
	wait_until(in_memory(client, first) == 1);
	give(lock);
	wait_until(p->has_first);
}

/* Naive: rows name the threads that were granted them first, or nobody; and a wait in memory is in
 * no graph. */
static void a_ring_of_turns_is_found(void **state)
{
	struct dblock_client *client = client_new(0);
	struct pair p, q;

	(void)state;
	pair_start_in_turn(&p, client, "a", "b");
	pair_start_in_turn(&q, client, "b", "a");
	p.go = q.go = true;
	pair_join(&p);
	pair_join(&q);
	assert_int_equal((p.rc == DBLOCK_DEADLOCK) + (q.rc == DBLOCK_DEADLOCK), 1);
	dblock_close(client, NULL);
}

/* A thread that gives its first lock away before it wants the second. */
static void *passer_body(void *arg)
{
	struct pair *p = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	if (dblock_acquire(p->client, p->first, NULL, &lock, &err))
		note_problem(&p->problems, "acquire", &err);
	p->has_first = true;
	while (!p->go)
		sleep_ms(1);
	if (dblock_release(lock, &err))
		note_problem(&p->problems, "release", &err);
	wants_second(p);
	p->done = true;
	return NULL;
}

/* p has passed `a` on, and waits for `b`; q, who has `b`, waits for `a`. But another thread has
 * `a`, and works. Naive: the row still names p. */
static void who_has_passed_it_on_is_no_holder(void **state)
{
	struct dblock_client *client = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct pair p = {.client = client, .first = "a", .second = "b"}, q;
	struct waiting next;
	struct dblock_lock *lock;

	(void)state;
	assert_int_equal(pthread_create(&p.thread, NULL, passer_body, &p), 0);
	wait_until(p.has_first);
	waits_in_memory(&next, client, "a");
	pair_start(&q, client, "b", "a");
	wait_until(q.has_first);
	p.go = true;
	lock = waiting_join(&next);
	wait_until(in_queue(raw) == 1);
	q.go = true;
	wait_until(in_queue(raw) == 2);
	sleep_ms(4 * SUSPECT_MS);
	assert_false(p.done || q.done);
	give(lock);
	pair_join(&q);
	pair_join(&p);
	assert_int_equal(p.rc, DBLOCK_OK);
	assert_int_equal(q.rc, DBLOCK_OK);
	raw_close(raw);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_of_turns_is_found),
		cmocka_unit_test(who_has_passed_it_on_is_no_holder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
