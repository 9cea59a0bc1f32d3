/* SPDX-License-Identifier: MIT */
/* A process may have as many clients as its memory and descriptors allow, and all its pthread keys
 * for itself. */
#include <limits.h>
#include <sys/resource.h>

#include "support/kit.h"

enum { CLIENTS = PTHREAD_KEYS_MAX + 100, DESCRIPTORS = 16, AT_ONCE = 20 };

static struct dblock_client *clients[CLIENTS];

/* Each client has several connections, and each of these opens the file, its log, and its index. */
static unsigned as_many_as_may_be(void)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return limit.rlim_cur / DESCRIPTORS < CLIENTS ? AT_ONCE : CLIENTS;
}

static unsigned keys_that_are_left(void)
{
	pthread_key_t keys[PTHREAD_KEYS_MAX];
	unsigned n = 0;

	while (n < PTHREAD_KEYS_MAX && pthread_key_create(&keys[n], NULL) == 0)
		n++;
	for (unsigned i = 0; i < n; i++)
		pthread_key_delete(keys[i]);
	return n;
}

static void clients_take_no_keys(void **state)
{
	unsigned before, n = as_many_as_may_be();

	(void)state;
	dblock_close(client_new(0));
	before = keys_that_are_left();
	for (unsigned i = 0; i < n; i++)
		clients[i] = client_new(3600 * 1000);
	if (n < CLIENTS)
		print_message("%u clients only: too few descriptors for more\n", n);
	assert_int_equal(keys_that_are_left(), before);
	/* The first and the last client both know this thread. */
	give(take(clients[0], "x"));
	give(take(clients[n - 1], "x"));
	for (unsigned i = 0; i < n; i++)
		dblock_close(clients[i]);
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
	dblock_close(m.client);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clients_take_no_keys),
		cmocka_unit_test(threads_that_follow_each_other_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
