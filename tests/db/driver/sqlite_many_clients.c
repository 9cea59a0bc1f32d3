/* SPDX-License-Identifier: MIT */
/* A process may have as many clients as its memory and descriptors allow, and all its pthread keys
 * for itself. */
#include <limits.h>

#include "support/kit.h"

enum { CLIENTS = 40, LEFT = 10 };

static struct dblock_client *clients[CLIENTS];
static pthread_key_t keys[PTHREAD_KEYS_MAX];

/* Takes keys until only so many are left; the result is how many were taken. */
static unsigned take_keys(unsigned left)
{
	unsigned n = 0;

	while (n < PTHREAD_KEYS_MAX && pthread_key_create(&keys[n], NULL) == 0)
		n++;
	assert_true(n > left);
	for (unsigned i = 0; i < left; i++)
		pthread_key_delete(keys[--n]);
	return n;
}

static void free_keys(unsigned n)
{
	while (n > 0)
		pthread_key_delete(keys[--n]);
}

/* There are more clients than keys for them. */
static void clients_take_no_keys(void **state)
{
	unsigned taken;

	(void)state;
	dblock_close(client_new(0), NULL);
	taken = take_keys(LEFT);
	for (unsigned i = 0; i < CLIENTS; i++)
		clients[i] = client_new(3600 * 1000);
	/* The first and the last client both know this thread. */
	give(take(clients[0], "x"));
	give(take(clients[CLIENTS - 1], "x"));
	free_keys(taken);
	assert_int_equal(take_keys(0), taken + LEFT);
	free_keys(taken + LEFT);
	for (unsigned i = 0; i < CLIENTS; i++)
		dblock_close(clients[i], NULL);
}

struct meeting {
	struct dblock_client *client;
	_Atomic int problems;
};

/* A thread keeps its own number, even when the kernel gives its id to another thread. */
static void *enter_again(void *arg)
{
	struct meeting *m = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock, *same;

	if (dblock_acquire(m->client, "shared", NULL, &lock, &err)) {
		note_problem(&m->problems, "acquire", &err);
		return NULL;
	}
	if (dblock_try(m->client, "shared", NULL, &same, &err) || same != lock)
		note_problem(&m->problems, "enter again", &err);
	(void)dblock_release(lock, NULL);
	if (dblock_release(lock, &err))
		note_problem(&m->problems, "release", &err);
	return NULL;
}

static void threads_that_follow_each_other_are_told_apart(void **state)
{
	struct meeting m = {.client = client_new(0)};
	struct dblock_lock *mine = take(m.client, "mine"), *theirs;
	struct dblock_error err = {0};

	(void)state;
	for (int i = 0; i < 50; i++) {
		struct crew crew = {.n = 0};

		crew_add(&crew, enter_again, &m);
		crew_add(&crew, enter_again, &m);
		crew_join(&crew);
	}
	assert_int_equal(m.problems, 0);
	expect(OK, dblock_try(m.client, "mine", NULL, &theirs, &err));
	assert_ptr_equal(theirs, mine);
	give(mine);
	give(mine);
	dblock_close(m.client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clients_take_no_keys),
		cmocka_unit_test(threads_that_follow_each_other_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
